"""Bursts: calls of one tool that wait at the same time stand on one card, each an approval of its own. Pure.

Where cards go to people in direct messages, calls of several tools do so as well, if the same people decide
about them in the same way: nobody gets a message for each.

Each keeps its votes, its digest and its deadline, and is told to the agent as soon as it is decided. Only
what people see of them is one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from bot.approvals.approval import Approval, Shape, State
from bot.approvals.asking import Asking
from bot.approvals.carding import lead_of, version_of
from bot.approvals.choosing import Chosen
from bot.approvals.ids import ApprovalId
from bot.approvals.places import ToApprovers
from bot.approvals.policy import Policy

MOST: Final = 50
"""Approvals that wait on one card."""


def lead_for(
    approval: Approval, waiting: Sequence[Approval], policy: Policy | None = None
) -> Approval | None:
    """The approval whose card this one joins, among those of its conversation that wait; None for no other.

    One tool has one set of terms, so that the same people decide in the same places, unless functions of the
    policy chose others for a call. Without a `policy` the tools alone tell.
    """
    if (sort := _sort(approval, policy)) is None:
        return None
    leads = (one for one in waiting if one.card is None and one.requesters == approval.requesters)
    fit = (one for one in leads if _sort(one, policy) == sort)
    return next((one for one in fit if sum(lead_of(other) == one.id for other in waiting) < MOST), None)


def merged(card: Sequence[Approval]) -> Approval:
    """All that stands on one card as one approval, for drawing and for nothing else.

    What was withdrawn is left out while others wait, and for good if it is asked again: it stands elsewhere
    then. Else the card ends with it as withdrawn, whatever became of the others.
    """
    first, *others = card
    if not others:
        return first
    waits = [one for one in card if one.state is State.WAITING]
    gone = [one for one in card if one.state is State.WITHDRAWN and not (waits or one.is_asked_again)]
    left = [one for one in card if one.state is not State.WITHDRAWN or one in gone] or [*card]
    last = max(gone, key=lambda one: bool(one.open), default=left[-1])
    ends = [one.expires_at for one in waits if one.expires_at]
    return replace(
        first,
        state=State.WAITING if waits else last.state,
        actions=tuple(chain.from_iterable(one.actions for one in left)),
        version=version_of(card),
        note=last.note,
        asked_at=left[0].asked_at,
        expires_at=min(ends, default=None),
        requesters=frozenset(chain.from_iterable(one.requesters for one in card)),
        escalated_to=frozenset(chain.from_iterable(one.escalated_to for one in left)),
        closed=frozenset(
            action.id
            for one in left
            if one.state in {State.SETTLED, State.DELIVERED}
            for action in one.actions
        ),
    )


def open_cards(waiting: Iterable[Approval]) -> list[ApprovalId]:
    """The cards on which people are asked, by the approval whose card it is, oldest first."""
    return list(dict.fromkeys(lead_of(one) for one in waiting if not one.held))


def _sort(approval: Approval, policy: Policy | None) -> object:
    """What has to be the same of all that stand on one card; None for what stands alone."""
    tool = _only_sort(approval)
    if tool is None or policy is None:
        return tool
    terms = policy.terms_of(approval.actions[0])
    # What a rule says of each call by itself may differ: it is told, and asked, for each.
    return replace(terms, **_OF_A_CALL) if isinstance(terms.channel, ToApprovers) else tool


_OF_A_CALL: Final[dict[str, Any]] = {
    "redact": (),
    "edit_to": (),
    "reasons": (),
    "ask": Asking.ALWAYS,
    "danger": False,
    "all_at_once": False,
    "fresh": False,
    "shared_channels": False,
}


def _only_sort(approval: Approval) -> tuple[str, Chosen | None] | None:
    """The tool, and what was chosen for the call; None if it is no call or there are several sorts."""
    sorts = {(action.tool, action.chosen) for action in approval.actions}
    return sorts.pop() if approval.shape is Shape.BATCHED and len(sorts) == 1 else None
