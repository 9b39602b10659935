"""What ended long ago is forgotten: when, when not, and what the thread is told afterwards."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.approvals.approval import State
from bot.approvals.conversation import PostKind, Status
from bot.approvals.endings import FORGOTTEN
from bot.approvals.ids import ApprovalId, ConversationId, MessageId
from bot.approvals.journal import Execution, Progress
from bot.approvals.policy import Members, Terms
from bot.approvals.retention import FORGET, Retention
from bot.approvals.thread import Condition
from bot.approvals.times import NEVER
from tests.approvals.days import Days, days
from tests.approvals.fakes import Asks, Breaks, Line, Says, ScriptedAgent, WatchedStore, asks, owed, owing
from tests.store.samples import ALICE, NOON, approval, said

MONTH = timedelta(days=30)
TERMS = Terms(approvers=(Members(),))


def on(store: WatchedStore, *script: Line) -> Days:
    return days(store, ScriptedAgent({}, *script), TERMS)


def retention(bench: Days, keep: timedelta = MONTH) -> Retention:
    return Retention(
        store=bench.store, jobs=owing(bench.store), agent=bench.agent, keep=keep, now=bench.clock
    )


async def forgets(bench: Days, after: timedelta, keep: timedelta = MONTH) -> bool:
    """Whether, so long after noon, the sweep and its work made the agent forget the only conversation."""
    bench.clock.time = NOON + after
    wanted = await retention(bench, keep).sweep()
    id = (await bench.conversation()).id
    assert [job["id"] for job in await owed(bench.store, FORGET)] == [f"forget:{id}"] * wanted
    if wanted:
        await retention(bench, keep).forget(id)
        async with bench.store.write() as tx:
            await owing(bench.store).cancel(tx, f"forget:{id}")  # done
    return bench.agent.scene(id).thread.condition is Condition.NEW


@pytest.mark.parametrize("ends", [Says("Done."), Breaks("No.")], ids=["finished", "failed"])
async def test_a_conversation_is_forgotten_when_its_time_has_come_and_not_before(
    store: WatchedStore, ends: Line
) -> None:
    bench = on(store, ends)
    await bench.asked()
    assert not await forgets(bench, MONTH - timedelta(seconds=1))
    before = await bench.posts()
    assert await forgets(bench, MONTH)
    assert await bench.posts() == before
    assert (await bench.recorded())[-1] == "forgotten"
    assert await retention(bench).sweep() == 0


async def test_the_time_counts_from_when_it_came_to_rest_last(store: WatchedStore) -> None:
    bench = on(store, Says("Done."), Says("Done again."))
    await bench.asked()
    bench.clock.time = NOON + timedelta(days=20)
    await bench.hears("once more", ts="2.0")
    await bench.works()
    assert not await forgets(bench, timedelta(days=49))
    assert await forgets(bench, timedelta(days=50))


async def test_never_is_never(store: WatchedStore) -> None:
    bench = on(store, Says("Done."))
    await bench.asked()
    assert not await forgets(bench, timedelta(days=3_000), NEVER)


async def test_what_waits_is_not_forgotten(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)))
    await bench.asked()
    assert not await forgets(bench, 10 * MONTH)


@pytest.mark.parametrize("what", ["doubt", "intent", "kept", "open", "settled", "working"])
async def test_what_is_not_over_is_not_forgotten(store: WatchedStore, what: str) -> None:
    bench = on(store, Says("Done."))
    id = await bench.asked()
    one = replace(approval("p1"), conversation=id)
    async with store.write() as tx:
        match what:
            case "doubt" | "intent":
                await tx.approvals.add(replace(one, state=State.DELIVERED))
                await tx.executions.add(
                    execution(id, Progress.IN_DOUBT if what == "doubt" else Progress.INTENT)
                )
            case "kept":
                await tx.conversations.keep(replace(said(), conversation=id, id=MessageId("m-new")))
            case "open" | "settled":
                await tx.approvals.add(replace(one, state=State.WAITING if what == "open" else State.SETTLED))
            case _:
                await tx.conversations.save(replace(await bench.conversation(), status=Status.WORKING))
    assert not await forgets(bench, 10 * MONTH)


@pytest.mark.parametrize("progress", [Progress.IN_DOUBT, Progress.INTENT])
async def test_what_a_stop_left_in_doubt_is_forgotten_in_time_and_the_journal_still_tells_it(
    store: WatchedStore, progress: Progress
) -> None:
    bench = on(store, Asks((asks("i1", "x"),)), Says("Done."))
    id = await bench.asked()
    doubt = await in_doubt(store, id, progress)
    await bench.steering.stop(id, by=ALICE)
    await bench.works()
    assert not await forgets(bench, MONTH - timedelta(seconds=1))
    assert await forgets(bench, MONTH)
    async with store.read() as tx:
        assert await tx.executions.of(id) == [doubt]


async def test_a_doubt_of_after_a_stop_is_not_over(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)), Says("Done."))
    id = await bench.asked()
    await bench.steering.stop(id, by=ALICE)
    await bench.hears("go on", ts="2.0")
    await bench.works()
    await in_doubt(store, id, Progress.IN_DOUBT)
    assert not await forgets(bench, 10 * MONTH)


async def test_what_went_on_between_the_sweep_and_its_work_is_not_forgotten(store: WatchedStore) -> None:
    bench = on(store, Says("Done."))
    id = await bench.asked()
    bench.clock.time = NOON + MONTH
    assert await retention(bench).sweep() == 1
    await bench.hears("still there?", ts="2.0")
    await retention(bench).forget(id)
    assert bench.agent.scene(id).thread.condition is Condition.IDLE
    assert not (await bench.conversation()).forgotten


async def test_a_forgotten_conversation_goes_on_anew_and_its_thread_is_told_once(store: WatchedStore) -> None:
    bench = on(store, Says("Done."), Says("Who are you?"), Says("I see."))
    id = await bench.asked()
    assert await forgets(bench, MONTH)
    await retention(bench).forget(id)  # as after a crash
    await bench.hears("and now?", ts="2.0")
    await bench.works()
    await bench.hears("well?", ts="3.0")
    await bench.works()
    said_there = [post.text for post in await bench.posts(PostKind.NOTICE, PostKind.ANSWER)]
    assert said_there == ["Done.", FORGOTTEN, "Who are you?", "I see."]
    assert [one.text for one in bench.agent.scene(id).taken] == ["and now?", "well?"]


async def test_retry_in_a_forgotten_conversation_says_that_it_is(store: WatchedStore) -> None:
    bench = on(store, Breaks("No."))
    await bench.asked()
    [failure] = await bench.posts(PostKind.FAILURE)
    assert await forgets(bench, MONTH)
    await bench.steering.retry(failure.id, by=ALICE)
    await bench.works()
    assert await bench.texts(PostKind.NOTICE) == [FORGOTTEN]
    assert (await bench.conversation()).status is Status.IDLE


async def in_doubt(store: WatchedStore, id: ConversationId, progress: Progress) -> Execution:
    """A call of this conversation that may have run."""
    async with store.write() as tx:
        await tx.approvals.add(replace(approval("p1"), conversation=id, state=State.DELIVERED))
        await tx.executions.add(doubt := execution(id, progress))
    return doubt


def execution(id: ConversationId, progress: Progress) -> Execution:
    return Execution(
        conversation=id,
        message="m",
        call="c",
        tool="x",
        digest="d" * 64,
        approval=ApprovalId("p1"),
        action=approval("p1").actions[0].id,
        progress=progress,
    )
