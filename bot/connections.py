"""How many connections to Postgres a bot may have: one that is alone, and one of several in a process."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """Of one bot in one process, to its own database. One more listens for jobs."""

    writers: int
    """For transactions that write; in each something is decided, in milliseconds."""
    readers: int
    checkpoints: int
    """They are read and written in short statements, each for itself."""
    jobs: int
    """For handing out jobs."""
    kept: int | None = None
    """Writers and readers that stay open when they have nothing to do; None for all."""


ALONE: Final = Connections(writers=8, readers=4, checkpoints=4, jobs=4)

ONE_OF_SEVERAL: Final = Connections(writers=3, readers=2, checkpoints=2, jobs=1, kept=1)
"""Each workspace has a database of its own and so connections of its own, and a server has a hundred for all.
So a bot beside others has nine at the most, with which ten workspaces fit. It keeps five, and opens the
others, each in some milliseconds, while much happens at once.
"""
