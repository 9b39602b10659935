"""The table of owed jobs and everything that is ever said to it. The store's migrations make it.

A row is `ready` (owed, from `due` on), `running` (taken by this process) or `failed` (kept for people to
see). What is done is deleted.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    Double,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    func,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ports import Work
from bot.jobs.outcome import Again, Claimed, Done, Failed, Outcome
from bot.jobs.port import Job

metadata = MetaData()

jobs = Table(
    "jobs",
    metadata,
    Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True),
    Column("id", String(), nullable=False, unique=True),
    Column("kind", String(), nullable=False),
    Column("key", String()),
    Column("payload", String(), nullable=False),  # JSON object of strings
    Column("state", String(), nullable=False),
    Column("due", Double(), nullable=False),  # seconds since 1970
    Column("attempt", Integer(), nullable=False),
    Column("postponed", Integer(), nullable=False),
    Column("error", String(), nullable=False),
    Index("ix_jobs_state_due_kind", "state", "due", "kind"),
    Index("ix_jobs_state_kind_seq", "state", "kind", "seq"),
    Index("ix_jobs_key_seq", "key", "seq"),
)

_NEW: Final = insert(jobs).inline()
# One that failed is owed anew; one that is owed or runs stays as it is.
_ADD: Final = _NEW.on_conflict_do_update(
    index_elements=["id"],
    set_={
        name: _NEW.excluded[name]
        for name in ("kind", "key", "payload", "state", "due", "attempt", "postponed", "error")
    },
    where=jobs.c.state == "failed",
)
_REMOVE: Final = delete(jobs).where(jobs.c.id == bindparam("wanted"), jobs.c.state == bindparam("only"))

_earlier: Final = jobs.alias("earlier")
_HEADS: Final = (
    select(jobs.c.seq)
    .where(
        jobs.c.state == "ready",
        # Not by the index on `due`: what is ready is nearly always due, and wanted in the order of `seq`.
        jobs.c.due + 0.0 <= bindparam("now"),
        or_(
            jobs.c.key.is_(None),
            ~select(_earlier.c.seq)
            .where(_earlier.c.key == jobs.c.key, _earlier.c.seq < jobs.c.seq, _earlier.c.state != "failed")
            .exists(),
        ),
    )
    .order_by(jobs.c.seq)
    .limit(bindparam("most"))
)
_kinds: Final[BindParameter[str]] = bindparam("kinds", expanding=True)
_TAKE: Final = (
    update(jobs)
    .values(state="running", attempt=jobs.c.attempt + 1)
    .returning(
        jobs.c.seq,
        jobs.c.id,
        jobs.c.kind,
        jobs.c.key,
        jobs.c.payload,
        jobs.c.attempt,
        jobs.c.postponed,
        jobs.c.error,
    )
)
_TAKE_OF: Final = _TAKE.where(jobs.c.seq.in_(_HEADS.where(jobs.c.kind.in_(_kinds))))
_TAKE_OTHERS: Final = _TAKE.where(jobs.c.seq.in_(_HEADS.where(jobs.c.kind.not_in(_kinds))))
_DUE: Final = select(
    select(jobs.c.seq).where(jobs.c.state == "ready", jobs.c.due <= bindparam("now")).exists()
)
_OUTLOOK: Final = (
    select(jobs.c.kind, null().label("next"))
    .where(jobs.c.state == "ready", jobs.c.due <= bindparam("now"))
    .distinct()
    .union_all(
        select(null(), func.min(jobs.c.due)).where(jobs.c.state == "ready", jobs.c.due > bindparam("now"))
    )
)

# Guarded by `running`, so that to say an outcome twice changes nothing.
_PUT_BACK: Final = (
    update(jobs)
    .where(jobs.c.id == bindparam("wanted"), jobs.c.state == "running")
    .values(
        state=bindparam("state"),
        due=bindparam("due"),
        attempt=bindparam("attempt"),
        postponed=bindparam("postponed"),
        error=bindparam("error"),
    )
)
_FAIL: Final = (
    update(jobs)
    .where(jobs.c.id == bindparam("wanted"), jobs.c.state == "running")
    .values(state="failed", error=bindparam("error"))
)
_FAILED: Final = (
    select(jobs.c.id, jobs.c.kind, jobs.c.key, jobs.c.payload)
    .where(jobs.c.state == "failed", jobs.c.kind == bindparam("kind"))
    .order_by(jobs.c.seq)
)
_FORGET_FAILED: Final = delete(jobs).where(jobs.c.state == "failed", jobs.c.due <= bindparam("before"))
_ORPHANED: Final = (
    update(jobs)
    .where(jobs.c.state == "running", jobs.c.id.not_in(bindparam("running", expanding=True)))
    .values(state="ready")
)


async def failed(connection: AsyncConnection, kind: str) -> Sequence[Work]:
    """The work of this kind whose attempts are used up, as it would be owed at once. For both engines."""
    rows = await connection.execute(_FAILED, {"kind": kind})
    return [Work(row.id, row.kind, key=row.key, payload=json.loads(row.payload)) for row in rows]


async def forget_failed(connection: AsyncConnection, *, before: float) -> int:
    """Delete what failed and was last due before this time; how much there was. For both engines."""
    return (await connection.execute(_FORGET_FAILED, {"before": before})).rowcount


async def add(connection: AsyncConnection, work: Sequence[Work], *, now: float) -> None:
    """Owe this work, unless work with its id is owed or runs. What failed is owed anew, in its old place."""
    if work:
        await connection.execute(_ADD, [row_values(one, now) for one in work])


def row_values(work: Work, now: float) -> dict[str, object]:
    """The row of work that is owed from now on."""
    return {
        "id": work.id,
        "kind": work.kind,
        "key": work.key,
        "payload": json.dumps(dict(work.payload)),
        "state": "ready",
        "due": now + work.delay,
        "attempt": 0,
        "postponed": 0,
        "error": "",
    }


async def remove_ready(connection: AsyncConnection, id: str) -> bool:
    """Owe this one no more; False if it is not there, runs, or failed."""
    return (await connection.execute(_REMOVE, {"wanted": id, "only": "ready"})).rowcount == 1


async def take(
    connection: AsyncConnection, *, now: float, most: int, kinds: Sequence[str], among: bool
) -> Sequence[Claimed]:
    """Mark the oldest jobs that may run as running, and return them in order.

    Those of these kinds (`among`), or of all others. Of a key only the first can be taken.
    """
    statement = _TAKE_OF if among else _TAKE_OTHERS
    rows = (await connection.execute(statement, {"now": now, "most": most, "kinds": kinds})).all()
    return [
        Claimed(
            job=Job(
                id=row.id, kind=row.kind, key=row.key, payload=json.loads(row.payload), attempt=row.attempt
            ),
            postponed=row.postponed,
            error=row.error,
        )
        for row in sorted(rows, key=lambda row: int(row.seq))
    ]


async def is_due(connection: AsyncConnection, *, now: float) -> bool:
    """Whether anything that is owed may run by now, or waits for its turn."""
    return bool((await connection.execute(_DUE, {"now": now})).scalar_one())


async def outlook(connection: AsyncConnection, *, now: float) -> tuple[frozenset[str], float | None]:
    """The kinds of what may run by now or waits for its turn, and when what waits for its time may next.

    With it nobody has to try kind after kind, of which most have nothing.
    """
    rows = (await connection.execute(_OUTLOOK, {"now": now})).all()
    [(_, due)] = [row for row in rows if row.kind is None]
    return frozenset(kind for kind, _ in rows if kind is not None), due


async def settle(connection: AsyncConnection, outcomes: Mapping[str, Outcome]) -> None:
    """Write what became of running jobs, by id."""
    done, put_back, failed = [], [], []
    for id, outcome in outcomes.items():
        match outcome:
            case Done():
                done.append({"wanted": id, "only": "running"})
            case Again(due=due, attempt=attempt, postponed=postponed, error=error):
                times = {"due": due, "attempt": attempt, "postponed": postponed}
                put_back.append({"wanted": id, "state": "ready", "error": error, **times})
            case Failed(error=error):
                failed.append({"wanted": id, "error": error})
            case _:
                assert_never(outcome)
    for statement, rows in ((_REMOVE, done), (_PUT_BACK, put_back), (_FAIL, failed)):
        if rows:
            await connection.execute(statement, rows)


async def put_back_orphans(connection: AsyncConnection, running: Sequence[str]) -> None:
    """Make everything ready that is marked as running and is not among these."""
    await connection.execute(_ORPHANED, {"running": running})
