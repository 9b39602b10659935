"""What a call's arguments point at: a file's digest, a commit, a resolved address. Pure.

A path that people approve says nothing of what stands there by the time the tool runs. So a tool may tell
what its arguments point at, in short names and texts: it is shown, it is part of the call's digest, and it
is looked up again before the tool runs.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, Self

import rfc8785

from bot.approvals.decision import Arguments, Json
from bot.approvals.sayings import from_json, saying, to_json

MOST: Final = 6
"""Names of one call: people have to read them all."""
LONGEST: Final = 160
"""Characters of a name or a text, for the same reason; a SHA-256 with its name has 72."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Referents:
    """What was found at one moment."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """By short name, in the tool's own words."""
    problem: str = ""
    """Why it could not be looked up, in words for people; empty if it could."""

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex: for the record, which keeps no value."""
        return hashlib.sha256(rfc8785.dumps(self.to_json())).hexdigest()

    def to_json(self) -> dict[str, Json]:
        """As a JSON object, for a row or a digest."""
        return {"problem": to_json(self.problem)} if self.problem else {"texts": dict(self.texts)}

    @classmethod
    def from_json(cls, told: Mapping[str, Json]) -> Self:
        """What `to_json` wrote; `ValueError` if it is nothing of the kind."""
        match dict(told):
            case {"problem": kept} if problem := from_json(kept):
                return cls(problem=problem)
            case {"texts": dict(texts)}:
                return cls(texts={name: str(text) for name, text in texts.items()})
            case _:
                raise ValueError("not what a call points at")


class Points(Protocol):
    """What tools say of what their arguments point at."""

    def resolves(self, tool: str) -> bool:
        """Whether the tool tells what its arguments point at."""

    async def referents(self, tool: str, arguments: Arguments, *, within: float) -> Referents | None:
        """What they point at now, or why that cannot be told within so many seconds; None if it never is."""


def unfit(texts: Mapping[str, str]) -> str:
    """Why this cannot be shown whole, and so cannot be approved; empty if it can."""
    if len(texts) > MOST:
        return saying("it told {count} things, and at most {most} can be shown", count=len(texts), most=MOST)
    if any(len(text) > LONGEST for pair in texts.items() for text in pair):
        return saying("it told more than {most} characters of one thing", most=LONGEST)
    if any("\ud800" <= letter <= "\udfff" for pair in texts.items() for text in pair for letter in text):
        return saying("it told half a character")
    return ""


def still_stands(before: Referents | None, now: Referents | None) -> bool:
    """Whether a call points at the very same as it did; what could not be looked up never does."""
    if before is None or now is None:
        return before is now
    return not before.problem and not now.problem and dict(before.texts) == dict(now.texts)
