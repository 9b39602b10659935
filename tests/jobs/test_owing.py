"""The contract: what it means to owe a job."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from bot.approvals.ports import Transaction, Work
from bot.jobs import Job
from tests.jobs.lab import Lab, Ran, owe


@asynccontextmanager
async def rolled_back(lab: Lab) -> AsyncIterator[Transaction]:
    with suppress(ZeroDivisionError):
        async with lab.begin() as tx:
            yield tx
            raise ZeroDivisionError


async def test_a_job_runs_with_what_it_was_given(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    await engine.start()
    async with lab.begin() as tx:
        await engine.owe(tx, Work("one", "work", key="k", payload={"approval": "p1", "action": "a1"}))
        assert not ran.jobs
    await ran.done(1)
    await engine.stop(5)
    assert ran.jobs == [
        Job(id="one", kind="work", key="k", payload={"approval": "p1", "action": "a1"}, attempt=1)
    ]


async def test_a_job_of_a_transaction_that_is_rolled_back_was_never_owed(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    await engine.start()
    async with rolled_back(lab) as tx:
        await engine.owe(tx, Work("gone", "work", key="k"))
    await owe(lab, engine, "there", key="k")
    await ran.done(1)
    await owe(lab, engine, "gone", key="k")
    await ran.done(2)
    await engine.stop(5)
    assert ran.ids == ["there", "gone"]


async def test_the_same_id_is_owed_once_and_the_transaction_goes_on(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    async with lab.begin() as tx:
        await engine.owe(tx, Work("one", "work"))
        await engine.owe(tx, Work("one", "work"))
        await engine.owe(tx, Work("two", "work"))
    await owe(lab, engine, "one")
    await engine.start()
    await ran.done(2)
    await engine.stop(5)
    assert sorted(ran.ids) == ["one", "two"]


async def test_an_id_that_runs_is_not_owed_again_but_one_that_is_done_is(lab: Lab) -> None:
    go_on = asyncio.Event()

    async def hold(_job: Job) -> None:
        await go_on.wait()

    ran = Ran(hold)
    engine = lab.engine({"work": ran})
    await engine.start()
    await owe(lab, engine, "one", key="k")
    await ran.begun(1)
    await owe(lab, engine, "one", key="k")
    go_on.set()
    # The next of the key begins only when the first is settled.
    await owe(lab, engine, "two", key="k")
    await ran.begun(2)
    await owe(lab, engine, "one", key="k")
    await ran.done(3)
    await engine.stop(5)
    assert ran.ids == ["one", "two", "one"]


async def test_what_is_owed_while_no_engine_runs_is_taken_up_at_start(lab: Lab) -> None:
    ran = Ran()
    await owe(lab, lab.engine({}), "one")
    engine = lab.engine({"work": ran})
    await engine.start()
    await ran.done(1)
    await engine.stop(5)


async def test_a_cancelled_job_does_not_run(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    await owe(lab, engine, "one")
    await owe(lab, engine, "two")
    async with lab.begin() as tx:
        assert await engine.cancel(tx, "one")
        assert not await engine.cancel(tx, "one")
        assert not await engine.cancel(tx, "never")
    await engine.start()
    await ran.done(1)
    await engine.stop(5)
    assert ran.ids == ["two"]


async def test_a_cancel_that_is_rolled_back_cancels_nothing(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    await owe(lab, engine, "one")
    async with rolled_back(lab) as tx:
        assert await engine.cancel(tx, "one")
    await engine.start()
    await ran.done(1)
    await engine.stop(5)


async def test_a_job_that_runs_cannot_be_cancelled_and_ends(lab: Lab) -> None:
    go_on = asyncio.Event()

    async def hold(_job: Job) -> None:
        await go_on.wait()

    ran = Ran(hold)
    engine = lab.engine({"work": ran})
    await engine.start()
    await owe(lab, engine, "one")
    await ran.begun(1)
    async with lab.begin() as tx:
        assert not await engine.cancel(tx, "one")
    go_on.set()
    await ran.done(1)
    async with lab.begin() as tx:
        assert not await engine.cancel(tx, "one")
    await engine.stop(5)


async def test_cancelling_and_running_exclude_each_other(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    await engine.start()
    cancelled = set()

    async def owe_and_cancel(number: int) -> None:
        await owe(lab, engine, f"j{number}")
        async with lab.begin() as tx:
            if await engine.cancel(tx, f"j{number}"):
                cancelled.add(f"j{number}")

    async with asyncio.TaskGroup() as group:
        for number in range(60):
            group.create_task(owe_and_cancel(number))
    await ran.done(60 - len(cancelled))
    await engine.stop(5)
    assert len(ran.ids) == 60 - len(cancelled)
    assert cancelled.isdisjoint(ran.ids)


async def test_a_timer_fires_when_it_is_due_and_not_before(lab: Lab) -> None:
    loop = asyncio.get_running_loop()
    fired = {}

    async def note(job: Job) -> None:
        fired[job.id] = loop.time()

    ran = Ran(note)
    engine = lab.engine({"work": ran})
    await engine.start()
    async with lab.begin() as tx:
        start = loop.time()
        for id, delay in (("late", 0.3), ("soon", 0.15), ("cancelled", 0.2)):
            await engine.owe(tx, Work(id, "work", delay=delay))
        assert await engine.cancel(tx, "cancelled")
    await ran.done(2)
    await engine.stop(5)
    assert fired.keys() == {"soon", "late"}
    assert fired["soon"] - start > 0.14
    assert fired["late"] - start > 0.29


async def test_a_timer_outlives_the_engine(lab: Lab) -> None:
    ran = Ran()
    first = lab.engine({"work": ran})
    await first.start()
    await owe(lab, first, "timer", delay=0.2)
    await first.stop(5)
    assert not ran.jobs
    second = lab.engine({"work": ran})
    await second.start()
    await ran.done(1)
    await second.stop(5)


async def test_a_delayed_job_with_a_key_is_refused_and_the_transaction_goes_on(lab: Lab) -> None:
    engine = lab.engine({})
    async with lab.begin() as tx:
        with pytest.raises(ValueError, match="hold back"):
            await engine.owe(tx, Work("one", "work", key="k", delay=1))
        await engine.owe(tx, Work("one", "work"))
