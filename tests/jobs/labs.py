"""The engines that there are, each with a place to keep jobs."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from bot.approvals.ports import Transaction
from bot.jobs import EmbeddedJobs, Handler, JobEngine
from bot.store import RowsStore, open_store
from tests.jobs.lab import Failures, Lab


def at_once(_attempt: int) -> float:
    return 0.0


class EmbeddedLab:
    """The embedded engine on a store of its own."""

    def __init__(self, store: RowsStore) -> None:
        self.store = store

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
        return EmbeddedJobs(
            begin=self.begin,
            handlers=handlers,
            on_failed=failures or Failures(),
            concurrency=concurrency,
            limits=limits,
            backoff=backoff or at_once,
        )


@asynccontextmanager
async def embedded(tmp_path: Path) -> AsyncIterator[Lab]:
    async with open_store(tmp_path / "bot.db") as store:
        yield EmbeddedLab(store)


LABS = {"embedded": embedded}
"""Every engine; a second one joins here and is held to the whole contract."""
