"""What the contract needs of an engine, and a handler that remembers."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from bot.approvals.ports import Transaction, Work
from bot.jobs import Handler, Job, JobEngine


class Lab(Protocol):
    """One place where jobs are kept. Engines made of it work on the same jobs, one after the other."""

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        """A write transaction."""

    def engine(
        self,
        handlers: Mapping[str, Handler],
        *,
        failures: "Failures | None" = None,
        concurrency: int = 8,
        limits: Mapping[str, int] | None = None,
        backoff: Callable[[int], float] | None = None,
    ) -> JobEngine:
        """An engine, not started; without a backoff of its own it tries again at once."""


class Ran:
    """A handler that remembers what it was given, and can do more."""

    def __init__(self, then: Callable[[Job], Awaitable[None]] | None = None) -> None:
        self.jobs: list[Job] = []
        self.ended: list[str] = []
        self.inside: dict[str | None, int] = defaultdict(int)
        self.most_of_a_key = 0
        self.most_at_once = 0
        self._then = then
        self._changed = asyncio.Condition()

    async def __call__(self, job: Job) -> None:
        self.jobs.append(job)
        self.inside[job.key] += 1
        self.most_at_once = max(self.most_at_once, sum(self.inside.values()))
        if job.key is not None:
            self.most_of_a_key = max(self.most_of_a_key, self.inside[job.key])
        async with self._changed:
            self._changed.notify_all()
        try:
            if self._then is not None:
                await self._then(job)
            self.ended.append(job.id)
        finally:
            self.inside[job.key] -= 1
        async with self._changed:
            self._changed.notify_all()

    @property
    def ids(self) -> list[str]:
        """In the order in which they began."""
        return [job.id for job in self.jobs]

    async def begun(self, count: int) -> None:
        """Wait until so many attempts have begun."""
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: len(self.jobs) >= count)

    async def done(self, count: int) -> None:
        """Wait until so many have ended well."""
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: len(self.ended) >= count)


class Failures:
    """An `on_failed` that remembers."""

    def __init__(self, then: Callable[[], None] | None = None) -> None:
        self.told: list[tuple[Job, Exception]] = []
        self._then = then
        self._changed = asyncio.Condition()

    async def __call__(self, job: Job, error: Exception) -> None:
        self.told.append((job, error))
        async with self._changed:
            self._changed.notify_all()
        if self._then is not None:
            self._then()

    async def heard(self, count: int) -> None:
        """Wait until so many were told."""
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: len(self.told) >= count)


async def owe(
    lab: Lab, engine: JobEngine, id: str, kind: str = "work", *, key: str | None = None, delay: float = 0
) -> None:
    """Owe work in a transaction of its own."""
    async with lab.begin() as tx:
        await engine.owe(tx, Work(id, kind, key=key, delay=delay))
