"""What the policy says of a call when it is filed: let through, remembered, or asked about, and of whom."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from bot.approvals.action import Action, LetThrough
from bot.approvals.approval import Approval, State
from bot.approvals.briefing import Briefing
from bot.approvals.decision import DecisionKind, Json
from bot.approvals.ids import ActionId
from bot.approvals.policy import Policy, in_words
from bot.approvals.ports import Event, Tools, Transaction
from bot.approvals.remembered import remembering, verdict
from bot.approvals.terms import Terms
from bot.approvals.vouching import ONCE, Vouched, ran_in


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
