"""How fast messages go into a channel: as they come, until Slack says that it is too fast.

From then on each message gets a turn of its own, one per second, until the channel was quiet for a while.
Without turns, everything that waits would come back at the same moment, and all but one be refused again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

BETWEEN: Final = 1.0
"""Seconds between two messages; Slack takes about one per second and channel."""
QUIET: Final = 30.0
"""Seconds after the last turn from which a channel is free again."""


@dataclass(slots=True)
class _Queue:
    next: float
    """When the next turn is."""
    turns: dict[str, float] = field(default_factory=dict)
    """When it is the turn of what has asked before."""


class Pace:
    """The turns of messages, by channel; in this process."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._slowed: dict[str, _Queue] = {}

    def wait(self, channel: str, id: str) -> float:
        """Seconds until it is this message's turn; 0 if it is now. To ask again does not change it."""
        queue, now = self._slowed.get(channel), self._now()
        if queue is None:
            return 0.0
        if now > queue.next + QUIET:
            del self._slowed[channel]
            return 0.0
        turn = queue.turns.pop(id, None)
        if turn is None:
            turn = max(queue.next, now)
            queue.next = turn + BETWEEN
        if turn > now:
            queue.turns[id] = turn
        return max(turn - now, 0.0)

    def slow_down(self, channel: str, seconds: float) -> None:
        """Slack took no message there and says that it will in so many seconds."""
        queue = self._slowed.setdefault(channel, _Queue(0.0))
        queue.next = max(queue.next, self._now() + seconds)
