"""kill -9 where each call is asked about by itself: while one runs, others wait, and have run already."""

import operator
import os
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired

import pytest
import pytest_asyncio
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import AgentState
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.types import Command

from bot.agents.agent import Agent
from bot.approvals.approval import Approval, Shape
from bot.approvals.decision import Approve, Decision, Respond
from bot.approvals.errors import Drifted
from bot.approvals.thread import Condition, Interrupt
from tests.agents.guarded import CONFIG, Guarded, guarded
from tests.agents.stage import CONVERSATION, THREAD, calls
from tests.crash import scenes
from tests.crash.forge import Forge
from tests.crash.scenes import either_database

pytestmark = pytest.mark.asyncio(loop_scope="module")

HERE = "tests.crash.test_per_call"
__all__ = ["either_database"]  # a fixture, under the name `tmp_path`
FORGES: list[Forge] = []
"""The one of this run."""
TURN = [calls(("pay", {"amount": 1}), ("look", {"at": "x"}), ("pay", {"amount": 2}))]


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def _forge(forge: Forge) -> AsyncIterator[None]:
    FORGES.append(forge)
    yield
    FORGES.clear()


async def killed(folder: Path, scene: str, *arguments: str) -> None:
    (forge,) = FORGES
    await scenes.killed(forge, HERE, folder, scene, *arguments)


class Seen(AgentState[Any]):
    """What was looked at."""

    seen: NotRequired[Annotated[list[str], operator.add]]


class Remembers(AgentMiddleware[Seen, Any, Any]):
    """A team's own part with a state of its own."""

    state_schema = Seen


def agent(folder: Path, dies: str = "", gates: Sequence[str] = ("approve", "respond")) -> Agent:
    """It pays, which is asked about, and looks, which is not; it dies `after` a payment or in a `look`."""

    @tool
    async def pay(amount: int) -> str:
        """Pay."""
        _note(folder, f"paid {amount}")
        if dies == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return f"paid {amount}"

    @tool
    async def look(at: str) -> Any:  # noqa: ANN401 - a tool's result
        """Look, and remember it in the thread's state."""
        _note(folder, f"looked {at}")
        if dies == "look":
            os.kill(os.getpid(), signal.SIGKILL)
        seen = ToolMessage("seen", name="look", tool_call_id=TURN[0].tool_calls[1]["id"])
        return Command(update={"messages": [seen], "seen": [at]})

    gate: Any = {"allowed_decisions": [*gates]}
    return Agent(
        tools=[pay, look], interrupt_on={"pay": gate}, interrupt_mode="per_call", middleware=[Remembers()]
    )


def _note(folder: Path, line: str) -> None:
    with (folder / "ran").open("a") as file:
        file.write(f"{line}\n")


def ran(folder: Path) -> list[str]:
    return (folder / "ran").read_text().splitlines()


async def filed(play: Guarded, interrupt: Interrupt, decision: Decision) -> Approval:
    approval = play.decided(interrupt, decision)
    async with play.store.write() as tx:
        if await tx.conversations.get(THREAD) is None:
            await tx.conversations.add(CONVERSATION)
        await tx.approvals.add(approval)
    return approval


async def scene(folder: Path, dies: str) -> None:
    """The first payment is approved, the second waits; the process dies where it is told to."""
    inside = dies if dies in {"after", "look"} else ""
    async with guarded(folder, agent(folder, inside), TURN, dying=dies == "recorded") as play:
        await play.say("go")
        first, _ = (await play.threads.read(THREAD)).interrupts
        await play.threads.resume(THREAD, await filed(play, first, Approve()))


async def test_killed_after_the_effect_the_same_decision_is_told_again_and_people_are_asked(
    tmp_path: Path,
) -> None:
    await killed(tmp_path, "scene", "after")
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        first, second = (await play.threads.read(THREAD)).interrupts
        approval = await play.filed_for(first)
        assert await play.threads.resume(THREAD, approval) is None
        assert ran(tmp_path) == ["looked x", "paid 1"]
        thread = await play.threads.read(THREAD)
        doubt, waits = sorted(thread.interrupts, key=lambda one: one.shape is not Shape.IN_DOUBT)
        assert (doubt.shape, waits.id) == (Shape.IN_DOUBT, second.id)
        assert thread.has_heard(approval)
        await play.threads.resume(THREAD, await filed(play, doubt, Respond("paid 1, says the bank")))
        await play.threads.resume(THREAD, await filed(play, second, Approve()))
        assert ran(tmp_path) == ["looked x", "paid 1", "paid 2"]
        assert await play.results() == ["paid 1, says the bank", "seen", "paid 2"]
        assert await play.answer() == "The end."


async def test_killed_again_in_the_second_attempt_people_are_asked_again(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "after")
    await killed(tmp_path, "scene_again")
    assert ran(tmp_path) == ["looked x", "paid 1", "paid 1"]
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        doubt = await the_doubt(play)
        await play.threads.resume(THREAD, await play.filed_for(doubt))
        second = await the_doubt(play)
        assert second.id != doubt.id
        await play.threads.resume(THREAD, await filed(play, second, Respond("paid twice")))
        assert ran(tmp_path) == ["looked x", "paid 1", "paid 1"]
        assert (await play.results())[0] == "paid twice"


async def scene_again(folder: Path) -> None:
    """People say to run it again, and the process dies in that as well."""
    async with guarded(folder, agent(folder, "after"), TURN) as play:
        first, _ = (await play.threads.read(THREAD)).interrupts
        await play.threads.resume(THREAD, await play.filed_for(first))
        await play.threads.resume(THREAD, await filed(play, await the_doubt(play), Approve()))


async def the_doubt(play: Guarded) -> Interrupt:
    waiting = (await play.threads.read(THREAD)).interrupts
    [doubt] = [one for one in waiting if one.shape is Shape.IN_DOUBT]
    return doubt


async def test_killed_between_result_and_checkpoint_the_recorded_result_is_returned(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "recorded")
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        first, second = (await play.threads.read(THREAD)).interrupts
        await play.threads.resume(THREAD, await play.filed_for(first))
        assert ran(tmp_path) == ["looked x", "paid 1"]
        assert [one.id for one in (await play.threads.read(THREAD)).interrupts] == [second.id]
        assert (await play.results())[0] == "paid 1"


async def test_killed_in_a_call_that_nobody_has_to_approve_it_goes_on_while_the_others_wait(
    tmp_path: Path,
) -> None:
    await killed(tmp_path, "scene", "look")
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        thread = await play.threads.read(THREAD)
        if thread.condition is Condition.WAITING:
            assert thread.cut_off
        assert thread.goes_on
        assert await play.threads.proceed(THREAD) is None
        thread = await play.threads.read(THREAD)
        assert (thread.condition, thread.cut_off, len(thread.interrupts)) == (Condition.WAITING, False, 2)
        assert ran(tmp_path) == ["looked x", "looked x"]
        assert await play.results() == ["seen"]


async def test_asked_anew_what_a_tool_left_in_the_state_stays_and_nothing_runs_again(tmp_path: Path) -> None:
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        await play.say("go")
        first, second = (await play.threads.read(THREAD)).interrupts
        await play.threads.resume(THREAD, await filed(play, first, Approve()))
        approval = await filed(play, second, Approve())
    async with guarded(tmp_path, agent(tmp_path, gates=["approve", "reject"]), TURN) as play:
        with pytest.raises(Drifted):
            await play.threads.resume(THREAD, approval)
        assert await play.threads.ask_again(THREAD) is None
        [anew] = (await play.threads.read(THREAD)).interrupts
        assert anew.id != second.id
        assert not (await play.threads.read(THREAD)).has_heard(approval)
        assert (await play.built.graph.aget_state(CONFIG)).values["seen"] == ["x"]
        await play.threads.resume(THREAD, await filed(play, anew, Approve()))
        assert ran(tmp_path) == ["looked x", "paid 1", "paid 2"]
        assert await play.results() == ["paid 1", "seen", "paid 2"]
