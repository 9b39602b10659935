"""A tool that raises: the model is told, its siblings go on, and the failure can be found again."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, Final, NotRequired

from langchain.agents.middleware import ToolErrorMiddleware
from langchain.agents.middleware.types import AgentState, PrivateStateAttr, ToolCallRequest
from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.types import Command

from bot.approvals.errors import Unavailable
from bot.approvals.sayings import from_json, saying, to_json
from bot.approvals.secrets import masked_text
from bot.approvals.thread import ToolFailure
from bot.approvals.words import ENGLISH, spoken

MARK: Final = "approval_bot_failure"
"""The key in a tool message's artifact; artifacts never go to the model."""
GUARD_KEY: Final = "approval_guard"
"""A state key that shows from outside that a graph contains the guarding middleware."""
LONGEST: Final = 300
"""Characters of an error that are told."""


class GuardState(AgentState[Any]):
    """The thread's state with a key that is never written."""

    approval_guard: NotRequired[Annotated[bool, PrivateStateAttr]]


class ToolFailures(ToolErrorMiddleware):
    """Turns an exception of a tool into a marked error message; interrupts pass through.

    With `only_known`, a tool that the agent did not have at start is not run: middleware can add tools
    during a run, and where `"*"` asks about every tool, nobody would have been asked about those.
    """

    state_schema = GuardState

    def __init__(self, *, only_known: bool = False) -> None:
        super().__init__(on_error=_told_to_the_agent)
        self._only_known = only_known

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """The tool's result, or the marked message of its failure."""
        if self._only_known and request.tool is None:
            return _unknown(request)
        raised: list[Exception] = []

        async def watched(request: ToolCallRequest) -> ToolMessage | Command[Any]:
            try:
                return await handler(request)
            except Exception as error:
                raised.append(error)
                raise

        result = await super().awrap_tool_call(request, watched)
        if not raised or not isinstance(result, ToolMessage):
            return result
        tool, why = request.tool_call["name"], _why(raised[-1])
        sentence = saying("`{tool}` failed: {why}", tool=tool, why=why)  # for people
        return result.model_copy(update={"artifact": {MARK: to_json(sentence)}})


def _unknown(request: ToolCallRequest) -> ToolMessage:
    name = request.tool_call["name"]
    return ToolMessage(
        content=f"`{name}` is not a tool that people could be asked about, so it was not run.",
        name=name,
        tool_call_id=request.tool_call["id"],
        status="error",
    )


def _told_to_the_agent(error: Exception, request: ToolCallRequest) -> str | None:
    """None for what is no failure of the tool: it was not even begun, and can be tried again."""
    return None if isinstance(error, Unavailable) else _told(error, request)


def _told(error: Exception, request: ToolCallRequest) -> str:
    return f"`{request.tool_call['name']}` failed: {_why(error)}"


def _why(error: Exception) -> str:
    return cut(str(error)) or type(error).__name__


def cut(text: str) -> str:
    """On one line and at most `LONGEST` characters; without secrets, which half cut nobody would know."""
    with spoken(ENGLISH):  # it goes to the model, and into rows
        line = " ".join(masked_text(text[: 4 * LONGEST]).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def tool_failures(messages: Iterable[BaseMessage]) -> tuple[ToolFailure, ...]:
    """The marked failures among these messages."""
    return tuple(
        ToolFailure(id=message.id or message.tool_call_id, tool=message.name or "", sentence=sentence)
        for message in messages
        if isinstance(message, ToolMessage) and (sentence := failure_of(message))
    )


def failure_of(message: ToolMessage) -> str:
    """What people are told of the failure by which the message is marked; empty if it is not."""
    artifact = message.artifact
    return from_json(artifact.get(MARK)) if isinstance(artifact, dict) else ""
