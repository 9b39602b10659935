"""What comes out of building: a graph that can run, and what is known about its tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from bot.agents.agent import ArgsSchema
from bot.agents.feedback import USUAL, Feedback
from bot.agents.gates import Gate
from bot.policy_python import Policy

RECURSION_LIMIT: Final = 250
"""Steps of one run. A round of model and tools takes four, so this is about sixty rounds; LangChain's
own limit, 9 999, would let a confused model spend all night."""

Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
Middleware: TypeAlias = AgentMiddleware[Any, Any, Any]


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
    asks_each: bool = False
    """Whether an `Agent` asks about each call by itself, see `per_call`."""
    feedback: Feedback = USUAL
    """What the agent is told of calls that did not run as it wanted; of an `Agent`'s own gates alone."""
    policy: Policy | None = None
    """What an `Agent` carries."""
    description: str = ""
    """What it is for, in a line; empty where nobody says it."""
    warnings: tuple[str, ...] = ()
    """Sentences for the operator: promises that this agent cannot keep."""

    @property
    def args_schemas(self) -> Mapping[str, ArgsSchema]:
        """What shapes the edit form instead of the tool's own schema."""
        gates = (self.gates or {}).values()
        return {gate.tool: gate.args_schema for gate in gates if gate.args_schema is not None}
