"""What a team writes down to have its agent behind the bot."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain.agents.middleware.types import AgentState, ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from pydantic import BaseModel

from bot.policy_python import Policy

When: TypeAlias = Callable[[ToolCallRequest], bool]
Describe: TypeAlias = Callable[[ToolCall, AgentState[Any], Runtime[Any]], str]
ArgsSchema: TypeAlias = type[BaseModel] | dict[str, Any]

_DEFAULTS: Final = inspect.signature(HumanInTheLoopMiddleware).parameters
DESCRIPTION_PREFIX: Final[str] = _DEFAULTS["description_prefix"].default
EDIT_NOTICE: Final[str] = _DEFAULTS["edit_notice"].default


class InterruptOn(TypedDict):
    """When and how people are asked about a tool; LangChain's `InterruptOnConfig`."""

    allowed_decisions: list[Literal["approve", "edit", "reject", "respond"]]
    description: NotRequired[str | Describe]
    when: NotRequired[When]
    """Asked for every call; only an explicit `False` lets the call through."""
    args_schema: NotRequired[ArgsSchema]
    """Shapes and checks the edit form, instead of the tool's own schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent with people between it and its tools. The words are LangChain's.

    Nothing is checked here: the bot checks everything at start, against the agent's real tools, and
    refuses to start with one sentence.
    """

    tools: Sequence[BaseTool | Callable[..., Any] | dict[str, Any]]
    interrupt_on: Mapping[Any, bool | InterruptOn]
    """By tool name, by a tuple of tool names, or `"*"` for every tool not named. The more specific
    entry wins; `True` asks with all four decisions, `False` lets a tool through."""
    system_prompt: str | None = None
    model: str | BaseChatModel | None = None
    """`None` takes `BOT_MODEL`."""
    middleware: Sequence[AgentMiddleware[Any, Any, Any]] = field(default=())
    """Runs inside the approval: what it does to a call happens after people were asked."""
    interrupt_mode: Literal["batched", "per_call"] = "batched"
    """`batched`: nothing of a step runs before all of it is decided. `per_call`: each call runs as soon as it
    is decided, and what nobody has to approve runs at once."""
    description_prefix: str = DESCRIPTION_PREFIX
    """How the description begins of a tool whose entry has none."""
    edit_notice: str | None = EDIT_NOTICE
    """What the model is told before the result of a call that a person edited; `None`: nothing."""
    feedback: Mapping[str, str] = field(default_factory=dict)
    """The team's words for what the model is told: `rejected` (with `{tool}` and `{reason}`), `expired` and
    `skipped` (with `{tool}`), and `edited`, which is another name for `edit_notice`."""
    description: str | None = None
    """What it is for, in a line: told to people where the bot has several agents. `None`: its tools are."""
    policy: Policy | None = None
    """Who may decide about what, in Python, with functions where a file cannot say it. Where there is a
    policy file as well, the file goes first; the log at start says so."""
