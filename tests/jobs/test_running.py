"""The contract: in which order, how many at once, and what happens when it ends."""

import asyncio

import pytest

from bot.approvals.ports import Work
from bot.jobs import Job
from tests.jobs.lab import Lab, Ran, owe


async def test_jobs_of_a_key_run_in_order_and_one_at_a_time(lab: Lab) -> None:
    async def linger(_job: Job) -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    ran = Ran(linger)
    engine = lab.engine({"work": ran})
    await engine.start()
    for number in range(30):
        await owe(lab, engine, f"{number:02}", key=f"k{number % 3}")
    await ran.done(30)
    await engine.stop(5)
    assert ran.most_of_a_key == 1
    for key in range(3):
        of_key = [id for id in ran.ids if int(id) % 3 == key]
        assert of_key == sorted(of_key)


async def test_jobs_of_a_key_keep_their_order_across_kinds(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"run": ran, "post": ran}, limits={"run": 2})
    async with lab.begin() as tx:
        for number in range(10):
            await engine.owe(tx, Work(str(number), "run" if number % 2 else "post", key="k"))
    await engine.start()
    await ran.done(10)
    await engine.stop(5)
    assert ran.ids == [str(number) for number in range(10)]
    assert ran.most_of_a_key == 1


async def test_different_keys_and_jobs_without_one_run_side_by_side(lab: Lab) -> None:
    everybody = asyncio.Barrier(6)

    async def meet(_job: Job) -> None:
        await everybody.wait()

    ran = Ran(meet)
    engine = lab.engine({"work": ran}, concurrency=6)
    await engine.start()
    for number in range(6):
        await owe(lab, engine, str(number), key=f"k{number}" if number < 3 else None)
    await ran.done(6)
    await engine.stop(5)


async def test_no_more_run_at_once_than_allowed(lab: Lab) -> None:
    go_on = asyncio.Event()

    async def hold(_job: Job) -> None:
        await go_on.wait()

    ran = Ran(hold)
    engine = lab.engine({"work": ran}, concurrency=3)
    async with lab.begin() as tx:
        for number in range(20):
            await engine.owe(tx, Work(str(number), "work"))
    await engine.start()
    await ran.begun(3)
    for number in range(20, 25):  # time enough to take a fourth, and reasons to look for it
        await owe(lab, engine, str(number))
    assert len(ran.jobs) == 3
    go_on.set()
    await ran.done(25)
    await engine.stop(5)
    assert ran.most_at_once == 3


async def test_long_work_with_a_limit_of_its_own_keeps_nothing_else_waiting(lab: Lab) -> None:
    go_on = asyncio.Event()

    async def hold(_job: Job) -> None:
        await go_on.wait()

    long, short = Ran(hold), Ran()
    engine = lab.engine({"run": long, "post": short}, concurrency=1, limits={"run": 2})
    await engine.start()
    for number in range(5):
        await owe(lab, engine, f"run-{number}", "run", key=f"k{number}")
    await long.begun(2)
    for number in range(5):
        await owe(lab, engine, f"post-{number}", "post")
    await short.done(5)
    assert len(long.jobs) == 2
    go_on.set()
    await long.done(5)
    await engine.stop(5)
    assert long.most_at_once == 2


async def test_no_wake_up_is_lost_when_many_write_at_once(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran}, concurrency=2)
    await engine.start()
    async with asyncio.TaskGroup() as group:
        for number in range(150):
            group.create_task(owe(lab, engine, str(number), key=f"k{number % 7}"))
    await ran.done(150)
    await engine.stop(5)
    assert len(set(ran.ids)) == len(ran.ids) == 150


async def test_a_job_can_owe_the_next_one_of_its_own_key(lab: Lab) -> None:
    async def pass_on(job: Job) -> None:
        if int(job.id) < 5:
            await owe(lab, engine, str(int(job.id) + 1), key=job.key)

    ran = Ran(pass_on)
    engine = lab.engine({"work": ran})
    await engine.start()
    await owe(lab, engine, "0", key="k")
    await ran.done(6)
    await engine.stop(5)
    assert ran.ids == ["0", "1", "2", "3", "4", "5"]


async def test_stopping_waits_for_what_runs_and_takes_nothing_new(lab: Lab) -> None:
    go_on = asyncio.Event()

    async def hold(_job: Job) -> None:
        await go_on.wait()

    ran = Ran(hold)
    engine = lab.engine({"work": ran}, concurrency=1)
    await engine.start()
    await owe(lab, engine, "one")
    await owe(lab, engine, "two")
    await ran.begun(1)
    stopping = asyncio.create_task(engine.stop(20))
    await asyncio.sleep(0)
    go_on.set()
    await stopping
    assert ran.ended == ["one"]
    again = lab.engine({"work": ran})
    await again.start()
    await ran.done(2)
    await again.stop(5)
    assert ran.ids == ["one", "two"]


async def test_what_does_not_end_in_time_is_cancelled_and_owed_as_if_never_tried(lab: Lab) -> None:
    never = asyncio.Event()

    async def hold(_job: Job) -> None:
        await never.wait()

    stuck = Ran(hold)
    engine = lab.engine({"work": stuck})
    await engine.start()
    await owe(lab, engine, "one", key="k")
    await owe(lab, engine, "two", key="k")
    await stuck.begun(1)
    await engine.stop(0.01)
    assert stuck.ids == ["one"]
    assert not stuck.ended
    ran = Ran()
    again = lab.engine({"work": ran})
    await again.start()
    await ran.done(2)
    await again.stop(5)
    assert [(job.id, job.attempt) for job in ran.jobs] == [("one", 1), ("two", 1)]


async def test_an_engine_can_be_stopped_before_it_starts_and_started_again_after(lab: Lab) -> None:
    ran = Ran()
    engine = lab.engine({"work": ran})
    await engine.stop(1)
    for number in range(2):
        await engine.start()
        await owe(lab, engine, str(number))
        await ran.done(number + 1)
        await engine.stop(5)


async def test_an_engine_that_runs_is_not_started_twice(lab: Lab) -> None:
    engine = lab.engine({})
    await engine.start()
    with pytest.raises(RuntimeError):
        await engine.start()
    await engine.stop(5)
