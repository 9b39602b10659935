"""What is left of a thread that was pruned, on both databases."""

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

import aiosqlite
import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.pruning import prune
from bot.agents.savers import postgres_saver, sqlite_saver
from bot.approvals.decision import Approve, Reject
from bot.approvals.ids import ConversationId
from bot.approvals.thread import Condition
from tests.agents.stage import THREAD, Scripted, Stage, calls, said
from tests.postgres import a_database

ROOT = Path(__file__).parents[2]
OTHER = ConversationId("thread-2")
CHILD = """
import asyncio, sys
from pathlib import Path
from tests.agents.test_pruning import prune_and_die

asyncio.run(prune_and_die(Path(sys.argv[1])))
"""


@tool
def transfer(amount: float, to: str) -> str:
    """Send money."""
    return f"sent {amount} to {to}"


AGENT = Agent(tools=[transfer], interrupt_on={"transfer": True})


def turns(number: int) -> list[AIMessage]:
    """The model's words: in each turn a call that people are asked about, then an answer."""
    words = []
    for turn in range(number):
        words += [
            calls(("transfer", {"amount": 1.0, "to": f"account {turn:03}"}), ids=[f"c{turn}"]),
            AIMessage(f"Turn {turn} is done."),
        ]
    return words


@asynccontextmanager
async def a_saver(folder: Path, kind: str = "sqlite") -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """A saver with nothing in it, or on this folder's file as it was left."""
    if kind == "sqlite":
        async with sqlite_saver(folder / "bot.db") as saver:
            yield saver
    else:
        async with a_database() as url, postgres_saver(url) as saver:
            yield saver


@asynccontextmanager
async def a_stage(folder: Path, kind: str = "sqlite", script: Sequence[Any] = ()) -> AsyncIterator[Stage]:
    model = Scripted(script=list(script))
    async with a_saver(folder, kind) as saver:
        yield Stage(build(AGENT, name="test", model=model, checkpointer=saver), model)


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


async def size(play: Stage) -> tuple[int, int]:
    """Rows and bytes of what the saver has."""
    saver: Any = play.built.graph.checkpointer
    if isinstance(saver, AsyncSqliteSaver):
        tables = {"checkpoints": "length(checkpoint) + length(metadata)", "writes": "length(value)"}
    else:
        tables = {
            "checkpoints": "length(checkpoint::text) + length(metadata::text)",
            "checkpoint_writes": "length(blob)",
            "checkpoint_blobs": "coalesce(length(blob), 0)",
        }
    rows, held = 0, 0
    for table, length in tables.items():
        counted = f"SELECT count(*) AS many, coalesce(sum({length}), 0) AS held FROM {table}"  # noqa: S608 - ours
        if isinstance(saver, AsyncSqliteSaver):
            async with saver.conn.execute(counted) as cursor:
                [[many, bytes_]] = await cursor.fetchall()
        else:
            async with saver.conn.connection() as connection:
                found = await (await connection.execute(counted)).fetchone()
                many, bytes_ = found["many"], found["held"]
        rows, held = rows + many, held + int(bytes_)
    return rows, held


async def talk(folder: Path, kind: str, number: int, *, pruned: bool) -> tuple[int, int]:
    """Rows and bytes after so many turns; pruned whenever the thread rests, as the bot does it."""
    async with a_stage(folder, kind, turns(number)) as play:
        for turn in range(number):
            assert await play.say("go on", f"m{turn}") is None
            if pruned:
                await play.threads.prune(THREAD)
            assert await play.decide(Approve()) is None
            if pruned:
                await play.threads.prune(THREAD)
        assert await play.answer() == f"Turn {number - 1} is done."
        assert len(await play.results()) == number
        return await size(play)


async def test_a_pruned_thread_grows_with_its_messages_and_another_with_their_square(
    tmp_path: Path, kind: str
) -> None:
    sizes = {}
    for pruned in (True, False):
        for number in (20, 40):
            folder = tmp_path / f"{pruned}-{number}"
            folder.mkdir()
            sizes[pruned, number] = await talk(folder, kind, number, pruned=pruned)
    rows, held = zip(sizes[True, 20], sizes[True, 40], strict=True)
    assert rows[0] == rows[1] < 12, "one checkpoint, what was written to it, and its values"
    assert 1.8 < held[1] / held[0] < 2.2, held
    rows, held = zip(sizes[False, 20], sizes[False, 40], strict=True)
    assert 1.9 < rows[1] / rows[0] < 2.1, rows
    assert 3.3 < held[1] / held[0] < 4.2, held
    assert sizes[True, 40][1] < sizes[False, 40][1] / 50


async def test_what_waits_for_people_keeps_its_id_and_is_resumed_after_pruning(
    tmp_path: Path, kind: str
) -> None:
    script = [calls(("transfer", {"amount": 1.0, "to": "a"}), ("transfer", {"amount": 2.0, "to": "b"}))]
    async with a_stage(tmp_path, kind, script) as play:
        await play.say("go")
        before, rows = await play.threads.read(THREAD), (await size(play))[0]
        await play.threads.prune(THREAD)
        assert (await size(play))[0] < rows
        assert await play.threads.read(THREAD) == before
        assert before.condition is Condition.WAITING
        await play.threads.prune(THREAD)
        assert await play.threads.read(THREAD) == before
        assert await play.decide(Approve(), Reject("no")) is None
        refused, sent = await play.results()
        assert ("with reason: no" in refused, sent) == (True, "sent 1.0 to a")
        assert await play.answer() == "The end."


async def test_the_next_turn_knows_all_of_the_turns_before(tmp_path: Path, kind: str) -> None:
    async with a_stage(tmp_path, kind, [AIMessage("First."), AIMessage("Second.")]) as play:
        await play.say("one", "m1")
        await play.threads.prune(THREAD)
        assert await play.answer() == "First."
        await play.say("two", "m2")
        await play.threads.prune(THREAD)
        assert await play.answer() == "Second."
        assert isinstance(play.model, Scripted)
        assert [message.text for message in play.model.seen[-1]][-3:] == ["one", "First.", "two"]


async def test_a_failed_step_is_tried_again_after_pruning(tmp_path: Path, kind: str) -> None:
    async with a_stage(tmp_path, kind, [OSError("away"), AIMessage("Here again.")]) as play:
        assert await play.say("go") is not None
        before = await play.threads.read(THREAD)
        await play.threads.prune(THREAD)
        assert await play.threads.read(THREAD) == before
        assert isinstance(play.model, Scripted)
        play.model.script[0] = AIMessage("Here again.")
        assert await play.threads.proceed(THREAD) is None
        assert await play.answer() == "Here again."


async def test_what_is_asked_again_after_pruning_is_asked_anew(tmp_path: Path, kind: str) -> None:
    async with a_stage(tmp_path, kind, turns(1)) as play:
        await play.say("go")
        asked = await play.interrupt()
        await play.threads.prune(THREAD)
        assert await play.threads.ask_again(THREAD) is None
        assert (await play.interrupt()).id != asked.id
        await play.threads.prune(THREAD)
        assert await play.decide(Approve()) is None
        assert await play.answer() == "Turn 0 is done."


async def test_another_thread_is_left_as_it_is(tmp_path: Path, kind: str) -> None:
    async with a_stage(tmp_path, kind, turns(1)) as play:
        await play.threads.send(OTHER, [said("go", "m2")])
        before = await size(play)
        await play.threads.prune(THREAD)
        assert await size(play) == before
        await play.say("go")
        both = (await size(play))[0]
        await play.threads.prune(THREAD)
        one = (await size(play))[0]
        await play.threads.prune(OTHER)
        none = (await size(play))[0]
        assert both - one == one - none > 0


def rows_of(file: Path) -> list[list[Any]]:
    connection = sqlite3.connect(file)
    try:
        return [
            connection.execute("SELECT * FROM checkpoints ORDER BY checkpoint_id").fetchall(),
            connection.execute("SELECT * FROM writes ORDER BY checkpoint_id, task_id, idx").fetchall(),
        ]
    finally:
        connection.close()


async def prune_and_die(folder: Path) -> None:
    """Prune, and be killed where the checkpoints are deleted and their writes are not."""

    def traced(statement: str) -> None:
        if "DELETE FROM writes" in statement:
            os.kill(os.getpid(), signal.SIGKILL)

    async with sqlite_saver(folder / "bot.db") as saver:
        await saver.conn.set_trace_callback(traced)
        await prune(saver, THREAD)


async def test_a_kill_between_the_two_deletions_deletes_nothing(tmp_path: Path) -> None:
    async with a_stage(tmp_path, "sqlite", turns(1)) as play:
        await play.say("go")
    before = rows_of(tmp_path / "bot.db")
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", CHILD, str(tmp_path), cwd=ROOT)
    assert await child.wait() == -signal.SIGKILL
    assert rows_of(tmp_path / "bot.db") == before
    async with a_stage(tmp_path, "sqlite", turns(1)) as play:
        await play.threads.prune(THREAD)
        assert await play.decide(Approve()) is None
        assert await play.answer() == "Turn 0 is done."


async def test_an_error_between_the_two_deletions_leaves_nothing_for_the_next_commit(tmp_path: Path) -> None:
    async with a_stage(tmp_path, "sqlite", turns(1)) as play:
        saver: Any = play.built.graph.checkpointer
        await play.say("go")
        forbid = "CREATE TRIGGER no BEFORE DELETE ON writes BEGIN SELECT RAISE(ABORT, 'no'); END"
        await saver.conn.execute(forbid)
        before = rows_of(tmp_path / "bot.db")
        with pytest.raises(aiosqlite.IntegrityError):
            await play.threads.prune(THREAD)
        await play.threads.send(OTHER, [said("go", "m2")])
        after = rows_of(tmp_path / "bot.db")
        assert [[row for row in rows if row[0] == THREAD] for rows in after] == before


class Texts(TypedDict):
    texts: Annotated[list[str], lambda old, new: old + new]


def a_graph_that_asks_in_a_subgraph(saver: BaseCheckpointSaver[Any]) -> Any:  # noqa: ANN401 - a graph's type is long
    inner = StateGraph(Texts)
    inner.add_node("before", lambda _: {"texts": ["asking"]})
    inner.add_node("ask", lambda _: {"texts": [interrupt("Which?")]})
    inner.add_edge(START, "before")
    inner.add_edge("before", "ask")
    outer = StateGraph(Texts)
    outer.add_node("prepare", lambda _: {"texts": ["prepared"]})
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "prepare")
    outer.add_edge("prepare", "inner")
    outer.add_edge("inner", END)
    return outer.compile(checkpointer=saver)


async def places(saver: BaseCheckpointSaver[Any]) -> list[str]:
    """The namespaces of the checkpoints that are left, without what is different in each call."""
    found = [one async for one in saver.alist({"configurable": {"thread_id": THREAD}})]
    return sorted(one.config["configurable"]["checkpoint_ns"].partition(":")[0] for one in found)


async def test_a_subgraph_that_waits_is_kept_and_one_that_has_ended_is_not(tmp_path: Path, kind: str) -> None:
    config: Any = {"configurable": {"thread_id": THREAD}}
    async with a_saver(tmp_path, kind) as saver:
        graph = a_graph_that_asks_in_a_subgraph(saver)
        for turn in range(3):
            await graph.ainvoke({"texts": [f"turn {turn}"]}, config, durability="sync")
            [asked] = (await graph.aget_state(config)).interrupts
            await prune(saver, THREAD)
            assert await places(saver) == ["", "inner"]
            assert (await graph.aget_state(config)).interrupts == (asked,)
            told = await graph.ainvoke(Command(resume={asked.id: "that"}), config, durability="sync")
            assert told["texts"][-1] == "that"
            await prune(saver, THREAD)
            assert await places(saver) == [""]


async def test_a_thread_that_is_put_together_from_older_checkpoints_is_left_alone(
    tmp_path: Path, kind: str
) -> None:
    def joined(old: list[str], new: Sequence[list[str]]) -> list[str]:
        return [*old, *(text for texts in new for text in texts)]

    class Differences(TypedDict):
        texts: Annotated[list[str], DeltaChannel(joined)]

    config: Any = {"configurable": {"thread_id": THREAD}}
    async with a_saver(tmp_path, kind) as saver:
        builder = StateGraph(Differences)
        builder.add_node("say", lambda _: {"texts": ["said"]})
        builder.add_edge(START, "say")
        graph = builder.compile(checkpointer=saver)
        for text in ("one", "two"):
            await graph.ainvoke({"texts": [text]}, config, durability="sync")
            before = await places(saver)
            await prune(saver, THREAD)
            assert await places(saver) == before
        assert (await graph.aget_state(config)).values["texts"] == ["one", "said", "two", "said"]


async def test_a_saver_that_cannot_prune_keeps_everything() -> None:
    saver, model = InMemorySaver(), Scripted(script=[AIMessage("Here.")])
    play = Stage(build(AGENT, name="test", model=model, checkpointer=saver), model)
    await play.say("go")
    before = await places(saver)
    await play.threads.prune(THREAD)
    assert await places(saver) == before
    assert await play.answer() == "Here."
