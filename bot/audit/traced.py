"""What a trace knows of one action: where it came from, what was decided, whether it has begun."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Self

from bot.approvals.ports import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How it ended for an action."""

    allows: bool
    at: datetime
    reason: str = ""
    edited: str = ""
    """The digest of what a person made of it; empty if it was not edited."""
    edited_tool: str = ""
    """The other tool that it was turned into; empty if it stayed the same."""

    @classmethod
    def of(cls, event: Event) -> Self:
        """The verdict of a line `decided`."""
        decision = str(event.detail.get("decision"))
        return cls(
            allows=decision in {"approve", "edit"},
            at=event.at,
            reason=decision,
            edited=str(event.detail.get("edited_digest") or ""),
            edited_tool=str(event.detail.get("edited_tool") or ""),
        )


class Attempt(Enum):
    """How far the last attempt at an action has come, as far as the record knows."""

    BEGUN = "begun"
    PAUSED = "paused"
    FAILED = "failed"
    DONE = "done"

    @classmethod
    def of(cls, outcome: object) -> Self:
        """What it is after a line with this outcome."""
        match outcome:
            case "paused":
                return cls("paused")
            case "failed":
                return cls("failed")
            case "in_doubt":
                return cls("begun")
            case _:
                return cls("done")

    def goes_on(self, *, repeatable: bool) -> bool:
        """Whether another attempt is the same execution, tried again."""
        return self is Attempt.PAUSED or (repeatable and self is not Attempt.DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """One action."""

    id: str
    tool: str
    digest: str
    conversation: str
    call: str
    """The tool call that it is about, with its conversation and message; empty where it is not known."""
    doubt: bool
    """Whether people are asked if a call that may have run is to run again."""
    deadline: datetime | None
    requested: bool = False
    verdict: Verdict | None = None
    settled: bool = False
    attempt: Attempt | None = None
    """None if it has not begun."""
    blocked: bool = False
    stopped: datetime | None = None

    @classmethod
    def of(cls, asked: Any, event: Event) -> Self:  # noqa: ANN401 - JSON, as `filing` wrote it
        """The action as a line `filed` tells of it."""
        ends = event.detail.get("expires_at")
        call = f"{event.conversation}/{asked.get('message')}/{asked['call']}" if asked.get("call") else ""
        return cls(
            id=str(asked["id"]),
            tool=str(asked["tool"]),
            digest=str(asked["digest"]),
            conversation=event.conversation or "",
            call=call.encode("utf-8", "backslashreplace").decode(),
            doubt=event.detail.get("shape") == "in_doubt",
            deadline=datetime.fromisoformat(str(ends)) if ends else None,
        )

    @property
    def intent(self) -> str:
        """The same for all actions about one call."""
        return self.call or self.id

    @property
    def edited_id(self) -> str:
        """The id of what a person made of it."""
        return f"{self.id}/edited"
