"""Refuses to resume when the agent's gates are others than when people were asked.

With a gate that is gone LangChain runs a call that was rejected; with a gate that is new the decisions no
longer line up with the calls, and the thread is stuck for good.
"""

from typing import Any, Final

from bot.agents.built import BuiltAgent
from bot.agents.messages import latest_message
from bot.agents.snapshot import Snapshot
from bot.agents.verdicts import needs_person
from bot.agents.wire import kind_told
from bot.approvals.approval import Approval
from bot.approvals.errors import Stale

_OURS: Final = "HumanInTheLoopMiddleware.after_model"


def refuse_drift(agent: BuiltAgent, snapshot: Snapshot, approval: Approval) -> None:
    """`Stale` if LangChain would ask about other calls now, or not take these decisions."""
    if agent.gates is None or not _is_ours(snapshot, approval):
        return
    expected = [(call["name"], call["args"]) for call in _gated(agent, snapshot)]
    if expected != [(action.tool, dict(action.arguments)) for action in approval.actions]:
        raise Stale("the agent's gates have changed since this was asked")
    for action in approval.actions:
        told = kind_told(action)
        if action.outcome and told and told not in agent.gates[action.tool].allowed:
            raise Stale(f"the decisions that `{action.tool}` takes have changed since this was asked")


def _is_ours(snapshot: Snapshot, approval: Approval) -> bool:
    return any(
        task.name == _OURS and interrupt.id == approval.interrupt for task, interrupt in snapshot.waiting
    )


def _gated(agent: BuiltAgent, snapshot: Snapshot) -> list[Any]:
    message = latest_message(snapshot.messages)
    gates = agent.gates or {}
    state = {**snapshot.state.values, "messages": list(snapshot.messages)}
    return [
        call
        for call in (message.tool_calls if message else ())
        if call["name"] in gates and needs_person(state, call)
    ]
