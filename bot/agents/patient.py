"""Savers that outlast a database that is away for a moment, and that a lost job writes nothing with.

A checkpoint that cannot be written ends the run, and people are told of a failure that is none of theirs. All
that a saver writes is written over itself, so what failed on the way is simply written again.
"""

import asyncio
import random
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

import structlog
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from bot.approvals import tenure

PATIENCE: Final = 60.0
"""Seconds after which no new try is made: a database that is away for longer is a failure to be told."""

LONGEST_PAUSE: Final = 2.0

_PASSING: Final = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
)

Outcome = TypeVar("Outcome")
_log = structlog.get_logger(__name__)


class Patient(BaseCheckpointSaver[str]):
    """In front of a saver, in its list of base classes."""

    async def clear(self) -> None:
        """Leave nothing behind of a statement that failed."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As the saver does it, until it can."""
        return await self._again_and_again(lambda: super(Patient, self).aget_tuple(config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the saver does it, until it can; `Lost` for work that another process has."""

        async def put() -> RunnableConfig:
            tenure.check()
            return await super(Patient, self).aput(config, checkpoint, metadata, new_versions)

        return await self._again_and_again(put)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As the saver does it, until it can; `Lost` for work that another process has."""

        async def put() -> None:
            tenure.check()
            await super(Patient, self).aput_writes(config, writes, task_id, task_path)

        await self._again_and_again(put)

    async def _again_and_again(self, do: Callable[[], Awaitable[Outcome]]) -> Outcome:
        failures, begun = 0, time.monotonic()
        while True:
            try:
                return await do()
            except Exception as error:
                await self.clear()
                failures += 1
                if not is_passing(error) or time.monotonic() - begun > PATIENCE:
                    raise
                _log.warning("checkpoint_tried_again", error=type(error).__name__, failures=failures)
            await asyncio.sleep(min(LONGEST_PAUSE, 0.05 * 2**failures) * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load


def is_passing(error: Exception) -> bool:
    """Whether it is a state of the disk, the server or their locks, which is expected to pass."""
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _PASSING
    # The driver of an optional extra, by the name of its own class for what is not a mistake of ours.
    if not any(kind.__name__ == "OperationalError" for kind in type(error).__mro__):
        return getattr(error, "sqlstate", None) == "25P03"
    return type(error).__module__.partition(".")[0] in {"psycopg", "psycopg_pool"}
