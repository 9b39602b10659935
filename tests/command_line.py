"""The command line as people use it: real processes in a folder of their own, with a clean environment."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.sandbox import Sandbox
from tests.loaded import ran

POLICY = '[defaults]\napprovers = ["channel"]\n'
TOKENS = {"SLACK_BOT_TOKEN": "xoxb-sandbox-bot", "SLACK_APP_TOKEN": "xapp-sandbox-app"}
NOWHERE = "http://127.0.0.1:9/api/"
"""Nothing listens on the port of the discard protocol."""
PYTHON = (*(("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()), sys.executable)
"""A Python that ends with the process that starts it, however that ends; so it is on Linux."""
BOT = (*PYTHON, "-m", "bot")


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class CommandLine:
    """`python -m bot` in this folder; what runs to its end is forked from a process that has loaded it."""

    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    """What is started instead, as a process from its beginning."""

    async def run(self, *args: str, **env: str) -> Ended:
        """Run it to its end; a bot that keeps running is a failure, and is killed."""
        if not self.command:
            ended = await ran(args, self._environment(env), self.folder, patience=60)
            return Ended(code=ended[0], out=ended[1], err=ended[2])
        process = await self._start(args, env)
        try:
            async with asyncio.timeout(60):
                out, err = await process.communicate()
        finally:
            await _killed(process)
        assert process.returncode is not None
        return Ended(code=process.returncode, out=out.decode(), err=err.decode())

    @asynccontextmanager
    async def running(self, *args: str, **env: str) -> AsyncIterator["Running"]:
        """Let it run, from the line by which it says that it does; killed at the end."""
        process = await self._start(args, env)
        assert process.stdout is not None
        try:
            async with asyncio.timeout(60):
                line = (await process.stdout.readline()).decode().strip()
            assert line, (await process.communicate())[1].decode()
            yield Running(process=process, line=line)
        finally:
            await _killed(process)

    async def _start(self, args: tuple[str, ...], env: Mapping[str, str]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(self.command or BOT),
            *args,
            cwd=self.folder,
            env=self._environment(env),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    def _environment(self, changed: Mapping[str, str]) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.env, **changed}


@dataclass(frozen=True, kw_only=True)
class Running:
    """A command that runs."""

    process: asyncio.subprocess.Process
    line: str
    """The first line that it printed."""

    async def told(self, sign: signal.Signals) -> Ended:
        """Tell it to end, and wait for it as long as an orchestrator would."""
        self.process.send_signal(sign)
        async with asyncio.timeout(30):
            out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return Ended(code=self.process.returncode, out=out.decode(), err=err.decode())


def for_slack(slack: Sandbox, **changed: str) -> dict[str, str]:
    """The environment of a bot on this local Slack."""
    return {
        **TOKENS,
        "SLACK_API_URL": slack.api_url,
        "BOT_MODEL": "offline",
        "BOT_PORT": "0",
        **changed,
    }


async def _killed(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.communicate()
