"""What is read of conversations for people: those that are under way, and what was said in them."""

from collections.abc import Sequence
from typing import Protocol

from bot.approvals.conversation import Conversation
from bot.approvals.ids import ChannelId, ConversationId, UserId


class Listings(Protocol):
    """The part of the conversations' rows that is only read for people."""

    async def under_way_of(self, requester: UserId, limit: int) -> Sequence[Conversation]:
        """The person's own that are not idle, newest first."""

    async def under_way_in(self, channel: ChannelId, limit: int) -> Sequence[Conversation]:
        """Those in a channel that are not idle, newest first."""

    async def first_words(self, id: ConversationId) -> str:
        """The message that it began with; empty if there is none."""

    async def words(self, source: str) -> str | None:
        """What was said as this `source`; None if it was never heard."""
