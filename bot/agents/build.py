"""Builds the graph behind all threads from what a team wrote down."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain.agents import create_agent
from langchain.agents.middleware import InterruptOnConfig
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver

from bot.agents.agent import EDIT_NOTICE, Agent
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.checks import PER_CALL, check_middleware, check_settings, is_brought, tools_of
from bot.agents.descriptions import describe
from bot.agents.errors import BadAgent
from bot.agents.failures import ToolFailures
from bot.agents.feedback import Approving, Feedback, read_feedback
from bot.agents.gates import EVERY_OTHER, Gate, expand
from bot.agents.guard import Guard
from bot.agents.models import chat_model
from bot.agents.own_graphs import from_builder
from bot.agents.per_call import ApprovingEach
from bot.agents.verdicts import Verdicts, kept_verdict
from bot.approvals.ports import Journal

__all__ = ["BuiltAgent", "GraphBuilder", "build"]


def build(
    source: Agent | GraphBuilder,
    *,
    name: str,
    model: str | BaseChatModel | None,
    checkpointer: BaseCheckpointSaver[Any] | None,
    journal: Journal | None = None,
) -> BuiltAgent:
    """The agent as it runs; `BadAgent` with one sentence if it cannot.

    `model` is the operator's choice; an `Agent` that names its own keeps it. Without a `journal` nothing
    guards the tools: that is for looking at an agent, not for running one.
    """
    if not isinstance(checkpointer, BaseCheckpointSaver):
        raise BadAgent("The agent needs a checkpointer, or nothing could wait for a person.")
    if isinstance(source, Agent):
        return _from_agent(source, name, model, checkpointer, journal)
    return from_builder(source, name, _model(model) if model is not None else None, checkpointer, journal)


def _from_agent(
    agent: Agent,
    name: str,
    model: str | BaseChatModel | None,
    checkpointer: BaseCheckpointSaver[Any],
    journal: Journal | None,
) -> BuiltAgent:
    check_settings(agent)
    check_middleware(agent.middleware)
    provided = [tool for tool in agent.tools if isinstance(tool, dict)]
    tools = tools_of(agent)
    gates = expand(agent.interrupt_on, tools)
    feedback = read_feedback(agent.feedback)
    own = [tool for tool in tools.values() if not is_brought(tool, agent.middleware)]
    failures = ToolFailures(only_known=bool(agent.interrupt_on.get(EVERY_OTHER)))
    guard = [Guard(journal, gates, feedback)] if journal else []
    graph = create_agent(
        _model(agent.model if agent.model is not None else model),
        tools=[*own, *provided],
        system_prompt=agent.system_prompt,
        middleware=[
            _approval(agent, gates, tools, feedback),
            Verdicts(gates),
            failures,
            *agent.middleware,
            *guard,
        ],
        checkpointer=checkpointer,
    )
    return BuiltAgent(
        name=name,
        graph=graph,
        tools=tools,
        gates=gates,
        asks_each=agent.interrupt_mode == PER_CALL,
        feedback=feedback,
        policy=agent.policy,
        description=" ".join((agent.description or "").split()),
        warnings=_ungated(agent, provided),
    )


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


def _approval(
    agent: Agent, gates: Mapping[str, Gate], tools: Mapping[str, BaseTool], feedback: Feedback
) -> Approving:
    if feedback.edited is not None and agent.edit_notice != EDIT_NOTICE:
        raise BadAgent("`edit_notice` and the `edited` of `feedback` say the same; keep one of them.")
    notice = feedback.of_edited() or agent.edit_notice
    interrupt_on: dict[str, bool | InterruptOnConfig] = {
        name: InterruptOnConfig(
            allowed_decisions=[kind.value for kind in gate.allowed],
            description=cast("Any", describe(gate, tools[name], agent.description_prefix)),
            when=kept_verdict,
        )
        for name, gate in gates.items()
    }
    approving = ApprovingEach if agent.interrupt_mode == PER_CALL else Approving
    return approving(interrupt_on, description_prefix=agent.description_prefix, edit_notice=notice)


def _ungated(agent: Agent, provided: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    if not provided or not agent.interrupt_on.get(EVERY_OTHER):
        return ()
    named = ", ".join(str(tool.get("name") or tool.get("type")) for tool in provided)
    return (f"Tools that run at the model's provider cannot be asked about: {named}.",)
