"""One attempt at a job: call the handler, and turn whatever happens into an outcome."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from bot.approvals.errors import Lost, TryLater, Unavailable
from bot.jobs.outcome import (
    POSTPONEMENTS,
    Again,
    Backoff,
    Claimed,
    Done,
    Failed,
    Outcome,
    again,
    postponed,
    released,
    told,
)
from bot.jobs.port import GaveUp, Handler, OnFailed

AWAY: Final = 1.0
"""Seconds after which work is tried again that the database was away for: no fault of the work's."""

_log: Final = logging.getLogger(__name__)


class Attempts:
    """Runs handlers. An exception of theirs goes no further than this."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        on_failed: OnFailed,
        *,
        most: int,
        backoff: Backoff,
        now: Callable[[], float],
    ) -> None:
        self._handlers = handlers
        self._on_failed = on_failed
        self._most = most
        self._backoff = backoff
        self._now = now

    async def run(self, claimed: Claimed) -> Outcome:
        """Try the job once."""
        job = claimed.job
        if job.attempt > self._most:
            # The last attempt's end was not seen (the process died in it), or nobody could be told of it.
            return await self._give_up(claimed, GaveUp(claimed.error or "the process ended in each attempt"))
        try:
            await self._handler(job.kind)(job)
        except Lost:
            # Another process has it. If not (the server was away), it is as if it had not been taken.
            return replace(released(claimed), due=self._now() + AWAY)
        except Unavailable as away:
            if claimed.postponed < POSTPONEMENTS:
                return postponed(claimed, due=self._now() + AWAY)
            return await self._failed(claimed, away, AWAY)
        except TryLater as appointment:
            if claimed.postponed < POSTPONEMENTS:
                return postponed(claimed, due=self._now() + appointment.seconds)
            return await self._failed(claimed, appointment, appointment.seconds)
        except Exception as error:  # noqa: BLE001 - a handler may raise anything, and the engine goes on
            return await self._failed(claimed, error, self._backoff(job.attempt))
        return Done()

    def outcome_of(self, claimed: Claimed, task: "asyncio.Task[Outcome]", *, stopping: bool) -> Outcome:
        """What `run` returned, or what its being cut off amounts to."""
        if task.cancelled():
            if stopping:
                return released(claimed)
            # Cancelled by something of the handler's own: an error like any other, or it would never give up.
            return self._later(claimed, "CancelledError", self._backoff(claimed.job.attempt))
        if error := task.exception():
            return self._later(claimed, told(error), self._backoff(claimed.job.attempt))
        return task.result()

    def _handler(self, kind: str) -> Handler:
        if kind not in self._handlers:
            raise LookupError(f"no handler for jobs of kind {kind!r}")
        return self._handlers[kind]

    async def _failed(self, claimed: Claimed, error: Exception, seconds: float) -> Outcome:
        job = claimed.job
        # The error's text may quote what people wrote; the row keeps it, the log does not.
        _log.warning("job %s %s failed, attempt %d: %s", job.kind, job.id, job.attempt, type(error).__name__)
        _log.debug("job %s", job.id, exc_info=error)
        if job.attempt >= self._most:
            return await self._give_up(claimed, error)
        return self._later(claimed, told(error), seconds)

    async def _give_up(self, claimed: Claimed, error: Exception) -> Outcome:
        job, text = claimed.job, told(error) if not isinstance(error, GaveUp) else str(error)
        try:
            await self._on_failed(job, error)
        except Exception:  # noqa: BLE001 - nobody was told, so it stays owed
            _log.exception("nobody could be told that job %s %s failed", job.kind, job.id)
            if job.attempt < 2 * self._most:
                return self._later(claimed, text, self._backoff(job.attempt))
        return Failed(error=text)

    def _later(self, claimed: Claimed, error: str, seconds: float) -> Again:
        return again(claimed, due=self._now() + seconds, error=error)
