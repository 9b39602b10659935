"""What is said to the tables of jobs on Postgres: our own, and procrastinate's.

Our row says what is owed, as on SQLite: its id, its attempts, its end. Procrastinate's row says whose turn it
is: order, locks, time, and which worker has it. It names ours by `seq`, which is never used twice, so that
an id which is done can be owed again while the old row of procrastinate's is still there. Both change in one
transaction. `attempts` of procrastinate's row counts how often it was given out: it is the fence that keeps a
worker from settling what was taken from it.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, assert_never

from procrastinate import jobs as procrastinate_jobs
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from psycopg import AsyncConnection as DriverConnection
from psycopg.pq import TransactionStatus
from sqlalchemy import bindparam, delete, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ports import Work
from bot.jobs.outcome import Again, Claimed, Done, Failed, Outcome
from bot.jobs.port import Job
from bot.jobs.table import jobs, row_values

TASK: Final = "work"
"""The one task that procrastinate knows; our row says which handler it is for."""

_FORGET_FAILED: Final = delete(jobs).where(
    jobs.c.id.in_(bindparam("ids", expanding=True)), jobs.c.state == "failed"
)
_ADD: Final = insert(jobs).on_conflict_do_nothing(index_elements=["id"]).returning(jobs.c.seq, jobs.c.id)
_REMOVE_READY: Final = (
    delete(jobs).where(jobs.c.id == bindparam("wanted"), jobs.c.state == "ready").returning(jobs.c.seq)
)
_CLAIM: Final = (
    update(jobs)
    .where(jobs.c.seq == bindparam("wanted"), jobs.c.state.in_(["ready", "running"]))
    .values(state="running", attempt=jobs.c.attempt + 1)
    .returning(
        jobs.c.id, jobs.c.kind, jobs.c.key, jobs.c.payload, jobs.c.attempt, jobs.c.postponed, jobs.c.error
    )
)
_REMOVE: Final = delete(jobs).where(jobs.c.seq == bindparam("wanted"))
_PUT_BACK: Final = (
    update(jobs)
    .where(jobs.c.seq == bindparam("wanted"))
    .values({name: bindparam(name) for name in ("state", "due", "attempt", "postponed", "error")})
)
_FAIL: Final = (
    update(jobs).where(jobs.c.seq == bindparam("wanted")).values(state="failed", error=bindparam("error"))
)

_WITHDRAW: Final = text("DELETE FROM procrastinate_jobs WHERE queueing_lock = :name AND status = 'todo'")
_HOLD: Final = text(
    "SELECT id FROM procrastinate_jobs "
    "WHERE id = :id AND attempts = :attempts AND status = 'doing' FOR UPDATE"
)
_KEEP: Final = text(
    "SELECT id FROM procrastinate_jobs WHERE id = :id AND attempts = :attempts AND status = 'doing' FOR SHARE"
)
_FINISH: Final = text("SELECT procrastinate_finish_job_v1(:id, 'succeeded', true)")
_RETRY: Final = text("SELECT procrastinate_retry_job_v2(:id, CAST(:at AS timestamptz), NULL, NULL, NULL)")
_GIVEN: Final = text(
    "SELECT id, attempts FROM procrastinate_jobs WHERE worker_id = :worker AND status = 'doing' FOR UPDATE"
)
_ALONE: Final = text("SELECT pg_try_advisory_xact_lock(12099150290946)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A job of procrastinate's as it was given out, and our row that it stands for."""

    id: int
    attempts: int
    seq: int


def hold_of(job: procrastinate_jobs.Job) -> Hold:
    """What was given out, from procrastinate's own value."""
    if job.id is None:
        raise ValueError("a job that is in no table was not given out")
    return Hold(id=job.id, attempts=job.attempts, seq=int(str(job.task_kwargs["seq"])))


async def add(
    connection: AsyncConnection,
    manager: JobManager,
    work: Sequence[Work],
    *,
    now: float,
    queue: Callable[[str], str],
) -> None:
    """Owe this work, unless work with its id is owed or runs. What failed is owed anew."""
    if not work:
        return
    await connection.execute(_FORGET_FAILED, {"ids": [one.id for one in work]})
    rows = await connection.execute(_ADD, [row_values(one, now) for one in work])
    new = {row.id: row.seq for row in rows}
    # Of two with one id in one call the first is meant.
    first = {one.id: one for one in reversed(work)}
    given = [first[id] for id in dict.fromkeys(one.id for one in work) if id in new]
    if not given:
        return
    driver = await _driver(connection)
    try:
        await manager.batch_defer_jobs_async(
            [_deferred(one, new[one.id], now, queue(one.kind)) for one in given], connection=driver
        )
    except ConnectorException as error:
        raise error.__cause__ or error from error


def _deferred(work: Work, seq: int, now: float, queue: str) -> procrastinate_jobs.Job:
    return procrastinate_jobs.Job(
        queue=queue,
        lock=work.key,
        queueing_lock=str(seq),  # nobody else's, so that it never collides; it finds the row
        task_name=TASK,
        task_kwargs={"seq": seq},
        scheduled_at=_moment(now + work.delay) if work.delay else None,
    )


async def _driver(connection: AsyncConnection) -> DriverConnection[tuple[object, ...]]:
    raw = (await connection.get_raw_connection()).driver_connection
    if not isinstance(raw, DriverConnection) or raw.info.transaction_status is not TransactionStatus.INTRANS:
        raise TypeError("work is owed in an open transaction of the store's, on Postgres")
    return raw


async def cancel(connection: AsyncConnection, id: str) -> bool:
    """Owe this one no more; False if it is not there, runs, or failed."""
    seq = (await connection.execute(_REMOVE_READY, {"wanted": id})).scalar_one_or_none()
    if seq is None:
        return False
    await connection.execute(_WITHDRAW, {"name": str(seq)})
    return True


async def claim(connection: AsyncConnection, hold: Hold) -> Claimed | None:
    """Take what was given out; None if it was taken away, or cancelled in the meantime."""
    if not await _still_ours(connection, hold):
        return None
    row = (await connection.execute(_CLAIM, {"wanted": hold.seq})).one_or_none()
    if row is None:
        await connection.execute(_FINISH, {"id": hold.id})
        return None
    return Claimed(
        job=Job(id=row.id, kind=row.kind, key=row.key, payload=json.loads(row.payload), attempt=row.attempt),
        postponed=row.postponed,
        error=row.error,
    )


async def settle(connection: AsyncConnection, hold: Hold, outcome: Outcome) -> bool:
    """Write what became of it; False, and nothing is written, if it was taken away."""
    if not await _still_ours(connection, hold):
        return False
    match outcome:
        case Done():
            await connection.execute(_REMOVE, {"wanted": hold.seq})
            await connection.execute(_FINISH, {"id": hold.id})
        case Again(due=due, attempt=attempt, postponed=postponed, error=error):
            times = {"due": due, "attempt": attempt, "postponed": postponed}
            await connection.execute(
                _PUT_BACK, {"wanted": hold.seq, "state": "ready", "error": error, **times}
            )
            await connection.execute(_RETRY, {"id": hold.id, "at": _moment(due)})
        case Failed(error=error):
            await connection.execute(_FAIL, {"wanted": hold.seq, "error": error})
            await connection.execute(_FINISH, {"id": hold.id})
        case _:
            assert_never(outcome)
    return True


async def keep(connection: AsyncConnection, hold: Hold) -> bool:
    """Whether it was not taken away; then it is not before this transaction ends."""
    held = await connection.execute(_KEEP, {"id": hold.id, "attempts": hold.attempts})
    return held.one_or_none() is not None


async def alone(connection: AsyncConnection) -> bool:
    """Whether nobody else rescues jobs while this transaction lasts."""
    return bool((await connection.execute(_ALONE)).scalar_one())


async def give_back(connection: AsyncConnection, id: int, attempts: int) -> None:
    """Let somebody else have a job whose worker is gone, unless somebody has it already."""
    if await _still_ours(connection, Hold(id=id, attempts=attempts, seq=0)):
        await connection.execute(_RETRY, {"id": id, "at": None})


async def given_to(connection: AsyncConnection, worker: int) -> Sequence[tuple[int, int]]:
    """What this worker has, each with its attempts; it stays so until the transaction ends."""
    rows = await connection.execute(_GIVEN, {"worker": worker})
    return [(row.id, row.attempts) for row in rows]


async def _still_ours(connection: AsyncConnection, hold: Hold) -> bool:
    held = await connection.execute(_HOLD, {"id": hold.id, "attempts": hold.attempts})
    return held.one_or_none() is not None


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
