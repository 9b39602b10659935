"""Procrastinate's connections and its bookkeeping, as this engine wants them.

Its workers are made to outlive a server that is away for a moment, and to hear at once of what may run
now. They ask every second anyway; but a job that ended lets the next of its key go, and a retry may be due
earlier.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from procrastinate import jobs
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from procrastinate.psycopg_connector import PsycopgConnector
from psycopg.errors import ForeignKeyViolation

_log: Final = logging.getLogger(__name__)

_RING: Final = '{"type": "job_inserted", "job_id": 0}'
_AGAIN_SECONDS: Final = 1.0

_DOUBT_SECONDS: Final = 10.0
"""How long a server may take to end a statement whose connection it has lost."""


def channel_of(queue: str) -> str:
    """Where procrastinate announces jobs of this queue."""
    return f"procrastinate_queue_v1#{queue}"


class Doorbell(PsycopgConnector):
    """So many connections for handing out jobs, and one more that listens for all workers of this process."""

    def __init__(self, url: str, *, connections: int) -> None:
        super().__init__(
            conninfo=url,
            min_size=1,
            max_size=connections,
            timeout=5.0,
            name="jobs",
            kwargs={
                "connect_timeout": 5,
                "application_name": "approval-bot jobs",
                # A process that is frozen in the middle of it must not keep its rows from the others.
                "options": "-c idle_in_transaction_session_timeout=10s",
            },
        )
        self._rings: Counter[str] = Counter()
        self._rings_of_all = 0
        self._rung: set[str] = set()
        self._wake = asyncio.Event()
        self._bells: dict[str, Notify] = {}

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Have a worker told until it is cancelled."""
        channels = list(channels)
        self._bells |= dict.fromkeys(channels, on_notification)
        try:
            await asyncio.Event().wait()
        finally:
            for channel in channels:
                if self._bells.get(channel) is on_notification:
                    del self._bells[channel]

    def ring(self) -> None:
        """Have all workers look for jobs."""
        self._rings_of_all += 1
        self._rung.update(self._bells)
        self._wake.set()

    def ring_at(self, channels: Iterable[str]) -> None:
        """Have the workers look who are told by these channels, and leave the others alone."""
        self._rings.update(channels)
        self._rung.update(channels)
        self._wake.set()

    def rings(self, channels: Iterable[str]) -> int:
        """How often a worker with these channels was rung for."""
        return self._rings_of_all + sum(self._rings[channel] for channel in channels)

    async def pass_on(self) -> None:
        """Tell the workers, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            rung, self._rung = self._rung, set()
            for channel, tell in list(self._bells.items()):
                if channel in rung:
                    await tell(channel=channel, payload=_RING)

    async def listen(self, channels: Iterable[str]) -> None:
        """Hear what other processes owe, until cancelled; without it, it is found a second later."""
        channels = list(channels)
        while True:
            try:
                await super().listen_notify(self._heard, channels)
            except ConnectorException as error:
                _log.warning("jobs of others are not announced: %s", type(error.__cause__).__name__)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _heard(self, *, channel: str, payload: str) -> None:  # noqa: ARG002 - as procrastinate calls it
        self.ring_at([channel])


class Ledger(JobManager):
    """Who works here and on what. What becomes of a job is written by `postgres_table`, never by a worker."""

    def __init__(self, doorbell: Doorbell) -> None:
        super().__init__(doorbell)
        self._doorbell = doorbell
        self.given: dict[int, set[int]] = {}
        """By worker, the jobs that it has."""
        self.doubtful: dict[int, float] = {}
        """Workers who may have been given a job without hearing of it, each until when (monotonic)."""

    async def register_worker(self) -> int:
        """As procrastinate has it."""
        worker = await super().register_worker()
        self.given[worker] = set()
        return worker

    async def unregister_worker(self, worker_id: int) -> None:
        """As procrastinate has it; what this worker may still have is found by whoever rescues."""
        self.given.pop(worker_id, None)
        self.doubtful.pop(worker_id, None)
        await super().unregister_worker(worker_id)

    async def update_heartbeat(self, worker_id: int) -> None:
        """Nothing: `beat` says that the workers live, also while they end."""

    async def beat(self) -> None:
        """Say that all workers of this process live."""
        for worker in list(self.given):
            await super().update_heartbeat(worker)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> jobs.Job | None:
        """The next job, or None; also None when the server is away, which is asked again."""
        channels = list(map(channel_of, queues or ()))
        while True:
            rings = self._doorbell.rings(channels)
            try:
                job = await super().fetch_job(queues, worker_id)
            except ConnectorException as error:
                if isinstance(error.__cause__, ForeignKeyViolation):
                    raise  # this worker was given up by the others; a new one takes its place
                self.doubtful[worker_id] = time.monotonic() + _DOUBT_SECONDS
                _log.warning("jobs cannot be taken: %s", type(error.__cause__).__name__)
                return None
            if job is not None and job.id is not None:
                self.given[worker_id].add(job.id)
                return job
            if rings == self._doorbell.rings(channels):
                return None

    async def finish_job(self, job: jobs.Job, status: jobs.Status, delete_job: bool) -> None:  # noqa: ARG002, FBT001 - as procrastinate calls it
        """The worker is through with it; its end is written already."""
        self._let_go(job)

    async def retry_job(self, job: jobs.Job, *_: Any, **__: Any) -> None:  # noqa: ANN401 - as procrastinate calls it
        """The worker is through with it; its end is written already."""
        self._let_go(job)

    def _let_go(self, job: jobs.Job) -> None:
        if job.worker_id in self.given and job.id is not None:
            self.given[job.worker_id].discard(job.id)
