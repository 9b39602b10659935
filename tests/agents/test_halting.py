"""A run is told to end: what runs ends, nothing is begun after it, and the thread goes on when it is to."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from langchain_core.tools import tool

from bot.agents.agent import Agent
from bot.approvals.errors import TryLater
from bot.approvals.ids import ConversationId
from bot.approvals.thread import Condition
from tests.agents.stage import THREAD, Scripted, Stage, calls, stage

OTHER = ConversationId("thread-2")
SCRIPT = [calls(("slow", {"x": 1}), ("slow", {"x": 2})), calls(("quick", {}), ids=["q"])]


@dataclass
class Work:
    """What the tools do, and when the slow one may end."""

    ran: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    def agent(self) -> Agent:
        @tool
        async def slow(x: int) -> str:
            """Take until the test says so."""
            self.ran.append(f"slow {x}")
            if len(self.ran) == 2:
                self.begun.set()
            await self.may_end.wait()
            return f"slept {x}"

        @tool
        async def quick() -> str:
            """Be quick."""
            self.ran.append("quick")
            return "was quick"

        return Agent(tools=[slow, quick], interrupt_on={"*": False})


def asked(play: Stage) -> int:
    """How often the model was called."""
    assert isinstance(play.model, Scripted)
    return len(play.model.seen)


async def test_all_calls_of_a_message_end_and_the_next_step_is_not_begun(tmp_path: Path) -> None:
    work = Work()
    async with stage(tmp_path, work.agent(), SCRIPT) as play, asyncio.timeout(60):
        run = asyncio.create_task(play.say("go"))
        await work.begun.wait()
        play.threads.halt(OTHER)
        play.threads.halt(THREAD)
        work.may_end.set()
        assert await run is None
        assert (sorted(work.ran), asked(play)) == (["slow 1", "slow 2"], 1)
        assert (await play.threads.read(THREAD)).condition is Condition.RUNNABLE
        assert await play.results() == ["slept 1", "slept 2"]
        assert await play.threads.proceed(THREAD) is None
        assert await play.answer() == "The end."
        assert work.ran[2:] == ["quick"]


async def test_a_run_that_is_halted_while_it_is_prepared_begins_nothing(tmp_path: Path) -> None:
    work = Work()
    async with stage(tmp_path, work.agent(), SCRIPT) as play, asyncio.timeout(60):
        run = asyncio.create_task(play.say("go"))
        asyncio.get_running_loop().call_soon(play.threads.halt, THREAD)
        assert await run is None
        assert (work.ran, asked(play)) == ([], 0)


async def test_a_halt_is_of_the_run_under_way_and_of_no_later_one(tmp_path: Path) -> None:
    work = Work()
    work.may_end.set()
    async with stage(tmp_path, work.agent(), SCRIPT) as play:
        play.threads.halt(THREAD)
        assert await play.say("go") is None
        assert await play.answer() == "The end."


@pytest.mark.parametrize("first", ["halt", "drain"])
async def test_a_run_that_is_halted_as_the_process_ends_is_for_the_next_process(
    tmp_path: Path, first: str
) -> None:
    work = Work()
    async with stage(tmp_path, work.agent(), SCRIPT) as play, asyncio.timeout(60):
        run = asyncio.create_task(play.say("go"))
        await work.begun.wait()
        for tell in (play.threads.drain, lambda: play.threads.halt(THREAD))[:: 1 if first == "drain" else -1]:
            tell()
        work.may_end.set()
        with pytest.raises(TryLater):
            await run
        with pytest.raises(TryLater):
            await play.threads.proceed(THREAD)
        assert sorted(work.ran) == ["slow 1", "slow 2"]
        assert (await play.threads.read(THREAD)).condition is Condition.RUNNABLE
