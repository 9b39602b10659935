"""Builds the graph behind all threads from what a team wrote down."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias, cast

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, InterruptOnConfig
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode

from bot.agents.agent import Agent, ArgsSchema
from bot.agents.descriptions import describe
from bot.agents.errors import BadAgent
from bot.agents.failures import GUARD_KEY, ToolFailures
from bot.agents.gates import EVERY_OTHER, Gate, expand
from bot.agents.models import chat_model
from bot.agents.verdicts import Verdicts, kept_verdict

RECURSION_LIMIT: Final = 250
"""Steps of one run. A round of model and tools takes four, so this is about sixty rounds; LangChain's
own limit, 9 999, would let a confused model spend all night."""

Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
Middleware: TypeAlias = AgentMiddleware[Any, Any, Any]
_HOOKS: Final = ("before_agent", "before_model", "after_model", "after_agent")


class GraphBuilder(Protocol):
    """A team's own function from model, checkpointer and guarding middleware to a compiled graph."""

    def __call__(
        self,
        *,
        model: BaseChatModel | None,
        checkpointer: BaseCheckpointSaver[Any],
        middleware: list[Middleware],
    ) -> Graph:
        """The graph, compiled with this checkpointer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltAgent:
    """A graph that can run, and what is known about its tools."""

    name: str
    graph: Graph
    tools: Mapping[str, BaseTool]
    gates: Mapping[str, Gate] | None
    """By tool; None for a graph of the team's own, whose gates cannot be seen."""
    warnings: tuple[str, ...] = ()
    """Sentences for the operator: promises that this agent cannot keep."""

    @property
    def args_schemas(self) -> Mapping[str, ArgsSchema]:
        """What shapes the edit form instead of the tool's own schema."""
        gates = (self.gates or {}).values()
        return {gate.tool: gate.args_schema for gate in gates if gate.args_schema is not None}


def build(
    source: Agent | GraphBuilder,
    *,
    name: str,
    model: str | BaseChatModel | None,
    checkpointer: BaseCheckpointSaver[Any] | None,
) -> BuiltAgent:
    """The agent as it runs; `BadAgent` with one sentence if it cannot.

    `model` is the operator's choice; an `Agent` that names its own keeps it.
    """
    if not isinstance(checkpointer, BaseCheckpointSaver):
        raise BadAgent("The agent needs a checkpointer, or nothing could wait for a person.")
    if isinstance(source, Agent):
        return _from_agent(source, name, model, checkpointer)
    return _from_builder(source, name, model, checkpointer)


def _from_agent(
    agent: Agent, name: str, model: str | BaseChatModel | None, checkpointer: BaseCheckpointSaver[Any]
) -> BuiltAgent:
    _check_texts(agent)
    _check_middleware(agent.middleware)
    provided = [tool for tool in agent.tools if isinstance(tool, dict)]
    tools = _tools(agent)
    gates = expand(agent.interrupt_on, tools)
    own = [tool for tool in tools.values() if not _brought(tool, agent.middleware)]
    graph = create_agent(
        _model(agent.model if agent.model is not None else model),
        tools=[*own, *provided],
        system_prompt=agent.system_prompt,
        middleware=[_approval(agent, gates, tools), Verdicts(gates), ToolFailures(), *agent.middleware],
        checkpointer=checkpointer,
    )
    return BuiltAgent(name=name, graph=graph, tools=tools, gates=gates, warnings=_ungated(agent, provided))


def _model(model: str | BaseChatModel | None) -> BaseChatModel:
    match model:
        case None:
            raise BadAgent(
                "The agent names no model: set BOT_MODEL to provider:model, or give the Agent one."
            )
        case str():
            return chat_model(model)
        case BaseChatModel():
            return model
        case _:
            raise BadAgent(f"`model` must be a chat model or provider:model, not {type(model).__name__}.")


def _check_texts(agent: Agent) -> None:
    if agent.interrupt_mode == "per_call":
        raise BadAgent("`interrupt_mode='per_call'` comes later; use 'batched', which is the default.")
    if agent.interrupt_mode != "batched":
        raise BadAgent(f"`interrupt_mode` must be 'batched', not {agent.interrupt_mode!r}.")
    for field in ("system_prompt", "description_prefix", "edit_notice"):
        told = getattr(agent, field)
        if not isinstance(told, str) and (told is not None or field == "description_prefix"):
            raise BadAgent(f"`{field}` must be text, not {type(told).__name__}.")


def _check_middleware(middleware: Sequence[object]) -> None:
    if not isinstance(middleware, list | tuple):
        raise BadAgent(f"`middleware` must be a list, not {type(middleware).__name__}.")
    names: set[str] = {Verdicts.__name__, ToolFailures.__name__}
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


def _jumps_to_tools(part: Middleware) -> str | None:
    for hook in _HOOKS:
        for method in (getattr(type(part), hook, None), getattr(type(part), f"a{hook}", None)):
            if "tools" in (getattr(method, "__can_jump_to__", None) or ()):
                return hook
    return None


def _tools(agent: Agent) -> dict[str, BaseTool]:
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


def _brought(tool: BaseTool, middleware: Sequence[Middleware]) -> bool:
    return any(
        _as_tool(given).name == tool.name for part in middleware for given in getattr(part, "tools", ())
    )


def _approval(
    agent: Agent, gates: Mapping[str, Gate], tools: Mapping[str, BaseTool]
) -> HumanInTheLoopMiddleware[Any, Any, Any]:
    interrupt_on: dict[str, bool | InterruptOnConfig] = {
        name: InterruptOnConfig(
            allowed_decisions=[kind.value for kind in gate.allowed],
            description=cast("Any", describe(gate, tools[name], agent.description_prefix)),
            when=kept_verdict,
        )
        for name, gate in gates.items()
    }
    return HumanInTheLoopMiddleware(
        interrupt_on, description_prefix=agent.description_prefix, edit_notice=agent.edit_notice
    )


def _ungated(agent: Agent, provided: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    if not provided or not agent.interrupt_on.get(EVERY_OTHER):
        return ()
    named = ", ".join(str(tool.get("name") or tool.get("type")) for tool in provided)
    return (f"Tools that run at the model's provider cannot be asked about: {named}.",)


def _from_builder(
    builder: Callable[..., object],
    name: str,
    model: str | BaseChatModel | None,
    checkpointer: BaseCheckpointSaver[Any],
) -> BuiltAgent:
    if not callable(builder):
        raise BadAgent(f"The agent must be an Agent or a function that builds a graph, not {builder!r}.")
    given = {
        "model": _model(model) if model is not None else None,
        "checkpointer": checkpointer,
        "middleware": [ToolFailures()],
    }
    try:
        inspect.signature(builder).bind(**given)
    except TypeError as error:
        raise BadAgent(
            f"The function {name!r} must take model, checkpointer and middleware by keyword: {error}."
        ) from error
    graph = builder(**given)
    if not isinstance(graph, CompiledStateGraph):
        raise BadAgent(f"The function {name!r} must return a compiled graph, not {type(graph).__name__}.")
    return BuiltAgent(
        name=name,
        graph=graph,
        tools=_tools_of(graph),
        gates=None,
        warnings=_promises(graph, checkpointer),
    )


def _promises(graph: Graph, checkpointer: BaseCheckpointSaver[Any]) -> tuple[str, ...]:
    own = graph.checkpointer
    if not isinstance(own, BaseCheckpointSaver):
        raise BadAgent(
            "The graph has no checkpointer, so nothing could wait for a person; compile it with one."
        )
    warnings = []
    if isinstance(own, InMemorySaver):
        warnings.append("The graph keeps its state in memory: a restart forgets what waits for people.")
    elif own is not checkpointer:
        warnings.append("The graph uses a checkpointer of its own, so its file is not protected by the bot.")
    if not any(GUARD_KEY in part.channels for part in _parts(graph)):
        warnings.append(
            "The graph leaves out the middleware that guards execution: "
            "a tool that raises ends the run and may run again when it is tried once more."
        )
    return tuple(warnings)


def _tools_of(graph: Graph) -> dict[str, BaseTool]:
    tools: dict[str, BaseTool] = {}
    for part in _parts(graph):
        for node in part.nodes.values():
            if isinstance(node.bound, ToolNode):
                tools.update(node.bound.tools_by_name)
    return tools


def _parts(graph: Graph) -> list[Any]:
    return [graph, *(part for _, part in graph.get_subgraphs(recurse=True))]
