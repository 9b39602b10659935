"""The bot as an operator starts it, `python -m bot serve`, and what the system says of its process."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from tests.bench.agent import STARTS
from tests.bench.waiting import POLICY
from tests.system.house import free_port

SECRET: Final = "sandbox-signing-secret"
ROOT: Final = Path(__file__).parents[2]
_START_SECONDS: Final = 120.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A bot that is ready."""

    pid: int
    url: str
    starts: Path
    """The file in which its tools write down that they start."""
    ready_after: float
    """Seconds from the start of the process until `/readyz` said yes."""
    cpu_until_ready: float
    """The same in seconds of processor time."""

    def megabytes(self) -> float:
        """Memory that is resident now."""
        return resident(self.pid)

    def cpu(self) -> float:
        """Seconds of processor time until now."""
        return processor_seconds(self.pid)


@asynccontextmanager
async def serving(database: str, folder: Path, slack: str) -> AsyncIterator[Serving]:
    """`python -m bot serve` on this database, in HTTP mode, from when it is ready."""
    (folder / "approvals.toml").write_text(POLICY)
    port, starts, loud = free_port(), folder / "starts", os.environ.get("BENCH_LOUD")
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "serve"),
        cwd=folder,
        env=_environment(database, folder, slack, port) | {STARTS: str(starts)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=None if loud else asyncio.subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await _ready(process, url)
        yield Serving(
            pid=process.pid,
            url=url,
            starts=starts,
            ready_after=time.monotonic() - begun,
            cpu_until_ready=processor_seconds(process.pid),
        )
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _environment(database: str, folder: Path, slack: str, port: int) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "SLACK_BOT_TOKEN": "xoxb-sandbox-bot",
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_API_URL": f"{slack}/api/",
        "BOT_PORT": str(port),
        "BOT_AGENT": "tests.bench.agent:bank",
        "BOT_DATABASE_URL": database,
    }


async def _ready(process: asyncio.subprocess.Process, url: str) -> None:
    async with asyncio.timeout(_START_SECONDS), aiohttp.ClientSession() as session:
        while not await _says_yes(session, f"{url}/readyz"):
            if process.returncode is not None:
                raise RuntimeError("the bot did not start; set BENCH_LOUD=1 to see why")
            await asyncio.sleep(0.005)


async def _says_yes(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(url) as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds now; those it shares with others count as well."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def processor_seconds(pid: int) -> float:
    """Seconds of processor time of a process, its own and the system's for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
