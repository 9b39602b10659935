import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import StructuredTool

from bot.agents.agent import Agent
from bot.agents.messages import with_distinct_ids
from bot.approvals.decision import Approve, Reject
from bot.approvals.thread import UNDESCRIBED, Condition
from tests.agents.stage import THREAD, calls, stage

TWO = [calls(("wipe", {"disk": "a"}), ("wipe", {"disk": "b"}))]


def wiper(ran: list[str], gate: dict[str, Any]) -> Agent:
    def wipe(disk: str) -> str:
        """Wipe a disk."""
        ran.append(disk)
        return f"wiped {disk}"

    return Agent(
        tools=[StructuredTool.from_function(wipe)],
        interrupt_on={"wipe": {"allowed_decisions": ["approve", "reject"], **gate}},  # type: ignore[dict-item]
    )


def raises(_request: ToolCallRequest) -> bool:
    raise ValueError("a bug in the team's function")


@pytest.mark.parametrize(
    ("when", "asks"),
    [
        (lambda _: True, True),
        (lambda _: False, False),
        (lambda _: None, True),
        (lambda _: 0, True),
        (lambda _: "", True),
        (raises, True),
    ],
    ids=["true", "false", "none", "zero", "empty", "raises"],
)
async def test_only_an_explicit_false_lets_a_call_through(
    *, when: Callable[[ToolCallRequest], Any], asks: bool, tmp_path: Path
) -> None:
    ran: list[str] = []
    async with stage(tmp_path, wiper(ran, {"when": when}), TWO) as play:
        assert await play.say("go") is None
        waits = (await play.threads.read(THREAD)).condition is Condition.WAITING
        assert waits is asks
        assert sorted(ran) == ([] if asks else ["a", "b"])


async def test_when_sees_each_call_with_the_thread_and_cannot_change_it(tmp_path: Path) -> None:
    seen: list[tuple[Any, Any]] = []

    def when(request: ToolCallRequest) -> bool:
        seen.append((dict(request.tool_call["args"]), request.state["messages"][0].text))
        request.tool_call["args"]["disk"] = "changed"
        return request.tool_call["id"] == "c1"

    ran: list[str] = []
    async with stage(tmp_path, wiper(ran, {"when": when}), TWO) as play:
        await play.say("go")
        assert seen == [({"disk": "a"}, "go"), ({"disk": "b"}, "go")]
        assert [request.arguments for request in (await play.interrupt()).requests] == [{"disk": "b"}]
        await play.decide(Approve())
        assert sorted(ran) == ["a", "b"]


@pytest.mark.parametrize("later", [False, None], ids=["lets everything through", "asks about everything"])
async def test_a_verdict_holds_although_when_says_otherwise_after_a_restart(
    *, later: bool | None, tmp_path: Path
) -> None:
    ran: list[str] = []
    first = wiper(ran, {"when": lambda request: request.tool_call["args"]["disk"] == "b"})
    async with stage(tmp_path, first, TWO) as play:
        await play.say("go")
        approval = await play.approval(Reject("never"))
    async with stage(tmp_path, wiper(ran, {"when": lambda _: later}), TWO) as play:
        assert await play.threads.resume(THREAD, approval) is None
        assert ran == ["a"]
        assert min(await play.results()).endswith("reason: never")


async def test_a_description_function_that_raises_stops_nothing(tmp_path: Path) -> None:
    def describe(call: ToolCall, *_: object) -> str:
        if call["args"]["disk"] == "a":
            raise KeyError("x")
        return 7 if call["args"]["disk"] == "c" else f"Wipes {call['args']['disk']}."  # type: ignore[return-value]

    script = [calls(*(("wipe", {"disk": disk}) for disk in "abc"))]
    async with stage(tmp_path, wiper([], {"description": describe}), script) as play:
        assert await play.say("go") is None
        told = [request.description for request in (await play.interrupt()).requests]
        assert told == [UNDESCRIBED, "Wipes b.", UNDESCRIBED]


async def test_the_verdicts_are_private_to_the_thread(tmp_path: Path) -> None:
    async with stage(tmp_path, wiper([], {"when": lambda _: False}), TWO) as play:
        config: Any = {"configurable": {"thread_id": THREAD}}
        told = await play.built.graph.ainvoke(
            {"messages": [("user", "go")], "approval_verdicts": {"x": True}}, config
        )
        assert set(told) == {"messages"}


def test_ids_that_are_distinct_stay_and_blocks_of_the_content_follow_the_others() -> None:
    fine = calls(("a", {}), ("b", {}))
    assert with_distinct_ids(fine) is fine
    message = calls(("a", {}), ("b", {}), ("c", {}), ids=["x", "x", "y"])
    message.id = "m"
    message.content = [
        {"type": "text", "text": "hi"},
        *({"type": "tool_use", "id": id, "name": name} for id, name in zip("xxy", "abc", strict=True)),
    ]
    distinct = with_distinct_ids(message)
    ids = [call["id"] for call in distinct.tool_calls]
    assert ids == ["x-m-0", "x-m-1", "y"]
    assert [block["id"] for block in distinct.content[1:]] == ids  # type: ignore[index]
    assert [call["id"] for call in message.tool_calls] == ["x", "x", "y"]


CHILD = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.agents.stage import calls, stage
from tests.agents.test_verdicts import TWO, wiper

async def main():
    gate = {"when": lambda request: request.tool_call["args"]["disk"] == "b"}
    async with stage(Path(sys.argv[1]), wiper([], gate), TWO) as play:
        await play.say("go")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_verdict_is_on_disk_before_anybody_is_asked_even_after_kill_9(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(tmp_path), cwd=root, env={**os.environ, "PYTHONPATH": str(root)}
    )
    assert await child.wait() == -signal.SIGKILL
    ran: list[str] = []
    async with stage(tmp_path, wiper(ran, {"when": lambda _: False}), TWO) as play:
        assert [request.arguments for request in (await play.interrupt()).requests] == [{"disk": "b"}]
        await play.decide(Reject("never"))
        assert ran == ["a"]
        assert await play.answer() == "The end."


async def test_a_model_message_without_calls_needs_no_verdict(tmp_path: Path) -> None:
    async with stage(tmp_path, wiper([], {}), [AIMessage("Hello.")]) as play:
        await play.say("hi")
        assert await play.answer() == "Hello."
