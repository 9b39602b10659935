"""Refuses to resume when the agent's gates, or what its calls point at, have changed since people were asked.

With a gate that is gone LangChain runs a call that was rejected; with a gate that is new the decisions no
longer line up with the calls, and the thread is stuck for good. A call that points at something else by now
is another call, though it reads the same.
"""

import asyncio
from typing import Any, Final

from bot.agents.built import BuiltAgent
from bot.agents.messages import latest_message
from bot.agents.per_call import STEP, asks_each
from bot.agents.schemas import ToolSchemas, meaning
from bot.agents.snapshot import Snapshot
from bot.agents.verdicts import needs_person
from bot.approvals.approval import Action, Approval, Decided, Shape
from bot.approvals.decision import Approve, Arguments, Edit
from bot.approvals.errors import Drifted, Stale
from bot.approvals.lookups import AT_HAND
from bot.approvals.referents import Referents, still_stands
from bot.approvals.sayings import saying
from bot.approvals.words import phrase

DECISIONS: Final = phrase("the decisions that `{tool}` takes have changed since this was asked")
ARGUMENTS: Final = phrase("the arguments that `{tool}` takes have changed since this was asked")
OTHER: Final = phrase("`{tool}`, which `{asked}` was turned into, has changed since this was asked")
NOT_FOUND: Final = phrase("what `{tool}` points at could not be looked up again: {problem}")
MOVED: Final = phrase("what `{tool}` points at has changed since this was asked")


def refuse_drift(agent: BuiltAgent, schemas: ToolSchemas, snapshot: Snapshot, approval: Approval) -> None:
    """`Drifted` if people would be asked about other calls now, for other decisions, or in another form.

    What an approval keeps of its gates (tools, decisions, schemas) is its fingerprint; it is compared whole.
    """
    if agent.gates is None or not is_langchains(snapshot, approval):
        return
    _refuse_other_mode(agent, snapshot, approval)
    expected = [(call["name"], call["args"]) for call in _gated(agent, snapshot, approval)]
    if expected != [(action.tool, dict(action.arguments)) for action in approval.actions]:
        raise Drifted(saying("the agent's gates have changed since this was asked"))
    for action in approval.actions:
        if action.allowed != frozenset(agent.gates[action.tool].allowed):
            raise Drifted(saying(DECISIONS, tool=action.tool))
        if meaning(action.schema) != meaning(schemas.schema(action.tool)):
            raise Drifted(saying(ARGUMENTS, tool=action.tool))
        _refuse_other_target(schemas, action)


def _refuse_other_mode(agent: BuiltAgent, snapshot: Snapshot, approval: Approval) -> None:
    """Each of LangChain's ways to ask takes no answer of the other's.

    From one about all calls there is a way back to its step. Where each was asked at its own door, some have
    run; to ask about all at once would be to ask about these too.
    """
    at_door = asks_at_door(snapshot, approval)
    if agent.asks_each and not at_door:
        raise Drifted(saying("the agent asks about each call by itself by now"))
    if at_door and not agent.asks_each:
        raise Stale(saying("the agent asks about all calls of a step at once by now"))


def _refuse_other_target(schemas: ToolSchemas, action: Action) -> None:
    """The tool that an edit turned the call into is there, and takes what it took."""
    tool = action.asked.tool
    if tool == action.tool or not action.decided:
        return
    if meaning(action.targets[tool]) != meaning(schemas.schema(tool)):
        raise Drifted(saying(OTHER, tool=tool, asked=action.tool))


async def refuse_moved(schemas: ToolSchemas, approval: Approval) -> None:
    """`Drifted` if a call that is to run points at something else than when people let it."""
    if approval.shape is Shape.BATCHED:
        await asyncio.gather(*(_refuse_moved(schemas, action) for action in approval.actions))


async def _refuse_moved(schemas: ToolSchemas, action: Action) -> None:
    if (let := _let(action)) is None:
        return
    tool, arguments, before = let
    now = await schemas.referents(tool, arguments, within=AT_HAND)
    if now and now.problem:
        raise Drifted(saying(NOT_FOUND, tool=tool, problem=now.problem))
    if not still_stands(before, now):
        raise Drifted(saying(MOVED, tool=tool))


def _let(action: Action) -> tuple[str, Arguments, Referents | None] | None:
    """What people let run, and what it pointed at; None if nothing is to run.

    What is let through without them is for the guard alone: to ask again what nobody is asked has no end.
    """
    match action.outcome:
        case Decided(decision=Approve()):
            return action.tool, action.arguments, action.referents
        case Decided(decision=Edit(arguments=arguments, tool=other)):
            return other or action.tool, arguments, action.edit.referents if action.edit else None
        case _:
            return None


def is_langchains(snapshot: Snapshot, approval: Approval) -> bool:
    """Whether it is LangChain's own approval that asks."""
    return asks_at_door(snapshot, approval) or any(
        task.name == STEP and interrupt.id == approval.interrupt for task, interrupt in snapshot.waiting
    )


def asks_at_door(snapshot: Snapshot, approval: Approval) -> bool:
    """Whether it asks about one call, at the call's own door."""
    return any(
        task.name in snapshot.tool_nodes and interrupt.id == approval.interrupt and asks_each(interrupt.value)
        for task, interrupt in snapshot.waiting
    )


def _gated(agent: BuiltAgent, snapshot: Snapshot, approval: Approval) -> list[Any]:
    message = latest_message(snapshot.messages)
    gates = agent.gates or {}
    state = {**snapshot.state.values, "messages": list(snapshot.messages)}
    only = {action.call for action in approval.actions} if agent.asks_each else None
    return [
        call
        for call in (message.tool_calls if message else ())
        if call["name"] in gates and needs_person(state, call) and (only is None or call["id"] in only)
    ]
