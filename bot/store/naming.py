"""The agent's name in every line of the record about a conversation, where the agent has a name.

It is the conversation's for good. What a transaction has read of conversations anyway is not asked for again.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.conversation import Conversation
from bot.approvals.ids import AgentName, ConversationId
from bot.approvals.ports import Event
from bot.approvals.realm import SOLE
from bot.store.tables import conversations

_AGENT: Final = select(conversations.c.agent).where(conversations.c.id == bindparam("wanted"))


class Agents:
    """What is known of them in one transaction."""

    __slots__ = ("_connection", "_known")

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._known: dict[ConversationId, AgentName] = {}

    def learn(self, conversation: Conversation) -> Conversation:
        """The same; it has been read."""
        self._known[conversation.id] = conversation.realm.agent
        return conversation

    async def named(self, events: Sequence[Event]) -> list[Event]:
        """The lines, each with the name of its conversation's agent, if it has one."""
        return [await self._named(event) for event in events]

    async def _named(self, event: Event) -> Event:
        agent = await self._of(event.conversation) if event.conversation else SOLE
        return replace(event, detail={**event.detail, "agent": agent}) if agent else event

    async def _of(self, id: ConversationId) -> AgentName:
        if id not in self._known:
            found = (await self._connection.execute(_AGENT, {"wanted": id})).scalar_one_or_none()
            self._known[id] = AgentName(found or SOLE)
        return self._known[id]
