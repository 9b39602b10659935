"""An agent that says everything it knows, secrets too: in descriptions, results, errors and answers."""

from typing import Any

from langchain_core.tools import tool

from bot import Agent
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


def described(*_: object) -> str:
    """What people are told of a call."""
    return "I store this:\n" + "\n".join(WORDS["everything"])


leaky = Agent(
    tools=[store, remember, fail],
    interrupt_on={
        "store": {"allowed_decisions": ["approve", "edit", "reject", "respond"], "description": described}
    },
    model=Script(),
)
