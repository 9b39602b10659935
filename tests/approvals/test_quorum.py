"""Whether votes are enough: the seating against every seating there is."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.quorum import seated, tally


def every_seating(counts: Sequence[int], votes: Sequence[frozenset[int]]) -> int:
    """The best of all ways to give each vote one of its groups, or none."""
    best = 0
    for choice in product(*([None, *sorted(vote)] for vote in votes)):
        taken = [group for group in choice if group is not None]
        if all(taken.count(group) <= count for group, count in enumerate(counts)):
            best = max(best, len(taken))
    return best


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int], list[frozenset[int]]]:
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    vote = st.frozensets(st.integers(0, len(counts) - 1), max_size=len(counts))
    return counts, draw(st.lists(vote, max_size=6))


@given(cases())
def test_no_other_seating_counts_more_votes(case: tuple[list[int], list[frozenset[int]]]) -> None:
    counts, votes = case
    assert seated(counts, votes) == every_seating(counts, votes)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_votes_does_not_matter(
    case: tuple[list[int], list[frozenset[int]]],
    random: object,
) -> None:
    counts, votes = case
    shuffled = list(votes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert tally(counts, shuffled) == tally(counts, votes)


@given(cases())
def test_what_is_said_to_be_missing_is_enough_once_it_comes_and_not_before(
    case: tuple[list[int], list[frozenset[int]]],
) -> None:
    counts, votes = case
    stands = tally(counts, votes)
    for group, more in enumerate(stands.more):
        assert tally(counts, [*votes, *[frozenset({group})] * more]).counted == stands.counted + more
        assert tally(counts, [*votes, *[frozenset({group})] * (more + 1)]).counted == stands.counted + more
    if stands.is_definite:
        wanted = [frozenset({group}) for group, more in enumerate(stands.more) for _ in range(more)]
        assert tally(counts, [*votes, *wanted]).reached
        assert not wanted or not tally(counts, [*votes, *wanted[1:]]).reached


@pytest.mark.parametrize(
    ("counts", "votes", "reached", "more"),
    [
        ([1], [{0}], True, (0,)),
        ([2], [{0}], False, (1,)),
        # One person in both groups is one vote, not two.
        ([1, 1], [{0, 1}], False, (1, 1)),
        ([1, 1], [{0, 1}, {0}], True, (0, 0)),
        ([1, 1], [{0}, {0}], False, (0, 1)),
        # Whoever came first moves over when somebody comes who fits only there.
        ([1, 2], [{0, 1}, {0}, {1}], True, (0, 0)),
        ([1, 1, 1], [{0, 1}, {1, 2}, {0}], True, (0, 0, 0)),
        ([1, 1], [set(), set()], False, (1, 1)),
    ],
)
def test_groups_are_anded_and_never_summed(
    counts: list[int], votes: list[set[int]], *, reached: bool, more: tuple[int, ...]
) -> None:
    stands = tally(counts, votes)
    assert (stands.reached, stands.more) == (reached, more)
