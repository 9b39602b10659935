"""What everybody else knows of background work, whichever engine does it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bot.approvals.ports import Jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that is owed, handed to its handler."""

    id: str
    kind: str
    """Names the handler."""
    key: str | None
    """Jobs of one key run in order and one at a time; None runs beside everything."""
    payload: Mapping[str, str]
    """Ids only: what they name is read again when the job runs."""
    attempt: int
    """From 1. At least once means that an earlier attempt may have done everything but say so."""


class GaveUp(Exception):  # noqa: N818 - what is left to say of an error of an earlier process
    """Stands for the last error of a job whose attempts are used up and whose error itself is gone."""


Handler: TypeAlias = Callable[[Job], Awaitable[None]]
"""Does a job; may be called again for the same one. Any exception means: try again later.

`TryLater` is an appointment: it is tried again in so many seconds, as Slack's Retry-After says.
"""

OnFailed: TypeAlias = Callable[[Job, Exception], Awaitable[None]]
"""Told about a job that used up its attempts, with the last error; at least once per such job."""


class JobEngine(Jobs, Protocol):
    """Background work with somebody who does it."""

    async def start(self) -> None:
        """Take up what is owed, beginning with what was running when the process ended."""

    async def stop(self, timeout: float) -> None:  # noqa: ASYNC109 - it bounds the drain, and does not fail
        """Take nothing new, give what runs `timeout` seconds, then cancel it for the next start."""
