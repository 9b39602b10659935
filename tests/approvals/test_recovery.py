"""What got lost on the way is found again; where nothing is lost, nothing is done."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from bot.approvals.approval import State
from bot.approvals.conversation import PostKind, PostState, Status
from bot.approvals.decision import Approve
from bot.approvals.policy import Members, Policy, Terms
from bot.approvals.recovery import Recovery
from tests.approvals.bench import a_bench
from tests.approvals.fakes import Asks, Says, ScriptedAgent, Ticking, WatchedStore, asks, owed, owing
from tests.store.samples import BOB

SHORT = Policy(defaults=Terms(approvers=(Members(),), expires_after=timedelta(hours=1)))


def recovery(store: WatchedStore, now: Callable[[], datetime]) -> Recovery:
    return Recovery(store=store, jobs=owing(store), now=now)


async def lose_all_jobs(store: WatchedStore) -> None:
    async with store.write() as tx:
        await tx.connection.execute(text("DELETE FROM jobs"))  # type: ignore[attr-defined]  # SQLAlchemy's


@pytest.fixture
def now() -> Ticking:
    return Ticking()


async def test_a_conversation_whose_start_was_lost_is_started(store: WatchedStore, now: Ticking) -> None:
    bench = a_bench(store, ScriptedAgent({}, Says("done")))
    await bench.hears("go")
    await lose_all_jobs(store)
    await recovery(store, now).sweep()
    await bench.works()
    assert await bench.texts(PostKind.ANSWER) == ["done"]


async def test_a_settled_approval_whose_resume_was_lost_is_told_to_the_agent(
    store: WatchedStore, now: Ticking
) -> None:
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file"),)), Says("done")))
    await bench.asked()
    [approval] = await bench.approvals()
    await bench.desk.decide(approval.actions[0].id, Approve(), by=BOB)
    await lose_all_jobs(store)
    await recovery(store, now).sweep()
    await bench.works()
    [approval] = await bench.approvals()
    assert approval.state is State.DELIVERED
    assert await bench.texts(PostKind.ANSWER) == ["done"]


async def test_a_card_whose_posting_was_lost_is_owed_again(store: WatchedStore, now: Ticking) -> None:
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file"),))))
    await bench.asked()
    await lose_all_jobs(store)
    await recovery(store, now).sweep()
    [card] = await bench.posts(PostKind.CARD)
    assert f"post:{card.id}" in [job["id"] for job in await owed(store, "post")]


async def test_an_approval_whose_timer_was_lost_expires_after_its_deadline_and_not_before(
    store: WatchedStore,
) -> None:
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file"),))), policy=SHORT)
    await bench.asked()
    [approval] = await bench.approvals()
    await lose_all_jobs(store)
    await recovery(store, lambda: approval.asked_at + timedelta(minutes=59)).sweep()
    assert await owed(store, "timer") == []
    await recovery(store, lambda: approval.asked_at + timedelta(hours=1)).sweep()
    assert [job["id"] for job in await owed(store, "timer")] == [f"expire:{approval.id}"]


async def test_an_interrupt_without_an_approval_gets_one(store: WatchedStore, now: Ticking) -> None:
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file"),))))
    await bench.asked()
    async with store.write() as tx:
        for table in ("actions", "posts", "approvals"):
            await tx.connection.execute(text("PRAGMA foreign_keys = OFF"))  # type: ignore[attr-defined]  # SQLAlchemy's
            await tx.connection.execute(text(f"DELETE FROM {table}"))  # type: ignore[attr-defined]  # noqa: S608 - our names
    await recovery(store, now).sweep()
    await bench.works()
    [approval] = await bench.approvals()
    assert approval.state is State.WAITING


async def test_where_nothing_is_lost_nothing_is_owed(store: WatchedStore, now: Ticking) -> None:
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file"),))))
    await bench.asked()
    for post in await bench.posts():
        async with store.write() as tx:
            await tx.posts.save(replace(post, state=PostState.SHOWN))
    assert (await bench.conversation()).status is Status.WAITING
    assert await recovery(store, now).sweep() == 0
