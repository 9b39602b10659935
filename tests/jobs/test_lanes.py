"""How many run side by side, and for which kinds the table is asked."""

import pytest

from bot.jobs.lanes import Lane, Lanes

SHARED = Lane(free=2, kinds=["run", "redraw"], among=False)
RUNS = Lane(free=3, kinds=["run"], among=True)


def lanes() -> Lanes:
    return Lanes(2, {"run": 3, "redraw": 1})


def asked_about(found: Lanes, *kinds: str) -> list[Lane]:
    return [lane for lane in found.free() if lane.takes_any(frozenset(kinds))]


@pytest.mark.parametrize(
    ("kinds", "asked"),
    [
        ([], []),
        (["run"], [RUNS]),
        (["post"], [SHARED]),
        (["run", "post", "spread"], [SHARED, RUNS]),
        (["redraw"], [Lane(free=1, kinds=["redraw"], among=True)]),
    ],
)
def test_only_lanes_are_asked_about_in_which_something_waits(kinds: list[str], asked: list[Lane]) -> None:
    assert asked_about(lanes(), *kinds) == asked


def test_a_lane_without_room_is_not_asked_about() -> None:
    busy = lanes()
    busy.enter("redraw")
    for _ in range(2):
        busy.enter("post")
    assert asked_about(busy, "redraw", "post", "run") == [RUNS]
    busy.leave("post")
    assert asked_about(busy, "post") == [Lane(free=1, kinds=["run", "redraw"], among=False)]


def test_all_is_full_when_every_lane_is() -> None:
    busy = lanes()
    for kind in ("post", "spread", "run", "run", "run"):
        busy.enter(kind)
        assert not busy.full
    busy.enter("redraw")
    assert busy.full
    busy.leave("run")
    assert not busy.full
