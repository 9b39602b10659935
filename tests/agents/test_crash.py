"""What a thread looks like after its process was killed, and how it goes on."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver

from bot.agents.agent import Agent
from bot.approvals.decision import Approve
from bot.approvals.errors import Stale
from bot.approvals.thread import Condition
from tests.agents.stage import THREAD, calls, stage

ROOT = Path(__file__).parents[2]
TURN = [calls(("quick", {"x": 1}), ("deadly", {"x": 2}))]
CHILD = """
import asyncio, sys
from pathlib import Path
from tests.agents.stage import stage
from tests.agents.test_crash import TURN, deadly_agent
from bot.approvals.decision import Approve

async def main():
    folder = Path(sys.argv[1])
    async with stage(folder, deadly_agent(folder, kills=True), TURN) as play:
        await play.say("go")
        await play.decide(*[Approve()] * 2)

asyncio.run(main())
"""


def deadly_agent(folder: Path, *, kills: bool) -> Agent:
    """Two tools; the second kills the process once the first one's result is on disk."""

    @tool
    async def quick(x: int) -> str:
        """Be quick."""
        _note(folder, f"quick {x}")
        return "quick result"

    @tool
    async def deadly(x: int) -> str:
        """Be deadly."""
        _note(folder, f"deadly {x}")
        if kills:
            await asyncio.to_thread(_wait_for_result, folder / "bot.db")
            os.kill(os.getpid(), signal.SIGKILL)
        return "survived"

    return Agent(tools=[quick, deadly], interrupt_on={"*": {"allowed_decisions": ["approve"]}})


def _note(folder: Path, line: str) -> None:
    with (folder / "ran").open("a") as file:
        file.write(f"{line}\n")


def _wait_for_result(path: Path) -> None:
    import sqlite3

    until = time.monotonic() + 20
    while time.monotonic() < until:
        with sqlite3.connect(path) as connection:
            rows = connection.execute("SELECT value FROM writes WHERE channel = 'messages'").fetchall()
        connection.close()
        if any(b"quick result" in value for (value,) in rows):
            return


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """A folder with a thread whose process died in the second of two approved tools."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(tmp_path), cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert await child.wait() == -signal.SIGKILL
    assert ran(tmp_path) == ["deadly 2", "quick 1"]
    return tmp_path


def ran(folder: Path) -> list[str]:
    return sorted((folder / "ran").read_text().split("\n")[:-1])


async def test_a_killed_run_goes_on_and_keeps_what_was_finished(killed: Path) -> None:
    async with stage(killed, deadly_agent(killed, kills=False), TURN) as play:
        assert (await play.threads.read(THREAD)).condition is Condition.RUNNABLE
        assert await play.threads.proceed(THREAD) is None
        assert sorted(await play.results()) == ["quick result", "survived"]
        assert ran(killed) == ["deadly 2", "deadly 2", "quick 1"]
        assert await play.answer() == "The end."


async def test_a_killed_run_can_be_abandoned_and_nothing_runs_again(killed: Path) -> None:
    async with stage(killed, deadly_agent(killed, kills=False), TURN) as play:
        await play.threads.abandon(THREAD, "Stopped.")
        assert (await play.threads.read(THREAD)).condition is Condition.IDLE
        assert await play.results() == ["quick result", "Stopped."]
        assert await play.say("and now?", "m2") is None
        assert [message.type for message in play.model.seen[-1]] == ["human", "ai", "tool", "tool", "human"]  # type: ignore[attr-defined]
        assert ran(killed) == ["deadly 2", "quick 1"]


async def test_a_message_after_a_killed_run_cancels_what_has_no_result(killed: Path) -> None:
    async with stage(killed, deadly_agent(killed, kills=False), TURN) as play:
        assert await play.say("what happened?", "m2") is None
        quick, cancelled = await play.results()
        assert quick == "quick result"
        assert "may or may not have run" in cancelled
        assert ran(killed) == ["deadly 2", "quick 1"]
        assert await play.answer() == "The end."


def unguarded(*, model: Any, checkpointer: BaseCheckpointSaver[Any], middleware: Any) -> Any:  # noqa: ANN401, ARG001
    @tool
    def fails(x: int) -> str:
        """Fail."""
        raise RuntimeError(f"broken {x}\n" + "y" * 1000)

    return create_agent(model, tools=[fails], checkpointer=checkpointer)


async def test_a_tool_that_ends_the_run_is_told_and_the_next_message_follows_validly(tmp_path: Path) -> None:
    async with stage(tmp_path, unguarded, [calls(("fails", {"x": 1})), AIMessage("Sorry.")]) as play:
        told = await play.say("go")
        assert told is not None
        assert told.startswith("A tool failed and the agent was halted: broken 1 yyy")
        assert len(told) < 400
        thread = await play.threads.read(THREAD)
        assert (thread.condition, thread.failure) == (Condition.FAILED, told)
        assert await play.say("go on without it", "m2") is None
        assert [message.type for message in play.model.seen[-1]] == ["human", "ai", "tool", "human"]  # type: ignore[attr-defined]
        assert await play.answer() == "Sorry."


async def test_a_run_that_finished_although_saving_complained_is_no_failure(tmp_path: Path) -> None:
    agent = deadly_agent(tmp_path, kills=False)
    async with stage(tmp_path, agent, TURN) as play:
        await play.say("go")
        approval = await play.approval(Approve(), Approve())
        saver: Any = play.built.graph.checkpointer
        put_writes, complained = saver.aput_writes, []

        async def complaining(config: Any, writes: Any, *rest: Any) -> None:  # noqa: ANN401
            await put_writes(config, writes, *rest)
            if any("quick result" in repr(value) for _, value in writes):
                complained.append(1)
                raise OSError("disk is nearly full")

        saver.aput_writes = complaining
        told = await play.threads.resume(THREAD, approval)
        thread = await play.threads.read(THREAD)
        assert complained
        assert (told is None) == (thread.condition is Condition.IDLE)


async def test_gone_middleware_leaves_no_dangling_call_behind_a_new_message(tmp_path: Path) -> None:
    agent = deadly_agent(tmp_path, kills=False)
    async with stage(tmp_path, agent, TURN) as play:
        await play.say("go")
        approval = await play.approval(Approve(), Approve())

    def plain(*, model: Any, checkpointer: Any, middleware: Any) -> Any:  # noqa: ANN401
        return create_agent(model, tools=list(agent.tools), middleware=middleware, checkpointer=checkpointer)

    async with stage(tmp_path, plain, TURN) as play:
        with pytest.raises(Stale):
            await play.threads.resume(THREAD, approval)
        assert await play.say("hello?", "m2") is None
        assert [message.type for message in play.model.seen[-1]] == ["human", "ai", "tool", "tool", "human"]  # type: ignore[attr-defined]
        assert not (tmp_path / "ran").exists()
