"""How times are said, and what "never" is."""

from datetime import UTC, datetime, timedelta
from typing import Final

NEVER: Final = timedelta.max
"""A delay that does not end."""


def utc(at: datetime) -> str:
    """The moment as a sentence says it, where it cannot be shown in each reader's own time zone."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def utc_now() -> datetime:
    """What the clock says; fills `ports.Clock`."""
    return datetime.now(UTC)
