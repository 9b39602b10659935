"""An agent whose tool, and whose model, take until the test says so; it keeps what its model was given."""

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool

from bot import Agent
from tests.system.agents import RUNS, WAITING, Script, Waiting, lookup, wait

CALLS: list[list[BaseMessage]] = []
"""What the model was given, each time that it was called."""

THINKING: dict[int, Waiting] = {}
"""The model's calls that wait for the test, by their number from 0."""


class Thinking(Script):
    """Follows the script, and may take its time for a call."""

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401
        waiting = THINKING.get(len(CALLS))
        CALLS.append(messages)
        if waiting:
            waiting.begins.set()
            await waiting.may_end.wait()
        return await super()._agenerate(messages, *args, **kwargs)


@tool
async def pay(to: str) -> str:
    """Pay; takes until the test says so."""
    RUNS.append(("pay", {"to": to}))
    WAITING[0].begins.set()
    await WAITING[0].may_end.wait()
    return f"receipt of {to}"


unhurried = Agent(tools=[wait, lookup, pay], interrupt_on={"pay": True, "*": False}, model=Thinking())


def without_result(messages: list[BaseMessage]) -> list[str]:
    """The tools of calls that have no result in this history."""
    ended = {one.tool_call_id for one in messages if isinstance(one, ToolMessage)}
    calls = [call for one in messages if isinstance(one, AIMessage) for call in one.tool_calls]
    return [call["name"] for call in calls if call["id"] not in ended]
