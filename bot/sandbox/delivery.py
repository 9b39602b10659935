"""What goes from Slack to the app, whatever the way: Socket Mode or signed HTTP."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.sandbox.records import Json

EnvelopeKind = Literal["events_api", "interactive", "slash_commands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One delivery. `attempt` 0 is the first; later ones carry Slack's reason for trying again."""

    kind: EnvelopeKind
    payload: Json
    attempt: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acked:
    """The app took it; `payload` is what it answered with."""

    payload: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """Nobody took it in time; `reason` as in X-Slack-Retry-Reason."""

    reason: str
    may_retry: bool = True


Outcome = Acked | Unanswered


class Transport(Protocol):
    """A way to the app."""

    async def send(self, envelope: Envelope) -> Outcome:
        """Hand it over and wait for the acknowledgement, as long as Slack's patience lasts."""

    async def reachable(self) -> None:
        """Return when there is somebody to send to."""
