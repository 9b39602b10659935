"""`BOT_AGENT`: one agent without a name, or several with a name each: `ops=team.ops:agent, docs=…`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.ids import AgentName
from bot.approvals.realm import SOLE

LONGEST: Final = 30
"""Characters of a name: it stands before what people write, and in lists."""

COMMANDS: Final = frozenset({"cancel", "forget", "help", "pending", "status"})
"""Words that the command takes for something else."""

_NAME: Final = re.compile(rf"[a-z][a-z0-9_-]{{0,{LONGEST - 1}}}")
_HOW: Final = "NAME=package.module:attribute"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAgent:
    """An agent as the settings name it."""

    name: AgentName
    """Empty for the only one, where it has none."""
    source: str
    """`package.module:attribute`; it is looked at when it is loaded."""


def read_agents(text: str) -> Sequence[NamedAgent]:
    """The agents that this names, in order; a `ValueError` that completes "BOT_AGENT is not right: …"."""
    entries = [entry.strip() for entry in text.split(",")]
    if not all(entries):
        raise ValueError("something is missing before or after a comma")
    found = [_read(entry) for entry in entries]
    names = [one.name for one in found]
    for one in found:
        if not one.name and len(found) > 1:
            raise ValueError(f"{one.source} has no name; where there are several, each is written {_HOW}")
        if names.count(one.name) > 1:
            raise ValueError(f"two agents are called {one.name}; each needs a name of its own")
    return found


def _read(entry: str) -> NamedAgent:
    name, is_named, source = (part.strip() for part in entry.rpartition("="))
    if not is_named:
        return NamedAgent(name=SOLE, source=source)
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is no name for an agent; a name has at most {LONGEST} small letters, digits, "
            "hyphens and underscores, and begins with a letter"
        )
    if name in COMMANDS:
        raise ValueError(f"an agent cannot be called {name}, since /agent {name} means something else")
    if not source:
        raise ValueError(f"nothing stands behind {name}=; an agent is written {_HOW}")
    return NamedAgent(name=AgentName(name), source=source)
