"""Whether the votes are enough, where several groups have to agree and one person counts once. Pure.

A group needs so many votes; a vote fits one group or several. Which vote counts for which group is nobody's
choice: the votes are seated in the best way there is, which is a bipartite matching.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

Fits = Collection[int]
"""The groups that one vote could count for, by position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How far the votes go."""

    counted: int
    """Votes that count; one that finds every group of its own full does not."""
    needed: int
    more: tuple[int, ...]
    """For each group, how many more votes from it alone would count; what votes fit several groups may count
    for one of them in place of another, so that the sum can be larger than what is missing."""

    @property
    def missing(self) -> int:
        """How many more votes have to come."""
        return self.needed - self.counted

    @property
    def reached(self) -> bool:
        """Whether the votes are enough."""
        return not self.missing

    @property
    def is_definite(self) -> bool:
        """Whether each group has to give exactly its `more`."""
        return sum(self.more) == self.missing


def tally(counts: Sequence[int], votes: Sequence[Fits]) -> Tally:
    """The votes against groups that need these counts."""
    counted = seated(counts, votes)
    return Tally(
        counted=counted,
        needed=sum(counts),
        more=tuple(
            seated(counts, [*votes, *[{group}] * count]) - counted for group, count in enumerate(counts)
        ),
    )


def seated(counts: Sequence[int], votes: Sequence[Fits]) -> int:
    """The most votes that can count at once, each for one group and no group for more than its count."""
    seats: list[list[int]] = [[] for _ in counts]

    def find_seat(vote: int, tried: set[int]) -> bool:
        for group in votes[vote]:
            if group in tried:
                continue
            tried.add(group)
            if len(seats[group]) < counts[group]:
                seats[group].append(vote)
                return True
            for place, other in enumerate(seats[group]):
                if find_seat(other, tried):
                    seats[group][place] = vote
                    return True
        return False

    return sum(find_seat(vote, set()) for vote in range(len(votes)))
