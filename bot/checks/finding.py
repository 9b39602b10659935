"""What a check finds."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Verdict(StrEnum):
    """What a look at something came to."""

    OK = "ok"
    WRONG = "wrong"
    """The bot would not start, or would not do its work."""
    WARNING = "warning"
    """It would work, and somebody should know."""
    NOTE = "note"
    """Nobody looked, since it takes more than the bot itself needs."""
    UNKNOWN = "unknown"
    """It could not be looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One look, in one sentence."""

    verdict: Verdict
    sentence: str


Findings: TypeAlias = AsyncIterator[Finding]
