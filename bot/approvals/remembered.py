"""Whether an earlier approval holds for a call, so that nobody is asked about it again. Pure.

Only what people approved as it was asked, with all votes that it took, and what ran then. What counts is the
narrower of two scopes: what its approvers were told that it would be remembered for, and what the policy says
now. Under a policy that wants other approvers, or more of them, it counts no more.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from bot.approvals.action import Action, Decided, LetThrough, Remembered
from bot.approvals.approval import Approval, Shape, State
from bot.approvals.asking import Asking, Remembering
from bot.approvals.binding import NO_JSON, digest
from bot.approvals.decision import Approve, DecisionKind
from bot.approvals.ids import ActionId, ConversationId, InterruptId, UserId
from bot.approvals.policy import Terms


def remembering(action: Action, shape: Shape, terms: Terms) -> Remembering | None:
    """What an approval of this call is remembered for; None for nothing."""
    if not _can_be_let_through(action, shape) or terms.ask not in {Asking.ONCE, Asking.ONCE_PER_TOOL}:
        return None
    return Remembering(asking=terms.ask, terms=terms.fingerprint)


def verdict(
    action: Action,
    shape: Shape,
    terms: Terms,
    *,
    known: Sequence[Approval],
    ran: Collection[ActionId],
    requesters: frozenset[UserId],
    at: datetime,
    still_holds: Callable[[Action], bool],
) -> LetThrough | None:
    """Whether a call is let through; None if people are asked.

    `known` are the conversation's approvals, oldest first; `ran` the actions whose call ran as decided.
    `still_holds` tells whether those who approved it may decide even now.
    What only people can answer is always asked, and so is whether a call in doubt is to run again.
    """
    if not _can_be_let_through(action, shape):
        return None
    if terms.ask is Asking.NEVER:
        return LetThrough(at=at)
    if action.unseen:
        return None  # nobody can know whether it is what was approved
    for one, decided in reversed([*in_force(known, ran)]):
        if not holds(one, terms) or not is_covered(action, one, terms.ask):
            continue
        by = voters(one)
        if (terms.self_approval or not requesters & set(by)) and still_holds(one):
            return LetThrough(at=at, because=Remembered(action=one.id, by=by, at=decided.at))
    return None


def in_force(known: Sequence[Approval], ran: Collection[ActionId]) -> Iterator[tuple[Action, Decided]]:
    """The approvals that are remembered, as far as nobody has taken them back."""
    for approval in known:
        if approval.shape is not Shape.BATCHED or approval.state is not State.DELIVERED:
            continue
        for action in approval.actions:
            if action.id in ran and action.remembering and not action.forgotten and is_approved(action):
                assert action.decided  # noqa: S101 - as `is_approved` says
                yield action, action.decided


def voters(source: Action) -> tuple[UserId, ...]:
    """Whose votes an approval took."""
    return tuple(vote.by for vote in source.votes)


def is_approved(action: Action) -> bool:
    """Whether people approved it as the agent asked for it: not an edit of it."""
    return action.decided is not None and isinstance(action.decided.decision, Approve)


def holds(source: Action, terms: Terms) -> bool:
    """Whether it counts under these terms."""
    if source.remembering is None or terms.ask not in {Asking.ONCE, Asking.ONCE_PER_TOOL}:
        return False
    return source.remembering.terms == terms.fingerprint and source.needs == terms.needs


def is_covered(action: Action, source: Action, ask: Asking) -> bool:
    """Whether an approval of `source` is one of this call too, where the policy asks like this."""
    if source.remembering is None or source.tool != action.tool:
        return False
    if ask is Asking.ONCE_PER_TOOL and source.remembering.asking is Asking.ONCE_PER_TOOL:
        return True
    form = _form(action)
    return form is not None and form == _form(source)


def _can_be_let_through(action: Action, shape: Shape) -> bool:
    return shape is Shape.BATCHED and DecisionKind.APPROVE in action.allowed


def _form(action: Action) -> str | None:
    """Equal exactly for the same tool with the same canonical arguments that point at the same.

    None for what is no JSON.
    """
    try:
        return digest(
            tool=action.tool,
            arguments=action.arguments,
            thread=ConversationId(""),
            interrupt=InterruptId(""),
            call="",
            referents=action.referents,
        )
    except NO_JSON:
        return None
