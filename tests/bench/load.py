"""Sends signed requests as fast as a fixed number of callers can, and says how fast that was."""

import asyncio
import time
from collections.abc import Iterator
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

    def __str__(self) -> str:
        return f"{self.per_second:.0f}/s, p50 {self.median_ms:.0f} ms, p99 {self.p99_ms:.0f} ms"


async def load(url: str, secret: str, bodies: Iterator[str]) -> Rate:
    """Send every body once; each has to be taken with 200."""
    took: list[float] = []

    async def caller(session: aiohttp.ClientSession) -> None:
        for body in bodies:
            headers = {"Content-Type": "application/x-www-form-urlencoded"} | sign(secret, body)
            start = time.perf_counter()
            async with session.post(url, data=body, headers=headers) as answer:
                await answer.read()
                if answer.status != 200:
                    raise RuntimeError(f"{answer.status} instead of 200")
            took.append((time.perf_counter() - start) * 1000)

    async with aiohttp.ClientSession() as session:
        start = time.perf_counter()
        await asyncio.gather(*(caller(session) for _ in range(CALLERS)))
        elapsed = time.perf_counter() - start
    return Rate(per_second=len(took) / elapsed, median_ms=median(took), p99_ms=quantiles(took, n=100)[98])
