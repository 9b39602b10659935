"""Which approvals stand on the same card, in SQL: the one whose card it is, and those that name it."""

from typing import Any, Final

from sqlalchemy import ColumnElement, ScalarSelect, and_, func, or_, select

from bot.approvals.approval import State
from bot.store.tables import approvals

_named, _other = approvals.alias(), approvals.alias()


def lead_of(id: ColumnElement[Any]) -> ScalarSelect[Any]:
    """The approval whose card it is on which this one stands."""
    return (
        select(func.coalesce(_named.c.card, _named.c.id))
        .where(_named.c.id == id)
        .correlate(None)
        .scalar_subquery()
    )


_LEAD: Final = func.coalesce(approvals.c.card, approvals.c.id)

OTHERS: Final = (
    select(func.coalesce(func.sum(_other.c.version + 1), 0))
    .where(and_(or_(_other.c.id == _LEAD, _other.c.card == _LEAD), _other.c.id != approvals.c.id))
    .correlate(approvals)
    .scalar_subquery()
)
"""A column: what the others on its card add to the version of a drawing."""

QUEUED: Final = (
    select(_other.c.id)
    .where(
        _other.c.conversation == approvals.c.conversation,
        _other.c.state == State.WAITING.value,
        _other.c.held.is_(True),
    )
    .correlate(approvals)
    .exists()
)
"""A column: whether anything is held in its conversation."""
