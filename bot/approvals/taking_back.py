"""Approvals that are remembered: what holds in a conversation, and how people take it back."""

from dataclasses import dataclass

from bot.approvals.action import Action, Decided
from bot.approvals.approval import State
from bot.approvals.asking import Asking
from bot.approvals.conversation import Conversation, PostKind
from bot.approvals.errors import AlreadyDecided
from bot.approvals.filing import redraw
from bot.approvals.ids import ActionId, UserId
from bot.approvals.policy import Policy
from bot.approvals.ports import Clock, Event, Jobs, Transaction
from bot.approvals.remembered import holds, in_force, is_approved, is_covered
from bot.approvals.vouching import ran_in
from bot.approvals.words import phrase, say


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """An approval that is remembered, in a conversation."""

    conversation: Conversation
    action: Action
    decided: Decided


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
