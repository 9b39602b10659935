"""trigger_ids: each opens one view, for one person, within three seconds."""

import secrets
import time
from dataclasses import dataclass

from bot.sandbox.errors import SlackError
from bot.sandbox.records import UserId, ViewId

REMEMBERED = 10_000
"""How many of each sort are told apart from ones that never were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Who acted, and in which modal if it was in one."""

    user: UserId
    expires: float
    view: ViewId | None = None


class Triggers:
    """The trigger_ids that were handed out."""

    def __init__(self, lifetime: float) -> None:
        self._lifetime = lifetime
        self._fresh: dict[str, Trigger] = {}
        self._used: dict[str, None] = {}

    def issue(self, user: UserId, view: ViewId | None = None) -> str:
        """A new one; its clock starts now, before the app has heard of it."""
        now = time.monotonic()
        trigger_id = f"{time.time_ns() // 1000}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        self._fresh[trigger_id] = Trigger(user=user, expires=now + self._lifetime, view=view)
        for kept in (self._fresh, self._used):
            if len(kept) > REMEMBERED:
                del kept[next(iter(kept))]
        return trigger_id

    def knows(self, trigger_id: str) -> bool:
        """Whether it was handed out here."""
        return trigger_id in self._fresh or trigger_id in self._used

    def redeem(self, trigger_id: str) -> Trigger:
        """Use it up, or say why it cannot be used."""
        if trigger_id in self._used:
            raise SlackError("exchanged_trigger_id")
        trigger = self._fresh.pop(trigger_id, None)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.expires < time.monotonic():
            self._fresh[trigger_id] = trigger
            raise SlackError("expired_trigger_id")
        self._used[trigger_id] = None
        return trigger
