"""What a process knows of a job that it was given: whether it still has it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncCursor
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.errors import Lost
from bot.approvals.ports import Transaction
from bot.jobs import postgres_table as table

_KEEP: Final = (
    "SELECT id FROM procrastinate_jobs "
    "WHERE id = %(id)s AND attempts = %(attempts)s AND status = 'doing' FOR SHARE"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """`Tenure` over one job that was given out."""

    hold: table.Hold
    lost: Callable[[], bool]
    """Whether this process, since it was given the job, was silent for so long that others may have it."""

    def check(self) -> None:
        """By the clock alone: right after a freeze, when nothing else has had its turn yet."""
        if self.lost():
            raise Lost("this process was silent for too long; its jobs are others' by now")

    async def confirm(self, tx: Transaction) -> None:
        """By the row, which nobody takes away while the transaction lasts."""
        self.check()
        if not await table.keep(store_connection(tx), self.hold):
            raise Lost("this job was given to another process")

    async def confirm_with(self, cursor: AsyncCursor[Any]) -> None:
        """The same by a cursor of the driver's own."""
        self.check()
        await cursor.execute(_KEEP, {"id": self.hold.id, "attempts": self.hold.attempts})
        if await cursor.fetchone() is None:
            raise Lost("this job was given to another process")


def store_connection(tx: Transaction) -> AsyncConnection:
    """The store's own connection; `TypeError` if it does not lead to Postgres."""
    connection = tx.connection
    if not isinstance(connection, AsyncConnection) or connection.dialect.name != "postgresql":
        raise TypeError("the engine writes through the store's own connection to Postgres")
    return connection
