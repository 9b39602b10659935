"""The sweep: at start and every few minutes, what is owed and got lost on the way is owed again.

Whatever the bot does is owed as durable work in the transaction that makes it necessary, so there should be
nothing to find. A job that was given up while the database was away, or a row that was put right by hand, is
found here. To owe what is owed already, or to look at what needs nothing, changes nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.filing import posting, running
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Clock, Jobs, Store, Work
from bot.approvals.timers import expiry

EVERY: Final = 300.0
"""Seconds between two sweeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Looks for what is owed to nobody."""

    store: Store
    jobs: Jobs
    now: Clock

    async def sweep(self) -> int:
        """Owe it again; how much there was, what is under way included."""
        async with self.store.read() as tx:
            work = [
                *_runs(await tx.conversations.unfinished()),
                *map(expiry, await tx.approvals.overdue(self.now())),
                *map(posting, await tx.posts.owed()),
            ]
        if work:
            async with self.store.write() as tx:
                await self.jobs.owe(tx, *work)
        return len(work)


def _runs(conversations: Sequence[ConversationId]) -> Iterator[Work]:
    for id in conversations:
        yield running(id, f"sweep:{id}")
