"""The sandbox with a team's agent as a process, for tests that kill it."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from bot.sandbox import Visitor
from tests.command_line import PYTHON

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def the_bot(
    data: Path, settings: Mapping[str, str]
) -> AsyncIterator[tuple[asyncio.subprocess.Process, Visitor]]:
    """`python -m bot sandbox` with these settings, and people who visit it; killed at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOT_", "SLACK_"))}
    workspace = data / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *(*PYTHON, "-m", "bot", "sandbox", "--port", "0", "--data", str(data)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=ROOT,
        env={**kept, "BOT_WORKSPACE": str(workspace), **settings},
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+?:\d+", (await process.stdout.readline()).decode())
        assert found
        async with await Visitor.connect(found[0]) as slack:
            yield process, slack
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
