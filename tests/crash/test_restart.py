"""kill -9 while people are asked, then a fresh process: every open card works, and nothing runs twice."""

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.sandbox import Visitor, buttons, text_of
from tests.command_line import PYTHON
from tests.system.house import is_answer

ASK = '/agent delete tmp.log, write "done" to notes.txt and ask me whether to keep data.csv'


@asynccontextmanager
async def the_sandbox(data: Path, port: int = 0) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`python -m bot sandbox` as a process, and its address; killed at the end."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("BOT_", "SLACK_"))
    }
    process = await asyncio.create_subprocess_exec(
        *PYTHON,
        *("-m", "bot", "sandbox", "--port", str(port), "--data", str(data)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        found = re.search(r"http://\S+?:\d+", line)
        assert found, line
        yield process, found[0]
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_card_from_before_a_kill_is_decided_after_it(tmp_path: Path) -> None:
    async with the_sandbox(tmp_path) as (process, address), await Visitor.connect(address) as slack:
        await slack.person("Alice").say("#general", ASK)
        card = await slack.person("Bob").sees("3 of 3 open", channel="#general")
        await slack.person("Bob").press(card, "Approve")
        process.send_signal(signal.SIGKILL)
        await process.wait()
    workspace = tmp_path / "workspace"
    assert (workspace / "tmp.log").exists()
    async with the_sandbox(tmp_path) as (_, address), await Visitor.connect(address) as slack:
        alice, bob = slack.person("Alice"), slack.person("Bob")
        card = await bob.sees("2 of 3 open", channel="#general")
        await bob.press(card, "Approve")
        card = await bob.sees_change(card, "1 of 3 open")
        await alice.press(card, "Respond")
        assert await alice.submit(await alice.form(), {"Response": "keep it"}) == {}
        await alice.sees(lambda one: is_answer(one) and "keep it" in text_of(one), channel="#general")
        await bob.sees_change(card, lambda one: buttons(one) == [])
    assert sorted(file.name for file in workspace.iterdir()) == ["data.csv", "notes.txt"]
    assert (workspace / "notes.txt").read_text() == "done"


async def test_killed_again_and_again_nothing_is_lost_and_there_is_one_card(tmp_path: Path) -> None:
    """Kills at growing distances after the last click: before, while and after the agent is resumed."""
    for attempt in range(6):
        data = tmp_path / str(attempt)
        async with the_sandbox(data) as (process, address), await Visitor.connect(address) as slack:
            await slack.person("Alice").say("#general", "/agent append 'x' to notes.txt")
            card = await slack.person("Bob").sees("Approval needed", channel="#general")
            pressing = asyncio.ensure_future(slack.person("Bob").press(card, "Approve"))
            await asyncio.wait((pressing,), timeout=attempt * 0.02)
            process.send_signal(signal.SIGKILL)
            await process.wait()
            await asyncio.wait((pressing,))
            pressing.exception()
        async with the_sandbox(data) as (_, address), await Visitor.connect(address) as slack:
            bob = slack.person("Bob")
            card = await bob.sees("write_file", channel="#general", timeout=20)
            if "Approve" in buttons(card):
                await bob.press(card, "Approve", stale=True)
            await bob.sees_change(card, lambda one: buttons(one) == [], timeout=20)
            await bob.sees(is_answer, channel="#general", timeout=20)
            thread = await bob.thread("#general", card["thread_ts"])
            cards = [one for one in thread if "digest" in text_of(one)]
            assert len(cards) == 1, json.dumps([text_of(one) for one in cards])
