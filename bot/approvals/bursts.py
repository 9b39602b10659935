"""Bursts: calls of one tool that wait at the same time stand on one card, each an approval of its own. Pure.

Each keeps its votes, its digest and its deadline, and is told to the agent as soon as it is decided. Only
what people see of them is one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from bot.approvals.approval import Approval, Shape, State
from bot.approvals.carding import lead_of, version_of
from bot.approvals.choosing import Chosen
from bot.approvals.ids import ApprovalId

MOST: Final = 50
"""Approvals that wait on one card."""


def lead_for(approval: Approval, waiting: Sequence[Approval]) -> Approval | None:
    """The approval whose card this one joins, among those of its conversation that wait; None for no other.

    One tool has one set of terms, so that the same people decide in the same places, unless functions of the
    policy chose others for a call.
    """
    if (sort := _only_sort(approval)) is None:
        return None
    leads = (one for one in waiting if one.card is None and one.requesters == approval.requesters)
    fit = (one for one in leads if _only_sort(one) == sort)
    return next((one for one in fit if sum(lead_of(other) == one.id for other in waiting) < MOST), None)


def merged(card: Sequence[Approval]) -> Approval:
    """All that stands on one card as one approval, for drawing and for nothing else.

    What was withdrawn is left out as long as others are left.
    """
    first, *others = card
    if not others:
        return first
    left = [one for one in card if one.state is not State.WITHDRAWN] or [*card]
    waits = [one for one in left if one.state is State.WAITING]
    ends = [one.expires_at for one in waits if one.expires_at]
    return replace(
        first,
        state=State.WAITING if waits else left[-1].state,
        actions=tuple(chain.from_iterable(one.actions for one in left)),
        version=version_of(card),
        note=left[-1].note,
        asked_at=left[0].asked_at,
        expires_at=min(ends, default=None),
        requesters=frozenset(chain.from_iterable(one.requesters for one in card)),
        escalated_to=frozenset(chain.from_iterable(one.escalated_to for one in left)),
        closed=frozenset(
            action.id for one in left if one.state is not State.WAITING for action in one.actions
        ),
    )


def open_cards(waiting: Iterable[Approval]) -> list[ApprovalId]:
    """The cards on which people are asked, by the approval whose card it is, oldest first."""
    return list(dict.fromkeys(lead_of(one) for one in waiting if not one.held))


def _only_sort(approval: Approval) -> tuple[str, Chosen | None] | None:
    """The tool, and what was chosen for the call; None if it is no call or there are several sorts."""
    sorts = {(action.tool, action.chosen) for action in approval.actions}
    return sorts.pop() if approval.shape is Shape.BATCHED and len(sorts) == 1 else None
