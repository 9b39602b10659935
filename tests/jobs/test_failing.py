"""The contract: what happens when a job does not work out."""

import asyncio
import time
from itertools import pairwise

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.errors import TryLater
from bot.approvals.ports import Work
from bot.jobs import Handler, Job, table
from tests.jobs.lab import Failures, Lab, Ran, owe


def failing(times: int, error: type[BaseException] = RuntimeError) -> Handler:
    async def fail(job: Job) -> None:
        if job.id.startswith("bad") and job.attempt <= times:
            raise error("no luck")

    return fail


async def test_a_job_that_fails_is_tried_again_and_holds_its_key_meanwhile(lab: Lab) -> None:
    ran, waits = Ran(failing(3)), []

    def backoff(attempt: int) -> float:
        waits.append(attempt)
        return 0.02

    engine = lab.engine({"work": ran}, backoff=backoff)
    await engine.start()
    await owe(lab, engine, "bad", key="k")
    await owe(lab, engine, "next", key="k")
    await ran.done(2)
    await engine.stop(5)
    assert [(job.id, job.attempt) for job in ran.jobs] == [
        ("bad", 1),
        ("bad", 2),
        ("bad", 3),
        ("bad", 4),
        ("next", 1),
    ]
    assert waits == [1, 2, 3]


async def test_a_job_in_backoff_holds_back_nobody_else(lab: Lab) -> None:
    ran = Ran(failing(1))
    engine = lab.engine({"work": ran}, backoff=lambda _: 3600, concurrency=1)
    await engine.start()
    await owe(lab, engine, "bad", key="k")
    await owe(lab, engine, "held", key="k")
    await owe(lab, engine, "free", key="other")
    await ran.done(1)
    await engine.stop(5)
    assert ran.ids == ["bad", "free"]


async def test_a_job_in_backoff_can_be_cancelled_and_lets_its_key_go(lab: Lab) -> None:
    ran = Ran(failing(9))
    engine = lab.engine({"work": ran}, backoff=lambda _: 3600)
    await engine.start()
    await owe(lab, engine, "bad", key="k")
    await owe(lab, engine, "other", key="l")
    await ran.done(1)
    await owe(lab, engine, "next", key="k")
    # "other" is settled together with or after "bad", so that "bad" is in backoff once "l" goes on.
    await owe(lab, engine, "after", key="l")
    await ran.done(2)
    async with lab.begin() as tx:
        assert await engine.cancel(tx, "bad")
        await engine.owe(tx, Work("wake", "work"))
    await ran.done(4)
    await engine.stop(5)
    assert "next" in ran.ended


async def test_after_five_attempts_somebody_is_told_and_the_key_goes_on(lab: Lab) -> None:
    ran, failures = Ran(failing(99)), Failures()
    engine = lab.engine({"work": ran}, failures=failures)
    await engine.start()
    await owe(lab, engine, "bad", key="k")
    await owe(lab, engine, "next", key="k")
    await ran.done(1)
    await engine.stop(5)
    assert [job.attempt for job in ran.jobs if job.id == "bad"] == [1, 2, 3, 4, 5]
    [(job, error)] = failures.told
    assert (job.id, job.key, job.attempt) == ("bad", "k", 5)
    assert isinstance(error, RuntimeError)


async def test_a_failed_job_can_be_owed_anew(lab: Lab) -> None:
    ran, failures = Ran(failing(99)), Failures()
    engine = lab.engine({"work": ran}, failures=failures)
    await engine.start()
    await owe(lab, engine, "bad", key="k")
    await owe(lab, engine, "next", key="k")
    await ran.done(1)
    await owe(lab, engine, "bad", key="k")
    await failures.heard(2)
    await engine.stop(5)
    assert [job.attempt for job in ran.jobs if job.id == "bad"] == [1, 2, 3, 4, 5] * 2


async def test_a_kind_without_a_handler_fails_like_any_other_job(lab: Lab) -> None:
    failures = Failures()
    engine = lab.engine({}, failures=failures)
    await engine.start()
    await owe(lab, engine, "one", "unheard-of")
    await failures.heard(1)
    await engine.stop(5)
    assert isinstance(failures.told[0][1], LookupError)


async def test_an_appointment_is_kept_and_not_counted(lab: Lab) -> None:
    loop = asyncio.get_running_loop()
    times = []

    async def busy(_job: Job) -> None:
        times.append(loop.time())
        if len(times) <= 7:
            raise TryLater(0.03, "busy")

    ran, failures = Ran(busy), Failures()
    engine = lab.engine({"work": ran}, failures=failures, backoff=lambda _: 3600)
    await engine.start()
    await owe(lab, engine, "one", key="k")
    await owe(lab, engine, "two", key="k")
    await ran.done(2)
    await engine.stop(5)
    assert ran.ids == ["one"] * 8 + ["two"]
    assert {job.attempt for job in ran.jobs} == {1}
    assert all(after - before > 0.025 for before, after in pairwise(times[:8]))
    assert not failures.told


async def test_endless_appointments_come_to_an_end(lab: Lab) -> None:
    async def busy(_job: Job) -> None:
        raise TryLater(0, "busy")

    ran, failures = Ran(busy), Failures()
    engine = lab.engine({"work": ran}, failures=failures)
    await engine.start()
    await owe(lab, engine, "one")
    await failures.heard(1)
    await engine.stop(5)
    assert len(ran.jobs) == 55
    assert isinstance(failures.told[0][1], TryLater)


async def test_when_nobody_could_be_told_they_are_told_again_without_another_attempt(lab: Lab) -> None:
    calls = iter([True, True, False])

    def away() -> None:
        if next(calls):
            raise OSError("the store is away")

    ran, failures = Ran(failing(99)), Failures(away)
    engine = lab.engine({"work": ran}, failures=failures)
    await engine.start()
    await owe(lab, engine, "bad", key="k")
    await owe(lab, engine, "next", key="k")
    await ran.done(1)
    await engine.stop(5)
    assert ran.ids == ["bad"] * 5 + ["next"]
    assert len(failures.told) == 3


async def test_a_handler_that_cancels_itself_is_tried_again_and_fails_in_the_end(lab: Lab) -> None:
    ran, failures = Ran(failing(99, asyncio.CancelledError)), Failures()
    engine = lab.engine({"work": ran}, failures=failures)
    await engine.start()
    await owe(lab, engine, "bad")
    await failures.heard(1)
    await owe(lab, engine, "next")
    await ran.done(1)
    await engine.stop(5)
    assert ran.ids == ["bad"] * 5 + ["next"]


@pytest.mark.parametrize("text", ["\ud800", "\0", "x" * 100_000])
async def test_an_error_may_say_anything(lab: Lab, text: str) -> None:
    async def fail(job: Job) -> None:
        if job.attempt == 1:
            raise RuntimeError(text)

    ran = Ran(fail)
    engine = lab.engine({"work": ran})
    await engine.start()
    await owe(lab, engine, "one")
    await ran.done(1)
    await engine.stop(5)


async def test_what_failed_is_listed_by_kind_and_forgotten_after_its_time(lab: Lab) -> None:
    async def broken(_job: Job) -> None:
        raise OSError

    failures = Failures()
    engine = lab.engine({"work": broken, "other": broken}, failures=failures)
    await engine.start()
    await owe(lab, engine, "one", key="k")
    await owe(lab, engine, "two", "other")
    await failures.heard(2)
    await engine.stop(5)
    async with lab.begin() as tx:
        assert isinstance(tx.connection, AsyncConnection)
        assert await table.failed(tx.connection, "work") == [Work("one", "work", key="k")]
        assert await table.forget_failed(tx.connection, before=time.time() - 60) == 0
        assert await table.forget_failed(tx.connection, before=time.time() + 60) == 2
        assert await table.failed(tx.connection, "work") == []
