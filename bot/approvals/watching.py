"""While an agent runs: whether its conversation is stopped, by whichever process that was, and how far it is.

The process that stops a conversation tells its own agent at once. What runs elsewhere, or was about to begin
at that moment, finds out here.
"""

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Final

from bot.approvals.conversation import Status
from bot.approvals.following import Following
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Agent, Store

EVERY: Final = 1.0
"""Seconds between two looks, each at one row by its key; the first look is at the beginning."""

LOOKS: Final = 3
"""After so many looks it is shown how far the run has come: as often as that may be drawn."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Halts the agent in a conversation that is stopped."""

    store: Store
    agent: Agent
    following: Following | None = None

    async def beside(self, run: Awaitable[str | None], id: ConversationId) -> str | None:
        """What the run returns, which is under way at its first pause for anything; watched until it ends."""
        ended = asyncio.Event()
        watch = asyncio.create_task(self._watch(id, ended), name=f"is {id} stopped?")
        try:
            return await run
        finally:
            ended.set()
            await watch  # not cancelled: a statement that is cut off costs its connection

    async def _watch(self, id: ConversationId, ended: asyncio.Event) -> None:
        for look in count():
            if ended.is_set():
                return
            if await self._is_stopped(id):
                self.agent.halt(id)
                return
            if look and look % LOOKS == 0:
                await self._follow(id)
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY):
                    await ended.wait()

    async def _is_stopped(self, id: ConversationId) -> bool:
        try:
            async with self.store.read() as tx:
                conversation = await tx.conversations.get(id)
        except Exception as error:  # noqa: BLE001 - a run does not end because nobody can look after it
            _log.debug("nobody could look whether %s is stopped: %s", id, type(error).__name__)
            return False
        return conversation is not None and conversation.status is Status.CANCELLING

    async def _follow(self, id: ConversationId) -> None:
        try:
            if self.following:
                await self.following.look(id)
        except Exception as error:  # noqa: BLE001 - a run does not end because nobody can look after it
            _log.debug("nobody could look how far %s has come: %s", id, type(error).__name__)
