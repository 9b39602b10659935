"""A thread that the bot is opening: a reply can be heard before Slack has told where its opening stands.

It would begin a second conversation in the thread, so it waits a moment.
"""

import asyncio
from typing import Final

from bot.approvals.conversation import Conversation
from bot.approvals.errors import TryLater
from bot.approvals.ids import ChannelId, Ts
from bot.approvals.ports import Store

OPENING: Final = 2.0
"""Seconds that a reply waits for its thread's opening; an ack is due within 3."""

LOOK_EVERY: Final = 0.05


async def conversation_in(store: Store, channel: ChannelId, thread: Ts) -> Conversation | None:
    """The conversation in this thread, if there is one.

    Raises `TryLater` if an opening in this channel takes too long; Slack sends the event again.
    """
    for _ in range(int(OPENING / LOOK_EVERY)):
        async with store.read() as tx:
            there = await tx.conversations.at(channel, thread)
            if there or not await tx.conversations.opening(channel):
                return there
        await asyncio.sleep(LOOK_EVERY)
    raise being_opened()


def being_opened() -> TryLater:
    """To be raised where a thread is on its way."""
    return TryLater(OPENING, "the thread is being opened")
