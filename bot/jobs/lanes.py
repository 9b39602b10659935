"""How many jobs run side by side: places that kinds share, and places of one kind alone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Free places, for jobs of these kinds (`among`) or of all others."""

    free: int
    kinds: Sequence[str]
    among: bool

    def takes_any(self, kinds: frozenset[str]) -> bool:
        """Whether jobs of one of these kinds run in it."""
        own = kinds.intersection(self.kinds)
        return bool(own) if self.among else own != kinds


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

    def free(self) -> Iterator[Lane]:
        """Every lane with room."""
        if (free := self._shared - self._inside[None]) > 0:
            yield Lane(free=free, kinds=list(self._limits), among=False)
        for kind, limit in self._limits.items():
            if (free := limit - self._inside[kind]) > 0:
                yield Lane(free=free, kinds=[kind], among=True)

    @property
    def full(self) -> bool:
        """Whether there is no room for anything."""
        return not any(self.free())

    def _lane(self, kind: str) -> str | None:
        return kind if kind in self._limits else None
