"""What can be wrong with an `Agent` before its gates are looked at; each is one sentence."""

from collections.abc import Sequence
from typing import Any, Final

from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode

from bot.agents.agent import Agent
from bot.agents.errors import BadAgent
from bot.agents.failures import ToolFailures
from bot.agents.guard import Guard
from bot.agents.verdicts import Verdicts

PER_CALL: Final = "per_call"
MODES: Final = ("batched", PER_CALL)
"""How people are asked: about all calls of a step at once, or about each at its own door."""

_HOOKS: Final = ("before_agent", "before_model", "after_model", "after_agent")


def check_settings(agent: Agent) -> None:
    """Mode and texts are ones that work."""
    if agent.interrupt_mode not in MODES:
        raise BadAgent(f"`interrupt_mode` must be 'batched' or 'per_call', not {agent.interrupt_mode!r}.")
    for field in ("system_prompt", "description", "description_prefix", "edit_notice"):
        told = getattr(agent, field)
        if not isinstance(told, str) and (told is not None or field == "description_prefix"):
            raise BadAgent(f"`{field}` must be text, not {type(told).__name__}.")


def check_middleware(middleware: Sequence[object]) -> None:
    """The team's middleware leaves the approval in force."""
    if not isinstance(middleware, list | tuple):
        raise BadAgent(f"`middleware` must be a list, not {type(middleware).__name__}.")
    names: set[str] = {Verdicts.__name__, ToolFailures.__name__, Guard.__name__}
    for part in middleware:
        if not isinstance(part, AgentMiddleware):
            raise BadAgent(f"`middleware` holds {part!r}, which is no AgentMiddleware instance.")
        if isinstance(part, HumanInTheLoopMiddleware):
            raise BadAgent(
                "`middleware` holds a second HumanInTheLoopMiddleware; put its entries into `interrupt_on`."
            )
        if part.name in names:
            raise BadAgent(f"`middleware` holds two parts with the name {part.name!r}.")
        names.add(part.name)
        if hook := _jumps_to_tools(part):
            raise BadAgent(
                f"The middleware {part.name!r} can jump from `{hook}` straight to the tools, "
                "which would run calls that nobody approved."
            )


def _jumps_to_tools(part: AgentMiddleware[Any, Any, Any]) -> str | None:
    for hook in _HOOKS:
        for method in (getattr(type(part), hook, None), getattr(type(part), f"a{hook}", None)):
            if "tools" in (getattr(method, "__can_jump_to__", None) or ()):
                return hook
    return None


def tools_of(agent: Agent) -> dict[str, BaseTool]:
    """By name, as the graph's own tool node makes them; those that middleware brings come first."""
    if not isinstance(agent.tools, list | tuple):
        raise BadAgent(f"`tools` must be a list, not {type(agent.tools).__name__}.")
    tools: dict[str, BaseTool] = {}
    brought = [tool for part in agent.middleware for tool in getattr(part, "tools", ())]
    for given in [*brought, *(tool for tool in agent.tools if not isinstance(tool, dict))]:
        tool = _as_tool(given)
        if tool.name in tools:
            raise BadAgent(f"Two tools are called {tool.name!r}; a gate could not tell them apart.")
        tools[tool.name] = tool
    return tools


def _as_tool(given: object) -> BaseTool:
    if not isinstance(given, BaseTool) and not callable(given):
        raise BadAgent(f"`tools` holds {given!r}, which is neither a tool nor a function.")
    try:
        (tool,) = ToolNode([given]).tools_by_name.values()
    except (ValueError, TypeError, NameError) as error:
        raise BadAgent(f"`tools` holds {given!r}, which cannot become a tool: {error}") from error
    return tool


def is_brought(tool: BaseTool, middleware: Sequence[AgentMiddleware[Any, Any, Any]]) -> bool:
    """Whether middleware brings this tool, so that the graph has it already."""
    return any(
        _as_tool(given).name == tool.name for part in middleware for given in getattr(part, "tools", ())
    )
