"""The engine for any number of processes: procrastinate's workers on the store's own Postgres.

Each process says every third of a lease that it lives. Who has not said so for a lease is taken for dead, and
what it had is given to others. So a process that could not say it stops its own jobs just before that time
(it may be cut off, or have been frozen), and what it writes about them later is refused by the fence.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, TypeVar

from procrastinate import App, JobContext
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals import tenure
from bot.approvals.ports import Transaction, Work
from bot.connections import ALONE
from bot.jobs import postgres_table as table
from bot.jobs.attempt import Attempts
from bot.jobs.doorbell import Doorbell, Ledger, channel_of
from bot.jobs.outcome import ATTEMPTS, Again, Backoff, Claimed, Outcome, doubling
from bot.jobs.port import Handler, OnFailed
from bot.jobs.postgres_tenure import Held, store_connection

_log: Final = logging.getLogger(__name__)

LEASE: Final = 30.0
"""Seconds after which a process that says nothing counts as dead."""

POLL: Final = 1.0
"""Seconds between looks for jobs that nobody announced: how late a timer of a dead process is, at most."""

GRACE: Final = 5.0
"""Seconds for cancelled jobs to end and for the last outcomes to be written."""

_SHARED: Final = "shared"

Result = TypeVar("Result")


class PostgresJobs:
    """`JobEngine` on the store's own Postgres database."""

    def __init__(
        self,
        url: str,
        *,
        begin: Callable[[], AbstractAsyncContextManager[Transaction]],
        handlers: Mapping[str, Handler],
        on_failed: OnFailed,
        concurrency: int = 8,
        limits: Mapping[str, int] | None = None,
        attempts: int = ATTEMPTS,
        backoff: Backoff = doubling,
        now: Callable[[], float] = time.time,
        lease: float = LEASE,
        connections: int = ALONE.jobs,
    ) -> None:
        """`url` as libpq takes it; the rest as the embedded engine has it, for each process by itself."""
        self._begin = begin
        self._places = {_SHARED: concurrency} | {
            _queue(kind): places for kind, places in (limits or {}).items()
        }
        if any(places < 1 for places in self._places.values()):
            raise ValueError("at least one job has to be able to run")
        self._attempts = Attempts(handlers, on_failed, most=attempts, backoff=backoff, now=now)
        self._now = now
        self._lease = lease
        self._doorbell = Doorbell(url, connections=connections)
        self._ledger = Ledger(self._doorbell)
        self._app = App(connector=self._doorbell)
        self._app.job_manager = self._ledger
        self._app.task(name=table.TASK, pass_context=True)(self._work)
        self._stopping = False
        self._cut_off: set[asyncio.Task[Outcome]] = set()
        self._running: set[asyncio.Task[Outcome]] = set()
        self._workers: list[asyncio.Task[None]] = []
        self._beside: list[asyncio.Task[None]] = []
        self._beaten = 0.0
        self._freezes = 0

    async def owe(self, tx: Transaction, *work: Work) -> None:
        """Owe this work, in the caller's transaction; what is owed or runs already is not owed twice.

        `ValueError` for delayed work with a key: it would hold back what is ready.
        """
        if any(one.key is not None and one.delay for one in work):
            raise ValueError("delayed work has no key: it would hold back what is ready")
        await table.add(store_connection(tx), self._ledger, work, now=self._now(), queue=self._queue_for)
        for delay, queue in {(one.delay, self._queue_for(one.kind)) for one in work}:
            tx.on_commit(partial(self._ring_in, delay, queue))

    async def cancel(self, tx: Transaction, id: str) -> bool:
        """Not owed any more; False if it ran or runs already."""
        return await table.cancel(store_connection(tx), id)

    async def start(self) -> None:
        """Work on what is owed, and on what was running in processes that are dead."""
        if self._workers:
            raise RuntimeError("the engine runs already")
        await self._app.open_async()
        self._stopping = False
        self._beaten = time.monotonic()
        self._beside = [
            asyncio.create_task(self._doorbell.pass_on(), name="jobs: doorbell"),
            asyncio.create_task(self._doorbell.listen(map(channel_of, self._places)), name="jobs: listening"),
            asyncio.create_task(self._again_and_again(self._lease / 3, self._beat), name="jobs: heartbeat"),
            asyncio.create_task(self._again_and_again(self._lease / 20, self._fence), name="jobs: fence"),
            asyncio.create_task(self._again_and_again(self._lease / 3, self._rescue), name="jobs: rescue"),
            asyncio.create_task(self._again_and_again(POLL, self._find_lost), name="jobs: lost"),
        ]
        self._workers = [
            asyncio.create_task(self._employ(queue, places), name=f"jobs: {queue}")
            for queue, places in self._places.items()
        ]

    async def stop(self, timeout: float) -> None:  # noqa: ASYNC109 - it bounds the drain, and does not fail
        """Take nothing new, give what runs `timeout` seconds, then cancel it for whoever is next."""
        if not self._workers:
            return
        self._stopping = True
        try:
            for worker in self._workers:
                worker.cancel()  # procrastinate's way: it takes nothing new and waits for what runs
            _, late = await asyncio.wait(self._workers, timeout=timeout)
            if late:
                self._cancel_running()
                _, late = await asyncio.wait(late, timeout=GRACE)
            if late:
                _log.error("jobs that do not end, or the store is away; others take them after the lease")
        finally:
            self._cancel_running()
            for task in (*self._beside, *self._workers):
                task.cancel()
            await asyncio.wait((*self._beside, *self._workers), timeout=GRACE)
            self._workers, self._beside = [], []
            await self._app.close_async()

    def _cancel_running(self) -> None:
        for task in self._running:
            self._cut_off.add(task)
            task.cancel()

    async def _employ(self, queue: str, places: int) -> None:
        while True:
            try:
                await self._app.run_worker_async(
                    queues=[queue],
                    name=queue,
                    concurrency=places,
                    fetch_job_polling_interval=POLL,
                    install_signal_handlers=False,
                    stalled_worker_timeout=100 * self._lease,  # old rows; what they had is long rescued
                )
            except Exception as error:  # noqa: BLE001 - work is owed, whatever it was
                _log.warning("a worker ended: %s", type(error).__name__, exc_info=error)
            if self._stopping:
                return
            await asyncio.sleep(POLL)

    async def _work(self, context: JobContext, seq: int) -> None:  # noqa: ARG002 - the job holds it too
        hold = table.hold_of(context.job)
        claimed = await self._written(lambda tx: table.claim(tx, hold))
        if claimed is None:
            return
        with tenure.under(Held(hold=hold, lost=self._losing())):
            outcome = await self._attempt(claimed)
        await self._written(lambda tx: table.settle(tx, hold, outcome))
        if isinstance(outcome, Again):
            self._ring_in(max(0.0, outcome.due - self._now()), self._queue_for(claimed.job.kind))
        elif claimed.job.key is not None:
            self._ring_in(0.0)

    async def _attempt(self, claimed: Claimed) -> Outcome:
        job = claimed.job
        task = asyncio.create_task(self._attempts.run(claimed), name=f"job {job.kind} {job.id}")
        self._running.add(task)
        await asyncio.wait((task,))
        self._running.discard(task)
        outcome = self._attempts.outcome_of(claimed, task, stopping=task in self._cut_off)
        self._cut_off.discard(task)
        return outcome

    async def _written(self, do: Callable[[AsyncConnection], Awaitable[Result]]) -> Result:
        """Write it, however long that takes: nobody else can while this process says that it lives."""
        failures = 0
        while True:
            try:
                async with self._begin() as tx:
                    return await do(store_connection(tx))
            except Exception as error:  # noqa: BLE001 - whatever it is, the job must not be forgotten
                failures += 1
                _log.warning("jobs cannot be written: %s", type(error).__name__, exc_info=failures == 1)
                await asyncio.sleep(min(2.0, 0.05 * 2**failures))

    async def _again_and_again(self, seconds: float, do: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            pause = seconds
            try:
                await do()
            except Exception as error:  # noqa: BLE001 - the next time it may work
                _log.warning("%s failed: %s", do.__name__.strip("_"), type(error).__name__)
                pause = min(seconds, POLL)
            await asyncio.sleep(pause)

    async def _beat(self) -> None:
        await self._fence()  # before the clock is set: what was lost in a freeze stays lost
        begun = time.monotonic()
        await self._ledger.beat()
        self._beaten = begun

    async def _fence(self) -> None:
        if self._running and self._silent():
            self._freezes += 1
            _log.error("this process could not say that it lives; %d jobs are stopped", len(self._running))
            self._cancel_running()

    def _silent(self) -> bool:
        return time.monotonic() - self._beaten > 0.9 * self._lease

    def _losing(self) -> Callable[[], bool]:
        """Tells from now on whether what is given out now may be others' by then."""
        freezes, lost = self._freezes, False

        def is_lost() -> bool:
            nonlocal lost
            lost = lost or self._silent() or self._freezes != freezes  # once lost, whatever is said later
            return lost

        return is_lost

    async def _rescue(self) -> None:
        async with self._begin() as tx:
            connection = store_connection(tx)
            if not await table.alone(connection):
                return
            stalled = list(await self._ledger.get_stalled_jobs(seconds_since_heartbeat=self._lease))
            for job in stalled:
                _log.warning("a job of a dead process is taken up: %s", job.task_kwargs)
                await table.give_back(connection, table.hold_of(job).id, job.attempts)
            if stalled:
                tx.on_commit(self._doorbell.ring)

    async def _find_lost(self) -> None:
        """What a worker was given while the server's answer was lost, and does not know of."""
        for worker, until in list(self._ledger.doubtful.items()):
            async with self._begin() as tx:
                for id, attempts in await table.given_to(store_connection(tx), worker):
                    # Held by this transaction now: what is not known here yet cannot be claimed any more.
                    if id not in self._ledger.given.get(worker, ()):
                        await table.give_back(store_connection(tx), id, attempts)
            if time.monotonic() > until:
                self._ledger.doubtful.pop(worker, None)

    def _queue_for(self, kind: str) -> str:
        queue = _queue(kind)
        return queue if queue in self._places else _SHARED

    def _ring_in(self, seconds: float, queue: str | None = None) -> None:
        """Have the queue's workers look then, or all: what ended may let work of any kind go."""
        ring = self._doorbell.ring if queue is None else partial(self._doorbell.ring_at, [channel_of(queue)])
        asyncio.get_running_loop().call_later(seconds + 0.002, ring)


def _queue(kind: str) -> str:
    return f"kind:{kind}"
