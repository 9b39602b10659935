"""The engine for one process: the table says what is owed, one task hands it out.

Nothing but that task changes a job's state, so there are no leases and no fences. Its rounds are single
transactions: write what became of finished jobs, take what may run now. A crash at any point leaves rows
that say `running`; the next start makes them ready. Another process may owe work, but does none; what it
owed is seen within a second.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ports import Transaction, Work
from bot.jobs import table
from bot.jobs.attempt import Attempts
from bot.jobs.lanes import Lanes
from bot.jobs.outcome import ATTEMPTS, Backoff, Claimed, Outcome, doubling
from bot.jobs.port import Handler, OnFailed

_log: Final = logging.getLogger(__name__)

LONGEST_WAIT: Final = 60.0
"""Seconds between looks at the clock while a timer is set: it may be put right, or the machine may sleep."""

LOOK: Final = 1.0
"""Seconds between looks for what another process owed: it has no way to wake this one."""

GRACE: Final = 5.0
"""Seconds for cancelled jobs to end and for the last outcomes to be written."""


class EmbeddedJobs:
    """`JobEngine` on the store's own SQLite file."""

    def __init__(
        self,
        *,
        begin: Callable[[], AbstractAsyncContextManager[Transaction]],
        handlers: Mapping[str, Handler],
        on_failed: OnFailed,
        look: Callable[[], AbstractAsyncContextManager[Transaction]] | None = None,
        concurrency: int = 8,
        limits: Mapping[str, int] | None = None,
        attempts: int = ATTEMPTS,
        backoff: Backoff = doubling,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`begin` opens a write transaction. `handlers` (by kind) is looked into when a job runs, not before.

        `look` opens a reading one, in which it is seen what another process owed.

        `concurrency` jobs run side by side; a kind with a limit of its own has that many places to itself,
        so that long work does not keep short work waiting.
        """
        self._begin = begin
        self._look = look
        self._looking: asyncio.Task[None] | None = None
        self._lanes = Lanes(concurrency, limits or {})
        self._attempts = Attempts(handlers, on_failed, most=attempts, backoff=backoff, now=now)
        self._now = now
        self._wake = asyncio.Event()
        self._stopping = False
        self._dispatcher: asyncio.Task[None] | None = None
        self._running: dict[str, asyncio.Task[Outcome]] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._in_doubt = False

    async def owe(self, tx: Transaction, *work: Work) -> None:
        """Owe this work, in the caller's transaction; what is owed or runs already is not owed twice.

        `ValueError` for delayed work with a key: it would hold back what is ready.
        """
        if any(one.key is not None and one.delay for one in work):
            raise ValueError("delayed work has no key: it would hold back what is ready")
        await table.add(_connection(tx), work, now=self._now())
        tx.on_commit(self._wake.set)

    async def cancel(self, tx: Transaction, id: str) -> bool:
        """Not owed any more; False if it ran or runs already."""
        return await table.remove_ready(_connection(tx), id)

    async def start(self) -> None:
        """Take up what is owed, beginning with what was running when the process ended."""
        if self._dispatcher is not None:
            raise RuntimeError("the engine runs already")
        async with self._begin() as tx:
            await table.put_back_orphans(_connection(tx), list(self._running))
        self._stopping = False
        self._dispatcher = asyncio.create_task(self._dispatch(), name="jobs")
        if self._look is not None:
            self._looking = asyncio.create_task(self._look_again_and_again(self._look), name="jobs: look")

    async def stop(self, timeout: float) -> None:  # noqa: ASYNC109 - it bounds the drain, and does not fail
        """Take nothing new, give what runs `timeout` seconds, then cancel it for the next start."""
        if self._dispatcher is None:
            return
        self._stopping = True
        self._wake.set()
        try:
            _, late = await asyncio.wait((self._dispatcher,), timeout=timeout)
            if late:
                self._cancel_running()
                _, late = await asyncio.wait((self._dispatcher,), timeout=GRACE)
            if late:
                _log.error("jobs that do not end: %s", ", ".join(self._running) or "none; the store is away")
        finally:
            self._cancel_running()
            beside = [task for task in (self._dispatcher, self._looking) if task]
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
            self._dispatcher, self._looking = None, None

    def _cancel_running(self) -> None:
        for task in self._running.values():
            task.cancel()

    async def _look_again_and_again(
        self, look: Callable[[], AbstractAsyncContextManager[Transaction]]
    ) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                async with look() as tx:
                    if await table.is_due(_connection(tx), now=self._now()):
                        self._wake.set()
            except Exception as error:  # noqa: BLE001 - the next time it may work
                _log.debug("nobody could look for jobs: %s", type(error).__name__)

    async def _dispatch(self) -> None:
        failures = 0
        while True:
            try:
                due = await self._round()
            except Exception as error:  # noqa: BLE001 - see below
                # Whatever it was, work is owed. What the store has of this round is not known.
                self._in_doubt = True
                failures += 1
                _log.warning("jobs cannot be taken: %s", type(error).__name__, exc_info=failures == 1)
                await asyncio.sleep(min(2.0, 0.05 * 2**failures))
                continue
            failures = 0
            if self._stopping and not self._running and not self._outcomes:
                return
            await self._wait(due)

    async def _round(self) -> float | None:
        """Settle what ended and take what may run; returns when the next timer is due, if there is one."""
        self._wake.clear()
        if not self._outcomes and not self._in_doubt and (self._stopping or self._lanes.full):
            return None
        claimed: list[Claimed] = []
        async with self._begin() as tx:
            # What happened while this transaction waited for its turn is seen by it. Who ends from here on
            # keeps the place until the next round: a crash repeats no more jobs than there are places.
            self._wake.clear()
            connection, now = _connection(tx), self._now()
            settled, running = dict(self._outcomes), list(self._running)
            lanes = [] if self._stopping else list(self._lanes.free())
            await table.settle(connection, settled)
            if self._in_doubt:
                await table.put_back_orphans(connection, running)
            kinds, due = await table.outlook(connection, now=now)
            for lane in lanes:
                if lane.takes_any(kinds):
                    claimed += await table.take(
                        connection, now=now, most=lane.free, kinds=lane.kinds, among=lane.among
                    )
        self._in_doubt = False
        for id in settled:
            del self._outcomes[id]
        for one in claimed:
            self._launch(one)
        return due

    def _launch(self, claimed: Claimed) -> None:
        job = claimed.job
        task = asyncio.create_task(self._attempts.run(claimed), name=f"job {job.kind} {job.id}")
        self._running[job.id] = task
        self._lanes.enter(job.kind)
        task.add_done_callback(partial(self._ended, claimed))

    def _ended(self, claimed: Claimed, task: asyncio.Task[Outcome]) -> None:
        job = claimed.job
        del self._running[job.id]
        self._lanes.leave(job.kind)
        self._outcomes[job.id] = self._attempts.outcome_of(claimed, task, stopping=self._stopping)
        self._wake.set()

    async def _wait(self, due: float | None) -> None:
        seconds = None if due is None else max(0.0, min(due - self._now(), LONGEST_WAIT))
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            pass


def _connection(tx: Transaction) -> AsyncConnection:
    connection = tx.connection
    if not isinstance(connection, AsyncConnection):
        raise TypeError("the embedded engine writes through the store's own connection")
    return connection
