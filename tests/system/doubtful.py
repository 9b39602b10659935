"""An agent whose tool can be told to kill the bot, for tests that run the bot as a process."""

import os
import signal
from pathlib import Path

from langchain_core.tools import tool

from bot import Agent, idempotency_key
from tests.system.agents import Script

FOLDER = Path(os.environ.get("BOT_WORKSPACE", "."))


@tool
async def pay(amount: int, to: str) -> str:
    """Pay; a file called `die` ends the process after the payment."""
    with (FOLDER / "paid").open("a") as paid:
        paid.write(f"{amount} {to} {idempotency_key()}\n")
    if (FOLDER / "die").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return f"receipt for {amount}"


agent = Agent(tools=[pay], interrupt_on={"pay": True}, model=Script())
