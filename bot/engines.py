"""What a database address decides: where checkpoints go, and which engine does the background work."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from langgraph.checkpoint.base import BaseCheckpointSaver

from bot.agents.savers import postgres_saver, sqlite_saver
from bot.approvals.timers import TIMER
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.port import Handler, JobEngine, OnFailed
from bot.store.database import RowsStore
from bot.store.location import libpq_url, sqlite_path

PLACES: Final = {"start": 8, "run": 8, "resume": 8, "prune": 2, "redraw": 2, TIMER: 4}
"""Jobs side by side, by kind: long runs must not hold back posts, nor a burst of redraws the clicks, nor
posts to a Slack that does not answer the timers, or what a thread does next. Slack itself takes about one
redraw a second."""


def saver_at(where: str) -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
    """LangGraph's checkpoints in this database."""
    url = libpq_url(where)
    return sqlite_saver(sqlite_path(where)) if url is None else postgres_saver(url)


def engine_at(
    where: str, store: RowsStore, handlers: Mapping[str, Handler], on_failed: OnFailed
) -> JobEngine:
    """The engine for this database, which is also the store's."""
    url = libpq_url(where)
    if url is None:
        return EmbeddedJobs(begin=store.write, handlers=handlers, on_failed=on_failed, limits=PLACES)
    from bot.jobs import postgres  # with its libraries, which SQLite does without

    return postgres.PostgresJobs(
        url,
        begin=store.write,
        handlers=handlers,
        on_failed=on_failed,
        limits=PLACES,
        lease=postgres.LEASE,
    )
