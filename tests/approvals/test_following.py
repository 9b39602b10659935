"""How often a turn is drawn: whatever happens in it, at most every three seconds, and its end always."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.approvals.approval import Shape
from bot.approvals.conversation import Post, PostKind, Status
from bot.approvals.following import PACE, SOON, Following, progress_id
from bot.approvals.ids import InterruptId
from bot.approvals.masking import Masking
from bot.approvals.plan import Course, Plan, Stand
from bot.approvals.ports import Transaction, Work
from bot.approvals.thread import ActionRequest, Called, Condition, Interrupt, Thread, Turn
from bot.store import RowsStore
from tests.approvals.fakes import ScriptedAgent
from tests.store.samples import NOON, THREAD, conversation


class Owed:
    """Fills `Jobs`: keeps what is owed."""

    def __init__(self) -> None:
        self.work: list[Work] = []

    async def owe(self, tx: Transaction, *work: Work) -> None:  # noqa: ARG002 - the port's signature
        self.work += work

    async def cancel(self, tx: Transaction, id: str) -> bool:  # noqa: ARG002 - the port's signature
        return False


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


def turn(ended: int, calls: int = 10, **arguments: Any) -> Turn:  # noqa: ANN401 - any JSON
    """A turn in which so many of its calls have a result."""
    return Turn(
        id="said",
        calls=tuple(
            Called(
                message=f"m{number}",
                id=f"c{number}",
                tool="lookup",
                arguments=arguments,
                result="found" if number < ended else None,
            )
            for number in range(calls)
        ),
    )


class Scene:
    """A conversation whose turn is followed."""

    def __init__(self, store: RowsStore) -> None:
        self.store, self.jobs, self.clock = store, Owed(), Clock()
        self.agent = ScriptedAgent({})
        self.following = Following(
            store=store, jobs=self.jobs, agent=self.agent, masking=Masking(), now=self.clock
        )

    async def note(self, turn: Turn, condition: Condition = Condition.RUNNABLE) -> None:
        async with self.store.write() as tx:
            there = await tx.conversations.get(THREAD)
            assert there is not None
            await self.following.note(tx, there, Thread(condition=condition, turn=turn), None)

    async def post(self, of: Turn) -> Post | None:
        async with self.store.read() as tx:
            return await tx.posts.get(progress_id(conversation(), of))


async def a_scene(store: RowsStore) -> Scene:
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WORKING))
    return Scene(store)


async def test_a_hundred_changes_in_ten_seconds_are_four_drawings_at_most(store: RowsStore) -> None:
    scene = await a_scene(store)
    for number in range(100):
        await scene.note(turn(number, calls=100))
        scene.clock.time += timedelta(seconds=0.1)
    await scene.note(turn(100, calls=100), Condition.IDLE)
    post, *redraws = scene.jobs.work
    assert post.kind == "post"
    assert [work.kind for work in redraws] == ["redraw"] * 4
    shown = await scene.post(turn(0))
    assert shown is not None
    assert shown.kind is PostKind.PROGRESS
    plan = Plan.from_json(shown.text)
    assert plan.course is Course.DONE
    assert {task.stand for task in plan.tasks} == {Stand.DONE}
    assert plan.due is not None
    assert scene.clock.time < plan.due <= scene.clock.time + PACE


async def test_what_changes_nothing_for_people_owes_nothing(store: RowsStore) -> None:
    scene = await a_scene(store)
    for _ in range(5):
        await scene.note(turn(3))
        scene.clock.time += timedelta(minutes=1)
    assert [work.kind for work in scene.jobs.work] == ["post"]


async def test_after_a_pause_a_change_is_drawn_soon(store: RowsStore) -> None:
    scene = await a_scene(store)
    await scene.note(turn(3))
    scene.clock.time += timedelta(minutes=1)
    await scene.note(turn(4))
    assert scene.jobs.work[-1].delay == SOON.total_seconds()
    scene.clock.time += SOON
    await scene.note(turn(5))
    assert scene.jobs.work[-1].delay == PACE.total_seconds()


async def test_one_call_gets_a_message_only_while_a_run_takes_long(store: RowsStore) -> None:
    scene = await a_scene(store)
    await scene.note(turn(0, calls=1))
    assert await scene.post(turn(0)) is None
    thread = Thread(condition=Condition.RUNNABLE, turn=turn(0, calls=1))
    scene.agent.memory[THREAD] = replace(scene.agent.scene(THREAD), thread=thread)
    await scene.following.look(THREAD)
    assert await scene.post(turn(0)) is not None
    await scene.note(turn(1, calls=1), Condition.IDLE)
    shown = await scene.post(turn(0))
    assert shown is not None
    assert Plan.from_json(shown.text).course is Course.DONE


async def test_a_secret_is_masked_before_it_is_kept(store: RowsStore) -> None:
    scene = await a_scene(store)
    secret = turn(0, calls=2, password="hunter2-hunter2", note="hunter2-hunter2 it is")
    await scene.note(secret)
    shown = await scene.post(secret)
    assert shown is not None
    assert "hunter2" not in shown.text
    assert Plan.from_json(shown.text).tasks[0].given == (
        "password: (masked, 15 characters), note: (masked, 15 characters) it is"
    )


async def test_while_a_call_runs_one_that_people_are_about_to_be_asked_about_waits(store: RowsStore) -> None:
    scene = await a_scene(store)
    two = turn(0, calls=2)
    asked = ActionRequest(
        tool="lookup", arguments={}, description="", allowed=frozenset(), call="c1", message="m1"
    )
    pending = Interrupt(id=InterruptId("i1"), shape=Shape.BATCHED, requests=(asked,))
    thread = Thread(condition=Condition.WAITING, turn=two, interrupts=(pending,))
    scene.agent.memory[THREAD] = replace(scene.agent.scene(THREAD), thread=thread)
    await scene.following.look(THREAD)
    shown = await scene.post(two)
    assert shown is not None
    assert [task.stand for task in Plan.from_json(shown.text).tasks] == [Stand.RUNNING, Stand.WAITING]
