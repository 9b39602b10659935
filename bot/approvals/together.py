"""Several open calls that are decided with one press: which they are, and what became of each. Pure.

What the policy allows is kept with each call when people are asked, so that it is known when a card is drawn;
the policy is asked again when it is pressed and when it is sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.action import EDITION
from bot.approvals.approval import Action, Approval, Shape, State
from bot.approvals.decision import DecisionKind
from bot.approvals.errors import AlreadyDecided, NotAllowed, Refused
from bot.approvals.ids import ActionId, UserId
from bot.approvals.refusing import EDITED
from bot.approvals.terms import Terms
from bot.approvals.words import phrase, say

LEAST: Final = 2
"""Calls; fewer have buttons of their own."""

Pair = tuple[Approval, Action]
"""An action, and the approval that has it."""

NOT_OPEN: Final = phrase("This was decided meanwhile.")
ON_ITS_OWN: Final = phrase("`{tool}` is decided on its own; nothing was done about it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A call as a form listed it."""

    id: ActionId
    bound: str
    """The first characters of the digest of what was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """What one person can decide together on a card."""

    calls: tuple[Pair, ...]
    others: int = 0
    """Open calls of the card that are decided on their own, or by others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A call that was listed and was not decided with the others."""

    why: str
    by: UserId | None = None
    """Who had decided it meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What became of those that were listed."""

    decided: int
    """Those with this person's vote now."""
    waiting: int = 0
    """Of these, those that still need others."""
    left: tuple[Left, ...] = ()


def listed(action: Action) -> Listed:
    """The call as people are asked about it now."""
    return Listed(id=action.id, bound=action.asked.digest[:EDITION])


def is_dangerous(action: Action) -> bool:
    """Whether the call that people are asked about now is marked as dangerous."""
    return action.asked.tool in action.briefing.dangers


def common_reasons(actions: Sequence[Action]) -> tuple[str, ...]:
    """The ready-made reasons for a no that the policy has for every one of them, in the first one's order."""
    first, *others = [action.briefing.reasons for action in actions] or [()]
    return tuple(reason for reason in first if all(reason in each for each in others))


def covered(approvals: Iterable[Approval], kind: DecisionKind) -> list[Pair]:
    """The open calls that one press may decide so, as the policy was when people were asked."""
    return [
        (approval, action)
        for approval in approvals
        for action in approval.open
        if _is_covered(approval, action, kind) and action.briefing.all_at_once
    ]


def has_enough(approvals: Iterable[Approval], kind: DecisionKind) -> bool:
    """Whether there is something to decide together."""
    return len(covered(approvals, kind)) >= LEAST


def _is_covered(approval: Approval, action: Action, kind: DecisionKind) -> bool:
    if approval.state is not State.WAITING or approval.held or approval.shape is not Shape.BATCHED:
        return False
    if action.outcome or kind not in action.takes or action.asked.tool != action.tool:
        return False
    return kind is DecisionKind.REJECT or (kind is DecisionKind.APPROVE and not is_dangerous(action))


def refuse(approval: Approval, action: Action, kind: DecisionKind, terms: Terms) -> None:
    """Raise `AlreadyDecided` or `NotAllowed` unless one press may decide this call so now.

    `terms` are those of the policy as it is now.
    """
    if action.outcome:
        raise AlreadyDecided(say(NOT_OPEN))
    allowed = terms.all_at_once and not (terms.danger and kind is DecisionKind.APPROVE)
    if not (allowed and action.briefing.all_at_once and _is_covered(approval, action, kind)):
        raise NotAllowed(say(ON_ITS_OWN, tool=action.asked.tool))


def refuse_unlisted(action: Action, one: Listed) -> None:
    """Raise `AlreadyDecided` if the call is not the one that was listed any more."""
    if listed(action) != one:
        raise AlreadyDecided(say(EDITED))


def for_person(approvals: Sequence[Approval], kind: DecisionKind, by: UserId) -> list[Pair]:
    """Those of them that this person has not approved yet; a rejection is a new decision in any case."""
    pairs = covered(approvals, kind)
    if kind is DecisionKind.REJECT:
        return pairs
    return [pair for pair in pairs if not _has_agreed(pair[1], by)]


def _has_agreed(action: Action, by: UserId) -> bool:
    vote = action.vote_of(by)
    return vote is not None and bool(vote.fits) and vote.digest == action.asked.digest


def told(verdicts: Sequence[tuple[Listed, Approval | Refused]], now: Mapping[ActionId, Action]) -> Together:
    """What became of them, with what is known of each now."""
    left = []
    decided = waiting = 0
    for one, verdict in verdicts:
        if isinstance(verdict, Refused):
            action = now.get(one.id)
            left.append(Left(why=str(verdict), by=action.decided.by if action and action.decided else None))
            continue
        decided += 1
        waiting += verdict.action(one.id).outcome is None
    return Together(decided=decided, waiting=waiting, left=tuple(left))
