"""The `state` of an installation: good for one time, for ten minutes, and in the browser that began it."""

import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.approvals.ports import Clock
from bot.store.sealing import CannotUnseal, Seals
from bot.store.states import UsedStates

LIFETIME: Final = timedelta(minutes=10)

COOKIE: Final = "approval-bot-install"
"""Carries the same state: somebody else's, sent along in a link, has no cookie in this browser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """Makes states and takes them back. Nothing is written before one comes back and is ours."""

    seals: Seals
    used: UsedStates
    now: Clock

    def issue(self) -> str:
        """A new one."""
        until = self.now() + LIFETIME
        return self.seals.sealed(
            json.dumps({"state": secrets.token_hex(16), "until": until.isoformat()})
        ).decode()

    async def take(self, state: str, cookie: str) -> bool:
        """Whether it is ours, still good, of this browser, and was not taken before."""
        until = self._until(state)
        is_mine = hmac.compare_digest(state.encode(), cookie.encode())
        if until is None or not is_mine or until <= self.now():
            return False
        return await self.used.take(state, now=self.now(), expires_at=until)

    def _until(self, state: str) -> datetime | None:
        try:
            told = json.loads(self.seals.opened(state.encode()))
            return datetime.fromisoformat(told["until"])
        except (CannotUnseal, ValueError, TypeError, KeyError):
            return None
