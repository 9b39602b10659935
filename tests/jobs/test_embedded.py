"""What only the embedded engine has: a table, one task, and a store that can be away."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.ports import Transaction, Work
from bot.jobs import EmbeddedJobs, GaveUp, Job, table
from bot.store import RowsStore, RowsTransaction, StoreUnavailable, open_store
from bot.store.database import beside
from tests.jobs.lab import Failures, Ran


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[RowsStore]:
    async with open_store(tmp_path / "bot.db") as store:
        yield store


class Door:
    """`store.write` with a fault that can be switched on."""

    def __init__(self, store: RowsStore) -> None:
        self._store = store
        self.opened = 0
        self.shut_before = 0
        self.shut_after = 0
        self.next_opened = asyncio.Event()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[RowsTransaction]:
        self.opened += 1
        self.next_opened.set()
        if self.shut_before:
            self.shut_before -= 1
            raise StoreUnavailable("away")
        async with self._store.write() as tx:
            yield tx
        if self.shut_after:
            # Written, and yet reported as lost: as when a disk fails after the fact.
            self.shut_after -= 1
            raise StoreUnavailable("away")


def jobs(
    begin: Callable[[], object], ran: Ran, failures: Failures | None = None, *, concurrency: int = 8
) -> EmbeddedJobs:
    return EmbeddedJobs(
        begin=cast("Door", begin),
        handlers={"work": ran},
        on_failed=failures or Failures(),
        concurrency=concurrency,
        backoff=lambda _: 0,
    )


async def owe(store: RowsStore, engine: EmbeddedJobs, *ids: str) -> None:
    async with store.write() as tx:
        for id in ids:
            await engine.owe(tx, Work(id, "work", key="k"))


async def rows(store: RowsStore) -> list[tuple[str, str, str]]:
    async with store.read() as tx:
        found = await tx.connection.execute(text("SELECT id, state, error FROM jobs ORDER BY seq"))
        return [(row.id, row.state, row.error) for row in found]


async def test_what_is_done_leaves_no_row_and_what_failed_leaves_one(store: RowsStore) -> None:
    async def fail(job: Job) -> None:
        if job.id == "bad":
            raise RuntimeError("no luck")

    ran = Ran(fail)
    engine = jobs(store.write, ran)
    await engine.start()
    await owe(store, engine, "good", "bad", "fine")
    await ran.done(2)
    await engine.stop(5)
    assert await rows(store) == [("bad", "failed", "RuntimeError: no luck")]


@pytest.mark.parametrize("fault", ["shut_before", "shut_after"])
async def test_a_store_that_is_away_for_a_while_neither_loses_nor_sticks_a_job(
    store: RowsStore, fault: str
) -> None:
    door = Door(store)

    async def shut(job: Job) -> None:
        if job.id in {"a", "c"}:
            # From here on: the round that settles this job and takes the next.
            setattr(door, fault, 3)

    ran, failures = Ran(shut), Failures()
    engine = jobs(door, ran, failures, concurrency=1)
    await engine.start()
    await owe(store, engine, "a", "b", "c", "d")
    await ran.done(4)
    await engine.stop(5)
    assert ran.ids == ["a", "b", "c", "d"]
    assert not failures.told
    assert await rows(store) == []


async def test_an_outcome_that_could_not_be_written_before_the_stop_is_owed_again(store: RowsStore) -> None:
    door = Door(store)

    async def shut(_job: Job) -> None:
        door.shut_before = 10_000

    ran = Ran(shut)
    engine = jobs(door, ran)
    await engine.start()
    await owe(store, engine, "a")
    await ran.done(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.jobs.embedded.GRACE", 0.01)
        await engine.stop(0.01)
    second = Ran()
    again = jobs(store.write, second)
    await again.start()
    await second.done(1)
    await again.stop(5)
    assert [(job.id, job.attempt) for job in second.jobs] == [("a", 2)]


async def test_a_job_that_takes_the_process_down_each_time_is_given_up_unrun(store: RowsStore) -> None:
    ran, failures = Ran(), Failures()
    engine = jobs(store.write, ran, failures)
    await owe(store, engine, "poison", "next")
    async with store.write() as tx:
        # As five kills in the middle of it leave the row.
        await tx.connection.execute(
            text("UPDATE jobs SET state = 'running', attempt = 5 WHERE id = 'poison'")
        )
    await engine.start()
    await ran.done(1)
    await engine.stop(5)
    assert ran.ids == ["next"]
    [(job, error)] = failures.told
    assert job.id == "poison"
    assert isinstance(error, GaveUp)


async def test_an_engine_with_nothing_to_do_leaves_the_store_alone(store: RowsStore) -> None:
    door, ran = Door(store), Ran()
    engine = jobs(door, ran)
    await engine.start()
    await owe(store, engine, "a", "b")
    await ran.done(2)
    await owe(store, engine, "c")
    await ran.done(3)
    # "c" is settled before it has gone; then there is nothing left to settle.
    while await rows(store):  # noqa: ASYNC110 - the table has no event
        await asyncio.sleep(0)
    door.next_opened.clear()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(door.next_opened.wait(), 0.3)
    await engine.stop(5)


async def test_a_backlog_is_taken_many_at_a_time(store: RowsStore) -> None:
    door, ran = Door(store), Ran()
    engine = jobs(door, ran)
    async with store.write() as tx:
        for number in range(80):
            await engine.owe(tx, Work(str(number), "work"))
    await engine.start()
    await ran.done(80)
    await engine.stop(5)
    assert door.opened < 80 / 4


async def test_a_transaction_of_another_kind_is_refused(store: RowsStore) -> None:
    class Other:
        connection = object()

    engine = jobs(store.write, Ran())
    with pytest.raises(TypeError):
        await engine.owe(cast("Transaction", Other()), Work("a", "work"))
    assert await rows(store) == []


@pytest.mark.parametrize(("concurrency", "limits"), [(0, {}), (1, {"work": 0})])
def test_an_engine_that_could_run_nothing_is_refused(concurrency: int, limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        EmbeddedJobs(
            begin=cast("Door", None),
            handlers={},
            on_failed=Failures(),
            concurrency=concurrency,
            limits=limits,
        )


async def test_what_another_process_owed_is_done_without_being_told(store: RowsStore, tmp_path: Path) -> None:
    ran = Ran()
    engine = EmbeddedJobs(begin=store.write, look=store.read, handlers={"work": ran}, on_failed=Failures())
    await engine.start()
    async with beside(tmp_path / "bot.db") as theirs, theirs.write() as tx:
        await EmbeddedJobs(begin=theirs.write, handlers={}, on_failed=Failures()).owe(tx, Work("one", "work"))
    await ran.done(1)
    await engine.stop(5)
    assert ran.ids == ["one"]


async def test_what_ends_during_a_round_keeps_its_place_until_the_next(
    store: RowsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    gates, most = {id: asyncio.Event() for id in ("a", "b", "c", "d")}, 0

    async def work(job: Job) -> None:
        await gates[job.id].wait()

    ran, outlook = Ran(work), table.outlook

    async def ends_meanwhile(connection: AsyncConnection, *, now: float) -> object:
        if ran.ended == ["a"]:
            gates["b"].set()
            await ran.done(2)
        return await outlook(connection, now=now)

    @asynccontextmanager
    async def begin() -> AsyncIterator[RowsTransaction]:
        nonlocal most
        async with store.write() as tx:
            yield tx
            found = await tx.connection.execute(text("SELECT count(*) FROM jobs WHERE state = 'running'"))
            most = max(most, found.scalar_one())

    monkeypatch.setattr(table, "outlook", ends_meanwhile)
    engine = jobs(begin, ran, concurrency=2)
    async with store.write() as tx:
        for id in gates:
            await engine.owe(tx, Work(id, "work"))
    await engine.start()
    await ran.begun(2)
    gates["a"].set()
    await ran.begun(4)
    for gate in gates.values():
        gate.set()
    await ran.done(4)
    await engine.stop(5)
    assert most == 2
