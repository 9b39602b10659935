"""The process is told to end while a tool runs."""

import asyncio
from pathlib import Path

from tests.system.agents import RUNS, WAITING
from tests.system.house import a_house


async def test_a_tool_that_runs_may_end_and_the_next_process_goes_on_from_there(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent="tests.system.agents:slow") as house:
        await house.asks([("wait", {"name": "one"})], [("wait", {"name": "two"})])
        await house.alice.sees("asked:", channel="#general")
        async with asyncio.timeout(60):
            await WAITING[0].begins.wait()
        asyncio.get_running_loop().call_later(0.3, WAITING[0].may_end.set)
    assert RUNS == [("wait", {"name": "one"})]
    async with a_house(tmp_path, agent="tests.system.agents:slow") as house:
        await house.answer("wait: waited")
    assert RUNS == [("wait", {"name": "one"}), ("wait", {"name": "two"})]
