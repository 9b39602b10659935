"""What a database address decides: where checkpoints go, and which engine does the background work."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, Final

from langgraph.checkpoint.base import BaseCheckpointSaver

from bot.agents.savers import postgres_saver, sqlite_saver
from bot.approvals.ports import Clock, Jobs
from bot.approvals.timers import TIMER
from bot.connections import ALONE, Connections
from bot.jobs import table
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.port import Handler, JobEngine, OnFailed
from bot.store.database import RowsStore
from bot.store.location import libpq_url, sqlite_path
from bot.store.lock import in_use

PLACES: Final = {"start": 8, "run": 8, "resume": 8, "repair": 2, "prune": 2, "redraw": 2, TIMER: 4}
"""Jobs side by side, by kind: long runs must not hold back posts, nor a burst of redraws the clicks, nor
posts to a Slack that does not answer the timers, or what a thread does next. Slack itself takes about one
redraw a second."""

FAILED_JOBS: Final = timedelta(days=30)
"""How long jobs that failed for good are kept, for whoever looks into the database."""


def saver_at(
    where: str, connections: Connections = ALONE
) -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
    """LangGraph's checkpoints in this database."""
    url = libpq_url(where)
    if url is None:
        return sqlite_saver(sqlite_path(where))
    return postgres_saver(url, connections=connections.checkpoints)


async def is_served(where: str, store: RowsStore) -> bool:
    """Whether a bot works on this database; on Postgres one that died counts as such for a lease."""
    if libpq_url(where) is None:
        return in_use(sqlite_path(where))
    from bot.jobs import postgres, postgres_workers

    async with store.read() as tx:
        return await postgres_workers.anybody_works(tx.connection, lease=postgres.LEASE)


async def try_timers_again(store: RowsStore, jobs: Jobs) -> int:
    """Owe the timers again whose attempts were used up; how many there were.

    Each looks at its approval again and finds nothing to do, if it was decided in the meantime.
    """
    async with store.read() as tx:
        given_up = await table.failed(tx.connection, TIMER)
    if given_up:
        async with store.write() as tx:
            await jobs.owe(tx, *given_up)
    return len(given_up)


async def forget_failed_jobs(store: RowsStore, now: Clock) -> int:
    """Delete the jobs that failed long ago, of which people were told then; how many there were."""
    async with store.write() as tx:
        return await table.forget_failed(tx.connection, before=(now() - FAILED_JOBS).timestamp())


def engine_at(
    where: str,
    store: RowsStore,
    handlers: Mapping[str, Handler],
    on_failed: OnFailed,
    connections: Connections = ALONE,
) -> JobEngine:
    """The engine for this database, which is also the store's."""
    url = libpq_url(where)
    if url is None:
        return EmbeddedJobs(
            begin=store.write, look=store.read, handlers=handlers, on_failed=on_failed, limits=PLACES
        )
    from bot.jobs import postgres  # with its libraries, which SQLite does without

    return postgres.PostgresJobs(
        url,
        begin=store.write,
        handlers=handlers,
        on_failed=on_failed,
        limits=PLACES,
        lease=postgres.LEASE,
        connections=connections.jobs,
    )
