"""An agent that says everything it knows, secrets too: in descriptions, results, errors and answers."""

from typing import Any

from langchain_core.tools import tool

from bot import Agent
from bot.render import Code, Fields, Text
from tests.system.agents import RUNS, WORDS, Script


@tool
def store(data: dict[str, Any], password: str) -> str:
    """Store whatever is given."""
    RUNS.append(("store", {"data": data, "password": password}))
    return f"stored with {password}: {data}"


@tool
def remember() -> str:
    """Say everything."""
    return "\n".join(WORDS["everything"])


@tool
def fail(text: str) -> str:
    """Fail, and say why."""
    raise OSError(text)


@tool
def display(data: dict[str, Any], password: str) -> str:
    """Store whatever is given, and show it first."""
    return f"displayed {len(data)} and {len(password)}"


def shows(arguments: dict[str, Any]) -> object:
    """What it was given, and what it knows besides."""
    some = WORDS["some"]
    return [
        Text(str(arguments)[:500]),
        Code("\n".join(some)),
        Fields({f"password {number}": one[:200] for number, one in enumerate(some[:9])}),
    ]


display.metadata = {"render": shows}


def described(*_: object) -> str:
    """What people are told of a call."""
    return "I store this:\n" + "\n".join(WORDS["everything"])


leaky = Agent(
    tools=[store, remember, fail, display],
    interrupt_on={
        "display": True,
        "store": {"allowed_decisions": ["approve", "edit", "reject", "respond"], "description": described},
    },
    model=Script(),
)
