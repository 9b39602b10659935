"""The verdicts by themselves: what `when` is shown, what is kept of its answer, how that is read again."""

from collections.abc import Mapping
from typing import Any

import pytest
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.runtime import ExecutionInfo, Runtime, ServerInfo
from langgraph.store.memory import InMemoryStore
from structlog.testing import capture_logs

from bot.agents.agent import When
from bot.agents.gates import Gate
from bot.agents.verdicts import Verdicts, needs_person, was_asked
from bot.approvals.decision import DecisionKind

ASKED = HumanMessage("go", id="m0")
CONFIG: Any = {"configurable": {"thread_id": "t1"}}
RUNTIME: Runtime[Any] = Runtime(
    context={"team": "ops"},
    store=InMemoryStore(),
    stream_writer=print,
    execution_info=ExecutionInfo(checkpoint_id="k", checkpoint_ns="", task_id="task"),
    server_info=ServerInfo(assistant_id="a", graph_id="g"),
)


def says(*names: str, ids: tuple[str, ...] = (), id: str = "m1") -> AIMessage:
    """A model's message that calls these tools."""
    known = ids or tuple(f"c{number}" for number in range(len(names)))
    calls: Any = [
        {"name": name, "args": {"amount": 1}, "id": one} for name, one in zip(names, known, strict=True)
    ]
    return AIMessage("", id=id, tool_calls=calls)


async def kept(message: AIMessage, **gates: When | None) -> dict[str, Any] | None:
    """What the step after the model leaves in the thread."""
    state: Any = {"messages": [ASKED, message]}
    by_tool = {
        name: Gate(tool=name, allowed=(DecisionKind.APPROVE,), when=when) for name, when in gates.items()
    }

    async def step(_: object) -> dict[str, Any] | None:
        return await Verdicts(by_tool).aafter_model(state, RUNTIME)

    update: dict[str, Any] | None = await RunnableLambda(step).ainvoke(None, CONFIG)
    return update


async def test_each_gated_call_gets_a_verdict_under_its_message_its_id_and_its_place() -> None:
    message = says("pay", "look", "wipe", "pay")
    update = await kept(message, pay=None, wipe=lambda _: False)
    assert update == {"approval_verdicts": {"m1/c0/0": True, "m1/c2/2": False, "m1/c3/3": True}}


@pytest.mark.parametrize("messages", [[], [ASKED], [ASKED, AIMessage("Hello.", id="m1")]])
async def test_where_the_model_called_nothing_the_verdicts_before_stay(messages: list[Any]) -> None:
    assert await Verdicts({}).aafter_model({"messages": messages}, RUNTIME) is None


async def test_a_broken_call_is_dropped_and_when_sees_the_message_as_it_stays() -> None:
    seen = []

    def when(request: ToolCallRequest) -> bool:
        seen.append((request.state["messages"], request.runtime.state["messages"]))
        return True

    message = says("pay", "pay", ids=("c0", "c0"))
    update = await kept(message, pay=when)
    assert update is not None
    (sound,) = update["messages"]
    assert [call["id"] for call in sound.tool_calls] == ["c0-m1-0", "c0-m1-1"]
    assert set(update["approval_verdicts"]) == {"m1/c0-m1-0/0", "m1/c0-m1-1/1"}
    assert seen == [([ASKED, sound], [ASKED, sound])] * 2

    broken = AIMessage(
        "", id="m1", invalid_tool_calls=[{"name": "pay", "args": "{", "id": "c", "error": None}]
    )
    update = await kept(broken, pay=when)
    assert update is not None
    assert update["approval_verdicts"] == {}
    assert update["messages"][0].text == "(A call of `pay` could not be read and was dropped.)"


async def test_when_is_shown_what_a_tool_would_be_and_no_tool() -> None:
    seen: list[ToolCallRequest] = []

    def when(request: ToolCallRequest) -> bool:
        seen.append(request)
        return True

    message = says("pay")
    await kept(message, pay=when)
    (request,) = seen
    assert (request.tool_call, request.tool) == (message.tool_calls[0], None)
    runtime: Any = request.runtime
    assert request.state == runtime.state == {"messages": [ASKED, message]}
    assert runtime.config["configurable"]["thread_id"] == "t1"
    assert (runtime.tool_call_id, runtime.context) == ("c0", {"team": "ops"})
    assert (runtime.store, runtime.stream_writer) == (RUNTIME.store, print)
    assert (runtime.execution_info, runtime.server_info) == (RUNTIME.execution_info, RUNTIME.server_info)


def raises(_: ToolCallRequest) -> bool:
    raise KeyError("x")


@pytest.mark.parametrize(
    ("when", "asks", "logged"),
    [
        (lambda _: True, True, []),
        (lambda _: False, False, []),
        (lambda _: 0, True, [{"event": "when_not_boolean", "tool": "pay", "told": "int"}]),
        (lambda _: None, True, [{"event": "when_not_boolean", "tool": "pay", "told": "NoneType"}]),
        (raises, True, [{"event": "when_failed", "tool": "pay", "error": "KeyError"}]),
    ],
)
async def test_what_a_function_gets_wrong_is_asked_about_and_logged(
    *, when: When, asks: bool, logged: list[dict[str, str]]
) -> None:
    with capture_logs() as logs:
        assert await kept(says("pay"), pay=when) == {"approval_verdicts": {"m1/c0/0": asks}}
    assert logs == [{**line, "log_level": "warning"} for line in logged]


BOTH = says("pay", "pay")
CALL = {"id": "c1"}


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        ({"messages": [ASKED, BOTH], "approval_verdicts": {"m1/c1/1": False}}, False),
        ({"messages": [ASKED, BOTH], "approval_verdicts": {"m1/c1/1": True}}, True),
        # Of another message, another call, another place; none; an older message's.
        ({"messages": [ASKED, BOTH], "approval_verdicts": {"m0/c1/1": False}}, None),
        ({"messages": [ASKED, BOTH], "approval_verdicts": {"m1/c0/0": False}}, None),
        ({"messages": [ASKED, BOTH], "approval_verdicts": {"m1/c1/0": False}}, None),
        ({"messages": [ASKED, BOTH], "approval_verdicts": {}}, None),
        ({"messages": [ASKED, BOTH], "approval_verdicts": None}, None),
        ({"messages": [ASKED, BOTH]}, None),
        ({"messages": [BOTH, says("pay", id="m2")], "approval_verdicts": {"m1/c1/1": False}}, None),
        # Nobody has spoken but people.
        ({"messages": [ASKED], "approval_verdicts": {"m1/c1/1": False}}, None),
    ],
)
def test_only_the_verdict_of_this_very_call_is_read_and_a_call_without_one_needs_a_person(
    state: Mapping[str, Any], *, verdict: bool | None
) -> None:
    assert was_asked(state, CALL) is verdict
    assert needs_person(state, CALL) is (verdict is not False)


@pytest.mark.parametrize("state", [["messages"], {"rows": []}])
def test_a_graph_of_ones_own_that_keeps_no_messages_has_no_verdicts(state: object) -> None:
    assert was_asked(state, CALL) is None
