"""What becomes of a job after one attempt, and when it is tried again. Pure."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from bot.jobs.port import Job

ATTEMPTS: Final = 5
"""How often a job is tried before it counts as failed."""

POSTPONEMENTS: Final = 50
"""How often `TryLater` is free; then it counts as an attempt like any other error."""

Backoff: TypeAlias = Callable[[int], float]
"""Seconds to wait after this attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A job that was taken, with what its row says of earlier attempts."""

    job: Job
    postponed: int
    error: str


@dataclass(frozen=True, slots=True)
class Done:
    """It is owed no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """It is owed still, from this time on; `attempt` is how many count."""

    due: float
    attempt: int
    postponed: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Its attempts are used up; it holds nobody back any more."""

    error: str


Outcome: TypeAlias = Done | Again | Failed


def doubling(attempt: int) -> float:
    """2, 4, 8, … seconds, a quarter more or less so that what failed together does not return together."""
    return 2.0**attempt * random.uniform(0.75, 1.25)  # noqa: S311 - spreads load, keeps no secret


def again(claimed: Claimed, *, due: float, error: str) -> Again:
    """Tried again at this time; the attempt counts."""
    return Again(due=due, attempt=claimed.job.attempt, postponed=claimed.postponed, error=error)


def postponed(claimed: Claimed, *, due: float) -> Again:
    """Tried again at this time; the attempt does not count."""
    attempt = max(0, claimed.job.attempt - 1)
    return Again(due=due, attempt=attempt, postponed=claimed.postponed + 1, error=claimed.error)


def released(claimed: Claimed) -> Again:
    """Given back as if it had not been taken."""
    attempt = max(0, claimed.job.attempt - 1)
    return Again(due=0, attempt=attempt, postponed=claimed.postponed, error=claimed.error)


def told(error: BaseException) -> str:
    """An error in a line that any database takes."""
    text = f"{type(error).__name__}: {error}"[:500]
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
