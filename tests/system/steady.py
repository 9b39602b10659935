"""An agent with calls that last until the test says so: `wait`, about which nobody is asked, and `hold`."""

from langchain_core.tools import tool

from bot import Agent
from tests.system.agents import RUNS, WAITING, Script, transfer, wait


@tool
async def hold(name: str) -> str:
    """Take until the test says so."""
    RUNS.append(("hold", {"name": name}))
    await WAITING[0].may_end.wait()
    return "held"


careful = Agent(
    tools=[transfer, wait, hold], interrupt_on={"wait": False, "hold": True, "*": True}, model=Script()
)
