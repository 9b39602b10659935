"""Forgetting: what the agent keeps of conversations that ended long ago is deleted.

Rows, the record and Slack stay as they are; only the agent's own memory of a thread goes. A message in such a
thread starts it anew, and the thread is told that the agent no longer remembers.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from bot.approvals.filing import thread_key
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Agent, Clock, Event, Jobs, Store, Work
from bot.approvals.times import NEVER

FORGET: Final = "forget"
"""The kind of the work."""

AT_ONCE: Final = 500
"""Conversations that one sweep lets be forgotten, so that the first one does not hold up everything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Finds what is to be forgotten, and forgets it."""

    store: Store
    jobs: Jobs
    agent: Agent
    keep: timedelta
    """How long the agent remembers a conversation that came to rest; `NEVER` for always."""
    now: Clock

    async def sweep(self) -> int:
        """Owe it for every conversation whose time has come; how many there were."""
        if self.keep == NEVER:
            return 0
        async with self.store.read() as tx:
            over = await tx.conversations.rested(self._before(), limit=AT_ONCE)
        if over:
            async with self.store.write() as tx:
                await self.jobs.owe(tx, *map(forgetting, over))
        return len(over)

    async def forget(self, id: ConversationId) -> None:
        """Delete the agent's memory of a conversation, unless something has happened in it since.

        The caller holds the thread. Marked first and deleted then: done twice after a crash, but never
        forgotten without the thread being told.
        """
        async with self.store.write() as tx:
            conversation = await tx.conversations.get(id)
            if conversation is None:
                return
            if not conversation.forgotten:
                if self.keep == NEVER or id not in await tx.conversations.rested(self._before(), only=id):
                    return
                await tx.conversations.save(replace(conversation, forgotten=True, rested_at=None))
                await tx.record.append(Event(kind="forgotten", at=self.now(), conversation=id))
        await self.agent.forget(id)

    def _before(self) -> datetime:
        return self.now() - self.keep


def forgetting(id: ConversationId) -> Work:
    """The work of forgetting a conversation; nothing runs in it meanwhile."""
    return Work(f"forget:{id}", FORGET, key=thread_key(id), payload={"conversation": id})
