"""An agent of many steps: some are free, some are asked about, one takes until the test says so."""

from bot import Agent
from tests.system.agents import Script, lookup, store, transfer, wait

busy = Agent(
    tools=[lookup, wait, transfer, store],
    interrupt_on={"transfer": True, "store": True, "lookup": False, "wait": False},
    model=Script(),
)
