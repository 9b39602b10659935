"""Whether a piece of background work is still this process's to do.

A process that was frozen, or cut off from its database, wakes up in the middle of work that others have taken
over meanwhile. What it does next must change nothing, so whoever is about to do something that cannot be
taken back asks here: the store inside each transaction, the guard in front of a tool, the saver and the
courier before they write. The engine that gave the work out says what is true; it is set around the work,
since what lies between (LangGraph, a team's own graph) passes nothing of ours on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol

from bot.approvals.errors import Lost
from bot.approvals.ports import Transaction

__all__ = ["Lost", "Tenure", "check", "confirm", "confirm_with", "under"]


class Tenure(Protocol):
    """What the engine knows of one piece of work that it gave out."""

    def check(self) -> None:
        """Raise `Lost` if others may have taken it over; what this process knows by itself, at once."""

    async def confirm(self, tx: Transaction) -> None:
        """Raise `Lost` if others have taken it over; if not, nobody does before this transaction ends."""

    async def confirm_with(self, cursor: Any) -> None:  # noqa: ANN401 - of an optional extra
        """The same in an open transaction of the database's own driver, by a cursor of it."""


_now: Final[ContextVar[Tenure | None]] = ContextVar("approval_bot_tenure", default=None)


@contextmanager
def under(tenure: Tenure) -> Iterator[None]:
    """What is done in this block, and in tasks that it starts, is this piece of work."""
    token = _now.set(tenure)
    try:
        yield
    finally:
        _now.reset(token)


def check() -> None:
    """Raise `Lost` if this is background work that others may have taken over."""
    if tenure := _now.get():
        tenure.check()


async def confirm(tx: Transaction) -> None:
    """Raise `Lost` if this is background work that others have taken over; else keep it for `tx`."""
    if tenure := _now.get():
        await tenure.confirm(tx)


async def confirm_with(cursor: Any) -> None:  # noqa: ANN401 - of an optional extra
    """Raise `Lost` if this is background work that others have taken over; else keep it till the end."""
    if tenure := _now.get():
        await tenure.confirm_with(cursor)
