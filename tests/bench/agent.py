"""The agent of the benchmarks: one gated tool, which writes down when its body starts."""

import os
import time
from pathlib import Path
from typing import Final

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

from bot import Agent
from tests.system.agents import Script

STARTS: Final = "BENCH_STARTS"
"""The environment's name for the file that says when tools started."""


@tool
def transfer(amount: float, to: str, config: RunnableConfig) -> str:
    """Send money."""
    now = time.monotonic()  # of the machine, so that another process can compare it
    line = f"{config['configurable']['thread_id']} {now}\n".encode()
    file = os.open(os.environ[STARTS], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, line)
    os.close(file)
    return f"{amount} for {to}"


bank = Agent(tools=[transfer], interrupt_on={"transfer": True}, model=Script())


def starts(file: Path) -> dict[str, float]:
    """By thread, the monotonic second in which its tool started; `RuntimeError` if one did twice."""
    lines = file.read_text().splitlines() if file.exists() else []
    found = {thread: float(at) for thread, at in map(str.split, lines)}
    if len(found) < len(lines):
        raise RuntimeError("a tool ran twice")
    return found
