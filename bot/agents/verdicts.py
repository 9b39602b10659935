"""Decides once, before anybody is asked, which calls of a model's message need a person.

LangChain asks `when` again on every resume; if the answer is another one by then, a rejected call runs.
Here the answer of each call is computed in a step of its own that stands before the approval, and is
kept in the thread. The approval only reads it.
"""

import asyncio
import copy
from collections.abc import Mapping
from typing import Annotated, Any, Final, NotRequired

import structlog
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import AgentState, PrivateStateAttr, ToolCallRequest
from langchain_core.messages import AIMessage, ToolCall
from langgraph.config import get_config
from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import Runtime

from bot.agents.agent import When
from bot.agents.gates import Gate
from bot.agents.messages import latest_message, repaired

STATE_KEY: Final = "approval_verdicts"
_log = structlog.get_logger(__name__)


class VerdictState(AgentState[Any]):
    """The thread's state with the verdicts of the latest message; no input, no output."""

    approval_verdicts: NotRequired[Annotated[dict[str, bool], PrivateStateAttr]]


class Verdicts(AgentMiddleware[VerdictState, Any, Any]):
    """Keeps which calls need a person. Listed after the approval, so that its step comes before it."""

    state_schema = VerdictState

    def __init__(self, gates: Mapping[str, Gate]) -> None:
        super().__init__()
        self._gates = gates

    async def aafter_model(self, state: VerdictState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The verdicts of the latest message's calls, and that message with an id for each call."""
        message = latest_message(state["messages"])
        if message is None or not (message.tool_calls or message.invalid_tool_calls):
            return None
        sound = repaired(message)
        asked = {**state, "messages": [sound if known is message else known for known in state["messages"]]}
        verdicts = {}
        for position, call in enumerate(sound.tool_calls):
            if gate := self._gates.get(call["name"]):
                verdicts[_key(sound, call, position)] = await _verdict(gate, call, asked, runtime)
        update: dict[str, Any] = {STATE_KEY: verdicts}
        if sound is not message:
            update["messages"] = [sound]
        return update


def needs_person(state: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    """The kept verdict; a call without one needs a person."""
    message = latest_message(state["messages"])
    if message is None:
        return True
    verdicts: Mapping[str, bool] = state.get(STATE_KEY) or {}
    for position, known in enumerate(message.tool_calls):
        if known["id"] == call["id"]:
            return verdicts.get(_key(message, known, position)) is not False
    return True


def was_asked(state: object, call: Mapping[str, Any]) -> bool | None:
    """The kept verdict; None if there is none."""
    if not isinstance(state, Mapping):
        return None
    verdicts: Mapping[str, bool] = state.get(STATE_KEY) or {}
    message = latest_message(state["messages"]) if verdicts else None
    for position, known in enumerate(message.tool_calls if message else ()):
        if message and known["id"] == call["id"]:
            return verdicts.get(_key(message, known, position))
    return None


def kept_verdict(request: ToolCallRequest) -> bool:
    """The `when` that LangChain gets: reads, never computes."""
    return needs_person(request.state, request.tool_call)


async def _verdict(gate: Gate, call: ToolCall, state: dict[str, Any], runtime: Runtime[Any]) -> bool:
    if gate.when is None:
        return True
    return await asyncio.to_thread(_ask, gate.when, _request(call, state, runtime), gate.tool)


def _ask(when: When, request: ToolCallRequest, tool: str) -> bool:
    try:
        told: object = when(request)
    except Exception as error:  # noqa: BLE001 - a team's function; whatever it raises, people are asked
        _log.warning("when_failed", tool=tool, error=type(error).__name__)
        return True
    if not isinstance(told, bool):
        _log.warning("when_not_boolean", tool=tool, told=type(told).__name__)
    return told is not False


def _request(call: ToolCall, state: dict[str, Any], runtime: Runtime[Any]) -> ToolCallRequest:
    """What LangChain hands to `when`; the call is a copy, so that looking at it cannot change it."""
    return ToolCallRequest(
        tool_call=copy.deepcopy(call),
        tool=None,
        state=state,
        runtime=ToolRuntime(
            state=state,
            context=runtime.context,
            config=get_config(),
            stream_writer=runtime.stream_writer,
            tool_call_id=call["id"],
            store=runtime.store,
            execution_info=runtime.execution_info,
            server_info=runtime.server_info,
        ),
    )


def _key(message: AIMessage, call: Mapping[str, Any], position: int) -> str:
    return f"{message.id}/{call['id']}/{position}"
