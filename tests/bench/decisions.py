"""From a click's arrival until the tool's body starts, beside a plain LangGraph resume of the same threads.

The bot is a process in HTTP mode; the time runs from the moment in which the click is sent. In between lie
the signature, the policy, the decision on disk, the resume as durable work, the thread read and checked, the
guard and its journal. The reference is `ainvoke(Command(resume=…))` with the same agent, saver and
durability: it neither asks who clicked nor keeps what was decided.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from sqlalchemy import text

from bot.agents.build import build
from bot.approvals.ids import InterruptId
from bot.engines import saver_at
from bot.store.database import reading_store
from tests.bench.acks import a_server
from tests.bench.agent import STARTS, bank, starts
from tests.bench.clicks import approve
from tests.bench.databases import KINDS, a_database
from tests.bench.load import Rate, load, percentile
from tests.bench.process import SECRET, Serving, serving
from tests.bench.waiting import action_of, fill, thread_of

ALONE: Final = 100
"""Decisions one after the other, each when the conversation before has come to rest."""

TOGETHER: Final = 20
ROUNDS: Final = 10
"""So many at once, so often."""

WARM_UP: Final = 20
AIM_MS: Final = 100.0
_GIVE_UP_SECONDS: Final = 60.0

# A drawing that waits for Slack's pace is work as well, but none that the machine is busy with.
_BUSY: Final = text("SELECT count(*) FROM jobs WHERE state != 'failed' AND due <= :now AND kind != 'redraw'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Milliseconds, as a distribution."""

    p50: float
    p99: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.0f} ms, p99 {self.p99:.0f} ms"


async def measure_decisions(folder: Path) -> list[str]:
    """A line for each database, one conversation at a time and many in parallel."""
    lines = []
    for kind in KINDS:
        home = folder / f"decisions-{kind}"
        home.mkdir()
        async with a_database(kind, home) as database:
            one, many = ALONE + WARM_UP, TOGETHER * ROUNDS
            interrupt = await fill(database, 2 * (one + many))
            async with a_server("slack", str(home)) as slack, serving(database, home, slack) as bot:
                ours = [await one_by_one(bot, database, range(one)), await _in_rounds(bot, database, one)]
            theirs = await _plainly(database, home / "plain", interrupt.id, one + many)
        for how, mine, plain in zip(("one at a time", f"{TOGETHER} at once"), ours, theirs, strict=True):
            lines.append(
                f"| decision to tool start, {kind}, {how} | {mine} (aim: p50 under {AIM_MS:.0f} ms) "
                f"| plain resume: {plain} | {mine.p50 / plain.p50:.1f} |"
            )
    return lines


async def one_by_one(bot: Serving, database: str, numbers: Sequence[int]) -> Delay:
    """Click on the cards with these numbers, each when the one before is through; the first ones warm up."""
    took = []
    async with resting(database) as rest:
        for number in numbers:
            sent = (await press(bot, [number])).sent[0]
            took.append(await started(bot.starts, number) - sent)
            await rest.wait()
    return _delay(took[WARM_UP:])


async def press(bot: Serving, numbers: Sequence[int], *, callers: int = TOGETHER) -> Rate:
    """Click on these cards, by so many callers at once."""
    bodies = [approve(action_of(number), ts=f"{number}.0001001") for number in numbers]
    return await load(f"{bot.url}/slack/events", SECRET, bodies, callers=callers)


async def _in_rounds(bot: Serving, database: str, first: int) -> Delay:
    took: list[float] = []
    async with resting(database) as rest:
        for round in range(ROUNDS):
            numbers = range(first + round * TOGETHER, first + (round + 1) * TOGETHER)
            sent = (await press(bot, numbers)).sent
            for place, number in enumerate(numbers):
                took.append(await started(bot.starts, number) - sent[place])
            await rest.wait()
    return _delay(took)


@dataclass(frozen=True, slots=True)
class Rest:
    """Says when the bot has nothing to do."""

    count: Any

    async def wait(self) -> None:
        """Until nothing but drawings is owed now."""
        async with asyncio.timeout(_GIVE_UP_SECONDS):
            while await self.count():  # noqa: ASYNC110 - said by another process
                await asyncio.sleep(0.01)


@asynccontextmanager
async def resting(database: str) -> AsyncIterator[Rest]:
    """Looks at the rows of a bot in another process."""
    async with reading_store(database) as store:

        async def count() -> int:
            async with store.read() as tx:
                return int((await tx.connection.execute(_BUSY, {"now": time.time()})).scalar_one())

        yield Rest(count)


async def started(file: Path, number: int) -> float:
    """When this conversation's tool started, as soon as it did."""
    async with asyncio.timeout(_GIVE_UP_SECONDS):
        while (at := starts(file).get(thread_of(number))) is None:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.002)
    return at


async def _plainly(database: str, file: Path, interrupt: InterruptId, first: int) -> list[Delay]:
    """The same decisions on threads of the same kind, from this process, without the bot."""
    os.environ[STARTS] = str(file)
    async with saver_at(database) as saver:
        graph = build(bank, name="plain", model=None, checkpointer=saver).graph
        numbers = range(first, first + ALONE + WARM_UP)
        alone = [await _resumed(graph, file, interrupt, number) for number in numbers]
        many: list[float] = []
        for start in range(first + ALONE + WARM_UP, 2 * first, TOGETHER):
            numbers = range(start, start + TOGETHER)
            many += await asyncio.gather(*(_resumed(graph, file, interrupt, number) for number in numbers))
    return [_delay(alone[WARM_UP:]), _delay(many)]


async def _resumed(
    graph: CompiledStateGraph[Any, Any, Any, Any], file: Path, interrupt: InterruptId, number: int
) -> float:
    told: Command[Any] = Command(resume={interrupt: {"decisions": [{"type": "approve"}]}})
    sent = time.monotonic()
    await graph.ainvoke(told, {"configurable": {"thread_id": thread_of(number)}}, durability="sync")
    return starts(file)[thread_of(number)] - sent


def _delay(seconds: Sequence[float]) -> Delay:
    return Delay(p50=median(seconds) * 1000, p99=percentile(seconds, 99) * 1000)
