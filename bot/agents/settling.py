"""A thread is brought to rest: every call that is open has a result in its history, and nothing runs."""

from collections.abc import Sequence
from typing import Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import START
from langgraph.graph import END
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from bot.agents.built import Graph
from bot.agents.cancelling import open_calls
from bot.agents.mending import whole
from bot.agents.snapshot import Snapshot

CUT_SHORT: Final = "(The people stopped you here. What you were about to do next was not done.)"
"""What the history holds of a stop between two steps, when no tool call is open that could tell it."""


async def settle(
    graph: Graph, config: RunnableConfig, snapshot: Snapshot, reason: str, note: Sequence[AnyMessage] = ()
) -> None:
    """End what waits: every open call fails with `reason`, and a thread that was cut off gets the `note`."""
    results = [*open_calls(snapshot, reason), *(note if snapshot.state.tasks else ())]
    if results:
        await graph.aupdate_state(config, {"messages": results}, as_node=_teller(snapshot))
    if results or snapshot.state.tasks:
        await _end(graph, config)


async def abandon(graph: Graph, config: RunnableConfig, snapshot: Snapshot, reason: str) -> None:
    """The same, where people stopped the agent.

    Where it has not answered and no call is open that could tell it, a message in the history does.
    """
    told = any(result.content == reason for result in open_calls(snapshot, reason))
    answered = not snapshot.messages or isinstance(snapshot.messages[-1], AIMessage)
    note = () if told or answered else (HumanMessage(CUT_SHORT),)
    await settle(graph, config, snapshot, reason, note)


async def mend(graph: Graph, config: RunnableConfig, snapshot: Snapshot) -> None:
    """Give a result to every call that has none although the history has gone on."""
    told = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *whole(snapshot)]
    await graph.aupdate_state(config, {"messages": told}, as_node=_teller(snapshot))
    if not snapshot.state.tasks:
        await _end(graph, config)


def _teller(snapshot: Snapshot) -> str:
    """The node in whose name results are written."""
    return min(snapshot.tool_nodes, default=START)


async def _end(graph: Graph, config: RunnableConfig) -> None:
    """An update as the end clears what would run next."""
    await graph.aupdate_state(config, None, as_node=END)
