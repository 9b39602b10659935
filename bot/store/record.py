"""The append-only record, as rows of `audit`.

Lines are put into the database at the end of their transaction: all at once, and so that the chain, which
others wait for, is held as briefly as can be.
"""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ids import ConversationId
from bot.approvals.ports import Event
from bot.store.linking import Line, put
from bot.store.naming import Agents
from bot.store.rows import event_of, event_texts
from bot.store.tables import audit

_ALL: Final = select(audit).order_by(audit.c.seq)
_OF: Final = _ALL.where(audit.c.conversation == bindparam("wanted"))


class RecordRows:
    """`Record` in one transaction."""

    __slots__ = ("_agents", "_connection", "_lines", "_tell")

    def __init__(
        self, connection: AsyncConnection, tell: Callable[[Event], None], agents: Agents | None = None
    ) -> None:
        self._connection = connection
        self._tell = tell
        self._agents = agents or Agents(connection)
        self._lines: list[Line] = []

    async def append(self, *events: Event) -> None:
        """Add lines, in the same transaction as what they tell."""
        self._lines += [Line.of(event_texts(event)) for event in await self._agents.named(events)]
        for event in events:
            self._tell(event)

    async def of(self, conversation: ConversationId | None = None) -> Sequence[Event]:
        """The lines, oldest first; of one conversation, or all."""
        await self.write()
        if conversation is None:
            rows = await self._connection.execute(_ALL)
        else:
            rows = await self._connection.execute(_OF, {"wanted": conversation})
        return [event_of(row) for row in rows]

    async def write(self) -> None:
        """Put what was added into the database."""
        if self._lines:
            await put(self._connection, self._lines)
            self._lines = []
