"""Whether people are asked about a call, and what an approval of it is remembered for. Values only."""

from dataclasses import dataclass
from enum import StrEnum


class Asking(StrEnum):
    """When a policy has people asked; the values are the words of the file."""

    ALWAYS = "always"
    NEVER = "never"
    """The policy lets the call through, although the agent's gate would have people asked."""
    ONCE = "once"
    """An approval holds for the same tool with the same arguments, in the same conversation."""
    ONCE_PER_TOOL = "once-per-tool"
    """An approval holds for the tool whatever its arguments, in the same conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """What an approval of a call is remembered for. Kept with the call, since its approvers were told so."""

    asking: Asking
    """`ONCE` or `ONCE_PER_TOOL`."""
    terms: str
    """Who had to decide then, as `Terms.fingerprint` has it: under other terms it counts no more."""
