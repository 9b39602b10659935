"""Finding a conversation by a message in its thread: one that was said, or one of the bot's own."""

from typing import Final

from sqlalchemy import bindparam, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ids import ChannelId, ConversationId, Ts
from bot.store.tables import conversations, messages, posts

_OF_MESSAGE: Final = union(
    select(conversations.c.id).where(
        conversations.c.channel == bindparam("place"), conversations.c.thread_ts == bindparam("ts")
    ),
    select(posts.c.conversation).where(posts.c.channel == bindparam("place"), posts.c.ts == bindparam("ts")),
    select(messages.c.conversation).where(messages.c.source == bindparam("source")),
)


async def conversation_of_message(
    connection: AsyncConnection, channel: ChannelId, ts: Ts
) -> ConversationId | None:
    """The conversation whose thread has this message; None if nothing is known of it."""
    found = await connection.execute(_OF_MESSAGE, {"place": channel, "ts": ts, "source": f"{channel}/{ts}"})
    id = found.scalars().first()
    return None if id is None else ConversationId(id)
