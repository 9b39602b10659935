"""What is wrong with a thread that does not go on by itself, on the real graph and the real saver."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import END
from langgraph.types import Command

from bot.agents.agent import Agent
from bot.agents.mending import CUT_OFF
from bot.approvals.decision import Approve
from bot.approvals.thread import Condition, Thread
from tests.agents.stage import THREAD, Stage, calls, said, stage

CONFIG: Any = {"configurable": {"thread_id": THREAD}}
RUNS: list[str] = []


@tool
def pay(amount: int) -> str:
    """Pay."""
    RUNS.append("pay")
    return f"paid {amount}"


@tool
def look() -> str:
    """Look; free."""
    RUNS.append("look")
    return "seen"


AGENT = Agent(tools=[pay, look], interrupt_on={"pay": True, "look": False})
BOTH = calls(("pay", {"amount": 1}), ("look", {}))


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RUNS.clear()


async def read(play: Stage) -> Thread:
    return await play.threads.read(THREAD)


async def history(play: Stage) -> list[Any]:
    state = await play.built.graph.aget_state(CONFIG)
    return list(state.values["messages"])


async def ends_as(play: Stage, *messages: Any) -> None:  # noqa: ANN401 - messages
    """Give the thread this history, as something other than the bot might have."""
    await play.built.graph.aupdate_state(CONFIG, {"messages": [*messages]}, as_node="tools")
    await play.built.graph.aupdate_state(CONFIG, None, as_node=END)


async def test_a_wrong_answer_that_was_kept_is_seen_and_going_on_repeats_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path, AGENT, [BOTH]) as play:
        await play.say("go")
        first = await play.interrupt()
        assert not (await read(play)).stuck
        with pytest.raises(ValueError, match="Number of human decisions"):
            await play.built.graph.ainvoke(Command(resume={first.id: {"decisions": []}}), CONFIG)
        thread = await read(play)
        assert (thread.condition, thread.stuck, thread.repeats) == (Condition.FAILED, True, ())
        await play.threads.proceed(THREAD)
        assert (await play.interrupt()).id != first.id
        assert RUNS == []


async def test_a_free_call_that_may_have_run_would_run_again_and_an_approved_one_would_not(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, AGENT, [BOTH]) as play:
        await play.say("go")
        approval = await play.approval(Approve())
        answer = {"decisions": [{"type": "approve"}]}
        resumed: Command[Any] = Command(resume={approval.interrupt: answer})
        await play.built.graph.ainvoke(resumed, CONFIG, interrupt_before=["tools"])
        thread = await read(play)
        assert (thread.condition, thread.repeats) == (Condition.RUNNABLE, ("look",))


async def test_a_model_that_failed_repeats_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path, AGENT, [ConnectionError("no")]) as play:
        await play.say("go")
        thread = await read(play)
        assert (thread.condition, thread.repeats, thread.stuck, thread.dangling) == (
            Condition.FAILED,
            (),
            False,
            (),
        )


async def test_a_call_without_a_result_gets_one_in_its_place_and_the_agent_is_at_rest(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, AGENT, [AIMessage("Hello."), AIMessage("Well.")]) as play:
        await ends_as(
            play, HumanMessage("go"), BOTH, ToolMessage("seen", tool_call_id="c1"), HumanMessage("and?")
        )
        assert (await read(play)).dangling == ("pay",)
        await play.threads.mend(THREAD)
        kinds = [type(one).__name__ for one in await history(play)]
        assert kinds == ["HumanMessage", "AIMessage", "ToolMessage", "ToolMessage", "HumanMessage"]
        assert {one.tool_call_id: one.text for one in (await history(play))[2:4]} == {
            "c0": CUT_OFF,
            "c1": "seen",
        }
        thread = await read(play)
        assert (thread.condition, thread.dangling, RUNS) == (Condition.IDLE, (), [])
        await play.threads.send(THREAD, [said("still there?", "m9")])
        assert await play.answer() == "Well."


async def test_a_model_that_refuses_such_a_history_is_asked_again_with_a_whole_one(tmp_path: Path) -> None:
    async with stage(tmp_path, AGENT, [BOTH, ConnectionError("400"), AIMessage("Well.")]) as play:
        await ends_as(play, HumanMessage("go"), BOTH)
        play.model.script[1] = ConnectionError("400")  # type: ignore[attr-defined]  # of the scripted model
        graph = play.built.graph
        with pytest.raises(ConnectionError):
            await graph.ainvoke({"messages": [HumanMessage("and?")]}, CONFIG)
        thread = await read(play)
        assert (thread.condition, thread.dangling) == (Condition.FAILED, ("pay", "look"))
        await play.threads.mend(THREAD)
        thread = await read(play)
        assert (thread.condition, thread.dangling) == (Condition.RUNNABLE, ())
        play.model.script[1] = AIMessage("Well.")  # type: ignore[attr-defined]  # as above
        await play.threads.proceed(THREAD)
        assert await play.answer() == "Well."
        assert RUNS == []


async def test_calls_that_people_are_asked_about_are_not_dangling_and_are_left_alone(tmp_path: Path) -> None:
    async with stage(tmp_path, AGENT, [BOTH]) as play:
        await play.say("go")
        before = await play.interrupt()
        assert (await read(play)).dangling == ()
        await play.threads.mend(THREAD)
        assert await play.interrupt() == before
