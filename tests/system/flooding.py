"""A graph of a team's own that asks about many calls at once: a branch for each, and each branch asks."""

import json
import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send, interrupt

from bot import Agent
from tests.crash.program import Bookkeeper, transfer
from tests.system.agents import RUNS


class Flood(TypedDict, total=False):
    """What the graph knows."""

    messages: Annotated[list[AnyMessage], add_messages]
    ran: Annotated[list[str], operator.add]
    call: tuple[str, dict[str, Any]]


def flood(*, model: object, checkpointer: Any, middleware: list[Any]) -> Any:  # noqa: ANN401, ARG001 - the bot's call
    """The calls are the JSON list that a person writes, each `[tool, arguments]`."""

    def branches(state: Flood) -> list[Send]:
        last = state["messages"][-1]
        asks = isinstance(last, HumanMessage) and last.text.startswith("[[")
        calls = json.loads(last.text) if asks else []
        return [Send("ask", {"call": (name, arguments)}) for name, arguments in calls]

    async def ask(state: Flood) -> Flood:
        name, arguments = state["call"]
        told = interrupt(
            {
                "action_requests": [{"name": name, "args": arguments, "description": ""}],
                "review_configs": [{"action_name": name, "allowed_decisions": ["approve", "edit", "reject"]}],
            }
        )
        [decision] = told["decisions"]
        if decision["type"] == "reject":
            return {"ran": [f"not {arguments['number']}"]}
        RUNS.append((name, arguments))
        return {"ran": [f"ran {arguments['number']}"]}

    async def answer(state: Flood) -> Flood:
        return {"messages": [AIMessage("done with " + ", ".join(state["ran"]))]}

    graph = StateGraph(Flood)
    graph.add_node("ask", ask)
    graph.add_node("answer", answer)
    graph.add_conditional_edges(START, branches, ["ask"])
    graph.add_edge("ask", "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=checkpointer)


booking = Agent(
    tools=[transfer], interrupt_on={"transfer": True}, interrupt_mode="per_call", model=Bookkeeper()
)
"""Asks about each call by itself, behind the guard; what ran is in a file of the workspace."""
