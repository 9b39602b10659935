"""How fast messages go into a channel."""

from bot.slack.pace import BETWEEN, QUIET, Pace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_waits_as_long_as_slack_takes_everything() -> None:
    pace = Pace(Clock())
    assert [pace.wait("C1", str(number)) for number in range(100)] == [0.0] * 100


def test_after_slack_said_too_fast_each_message_gets_a_turn_of_its_own() -> None:
    pace = Pace(Clock())
    pace.slow_down("C1", 3.0)
    assert [pace.wait("C1", id) for id in "abc"] == [3.0, 3.0 + BETWEEN, 3.0 + 2 * BETWEEN]
    assert pace.wait("C2", "a") == 0.0


def test_to_ask_again_keeps_the_turn_and_to_take_it_ends_it() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.slow_down("C1", 3.0)
    assert [pace.wait("C1", "a"), pace.wait("C1", "b")] == [3.0, 4.0]
    clock.now += 2.0
    assert [pace.wait("C1", "a"), pace.wait("C1", "b")] == [1.0, 2.0]
    clock.now += 1.5
    assert [pace.wait("C1", "a"), pace.wait("C1", "b")] == [0.0, 0.5]
    assert pace.wait("C1", "a") == 1.5


def test_who_is_refused_in_its_turn_is_not_before_the_others() -> None:
    pace = Pace(Clock())
    pace.slow_down("C1", 1.0)
    assert pace.wait("C1", "a") == 1.0
    pace.slow_down("C1", 1.0)
    assert pace.wait("C1", "b") == 2.0
    pace.slow_down("C1", 9.0)
    assert pace.wait("C1", "c") == 9.0


def test_a_channel_that_was_quiet_for_a_while_is_free_again() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.slow_down("C1", 1.0)
    clock.now += 1.0 + QUIET
    assert pace.wait("C1", "a") == 0.0
    assert pace.wait("C1", "b") == BETWEEN
    clock.now += 2 * BETWEEN + QUIET + 0.1
    assert pace.wait("C1", "c") == 0.0
    assert pace.wait("C1", "d") == 0.0
