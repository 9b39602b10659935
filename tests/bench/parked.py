"""Ten thousand approvals that wait: how soon a bot that starts on them is ready, and what a click takes.

The reference is the same process on a database in which nothing waits.
"""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.acks import a_server
from tests.bench.databases import KINDS, a_database
from tests.bench.decisions import WARM_UP, Delay, one_by_one
from tests.bench.process import serving
from tests.bench.waiting import fill

WAITING: Final = 10_000
FEW: Final = 50 + WARM_UP
"""For the reference: no more than are clicked on."""
IDLE_SECONDS: Final = 20.0
SETTLING_SECONDS: Final = 1.0
"""Left out between being ready and the measurement of idleness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A process from its start on."""

    ready: float
    cpu: float
    megabytes: float
    idle: float
    click: Delay

    def __str__(self) -> str:
        return (
            f"ready after {self.ready:.1f} s ({self.cpu:.1f} s of processor), {self.megabytes:.0f} MB, "
            f"idle {self.idle:.1f} % of a core, decision to tool start {self.click}"
        )


async def measure_parked(folder: Path) -> list[str]:
    """A line for each database."""
    lines = []
    for kind in KINDS:
        ours, theirs = await _stay(folder, kind, WAITING), await _stay(folder, kind, FEW)
        aims = "(aims: under 3 s, 200 MB, 5 %)"
        lines.append(
            f"| start with {WAITING:,} waiting, {kind} | {ours} {aims} | with {FEW} waiting: {theirs} "
            f"| {ours.ready / theirs.ready:.1f} |"
        )
    return lines


async def _stay(folder: Path, kind: str, waiting: int) -> Stay:
    home = folder / f"parked-{kind}-{waiting}"
    home.mkdir()
    async with a_database(kind, home) as database:
        await fill(database, waiting)
        async with a_server("slack", str(home)) as slack, serving(database, home, slack) as bot:
            await asyncio.sleep(SETTLING_SECONDS)
            begun, cpu = time.monotonic(), bot.cpu()
            await asyncio.sleep(IDLE_SECONDS)
            idle = (bot.cpu() - cpu) / (time.monotonic() - begun) * 100
            megabytes = bot.megabytes()
            return Stay(
                ready=bot.ready_after,
                cpu=bot.cpu_until_ready,
                megabytes=megabytes,
                idle=idle,
                click=await one_by_one(bot, database, range(FEW)),
            )
