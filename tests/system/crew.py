"""Two agents for one bot, which have a tool of the same name."""

from langchain_core.tools import tool

from bot import Agent
from tests.system.agents import Script, ran


@tool
def publish(page: str, token: str) -> str:
    """Publish a page."""
    return ran("publish", page=page, token=token)


@tool
def restart(host: str) -> str:
    """Restart a machine."""
    return ran("restart", host=host)


ops = Agent(
    tools=[publish, restart],
    interrupt_on={"*": True},
    model=Script(),
    description="Looks after <the> machines.",
)
docs = Agent(tools=[publish], interrupt_on={"*": True}, model=Script())
