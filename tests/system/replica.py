"""One replica of the bot as a process: `serve`, with a lease that a test can wait for.

What its tools did is appended to a file that all replicas share.
"""

import os
from pathlib import Path

from langchain_core.tools import tool

from bot import Agent
from bot.cli import main
from bot.jobs import postgres
from tests.system.agents import Script

LEASE = 4.0


@tool
def transfer(amount: float, to: str) -> str:
    """Send money."""
    line = f"{to} {amount}\n".encode()
    file = os.open(Path(os.environ["HOME"]) / "runs", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, line)
    os.close(file)
    return f"transfer done with {to}"


bank = Agent(tools=[transfer], interrupt_on={"*": True}, model=Script())

if __name__ == "__main__":
    vars(postgres)["LEASE"] = LEASE  # shorter than any operator would have it
    main()
