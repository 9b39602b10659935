"""A graph of the team's own, made by their function: what it gets, and which promises it cannot keep."""

import inspect
from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode

from bot.agents.built import BuiltAgent, Graph
from bot.agents.errors import BadAgent
from bot.agents.failures import GUARD_KEY, ToolFailures
from bot.agents.guard import JOURNAL_KEY, Guard
from bot.approvals.ports import Journal


def from_builder(
    builder: Callable[..., object],
    name: str,
    model: BaseChatModel | None,
    checkpointer: BaseCheckpointSaver[Any],
    journal: Journal | None = None,
) -> BuiltAgent:
    """The graph that the function returns for this model and checkpointer."""
    if not callable(builder):
        raise BadAgent(f"The agent must be an Agent or a function that builds a graph, not {builder!r}.")
    given = {
        "model": model,
        "checkpointer": checkpointer,
        "middleware": [ToolFailures(), *([Guard(journal)] if journal else [])],
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
        description=next(iter((inspect.getdoc(builder) or "").splitlines()), ""),
        warnings=_promises(graph, checkpointer, guarded=journal is not None),
    )


def _promises(graph: Graph, checkpointer: BaseCheckpointSaver[Any], *, guarded: bool) -> tuple[str, ...]:
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
    if guarded and not any(JOURNAL_KEY in part.channels for part in _parts(graph)):
        warnings.append(
            "The graph leaves out the middleware that guards execution: "
            "after a crash a tool may run twice, and a call that was rejected runs if its gate is gone."
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
