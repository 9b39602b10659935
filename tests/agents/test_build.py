import subprocess
import sys
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ToolErrorMiddleware,
    ToolRetryMiddleware,
    after_model,
    before_model,
    hook_config,
)
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from bot import Agent
from bot.agents.build import build
from bot.agents.errors import BadAgent
from bot.approvals.approval import Shape
from bot.approvals.decision import Approve, DecisionKind, Edit, Respond
from bot.approvals.thread import Condition
from tests.agents.stage import THREAD, Scripted, calls, stage


@tool
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


class Brings(AgentMiddleware[Any, Any, Any]):
    tools: Sequence[BaseTool] = [delete_file]


class JumpsAsync(AgentMiddleware[Any, Any, Any]):
    @hook_config(can_jump_to=["tools"])
    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ANN401, ARG002
        return {"jump_to": "tools"}


@after_model(can_jump_to=["tools", "end"])
def jumps(state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ANN401, ARG001
    return {"jump_to": "tools"}


@before_model(can_jump_to=["tools"])
def jumps_before(state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ANN401, ARG001
    return {"jump_to": "tools"}


def agent(**changes: Any) -> Agent:  # noqa: ANN401
    return Agent(**{"tools": [delete_file], "interrupt_on": {"*": True}, **changes})


BAD: list[tuple[Any, str]] = [
    (agent(interrupt_mode="batch"), "must be 'batched' or 'per_call', not 'batch'"),
    (agent(interrupt_on={"delete": True}), "did you mean 'delete_file'"),
    (agent(tools="x"), "`tools` must be a list"),
    (agent(tools=[7]), "neither a tool nor a function"),
    (agent(tools=[lambda x: x]), "cannot become a tool"),
    (agent(tools=[delete_file, delete_file]), "Two tools are called 'delete_file'"),
    (agent(middleware=[Brings()]), "Two tools are called 'delete_file'"),
    (agent(middleware=HumanInTheLoopMiddleware({})), "`middleware` must be a list"),
    (agent(middleware=[HumanInTheLoopMiddleware({})]), "second HumanInTheLoopMiddleware"),
    (agent(middleware=[jumps]), "can jump from `after_model` straight to the tools"),
    (agent(middleware=[JumpsAsync()]), "can jump from `after_model`"),
    (agent(middleware=[jumps_before]), "can jump from `before_model`"),
    (agent(middleware=[ToolRetryMiddleware(), ToolRetryMiddleware()]), "two parts with the name"),
    (agent(middleware=[ToolRetryMiddleware]), "no AgentMiddleware instance"),
    (agent(model=7), "`model` must be a chat model"),
    (agent(system_prompt=7), "`system_prompt` must be text"),
    (agent(description_prefix=None), "`description_prefix` must be text"),
    (agent(edit_notice=7), "`edit_notice` must be text"),
    (7, "must be an Agent or a function"),
    (lambda: None, "must take model, checkpointer and middleware"),
    (lambda *, model, checkpointer, middleware: None, "must return a compiled graph"),  # noqa: ARG005
]


@pytest.mark.parametrize(("source", "problem"), BAD, ids=[str(number) for number in range(len(BAD))])
async def test_an_agent_that_cannot_work_is_refused_in_one_sentence(source: Any, problem: str) -> None:  # noqa: ANN401
    with pytest.raises(BadAgent) as refused:
        build(source, name="x", model=Scripted(script=[]), checkpointer=InMemorySaver())
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_no_checkpointer_and_no_model_are_refused() -> None:
    with pytest.raises(BadAgent, match="needs a checkpointer"):
        build(agent(), name="x", model=Scripted(script=[]), checkpointer=None)
    with pytest.raises(BadAgent, match="names no model: set BOT_MODEL"):
        build(agent(), name="x", model=None, checkpointer=InMemorySaver())


async def test_the_agents_own_model_wins_over_the_operators(tmp_path: Path) -> None:
    own = Scripted(script=[AIMessage("own")])
    async with stage(tmp_path, agent(model=own), [AIMessage("operator's")]) as play:
        await play.say("hi")
        assert await play.answer() == "own"


async def test_tools_that_middleware_brings_are_gated_too(tmp_path: Path) -> None:
    source = agent(tools=[], middleware=[Brings()])
    async with stage(tmp_path, source, [calls(("delete_file", {"path": "a"}))]) as play:
        await play.say("go")
        assert (await play.interrupt()).requests[0].tool == "delete_file"
        await play.decide(Approve())
        assert await play.results() == ["deleted a"]
        assert play.tools.schema("delete_file") is not None


async def test_a_teams_retry_and_error_middleware_run_inside_the_approval(tmp_path: Path) -> None:
    tried: list[str] = []

    @tool
    def flaky(path: str) -> str:
        """Work at the second time."""
        tried.append(path)
        if len(tried) < 2:
            raise OSError("not yet")
        return "worked"

    source = agent(
        tools=[flaky],
        middleware=[
            ToolErrorMiddleware(lambda *_: "never seen"),
            ToolRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False),
        ],
    )
    async with stage(tmp_path, source, [calls(("flaky", {"path": "a"}))]) as play:
        await play.say("go")
        assert tried == []
        await play.decide(Approve())
        assert tried == ["a", "a"]
        assert await play.results() == ["worked"]


class AddsTools(AgentMiddleware[Any, Any, Any]):
    """Offers and runs a tool that the agent did not have at start."""

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:  # noqa: ANN401
        return await handler(request.override(tool=delete_file) if request.tool is None else request)


@pytest.mark.parametrize(
    ("interrupt_on", "result"),
    [
        ({"*": True}, "`late` is not a tool that people could be asked about, so it was not run."),
        ({}, "deleted a"),
    ],
)
async def test_a_tool_that_appears_during_a_run_does_not_run_where_every_tool_is_gated(
    interrupt_on: dict[str, bool], result: str, tmp_path: Path
) -> None:
    source = agent(tools=[], interrupt_on=interrupt_on, middleware=[AddsTools()])
    async with stage(tmp_path, source, [calls(("late", {"path": "a"}))]) as play:
        await play.say("go")
        assert await play.results() == [result]


async def test_prefix_and_edit_notice_keep_langchains_meaning(tmp_path: Path) -> None:
    source = agent(description_prefix="Look:", edit_notice="NOTICE!")
    async with stage(tmp_path, source, [calls(("delete_file", {"path": "a"}))]) as play:
        await play.say("go")
        assert (await play.interrupt()).requests[0].description == "Look:\n\nDelete a file."
        await play.decide(Edit({"path": "b"}))
        (result,) = await play.results()
        assert result.startswith("NOTICE! Executed instead: delete_file")


async def test_tools_at_the_provider_cannot_be_gated_and_that_is_said() -> None:
    source = agent(tools=[delete_file, {"type": "web_search"}])
    built = build(source, name="x", model=Scripted(script=[]), checkpointer=InMemorySaver())
    assert built.warnings == ("Tools that run at the model's provider cannot be asked about: web_search.",)


def own_graph(*, guarded: bool, saver: bool = True) -> Any:  # noqa: ANN401
    def make(*, model: Any, checkpointer: BaseCheckpointSaver[Any], middleware: list[Any]) -> Any:  # noqa: ANN401
        parts = [HumanInTheLoopMiddleware({"delete_file": True}), *(middleware if guarded else [])]
        given = checkpointer if saver else None
        return create_agent(model, tools=[delete_file], middleware=parts, checkpointer=given)

    return make


async def test_a_graph_of_the_teams_own_gets_the_guard_and_runs(tmp_path: Path) -> None:
    async with stage(tmp_path, own_graph(guarded=True), [calls(("delete_file", {"path": "a"}))]) as play:
        assert play.built.warnings == ()
        assert set(play.built.tools) == {"delete_file"}
        await play.say("go")
        assert await play.decide(Approve()) is None
        assert await play.results() == ["deleted a"]


async def test_a_graph_without_the_guard_works_and_warns_and_one_without_checkpointer_does_not(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, own_graph(guarded=False)) as play:
        (warning,) = play.built.warnings
        assert "leaves out the middleware that guards execution" in warning
        await play.say("hi")
        assert await play.answer() == "The end."
    with pytest.raises(BadAgent, match="no checkpointer"):
        async with stage(tmp_path, own_graph(guarded=True, saver=False)):
            pass


def asks(value: object) -> Any:  # noqa: ANN401
    """A graph with one node that interrupts with this value."""

    def build_graph(*, model: Any, checkpointer: Any, middleware: Any) -> Any:  # noqa: ANN401, ARG001
        def ask(state: MessagesState) -> dict[str, Any]:
            return {"messages": [*state["messages"], AIMessage(f"You said {interrupt(value)}")]}

        graph = StateGraph(MessagesState)
        graph.add_node("ask", ask)
        graph.add_edge(START, "ask")
        graph.add_edge("ask", END)
        return graph.compile(checkpointer=checkpointer)

    return build_graph


async def test_a_plain_question_is_answered_with_a_text(tmp_path: Path) -> None:
    async with stage(tmp_path, asks("Which region?")) as play:
        await play.say("go")
        interrupt_ = await play.interrupt()
        (request,) = interrupt_.requests
        assert interrupt_.shape is Shape.QUESTION
        assert (request.tool, request.arguments) == ("question", {"question": "Which region?"})
        assert request.allowed == {DecisionKind.RESPOND}
        assert await play.decide(Respond("EU")) is None
        assert await play.answer() == "You said EU"


async def test_an_empty_answer_to_a_question_arrives(tmp_path: Path) -> None:
    async with stage(tmp_path, asks("Anything else?")) as play:
        await play.say("go")
        assert await play.decide(Respond("")) is None
        assert await play.answer() == "You said "


async def test_a_request_of_the_hitl_shape_from_a_node_of_the_teams_own_is_decided(tmp_path: Path) -> None:
    value = {
        "action_requests": [
            {"name": "deploy", "args": {"to": "eu"}, "description": "To the EU."},
            {"name": "deploy", "args": {"to": "us"}},
        ],
        "review_configs": [{"action_name": "deploy", "allowed_decisions": ["approve", "edit"]}],
    }
    async with stage(tmp_path, asks(value)) as play:
        await play.say("go")
        assert [request.description for request in (await play.interrupt()).requests] == ["To the EU.", ""]
        assert await play.decide(Approve(), Edit({"to": "ca"})) is None
        assert "'decisions': [{'type': 'approve'}, {'type': 'edit'" in await play.answer()


@pytest.mark.parametrize(
    "value",
    [
        7,
        None,
        {"question": "x"},
        {"action_requests": [], "review_configs": []},
        {"action_requests": [{"name": "x"}], "review_configs": []},
        {"action_requests": [{"name": "x", "args": {}}], "review_configs": []},
        {
            "action_requests": [{"name": "x", "args": {}}],
            "review_configs": [{"action_name": "x", "allowed_decisions": ["maybe"]}],
        },
        {
            "action_requests": [{"name": "x", "args": {}}],
            "review_configs": [{"action_name": "y", "allowed_decisions": ["approve"]}],
        },
        {"action_requests": "x", "review_configs": None},
    ],
)
async def test_what_cannot_be_shown_is_a_failure_that_leaves_the_thread_usable(
    value: object, tmp_path: Path
) -> None:
    async with stage(tmp_path, asks(value)) as play:
        await play.say("go")
        thread = await play.threads.read(THREAD)
        assert thread.condition is Condition.FAILED
        assert thread.failure.startswith(("The agent", "Action 1"))
        await play.threads.abandon(THREAD, "Stopped.")
        assert (await play.threads.read(THREAD)).condition is Condition.IDLE


def test_the_agent_is_frozen_and_takes_keywords_only() -> None:
    with pytest.raises(TypeError):
        Agent([], {})  # type: ignore[call-arg]
    with pytest.raises(FrozenInstanceError):
        agent().tools = []  # type: ignore[misc]


def test_the_heart_loads_without_langchain() -> None:
    script = "import sys, bot, bot.approvals.desk; sys.exit(any(m.startswith('lang') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
