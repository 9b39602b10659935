"""The log of what the app asked of the Web API, so that a test can count and look."""

from collections import Counter, deque
from dataclasses import asdict, dataclass

from bot.sandbox.records import Json

KEPT = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call. `outcome` is "ok", Slack's error name, or the name of the fault that hit it."""

    method: str
    arguments: Json
    outcome: str
    at: float


class CallLog:
    """The last 5,000 calls and the count of all of them."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=KEPT)
        self.counts: Counter[str] = Counter()

    def add(self, call: Call) -> None:
        """Write one down; the token was taken out before."""
        self._calls.append(call)
        self.counts[call.method] += 1

    def of(self, method: str | None = None) -> list[Call]:
        """All calls, or those of one method, oldest first."""
        return [call for call in self._calls if method in (None, call.method)]

    def clear(self) -> None:
        """Start counting at zero."""
        self._calls.clear()
        self.counts.clear()

    def as_json(self, method: str | None = None) -> Json:
        """The log as `GET /sandbox/calls` gives it."""
        return {"counts": dict(self.counts), "calls": [asdict(call) for call in self.of(method)]}
