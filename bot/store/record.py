"""The append-only record, as rows of `audit`."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import bindparam, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ids import ConversationId
from bot.approvals.ports import Event
from bot.store.rows import event_of, event_values
from bot.store.tables import audit

_APPEND: Final = insert(audit).inline()
_ALL: Final = select(audit).order_by(audit.c.seq)
_OF: Final = _ALL.where(audit.c.conversation == bindparam("wanted"))


class RecordRows:
    """`Record` in one transaction."""

    __slots__ = ("_connection", "_tell")

    def __init__(self, connection: AsyncConnection, tell: Callable[[Event], None]) -> None:
        self._connection = connection
        self._tell = tell

    async def append(self, *events: Event) -> None:
        """Add lines, in the same transaction as what they tell."""
        await self._connection.execute(_APPEND, [event_values(event) for event in events])
        for event in events:
            self._tell(event)

    async def of(self, conversation: ConversationId | None = None) -> Sequence[Event]:
        """The lines, oldest first; of one conversation, or all."""
        if conversation is None:
            rows = await self._connection.execute(_ALL)
        else:
            rows = await self._connection.execute(_OF, {"wanted": conversation})
        return [event_of(row) for row in rows]
