"""Slack's rate limits, for whoever wants to know how an app behaves under them.

Each method has a bucket of calls that fills again evenly over a minute: 20, 50 or 100 by its tier in Slack's
reference. Messages are counted by channel: one per second, after a short burst.
"""

import time
from collections.abc import Callable
from typing import Final

TIER_2, TIER_3, TIER_4 = 20, 50, 100
"""Calls in a minute, as Slack promises them at least."""

_TIERS: Final = {
    "chat.update": TIER_3,
    "chat.delete": TIER_3,
    "conversations.history": TIER_3,
    "conversations.info": TIER_3,
    "conversations.replies": TIER_3,
    "conversations.list": TIER_2,
    "usergroups.users.list": TIER_2,
}
_MESSAGES: Final = 60
"""Messages into one channel in a minute."""
_BURST: Final = 10
"""Messages at once into a channel that was quiet; Slack says "short bursts" and no number."""


class Rates:
    """Counts calls; `speed` times as many are allowed as Slack allows."""

    def __init__(self, speed: float = 1.0, now: Callable[[], float] = time.monotonic) -> None:
        self._speed = speed
        self._now = now
        self._left: dict[tuple[str, str], tuple[float, float]] = {}

    def wait(self, method: str, channel: str) -> float:
        """Seconds after which this call may be made, as `Retry-After` says it; 0 if it is made now."""
        is_message = method == "chat.postMessage"
        per_minute = _MESSAGES if is_message else _TIERS.get(method, TIER_4)
        most = _BURST if is_message else per_minute
        key, now = (method, channel if is_message else ""), self._now()
        left, at = self._left.get(key, (float(most), now))
        left = min(most, left + (now - at) * self._speed * per_minute / 60)
        if left >= 1:
            self._left[key] = left - 1, now
            return 0.0
        self._left[key] = left, now
        return (1 - left) * 60 / per_minute / self._speed
