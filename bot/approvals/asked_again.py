"""Approvals that are remembered, at work: looked up when a call is filed, and taken back by people."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.approvals.action import Action, Decided, LetThrough
from bot.approvals.approval import Approval, State
from bot.approvals.asking import Asking
from bot.approvals.briefing import Briefing
from bot.approvals.conversation import Conversation, PostKind
from bot.approvals.decision import DecisionKind, Json
from bot.approvals.errors import AlreadyDecided
from bot.approvals.filing import redraw
from bot.approvals.ids import ActionId, UserId
from bot.approvals.policy import Policy, in_words
from bot.approvals.ports import Clock, Event, Jobs, Tools, Transaction
from bot.approvals.remembered import holds, in_force, is_approved, is_covered, remembering, verdict
from bot.approvals.terms import Terms
from bot.approvals.vouching import ONCE, Vouched, ran_in
from bot.approvals.words import phrase, say


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """An approval that is remembered, in a conversation."""

    conversation: Conversation
    action: Action
    decided: Decided


async def judged(
    tx: Transaction, approval: Approval, policy: Policy, tools: Tools, vouched: Vouched
) -> Approval:
    """A new approval with what the policy says of each call: is it let through, remembered, turned into what.

    `vouched` is what is known of the people whose approvals are remembered. Kept in its rows, so that it
    stays as it is now until the agent is told.
    """
    terms = {action.id: policy.terms_of(action) for action in approval.actions}
    known: Sequence[Approval] = ()
    ran: Collection[ActionId] = ()
    if any(each.ask in ONCE for each in terms.values()):
        known = await tx.approvals.of(approval.conversation, State.DELIVERED)
        ran = await ran_in(tx, approval.conversation)
    actions = tuple(
        replace(
            action,
            remembering=remembering(action, approval.shape, terms[action.id]),
            targets=_targets(action, terms[action.id].edit_to, tools),
            briefing=_briefed(action, terms[action.id], policy),
        )
        for action in approval.actions
    )
    verdicts = {
        action.id: verdict(
            action,
            approval.shape,
            terms[action.id],
            known=known,
            ran=ran,
            requesters=approval.requesters,
            at=approval.asked_at,
            still_holds=partial(
                vouched.still_holds,
                terms=terms[action.id],
                requesters=approval.requesters,
                called=frozenset().union(*(one.escalated_to for one in known)),
            ),
        )
        for action in actions
    }
    through = {id: let for id, let in verdicts.items() if let is not None}
    asked = replace(approval, actions=actions)
    return asked.let_through(through) if through else asked


def told_of(approval: Approval) -> list[Event]:
    """A line of the record for each call that is let through."""
    return [
        _event(approval, action, action.outcome)
        for action in approval.actions
        if isinstance(action.outcome, LetThrough)
    ]


async def in_force_in(tx: Transaction, conversation: Conversation, policy: Policy) -> list[InForce]:
    """What is remembered in a conversation, as far as the policy still has it count; oldest first."""
    known = await tx.approvals.of(conversation.id, State.DELIVERED)
    ran = await ran_in(tx, conversation.id)
    return [
        InForce(conversation=conversation, action=action, decided=decided)
        for action, decided in in_force(known, ran)
        if holds(action, policy.terms_of(action))
    ]


async def forget(tx: Transaction, jobs: Jobs, id: ActionId, *, by: UserId, now: Clock) -> None:
    """Have people asked again, from the next call on, where this approval is remembered now.

    All that would hold in its place is forgotten with it. `AlreadyDecided` if it is already.
    """
    approval = await tx.approvals.of_action(id)
    source = approval.action(id) if approval else None
    if (
        approval is None
        or source is None
        or source.forgotten
        or not (source.remembering and is_approved(source))
    ):
        if source and source.forgotten:
            message = phrase("This was taken back already by {who}; it is asked again.")
            raise AlreadyDecided(say(message, who=f"<@{source.forgotten}>"))
        raise AlreadyDecided(say("This was taken back already; it is asked again."))
    known = await tx.approvals.of(approval.conversation)
    those = {
        one.id
        for each in known
        for one in each.actions
        if one.remembering and is_approved(one) and _stands_in(one, source)
    }
    changed = [(before, before.forget(those, by)) for before in known]
    await tx.approvals.save(*(after for before, after in changed if after != before))
    await tx.record.append(
        Event(
            kind="forgotten",
            at=now(),
            conversation=approval.conversation,
            approval=approval.id,
            action=id,
            actor=by,
            detail={"tool": source.tool, "digest": source.digest, "actions": [*sorted(those)]},
        )
    )
    seen = {after.id for before, after in changed if after != before}
    for post in await tx.posts.of(approval.conversation):
        if post.approval in seen and post.kind in {PostKind.CARD, PostKind.NOT_ASKED}:
            await jobs.owe(tx, redraw(post.id, "forgotten"))


def _stands_in(one: Action, source: Action) -> bool:
    """Whether it would be found in place of `source`, for some call that `source` holds for."""
    asking = source.remembering.asking if source.remembering else Asking.ALWAYS
    if asking is Asking.ONCE_PER_TOOL:
        return one.tool == source.tool
    return is_covered(source, one, Asking.ONCE_PER_TOOL)


def _targets(action: Action, edit_to: Sequence[str], tools: Tools) -> dict[str, Mapping[str, Json]]:
    if DecisionKind.EDIT not in action.allowed:
        return {}
    schemas = {tool: tools.schema(tool) for tool in edit_to if tool != action.tool}
    return {tool: schema for tool, schema in schemas.items() if schema is not None}


def _briefed(action: Action, terms: Terms, policy: Policy) -> Briefing:
    tools = (action.tool, *(tool for tool in terms.edit_to if tool != action.tool))
    return replace(
        action.briefing,
        deciders=in_words(terms),
        reasons=terms.reasons,
        all_at_once=terms.all_at_once,
        dangers=tuple(tool for tool in tools if policy.terms(tool).danger),
    )


def _event(approval: Approval, action: Action, outcome: LetThrough) -> Event:
    because = outcome.because
    return Event(
        kind="let_through",
        at=outcome.at,
        conversation=approval.conversation,
        approval=approval.id,
        action=action.id,
        detail={
            "tool": action.tool,
            "digest": action.digest,
            "why": "remembered" if because else "policy",
            "approved": because.action if because else None,
            "by": [*because.by] if because else [],
        },
    )
