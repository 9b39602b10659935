"""What operators ask for: a clean stop, and bringing back what is stuck without running anything again."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.approvals.approval import Shape, State
from bot.approvals.conversation import PostKind, Status
from bot.approvals.decision import Approve
from bot.approvals.ids import ConversationId
from bot.approvals.journal import Progress
from bot.approvals.repairing import MAY_HAVE_RUN, Cancelling, Fault, Repairing, faults
from bot.approvals.thread import Condition, Thread
from tests.approvals.bench import Bench, a_bench
from tests.approvals.fakes import (
    Asks,
    Breaks,
    Line,
    Says,
    ScriptedAgent,
    Ticking,
    WatchedStore,
    asks,
    owed,
    owing,
)
from tests.approvals.test_retention import in_doubt
from tests.store.samples import BOB, NOON, approval, conversation, said


def on(store: WatchedStore, *script: Line) -> Bench:
    return a_bench(store, ScriptedAgent({}, *script))


def repairing(bench: Bench) -> Repairing:
    return Repairing(
        store=bench.store, jobs=owing(bench.store), agent=bench.agent, running=bench.running, now=Ticking()
    )


def cancelling(bench: Bench) -> Cancelling:
    return Cancelling(store=bench.store, jobs=owing(bench.store), agent=bench.agent, now=Ticking())


async def status(bench: Bench) -> Status:
    return (await bench.conversation()).status


async def test_what_failed_goes_on_and_the_thread_is_told_once_for_each_wish(store: WatchedStore) -> None:
    bench = on(store, Breaks("The model is away."), Says("Done."))
    id = await bench.asked()
    assert await status(bench) is Status.FAILED
    for _ in range(2):
        await repairing(bench).repair(id, "wish")
    assert await bench.texts(PostKind.ANSWER) == ["Done."]
    assert await bench.texts(PostKind.NOTICE) == [f"Repaired by an operator: {Fault.FAILED}."]
    assert await status(bench) is Status.IDLE
    assert (await bench.recorded()).count("repaired") == 1


async def test_what_fails_again_is_told_again(store: WatchedStore) -> None:
    bench = on(store, Breaks("The model is away."), Breaks("Still away."))
    id = await bench.asked()
    await repairing(bench).repair(id, "wish")
    assert await bench.texts(PostKind.FAILURE) == ["The model is away.", "Still away."]
    assert await status(bench) is Status.FAILED


@pytest.mark.parametrize("before", [Status.FAILED, Status.WORKING, Status.WAITING])
@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"condition": Condition.FAILED, "repeats": ("pay",)}, Fault.REPEATING),
        ({"condition": Condition.RUNNABLE, "repeats": ("pay",)}, Fault.REPEATING),
        ({"condition": Condition.FAILED, "unreadable": True}, Fault.UNREADABLE),
    ],
)
async def test_what_would_run_again_is_ended_instead(
    store: WatchedStore, before: Status, wrong: dict[str, object], fault: Fault
) -> None:
    bench = on(store, Says("Hello."))
    id = await bench.asked()
    bench.agent.put(id, answer=None, **wrong)
    async with store.write() as tx:
        await tx.conversations.save(replace(await bench.conversation(), status=before))
    doubt = await in_doubt(store, id, Progress.INTENT)
    await repairing(bench).repair(id, "wish")
    assert bench.agent.abandoned == [MAY_HAVE_RUN]
    assert bench.agent.calls == ["send"]
    assert await bench.texts(PostKind.NOTICE) == [f"Repaired by an operator: {fault}."]
    assert await status(bench) is Status.IDLE
    async with store.read() as tx:
        assert await tx.conversations.rested(NOON + timedelta(days=1)) == [id], (
            "nobody asks about it any more"
        )
        assert await tx.executions.of(id) == [doubt]


async def test_a_history_that_no_model_takes_is_mended_before_it_goes_on(store: WatchedStore) -> None:
    bench = on(store, Breaks("400"), Says("Done."))
    id = await bench.asked()
    bench.agent.put(id, dangling=("pay",))
    await repairing(bench).repair(id, "wish")
    assert bench.agent.calls == ["send", "mend", "proceed"]
    assert await bench.texts(PostKind.ANSWER) == ["Done."]


async def test_a_doubt_stays_a_doubt(store: WatchedStore) -> None:
    bench = on(store, Asks((replace(asks("i1", "pay"), shape=Shape.IN_DOUBT),)))
    id = await bench.asked()
    before = await bench.approvals()
    await repairing(bench).repair(id, "wish")
    assert await bench.approvals() == before
    assert (bench.agent.calls, bench.agent.abandoned) == (["send"], [])
    assert await bench.texts(PostKind.NOTICE) == []
    assert await status(bench) is Status.WAITING


async def test_rows_and_checkpoint_that_came_apart_are_brought_together(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "pay"),)), Says("Done."))
    id = await bench.asked()
    [asked] = await bench.approvals()
    await bench.desk.decide(asked.actions[0].id, Approve(), by=BOB)
    await repairing(bench).repair(id, "wish")
    [asked] = await bench.approvals()
    assert asked.state is State.DELIVERED
    assert await bench.texts(PostKind.ANSWER) == ["Done."]


async def test_what_was_to_be_stopped_is_stopped_and_not_repaired(store: WatchedStore) -> None:
    bench = on(store, Breaks("The model is away."))
    id = await bench.asked()
    await cancelling(bench).cancel(id)
    await repairing(bench).repair(id, "wish")
    assert bench.agent.calls == ["send"]
    assert await status(bench) is Status.IDLE


async def test_an_operators_stop_withdraws_what_waits_and_says_who(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "pay"),)))
    id = await bench.asked()
    await cancelling(bench).cancel(id)
    await bench.works()
    [asked] = await bench.approvals()
    assert (asked.state, asked.note) == (State.WITHDRAWN, "stopped by an operator")
    assert await status(bench) is Status.IDLE
    assert "stopped" in await bench.recorded()


async def test_at_rest_nothing_is_stopped_and_nothing_repaired(store: WatchedStore) -> None:
    bench = on(store, Says("Done."))
    id = await bench.asked()
    before = await bench.posts(), await bench.recorded()
    await cancelling(bench).cancel(id)
    await repairing(bench).repair(id, "wish")
    for does in (
        cancelling(bench).cancel(ConversationId("x")),
        repairing(bench).repair(ConversationId("x"), ""),
    ):
        await does
    assert (await bench.posts(), await bench.recorded()) == before
    assert await owed(store, "run", "resume") == []


WAITS = Thread(condition=Condition.WAITING, interrupts=(asks("i-p1", "x"),))


@pytest.mark.parametrize(
    ("thread", "state", "found"),
    [
        (WAITS, State.WAITING, ()),
        (WAITS, State.SETTLED, (Fault.UNTOLD,)),
        (WAITS, None, (Fault.UNASKED,)),
        (Thread(condition=Condition.IDLE), State.WAITING, (Fault.GONE,)),
        (Thread(condition=Condition.FAILED, stuck=True), None, (Fault.STUCK,)),
        (Thread(condition=Condition.FAILED, stuck=True, repeats=("x",)), None, (Fault.REPEATING,)),
        (Thread(condition=Condition.FAILED), None, (Fault.FAILED,)),
        (Thread(condition=Condition.RUNNABLE), None, (Fault.HALTED,)),
        (Thread(condition=Condition.IDLE, dangling=("x",)), None, (Fault.DANGLING,)),
        (Thread(condition=Condition.IDLE), None, ()),
    ],
)
def test_what_is_wrong_is_seen_from_rows_and_thread(
    thread: Thread, state: State | None, found: tuple[Fault, ...]
) -> None:
    approvals = [replace(approval("p1"), state=state)] if state else []
    assert faults(conversation(status=Status.WAITING), thread, approvals, []) == found


def test_what_people_said_and_nobody_handed_over_is_seen() -> None:
    at_rest = Thread(condition=Condition.IDLE)
    assert faults(conversation(status=Status.IDLE), at_rest, [], [said()]) == (Fault.UNHEARD,)
    assert faults(conversation(status=Status.WAITING), WAITS, [approval("p1")], [said()]) == ()
