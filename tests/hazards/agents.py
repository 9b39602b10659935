"""Agents whose own parts misbehave: the gates' functions, the model, the mode."""

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from bot import Agent
from tests.system.agents import TOOLS, Script

ASKED: list[str] = []
"""The calls that `when` was asked about in this process."""


def only_once(request: ToolCallRequest) -> bool:
    """A person is needed, until it is asked again."""
    ASKED.append(request.tool_call["id"] or "")
    return ASKED.count(ASKED[-1]) == 1


def forgetful(request: ToolCallRequest) -> bool:  # noqa: ARG001 - LangChain's signature
    """A function that forgot its `return`."""
    return None  # type: ignore[return-value]


flipping = Agent(
    tools=TOOLS,
    interrupt_on={"transfer": {"allowed_decisions": ["approve", "reject"], "when": only_once}},
    model=Script(),
)
silent = Agent(
    tools=TOOLS,
    interrupt_on={"transfer": {"allowed_decisions": ["approve", "reject"], "when": forgetful}},
    model=Script(),
)


class Repeating(Script):
    """Gives every call the same id."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401
        told = super()._generate(messages, *args, **kwargs)
        for call in getattr(told.generations[0].message, "tool_calls", ()):
            call["id"] = "same"
        return told


repeating = Agent(tools=TOOLS, interrupt_on={"transfer": True, "store": True}, model=Repeating())


def one_by_one(*, model: object, checkpointer: Any, middleware: Sequence[Any]) -> Any:  # noqa: ANN401, ARG001 - the bot's call
    """A graph of a team's own, whose approval asks once per call."""
    asking: Any = HumanInTheLoopMiddleware({"transfer": True}, interrupt_mode="per_call")
    return create_agent(Script(), tools=TOOLS, middleware=[asking, *middleware], checkpointer=checkpointer)
