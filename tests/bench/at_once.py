"""A thousand approvals decided at once: when all tools have started, when all rows are through, and the acks.

Cards are drawn again at the pace that Slack allows, so only their rows are counted: how many drawings are
owed when everything else is done.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import text

from bot.store.database import reading_store
from tests.bench.acks import a_server
from tests.bench.agent import starts
from tests.bench.databases import KINDS, a_database
from tests.bench.decisions import press, resting, started
from tests.bench.load import Rate
from tests.bench.process import Serving, serving
from tests.bench.waiting import fill, thread_of

CLICKS: Final = 1_000
CALLERS: Final = 100
"""Requests under way at once; the bot gets the next one as soon as it has acked one."""

_COUNTS: Final = {
    "delivered": text("SELECT count(*) FROM approvals WHERE state = 'delivered'"),
    "to be drawn": text("SELECT count(*) FROM jobs WHERE kind = 'redraw' AND state != 'failed'"),
    "failed": text("SELECT count(*) FROM jobs WHERE state = 'failed'"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """What it came to; seconds from the first click."""

    acks: Rate
    all_started: float
    all_through: float
    cpu: float
    counts: Mapping[str, int]

    def errors(self) -> int:
        """Decisions that did not arrive, and work that was given up."""
        return CLICKS - self.counts["delivered"] + self.counts["failed"]

    def __str__(self) -> str:
        return (
            f"all tools started after {self.all_started:.1f} s, all rows through after "
            f"{self.all_through:.1f} s with {self.counts['to be drawn']} drawings owed at Slack's pace, "
            f"{self.cpu:.1f} s of processor; acks {self.acks}; {self.errors()} errors (aim: 0)"
        )


async def measure_at_once(folder: Path) -> list[str]:
    """A line for each database."""
    lines = []
    for kind in KINDS:
        home = folder / f"at-once-{kind}"
        home.mkdir()
        async with a_database(kind, home) as database:
            await fill(database, CLICKS)
            async with a_server("slack", str(home)) as slack, serving(database, home, slack) as bot:
                storm = await _storm(bot, database)
        lines.append(f"| {CLICKS:,} decisions at once, {kind} | {storm} | none | |")
    return lines


async def _storm(bot: Serving, database: str) -> Storm:
    begun, cpu = time.monotonic(), bot.cpu()
    acks = await press(bot, range(CLICKS), callers=CALLERS)
    for number in range(CLICKS):
        await started(bot.starts, number)
    async with resting(database) as rest:
        await rest.wait()
    through = time.monotonic() - begun
    last = max(starts(bot.starts)[thread_of(number)] for number in range(CLICKS))
    return Storm(
        acks=acks,
        all_started=last - begun,
        all_through=through,
        cpu=bot.cpu() - cpu,
        counts=await _counts(database),
    )


async def _counts(database: str) -> Mapping[str, int]:
    async with reading_store(database) as store, store.read() as tx:
        return {
            name: int((await tx.connection.execute(count)).scalar_one()) for name, count in _COUNTS.items()
        }
