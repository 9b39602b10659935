"""Work that goes on after somebody was answered. None of it dies unheard."""

import asyncio
import logging
from collections.abc import Coroutine

log = logging.getLogger(__name__)


class Background:
    """Running tasks; those that fail are logged and raised again at `close`."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._failures: list[Exception] = []

    def start(self, work: Coroutine[None, None, None], name: str) -> None:
        """Run it beside everything else."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def close(self) -> None:
        """Cancel what runs; raises what failed before."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        if self._failures:
            raise ExceptionGroup("work in the background of the sandbox failed", self._failures)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, Exception):
            log.error("%s failed", task.get_name(), exc_info=error)
            self._failures.append(error)
