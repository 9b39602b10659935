"""What a sentence asks for: rounds of tool calls. A round's results are there when the next one starts."""

from dataclasses import dataclass, field
from typing import TypeAlias

from bot.approvals.decision import Json


@dataclass(frozen=True, slots=True)
class ResultOf:
    """Stands in an argument for the result of the reading of this file, in an earlier round."""

    path: str


Value: TypeAlias = Json | ResultOf


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call to make."""

    tool: str
    arguments: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retry:
    """Make the calls again that failed, or those that match the words."""

    words: str = ""


Step: TypeAlias = Call | Retry
Round: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The rounds that were understood, and the pieces of text that were not."""

    rounds: tuple[Round, ...] = ()
    not_understood: tuple[str, ...] = ()
