"""How a conversation comes to rest or goes on: what is written, step by step, each in one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.approval import Approval, Shape, State
from bot.approvals.conversation import Conversation, PostKind, Said, Status
from bot.approvals.endings import Endings, Standstill
from bot.approvals.ids import InterruptId, UserId
from bot.approvals.ports import Event
from bot.approvals.steps import STOPPED, STOPPED_IN_DOUBT, Abandon, Proceed, Rest, Send, Step
from bot.approvals.stopping import stop as stop_by_a_person
from bot.approvals.thread import Answer, Condition, Interrupt, Thread, ToolFailure
from tests.approvals.fakes import ScriptedAgent, WatchedStore, owed, owing
from tests.store.samples import ALICE, NOON, THREAD, action, approval, conversation, later, said

IDLE = Thread(condition=Condition.IDLE)
WORDS: Sequence[Said] = [said("m1")]
MOMENT = later(5)


def endings(store: WatchedStore) -> Endings:
    return Endings(jobs=owing(store), now=lambda: MOMENT)


async def begun(
    store: WatchedStore,
    *approvals: Approval,
    status: Status = Status.WORKING,
    **changes: Any,  # noqa: ANN401 - fields
) -> Conversation:
    now = conversation(status=status, **changes)
    async with store.write() as tx:
        await tx.conversations.add(now)
        for one in approvals:
            assert await tx.approvals.add(one)
    return now


async def stands(store: WatchedStore) -> Conversation:
    async with store.read() as tx:
        found = await tx.conversations.get(THREAD)
    assert found
    return found


async def texts(store: WatchedStore) -> list[tuple[PostKind, str]]:
    async with store.read() as tx:
        return [(post.kind, post.text) for post in await tx.posts.of(THREAD)]


async def approvals(store: WatchedStore) -> list[tuple[State, str]]:
    async with store.read() as tx:
        return [(one.state, one.note) for one in await tx.approvals.of(THREAD)]


def waits(id: str, state: State = State.WAITING, shape: Shape = Shape.BATCHED) -> Approval:
    asked = approval(id, action(f"a-{id}", call=f"c-{id}", message="m"), shape=shape)
    asked = replace(asked, interrupt=InterruptId(f"i-{id}"))
    return asked.expire(NOON) if state is State.SETTLED else asked


# Closing what is no longer pending.


@pytest.mark.parametrize(
    ("state", "thread", "wanted"),
    [
        (State.SETTLED, IDLE, (State.DELIVERED, "")),
        (
            State.SETTLED,
            replace(IDLE, unheard=frozenset({("m", "c-p1")})),
            (State.WITHDRAWN, "the agent no longer waits for it"),
        ),
        (State.WAITING, IDLE, (State.WITHDRAWN, "the agent no longer waits for it")),
    ],
)
async def test_what_is_no_longer_pending_was_delivered_if_it_was_settled_and_heard_and_else_withdrawn(
    store: WatchedStore, state: State, thread: Thread, wanted: tuple[State, str]
) -> None:
    await begun(store, waits("p1", state))
    async with store.write() as tx:
        found = await tx.approvals.get(waits("p1").id)
        assert found
        await endings(store).close(tx, found, thread)
    assert await approvals(store) == [wanted]
    async with store.read() as tx:
        [line] = await tx.record.of(THREAD)
    kind = "delivered" if wanted[0] is State.DELIVERED else "withdrawn"
    assert (line.kind, line.at, line.approval, line.conversation) == (kind, MOMENT, "p1", THREAD)


# After a failure.


@pytest.mark.parametrize(
    ("status", "kept", "failure", "wanted"),
    [
        (Status.RETRYING, WORDS, "It broke.", (Proceed(), Status.RETRYING, [])),
        (Status.FAILED, WORDS, "It broke.", (Send(WORDS), Status.WORKING, [])),
        (Status.FAILED, (), "It broke.", (Rest(), Status.FAILED, [])),
        (Status.WORKING, WORDS, "It broke.", (Send(WORDS), Status.WORKING, ["It broke."])),
        (Status.IDLE, WORDS, "", (Send(WORDS), Status.WORKING, ["The agent failed."])),
        (Status.WORKING, (), "It broke.", (Rest(), Status.FAILED, ["It broke."])),
        (Status.WORKING, (), "", (Rest(), Status.FAILED, ["The agent failed."])),
    ],
)
async def test_a_failure_is_told_once_and_what_was_said_since_is_handed_over(
    store: WatchedStore,
    status: Status,
    kept: Sequence[Said],
    failure: str,
    wanted: tuple[Step, Status, list[str]],
) -> None:
    at = await begun(store, status=status)
    thread = Thread(condition=Condition.FAILED, failure=failure)
    async with store.write() as tx:
        step = await endings(store).after_failure(tx, at, thread, kept)
    told = await texts(store)
    assert (step, (await stands(store)).status, [sentence for _, sentence in told]) == wanted
    assert {kind for kind, _ in told} <= {PostKind.FAILURE}


# A Stop.


async def stop(
    store: WatchedStore,
    at: Conversation,
    thread: Thread,
    kept: Sequence[Said] = (),
    *,
    by: str | None = ALICE,
) -> Step:
    async with store.write() as tx:
        if by is not None:
            line = Event(kind="stopped", at=NOON, conversation=THREAD, actor=UserId(by) if by else None)
            await tx.record.append(line)
        return await endings(store).cancel(tx, at, thread, kept)


BY_ALICE = f"Stopped by <@{ALICE}>. Nothing that waited was run."


@pytest.mark.parametrize(
    ("kept", "step", "status"), [((), Rest(), Status.IDLE), (WORDS, Send(WORDS), Status.WORKING)]
)
async def test_a_stop_withdraws_what_is_open_and_what_was_said_since_goes_on(
    store: WatchedStore, kept: Sequence[Said], step: Step, status: Status
) -> None:
    every = [waits("p1"), waits("p2", State.SETTLED), waits("p3", State.SETTLED)]
    at = await begun(store, *every, status=Status.CANCELLING)
    pending = Interrupt(id=InterruptId("i-p3"), shape=Shape.BATCHED, requests=())
    thread = replace(IDLE, interrupts=(pending,))
    assert await stop(store, at, thread, kept) == step
    assert await approvals(store) == [
        (State.WITHDRAWN, "stopped"),
        (State.DELIVERED, ""),
        (State.WITHDRAWN, "stopped"),
    ]
    assert await texts(store) == [(PostKind.NOTICE, BY_ALICE)]
    assert (await stands(store)).status is status
    assert (await stands(store)).rested_at == (MOMENT if status is Status.IDLE else None)


@pytest.mark.parametrize(("shape", "why"), [(Shape.BATCHED, STOPPED), (Shape.IN_DOUBT, STOPPED_IN_DOUBT)])
async def test_a_thread_that_is_not_at_rest_is_ended_first_and_nothing_is_said_yet(
    store: WatchedStore, shape: Shape, why: str
) -> None:
    at = await begun(store, waits("p1", shape=shape), status=Status.CANCELLING)
    waiting = Thread(condition=Condition.WAITING)
    assert await stop(store, at, waiting, WORDS) == Abandon(why)
    assert await texts(store) == []
    assert await approvals(store) == [(State.WITHDRAWN, "stopped")]


@pytest.mark.parametrize(
    ("unheard", "told"),
    [
        (0, ""),
        (1, " 1 message that waited for the agent did not reach it: say it again if it still counts."),
        (2, " 2 messages that waited for the agent did not reach it: say them again if they still count."),
    ],
)
async def test_a_stop_tells_of_the_messages_that_it_took_with_it(
    store: WatchedStore, unheard: int, told: str
) -> None:
    """Each of them was told that it is kept for the agent; not of the one that it was given meanwhile."""
    at = await begun(store)
    async with store.write() as tx:
        for number in range(unheard + 1):
            await tx.conversations.keep(said(f"m{number}", source=f"C0/{number}"))
        await stop_by_a_person(tx, owing(store), ScriptedAgent({}), at, by=ALICE, now=lambda: NOON)
    on_its_way = replace(IDLE, message_ids=frozenset({"m0"}))
    await stop(store, replace(at, status=Status.CANCELLING), on_its_way, by=None)
    assert await texts(store) == [(PostKind.NOTICE, f"{BY_ALICE}{told}")]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["stopped"], BY_ALICE),
        (["resumed", "stopped", "filed"], BY_ALICE),
        (["stopped", "resumed"], "Stopped. Nothing that waited was run."),
        ([], "Stopped. Nothing that waited was run."),
        (["operator"], "Stopped by an operator. Nothing that waited was run."),
    ],
)
async def test_the_thread_is_told_who_wanted_it_if_anybody_did(
    store: WatchedStore, lines: list[str], sentence: str
) -> None:
    at = await begun(store, status=Status.CANCELLING)
    async with store.write() as tx:
        await tx.conversations.add(conversation("thread-2"))
        other = Event(kind="resumed", at=NOON, conversation=conversation("thread-2").id)
        for kind in lines:
            actor = None if kind == "operator" else ALICE
            told = "stopped" if kind == "operator" else kind
            await tx.record.append(Event(kind=told, at=NOON, conversation=THREAD, actor=actor), other)
    await stop(store, at, replace(IDLE, answer=Answer(id="x", text="Half")), by=None)
    assert await texts(store) == [(PostKind.ANSWER, "Half"), (PostKind.NOTICE, sentence)]


# What is said, and the status.


async def test_tools_that_failed_are_told_each_once(store: WatchedStore) -> None:
    at = await begun(store)
    failures = (
        ToolFailure(id="f1", tool="pay", sentence="`pay` failed."),
        ToolFailure(id="f2", tool="look", sentence="`look` failed."),
    )
    async with store.write() as tx:
        for _ in range(2):
            await endings(store).tell_tool_failures(tx, at, replace(IDLE, tool_failures=failures))
    assert await texts(store) == [
        (PostKind.TOOL_FAILURE, "`pay` failed."),
        (PostKind.TOOL_FAILURE, "`look` failed."),
    ]
    async with store.read() as tx:
        assert [post.id for post in await tx.posts.of(THREAD)] == [
            "tool_failure:thread-1:f1",
            "tool_failure:thread-1:f2",
        ]


async def test_an_agent_that_says_nothing_is_said_to_have_said_nothing(store: WatchedStore) -> None:
    at = await begun(store)
    async with store.write() as tx:
        for words in ("", " \n"):
            await endings(store).say(tx, at, PostKind.ANSWER, words)
    assert await texts(store) == [(PostKind.NOTICE, "The agent finished without saying anything.")] * 2


@pytest.mark.parametrize(
    ("status", "rested", "pruned"),
    [
        (Status.IDLE, MOMENT, True),
        (Status.FAILED, MOMENT, True),
        (Status.WAITING, None, True),
        (Status.RETRYING, None, False),
        (Status.WORKING, NOON, False),  # as it was
    ],
)
async def test_what_comes_to_rest_is_pruned_and_what_ended_is_known_since_when(
    store: WatchedStore, status: Status, rested: object, *, pruned: bool
) -> None:
    at = await begun(store, rested_at=NOON)
    async with store.write() as tx:
        await endings(store).become(tx, at, status)
    assert ((await stands(store)).status, (await stands(store)).rested_at) == (status, rested)
    assert [job["payload"] for job in await owed(store, "prune")] == (
        ['{"conversation": "thread-1"}'] if pruned else []
    )


async def test_a_thread_that_was_forgotten_is_told_so_once(store: WatchedStore) -> None:
    at = await begun(store)
    gone = replace(at, forgotten=True)
    async with store.write() as tx:
        await tx.conversations.save(gone)
        assert await endings(store).remember(tx, at) is at
        known = await endings(store).remember(tx, gone)
    assert (known, (await stands(store)).forgotten) == (at, False)
    told = "Nothing happened here for so long that the agent no longer remembers what was said before."
    assert await texts(store) == [(PostKind.NOTICE, told)]


def test_a_loop_that_changes_nothing_is_noticed_the_third_time() -> None:
    loop, other = Standstill(), replace(IDLE, failure="x")
    assert [loop.reached(IDLE, Proceed()) for _ in range(4)] == [False, False, True, True]
    assert [loop.reached(*pair) for pair in ((IDLE, Rest()), (other, Rest()), (other, Rest()))] == [False] * 3
    assert loop.reached(other, Rest())
