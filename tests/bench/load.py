"""Sends signed requests as fast as a fixed number of callers can, and says how fast that was."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

import aiohttp

from bot.sandbox import sign

CALLERS = 20
"""Requests under way at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What a load came to."""

    per_second: float
    median_ms: float
    p99_ms: float
    sent: Mapping[int, float]
    """By place in the order of the bodies, the monotonic second in which each was sent."""

    def __str__(self) -> str:
        return f"{self.per_second:.0f}/s, p50 {self.median_ms:.0f} ms, p99 {self.p99_ms:.0f} ms"


async def load(url: str, secret: str, bodies: Iterable[str], *, callers: int = CALLERS) -> Rate:
    """Send every body once; each has to be taken with 200."""
    took: list[float] = []
    sent: dict[int, float] = {}
    numbered = enumerate(bodies)

    async def caller(session: aiohttp.ClientSession) -> None:
        for number, body in numbered:
            headers = {"Content-Type": "application/x-www-form-urlencoded"} | sign(secret, body)
            sent[number] = start = time.monotonic()
            async with session.post(url, data=body, headers=headers) as answer:
                await answer.read()
                if answer.status != 200:
                    raise RuntimeError(f"{answer.status} instead of 200")
            took.append((time.monotonic() - start) * 1000)

    connector = aiohttp.TCPConnector(limit=callers)
    async with aiohttp.ClientSession(connector=connector) as session:
        start = time.monotonic()
        await asyncio.gather(*(caller(session) for _ in range(callers)))
        elapsed = time.monotonic() - start
    return Rate(
        per_second=len(took) / elapsed, median_ms=median(took), p99_ms=percentile(took, 99), sent=sent
    )


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent stay below; of a single value, that one."""
    return quantiles(values, n=100)[percent - 1] if len(values) > 1 else values[0]
