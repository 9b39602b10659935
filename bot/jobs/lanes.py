"""How many jobs run side by side: places that kinds share, and places of one kind alone."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Free places, for jobs of these kinds (`among`) or of all others."""

    free: int
    kinds: Sequence[str]
    among: bool


class Lanes:
    """Counts who is in. Takes no decision about order."""

    def __init__(self, shared: int, limits: Mapping[str, int]) -> None:
        if shared < 1 or any(limit < 1 for limit in limits.values()):
            raise ValueError("at least one job has to be able to run")
        self._shared = shared
        self._limits = dict(limits)
        self._inside: Counter[str | None] = Counter()

    def enter(self, kind: str) -> None:
        """One of this kind runs."""
        self._inside[self._lane(kind)] += 1

    def leave(self, kind: str) -> None:
        """One of this kind ended."""
        self._inside[self._lane(kind)] -= 1

    def free(self, kinds: Collection[str]) -> Iterator[Lane]:
        """Every lane with room, of those in which jobs of these kinds run."""
        if (free := self._shared - self._inside[None]) > 0 and not self._limits.keys() >= set(kinds):
            yield Lane(free=free, kinds=list(self._limits), among=False)
        for kind, limit in self._limits.items():
            if (free := limit - self._inside[kind]) > 0 and kind in kinds:
                yield Lane(free=free, kinds=[kind], among=True)

    @property
    def full(self) -> bool:
        """Whether there is no room for anything."""
        alone = all(self._inside[kind] >= limit for kind, limit in self._limits.items())
        return alone and self._inside[None] >= self._shared

    def _lane(self, kind: str) -> str | None:
        return kind if kind in self._limits else None
