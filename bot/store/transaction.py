"""One transaction: the rows in it, and who wants to know once it is on disk."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ports import Event
from bot.store.approvals import ApprovalRows
from bot.store.conversations import ConversationRows
from bot.store.executions import ExecutionRows
from bot.store.homes import HomeRows
from bot.store.naming import Agents
from bot.store.posts import PostRows
from bot.store.record import RecordRows

_log: Final = logging.getLogger(__name__)

Recorded: TypeAlias = Callable[[Event], None]
"""Told about every line of the record, once it is on disk."""


class RowsTransaction:
    """`Transaction` over one connection."""

    __slots__ = (
        "_calls",
        "_recorded",
        "approvals",
        "connection",
        "conversations",
        "executions",
        "homes",
        "posts",
        "record",
    )

    def __init__(
        self, connection: AsyncConnection, recorded: Recorded | None = None, *, locking: bool = False
    ) -> None:
        """With `locking`, what is read stays as it is until the transaction ends: others wait for it.

        A database with one writer does that by itself.
        """
        self.connection = connection
        agents = Agents(connection)
        self.conversations = ConversationRows(connection, agents, locking=locking)
        self.approvals = ApprovalRows(connection, agents, locking=locking)
        self.executions = ExecutionRows(connection)
        self.posts = PostRows(connection, locking=locking)
        self.homes = HomeRows(connection, locking=locking)
        self._calls: list[Callable[[], None]] = []
        self._recorded = recorded
        self.record = RecordRows(connection, self._written, agents)

    def on_commit(self, call: Callable[[], None]) -> None:
        """Call this once the transaction is on disk; never if it is rolled back."""
        self._calls.append(call)

    def _written(self, event: Event) -> None:
        if self._recorded:
            self.on_commit(partial(self._recorded, event))

    async def commit(self) -> None:
        """Put it on disk, then tell."""
        await self.record.write()
        await self.connection.commit()
        for call in self._calls:
            try:
                call()
            except Exception:  # noqa: BLE001 - the caller's code, after the fact
                # The rows are written; whoever reads this must not take them for lost.
                _log.exception("a call after the commit failed")
