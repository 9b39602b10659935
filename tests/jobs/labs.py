"""The engines that there are, each with a place to keep jobs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

from bot.approvals.ports import Transaction
from bot.jobs import EmbeddedJobs, Handler, JobEngine
from bot.jobs.postgres import PostgresJobs
from bot.store import RowsStore, open_store
from tests.jobs.lab import Failures, Lab
from tests.postgres import dropped, made
from tests.store.empty import furnished


def at_once(_attempt: int) -> float:
    return 0.0


class StoreLab:
    """Engines of one kind on a store of their own."""

    def __init__(self, store: RowsStore, kind: Callable[..., JobEngine]) -> None:
        self.store = store
        self.kind = kind
        self.engines: list[JobEngine] = []

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        return self.store.write()

    def engine(
        self,
        handlers: Mapping[str, Handler],
        *,
        failures: Failures | None = None,
        concurrency: int = 8,
        limits: Mapping[str, int] | None = None,
        backoff: Callable[[int], float] | None = None,
    ) -> JobEngine:
        engine = self.kind(
            begin=self.begin,
            handlers=handlers,
            on_failed=failures or Failures(),
            concurrency=concurrency,
            limits=limits,
            backoff=backoff or at_once,
        )
        self.engines.append(engine)
        return engine


@asynccontextmanager
async def embedded(tmp_path: Path) -> AsyncIterator[Lab]:
    path = await furnished(tmp_path / "bot.db")
    async with open_store(path) as store, _stopped(StoreLab(store, EmbeddedJobs)) as lab:
        yield lab


LEASE = 3.0
"""Seconds: short, so that a test need not wait for the dead."""


class PostgresLab(StoreLab):
    """The engine on Postgres."""

    def __init__(self, store: RowsStore, url: str) -> None:
        super().__init__(store, partial(PostgresJobs, url, lease=LEASE))
        self.url = url


@asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[Lab]:
    """On the database that the folder names; another process is given the folder."""
    named = folder / "postgres.url"
    if not named.exists():
        named.write_text(await asyncio.to_thread(made))
    url = named.read_text()
    async with open_store(url) as store, _stopped(PostgresLab(store, url)) as lab:
        yield lab


@asynccontextmanager
async def _stopped(lab: StoreLab) -> AsyncIterator[Lab]:
    """What a failing test leaves at work is stopped: else its loop never closes, and the run stands still."""
    try:
        yield lab
    finally:
        for engine in lab.engines:
            await engine.stop(0)


async def removed(folder: Path) -> None:
    """What the folder names, if it names a database, is not needed any more."""
    named = folder / "postgres.url"
    if named.exists():
        await asyncio.to_thread(dropped, named.read_text())


LABS = {"embedded": embedded, "postgres": postgres}
"""Every engine; each is held to the whole contract."""
