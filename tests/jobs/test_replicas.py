"""What only the engine on Postgres has: several processes on one database, and a server that can be away."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import psycopg
import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager

from bot.approvals.ports import Work
from bot.jobs import Job
from bot.jobs.postgres import PostgresJobs
from bot.store import open_store
from tests.command_line import PYTHON
from tests.jobs.lab import Failures, Lab, Ran, owe
from tests.jobs.labs import LEASE, PostgresLab, at_once, postgres, removed
from tests.postgres import a_server

JOBS = [f"{number:03}" for number in range(80)]


def key_of(id: str) -> str:
    return f"k{int(id) % 9}"


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[PostgresLab]:
    async with postgres(tmp_path) as lab:
        yield cast("PostgresLab", lab)
    await removed(tmp_path)


@asynccontextmanager
async def a_replica(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *PYTHON, "-m", "tests.jobs.worker", "postgres", str(folder), stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(process: asyncio.subprocess.Process, into: list[tuple[str, str, str]], name: str) -> None:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        verb, id = line.decode().split()
        into.append((name, verb, id))


async def test_two_processes_share_the_work_and_one_ends_what_the_other_died_of(
    lab: Lab, tmp_path: Path
) -> None:
    engine = lab.engine({})
    lines: list[tuple[str, str, str]] = []
    async with a_replica(tmp_path) as first, a_replica(tmp_path) as second:
        heard = [asyncio.create_task(said(first, lines, "1")), asyncio.create_task(said(second, lines, "2"))]
        await until(lambda: {name for name, _, _ in lines} == {"1", "2"})
        async with lab.begin() as tx:
            for id in JOBS[:40]:
                await engine.owe(tx, Work(id, "work", key=key_of(id)))
        await until(lambda: {name for name, verb, _ in lines if verb == "begin"} == {"1", "2"})
        first.kill()
        killed = time.monotonic()
        await heard[0]
        async with lab.begin() as tx:
            for id in JOBS[40:]:
                await engine.owe(tx, Work(id, "work", key=key_of(id)))
        await until(lambda: {id for _, verb, id in lines if verb == "end"} == set(JOBS))
        assert time.monotonic() - killed < 3 * LEASE
        second.kill()
        await heard[1]
    begun = [id for _, verb, id in lines if verb == "begin"]
    assert len(begun) - len(JOBS) <= 8  # what the first had begun, at most one job for each of its places
    for key in {key_of(id) for id in JOBS}:
        of_key = [id for id in begun if key_of(id) == key]
        assert of_key == sorted(of_key)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - said by other processes, or by several handlers
            await asyncio.sleep(0.01)


async def test_two_engines_never_run_one_key_at_once_nor_one_job_twice(lab: Lab) -> None:
    async def linger(_job: Job) -> None:
        for _ in range(3):
            async with lab.begin():
                pass

    ran = Ran(linger)
    engines = [lab.engine({"work": ran}) for _ in range(2)]
    async with lab.begin() as tx:
        for id in JOBS:
            await engines[0].owe(tx, Work(id, "work", key=f"k{int(id) % 2}"))
    for engine in engines:
        await engine.start()
    await ran.done(len(JOBS))
    for engine in engines:
        await engine.stop(5)
    assert sorted(ran.ids) == JOBS
    assert ran.most_of_a_key == 1


async def test_the_same_id_from_two_places_is_owed_once(lab: Lab) -> None:
    ran = Ran()
    engines = [lab.engine({"work": ran}) for _ in range(2)]
    async with asyncio.TaskGroup() as group:
        for number in range(40):
            group.create_task(owe(lab, engines[number % 2], f"{number // 8}"))
    for engine in engines:
        await engine.start()
    await ran.done(5)
    for engine in engines:
        await engine.stop(5)
    assert sorted(ran.ids) == ["0", "1", "2", "3", "4"]


async def test_nothing_is_left_in_the_tables_but_what_failed(lab: PostgresLab) -> None:
    async def fail(job: Job) -> None:
        if job.id == "bad":
            raise RuntimeError("no luck")

    ran, failures = Ran(fail), Failures()
    engine = lab.engine({"work": ran}, failures=failures)
    await engine.start()
    for id in ("one", "bad", "two"):
        await owe(lab, engine, id, key="k")
    await owe(lab, engine, "cancelled", delay=60)
    async with lab.begin() as tx:
        assert await engine.cancel(tx, "cancelled")
    await ran.done(2)
    await engine.stop(5)
    async with await psycopg.AsyncConnection.connect(lab.url) as connection:
        rows = await (await connection.execute("SELECT id, state, error FROM jobs")).fetchall()
        counts = [
            (await (await connection.execute(statement)).fetchall())[0][0]
            for statement in (
                "SELECT count(*) FROM procrastinate_jobs",
                "SELECT count(*) FROM procrastinate_events",
                "SELECT count(*) FROM procrastinate_workers",
            )
        ]
    assert rows == [("bad", "failed", "RuntimeError: no luck")]
    assert counts == [0, 0, 0]


async def test_work_is_refused_outside_a_transaction_of_the_stores(lab: PostgresLab) -> None:
    engine = lab.engine({})
    async with lab.begin() as tx:
        kept = tx
    with pytest.raises(Exception, match=r"closed|transaction"):
        await engine.owe(kept, Work("one", "work"))


async def test_what_was_taken_from_a_process_it_can_neither_settle_nor_hold_up(lab: PostgresLab) -> None:
    """As when it was frozen for longer than the lease and wakes up in the middle of a job."""
    go_on, finish = asyncio.Event(), asyncio.Event()

    async def hold(job: Job) -> None:
        if job.id == "one":
            await (go_on if job.attempt == 1 else finish).wait()

    frozen, other = Ran(hold), Ran(hold)
    first, second = lab.engine({"work": frozen}), lab.engine({"work": other})
    await first.start()
    await owe(lab, first, "one", key="k")
    await owe(lab, first, "two", key="k")
    await frozen.begun(1)
    async with await psycopg.AsyncConnection.connect(lab.url, autocommit=True) as connection:
        # Nobody has heard of it for an hour, and it does not know.
        await connection.execute(
            "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'"
        )
        await second.start()
        await until(lambda: "one" in other.ids + frozen.ids[1:])
    go_on.set()
    await frozen.done(1)
    for number in range(5):  # time enough to settle what is not its own any more
        await owe(lab, first, f"else {number}")
    await until(lambda: len(frozen.ended + other.ended) == 6)
    assert "two" not in frozen.ids + other.ids
    finish.set()
    await until(lambda: len(frozen.ended + other.ended) == 8)
    await first.stop(5)
    await second.stop(5)
    assert sorted(frozen.ended + other.ended)[-3:] == ["one", "one", "two"]
    assert [job.attempt for job in frozen.jobs + other.jobs if job.id == "one"] == [1, 2]
    async with await psycopg.AsyncConnection.connect(lab.url) as connection:
        assert await (await connection.execute("SELECT id FROM jobs")).fetchall() == []


async def test_a_job_whose_handing_over_was_lost_is_given_out_again(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server gave it out, and the connection broke before the answer came."""
    give_out = JobManager.fetch_job
    lost: list[object] = []

    async def give_out_and_break(self: JobManager, queues: list[str], worker_id: int) -> object:
        job = await give_out(self, queues, worker_id)
        if job is not None and not lost:
            lost.append(job)
            raise ConnectorException
        return job

    monkeypatch.setattr(JobManager, "fetch_job", give_out_and_break)
    ran = Ran()
    engine = lab.engine({"work": ran})
    await owe(lab, engine, "one", key="k")
    await engine.start()
    await ran.done(1)
    await engine.stop(5)
    assert lost
    assert [(job.id, job.attempt) for job in ran.jobs] == [("one", 1)]


async def test_a_process_that_cannot_say_that_it_lives_stops_its_jobs_before_others_take_them() -> None:
    async with a_server() as server, open_store(server.url) as store:
        never = asyncio.Event()
        cut_off = asyncio.Event()

        async def hold(job: Job) -> None:
            if job.attempt == 1 and not cut_off.is_set():
                try:
                    await never.wait()
                except asyncio.CancelledError:
                    cut_off.set()
                    raise

        ran = Ran(hold)
        engine = PostgresJobs(
            server.url,
            begin=store.write,
            handlers={"work": ran},
            on_failed=Failures(),
            backoff=at_once,
            lease=LEASE,
        )
        await engine.start()
        async with store.write() as tx:
            await engine.owe(tx, Work("one", "work", key="k"))
        await ran.begun(1)
        began = time.monotonic()
        await server.stop()
        async with asyncio.timeout(LEASE):
            await cut_off.wait()
        assert time.monotonic() - began < LEASE
        await server.start()
        await ran.done(1)
        await engine.stop(5)
        assert [(job.id, job.attempt) for job in ran.jobs] == [("one", 1), ("one", 1)]


async def test_a_server_that_restarts_loses_no_job_and_none_is_stuck() -> None:
    async with a_server() as server, open_store(server.url) as store:

        async def linger(_job: Job) -> None:
            await asyncio.sleep(0.01)

        ran = Ran(linger)
        engine = PostgresJobs(
            server.url,
            begin=store.write,
            handlers={"work": ran},
            on_failed=Failures(),
            backoff=at_once,
            lease=30,
        )
        async with store.write() as tx:
            for id in JOBS:
                await engine.owe(tx, Work(id, "work", key=key_of(id)))
        await engine.start()
        await ran.begun(20)
        await server.stop()
        await server.start()
        await ran.done(len(JOBS))
        await until(lambda: set(ran.ended) == set(JOBS))
        await engine.stop(5)
        assert ran.most_of_a_key == 1
        async with store.read() as tx:
            left = await tx.connection.exec_driver_sql("SELECT count(*) FROM procrastinate_jobs")
            assert left.scalar_one() == 0
