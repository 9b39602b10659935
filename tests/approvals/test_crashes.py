"""A fault at every place where the process can die, one after the other, and what stands in the end.

After each the use cases are made anew on the same rows and the same thread, people press again what they
were not told of, and what is owed is done again. The end has to be the same every time.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile

from bot.approvals.approval import State
from bot.approvals.conversation import PostKind, Status
from bot.approvals.decision import Approve, Decision, Edit, Reject
from bot.approvals.ids import ConversationId
from bot.store import RowsStore, open_store
from tests.approvals.bench import FOR_THE_AGENT, Bench, a_bench
from tests.approvals.fakes import (
    Asks,
    Breaks,
    Line,
    Says,
    Scene,
    ScriptedAgent,
    ToolFails,
    WatchedStore,
    asks,
    owed,
)
from tests.store.samples import ALICE, BOB


class Died(BaseException):
    """The process is gone; nothing in it may catch this and go on."""


@dataclass
class Doom:
    """Dies at the place with this number, once."""

    at: int
    passed: int = 0
    place: str = ""

    def __call__(self, place: str) -> None:
        self.passed += 1
        if self.passed == self.at:
            self.place = place
            raise Died(place)


@dataclass
class World:
    """What outlives the process: the rows, and the agent's thread."""

    rows: RowsStore
    doom: Doom
    script: tuple[Line, ...]
    memory: dict[ConversationId, Scene] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bench = self._started()

    async def does(self, what: Callable[[Bench], Awaitable[object]]) -> None:
        """Do this, and once more in a new process if this one dies of it."""
        try:
            await what(self.bench)
        except Died:
            self.bench = self._started()
            await what(self.bench)

    def _started(self) -> Bench:
        store = WatchedStore(self.rows, self.doom)
        return a_bench(store, ScriptedAgent(self.memory, *self.script, at=self.doom))


@asynccontextmanager
async def worlds(folder: Path, number: int, *script: Line) -> AsyncIterator[World]:
    """A world that ends at this place; its database is a copy of an empty one."""
    empty, database = folder / "empty.db", folder / f"{number}.db"
    if not empty.exists():
        async with open_store(empty):
            pass
    copyfile(empty, database)
    async with open_store(database) as rows:
        yield World(rows, Doom(number), script)


async def decide(bench: Bench, interrupt: str, number: int, decision: Decision) -> None:
    """Press a button, unless the card shows a decision."""
    [approval] = [one for one in await bench.approvals() if one.interrupt == interrupt]
    action = approval.actions[number]
    if action.outcome is None:
        await bench.desk.decide(action.id, decision, by=BOB)


async def what_stands(world: World) -> dict[str, object]:
    """Everything that people and the agent have seen, and what is still owed."""
    bench = world.bench
    conversation = await bench.conversation()
    scene = world.memory[conversation.id]
    async with world.rows.read() as tx:
        left = [said.text for said in await tx.conversations.kept(conversation.id)]
    posts, drawn = await bench.posts(), await owed(world.rows, "post")
    return {
        "status": conversation.status,
        # What a notice offers to reject are ids, which are others each time.
        "posts": [(post.kind, "" if post.kind is PostKind.KEPT else post.text) for post in posts],
        "posts owed": [job["id"] for job in drawn] == [f"post:{post.id}" for post in posts],
        "approvals": [(one.interrupt, one.state) for one in await bench.approvals()],
        "given": [said.text for said in scene.taken],
        "told": [(one.interrupt, [str(action.outcome) for action in one.actions]) for one in scene.told],
        "played": scene.lines,
        "record": sorted(await bench.recorded()),
        "kept": left,
        "owed": await owed(world.rows, *FOR_THE_AGENT),
    }


TWO_ROUNDS: tuple[Line, ...] = (
    Asks((asks("i1", "write_file", "delete_file"),)),
    ToolFails("No such file."),
    Asks((asks("i2", "list_files"),)),
    Says("All done."),
    Says("And a good day to you."),
)
AFTER_TWO_ROUNDS: dict[str, object] = {
    "status": Status.IDLE,
    "posts": [
        (PostKind.CARD, ""),
        (PostKind.KEPT, ""),
        (PostKind.OUTCOME, ""),
        (PostKind.TOOL_FAILURE, "No such file."),
        (PostKind.CARD, ""),
        (PostKind.ANSWER, "All done."),
        (PostKind.ANSWER, "And a good day to you."),
    ],
    "posts owed": True,
    "approvals": [("i1", State.DELIVERED), ("i2", State.DELIVERED)],
    "given": ["tidy up", "good day"],
    "told": [
        ("i1", [f"edited by <@{BOB}>", f"rejected by <@{BOB}>"]),
        ("i2", [f"approved by <@{BOB}>"]),
    ],
    "played": len(TWO_ROUNDS),
    "record": sorted(["said"] * 2 + ["filed"] * 2 + ["decided"] * 3 + ["delivered"] * 2),
    "kept": [],
    "owed": [],
}


async def two_rounds(world: World) -> None:
    """Somebody speaks while people are asked, and a tool fails."""
    await world.does(lambda bench: bench.hears("tidy up"))
    await world.does(Bench.works)
    await world.does(lambda bench: bench.hears("good day", by=BOB, ts="2.0"))
    await world.does(lambda bench: decide(bench, "i1", 1, Reject("no")))
    await world.does(lambda bench: decide(bench, "i1", 0, Edit({"path": "b"})))
    await world.does(Bench.works)
    await world.does(lambda bench: decide(bench, "i2", 0, Approve()))
    await world.does(Bench.works)


async def test_wherever_the_process_dies_two_rounds_end_the_same(tmp_path: Path) -> None:
    places, number, done = set(), 0, False
    while not done:
        number += 1
        async with worlds(tmp_path, number, *TWO_ROUNDS) as world:
            await two_rounds(world)
            place = f"died at place {number}: {world.doom.place}"
            assert await what_stands(world) == AFTER_TWO_ROUNDS, place
            places.add(world.doom.place)
            done = not world.doom.place
    assert number > 70
    assert places == {
        "",
        "before a transaction",
        "before the commit",
        "after the commit",
        "before reading",
        "before sending",
        "before resuming",
        "in the middle of a run",
        "after a run",
    }


STOPPED: tuple[Line, ...] = (
    Breaks("The model is away."),
    Asks((asks("i1", "write_file"), asks("i2", "delete_file"))),
    Says("Hello again."),
)
AFTER_STOP: dict[str, object] = {
    "status": Status.IDLE,
    "posts": [
        (PostKind.CARD, ""),
        (PostKind.CARD, ""),
        (PostKind.NOTICE, f"Stopped by <@{ALICE}>. Nothing that waited was run."),
        (PostKind.ANSWER, "Hello again."),
    ],
    "posts owed": True,
    "approvals": [("i1", State.DELIVERED), ("i2", State.WITHDRAWN)],
    "given": ["tidy up", "hello"],
    "told": [("i1", [f"approved by <@{BOB}>"])],
    "played": len(STOPPED),
    "record": sorted(["said"] * 2 + ["filed"] * 2 + ["decided", "delivered", "stopped", "withdrawn"]),
    "kept": [],
    "owed": [],
}


async def retry(bench: Bench) -> None:
    """Press Retry where it is shown."""
    for post in await bench.posts(PostKind.FAILURE):
        if post.settled_by is None:
            await bench.steering.retry(post.id, by=ALICE)


async def stop(bench: Bench) -> None:
    """Press Stop, if the card that waits still has it."""
    if State.WAITING in {one.state for one in await bench.approvals()}:
        await bench.steering.stop((await bench.conversation()).id, by=ALICE)


async def failed_and_stopped(world: World) -> None:
    """A run fails and is tried again; of two approvals one is given, then somebody presses Stop."""
    await world.does(lambda bench: bench.hears("tidy up"))
    await world.does(Bench.works)
    await world.does(retry)
    await world.does(Bench.works)
    await world.does(lambda bench: decide(bench, "i1", 0, Approve()))
    await world.does(Bench.works)
    await world.does(stop)
    await world.does(Bench.works)
    await world.does(lambda bench: bench.hears("hello", ts="2.0"))
    await world.does(Bench.works)


async def test_wherever_the_process_dies_what_failed_and_was_stopped_ends_the_same(tmp_path: Path) -> None:
    """But for the failure: who dies of it goes on by itself, and then there is nothing to tell or retry."""
    number, done, told = 0, False, 0
    while not done:
        number += 1
        async with worlds(tmp_path, number, *STOPPED) as world:
            await failed_and_stopped(world)
            stands = await what_stands(world)
            failures = await world.bench.texts(PostKind.FAILURE)
            stands["posts"] = [post for post in stands["posts"] if post[0] is not PostKind.FAILURE]  # type: ignore[attr-defined]
            stands["record"] = [kind for kind in stands["record"] if kind != "retried"]  # type: ignore[attr-defined]
            place = f"died at place {number}: {world.doom.place}"
            assert stands == AFTER_STOP, place
            assert failures in ([], ["The model is away."]), place
            told += len(failures)
            done = not world.doom.place
    assert number > 70
    assert told > number - 10


async def failed_and_spoken_to(world: World) -> None:
    """A run fails, and somebody goes on talking."""
    await world.does(lambda bench: bench.hears("one"))
    await world.does(Bench.works)
    await world.does(lambda bench: bench.hears("two", ts="2.0"))
    await world.does(Bench.works)


async def test_wherever_the_process_dies_what_is_said_after_a_failure_arrives(tmp_path: Path) -> None:
    number, done = 0, False
    while not done:
        number += 1
        script = (Breaks("The model is away."), Says("Here."), Says("Here again."))
        async with worlds(tmp_path, number, *script) as world:
            await failed_and_spoken_to(world)
            stands = await what_stands(world)
            place = f"died at place {number}: {world.doom.place}"
            assert stands["given"] == ["one", "two"], place
            assert (stands["status"], stands["kept"], stands["owed"]) == (Status.IDLE, [], []), place
            texts = await world.bench.texts(PostKind.ANSWER)
            assert texts == ["Here.", "Here again."][: len(texts)] != [], place
            done = not world.doom.place
    assert number > 20
