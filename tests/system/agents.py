"""Agents of a team's own, as `BOT_AGENT` names them, and what their tools did.

Their model follows the script that a person writes: a JSON list of rounds, each a list of
`[tool, arguments]`. After the last round it says what the tools told it, so that a test reads it in Slack.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel, Field

from bot import Agent

RUNS: list[tuple[str, dict[str, Any]]] = []
"""Every execution of a tool in this process, in order."""

WORDS: dict[str, Any] = {}
"""What `"$name"` in a script stands for, where a message in Slack could not carry it."""

FAIL: list[str] = []
"""What fails the next time it is used: "model", or a tool's name."""


class Script(BaseChatModel):
    """Follows the script in the last thing a person said."""

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "Script":  # noqa: ANN401, ARG002
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401, ARG002
        if "model" in FAIL:
            FAIL.remove("model")
            raise ConnectionError("sk-this-is-a-secret is not a valid key")
        last = max(index for index, message in enumerate(messages) if isinstance(message, HumanMessage))
        done = [message for message in messages[last:] if isinstance(message, AIMessage)]
        script = str(messages[last].content)
        rounds = json.loads(script) if script.startswith("[") else []
        told = [message for message in messages[last:] if isinstance(message, ToolMessage)]
        if len(done) >= len(rounds):
            said = "\n".join(f"{message.name}: {message.text}" for message in told)
            return _says(AIMessage(f"```\n{said or f'heard {script}'}\n```"))
        calls = [
            {"name": name, "args": _spelled_out(args), "id": f"call-{last}-{len(done)}-{number}"}
            for number, (name, args) in enumerate(rounds[len(done)])
        ]
        return _says(AIMessage("", tool_calls=calls))


def _spelled_out(value: Any) -> Any:  # noqa: ANN401 - any JSON
    match value:
        case str() if value.startswith("$"):
            return WORDS[value[1:]]
        case dict():
            return {name: _spelled_out(inner) for name, inner in value.items()}
        case _:
            return value


def _says(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def ran(name: str, **arguments: Any) -> str:  # noqa: ANN401 - whatever a tool takes
    RUNS.append((name, arguments))
    if name in FAIL:
        FAIL.remove(name)
        raise OSError("the bank is closed")
    return f"{name} done with {json.dumps(arguments, default=str, sort_keys=True)}"


class Currency(StrEnum):
    EURO = "EUR"
    FRANC = "CHF"


class Line(BaseModel):
    text: str
    amount: float = 0


@tool
def transfer(amount: float, to: str) -> str:
    """Send money."""
    return ran("transfer", amount=amount, to=to)


@tool
def invoice(  # noqa: PLR0917 - one argument of every kind
    number: int,
    customer: str,
    total: Annotated[float, Field(gt=0)],
    urgent: bool,  # noqa: FBT001 - a tool's argument
    currency: Currency,
    due: date,
    lines: list[Line],
    note: str | None = None,
) -> str:
    """Write an invoice."""
    return ran(
        "invoice",
        number=number,
        customer=customer,
        total=total,
        urgent=urgent,
        currency=currency.value,
        due=due.isoformat(),
        lines=[line.model_dump() for line in lines],
        note=note,
    )


@tool
def lookup(what: str) -> str:
    """Look something up; free."""
    return ran("lookup", what=what)


@tool
def ask_user(question: str) -> str:
    """Ask the people."""
    return ran("ask_user", question=question)


@tool
def choose(question: str, choices: list[str]) -> str:
    """Ask the people to choose."""
    return ran("choose", question=question, choices=choices)


@tool
def store(data: dict[str, Any]) -> str:
    """Store whatever is given."""
    return ran("store", size=len(json.dumps(data)))


TOOLS = [transfer, invoice, lookup, ask_user, choose, store]

bank = Agent(
    tools=TOOLS,
    interrupt_on={
        ("transfer", "invoice", "store"): True,
        ("ask_user", "choose"): {"allowed_decisions": ["respond"]},
        "lookup": False,
        "*": True,
    },
    model=Script(),
)


class Gatekeeper(AgentMiddleware[AgentState[Any], Any, Any]):
    """A team's own approval, in LangChain's shape, that is not LangChain's middleware."""

    def after_model(self, state: AgentState[Any], runtime: object) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's signature
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not last.tool_calls:
            return None
        told = interrupt(
            {
                "action_requests": [
                    {"name": call["name"], "args": call["args"], "description": "The gatekeeper asks."}
                    for call in last.tool_calls
                ],
                "review_configs": [
                    {"action_name": call["name"], "allowed_decisions": ["approve", "reject"]}
                    for call in last.tool_calls
                ],
            }
        )
        refused = [
            ToolMessage(f"refused: {decision.get('message')}", tool_call_id=call["id"], name=call["name"])
            for call, decision in zip(last.tool_calls, told["decisions"], strict=True)
            if decision["type"] == "reject"
        ]
        return {"messages": refused}


gatekept = Agent(tools=TOOLS, interrupt_on={}, model=Script(), middleware=[Gatekeeper()])


def questioner(*, model: object, checkpointer: Any, middleware: list[Any]) -> Any:  # noqa: ANN401, ARG001 - the bot's call
    """A graph of a team's own that asks a plain question."""

    async def ask(state: AgentState[Any]) -> dict[str, Any]:  # noqa: ARG001 - LangGraph's signature
        region = interrupt("Which region? <!channel>")
        return {"messages": [AIMessage(f"Going to {region}.")]}

    graph = StateGraph(AgentState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    return graph.compile(checkpointer=checkpointer)


@dataclass
class Waiting:
    """What a test and the tool `wait` tell each other; new for each test, as events belong to one loop."""

    begins: asyncio.Event = field(default_factory=asyncio.Event)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)


WAITING = [Waiting()]
"""The one that counts now."""


@tool
async def wait(name: str) -> str:
    """Take until the test says so."""
    RUNS.append(("wait", {"name": name}))
    WAITING[0].begins.set()
    await WAITING[0].may_end.wait()
    return "waited"


slow = Agent(tools=[wait, lookup], interrupt_on={"wait": False}, model=Script())

stricter = Agent(
    tools=TOOLS, interrupt_on={"transfer": {"allowed_decisions": ["approve", "reject"]}}, model=Script()
)
"""`bank`, deployed anew with another gate."""

each = Agent(
    tools=[*TOOLS, wait],
    interrupt_on={"lookup": False, "*": True},
    interrupt_mode="per_call",
    model=Script(),
)
"""Asks about each call by itself."""

each_stricter = Agent(
    tools=[*TOOLS, wait],
    interrupt_on={"lookup": False, "*": {"allowed_decisions": ["approve", "reject"]}},
    interrupt_mode="per_call",
    model=Script(),
)
"""`each`, deployed anew with other gates."""
