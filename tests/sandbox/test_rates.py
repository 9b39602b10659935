"""Slack's rate limits in the sandbox."""

from bot.sandbox.rates import Rates


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def allowed(rates: Rates, method: str, channel: str = "C1") -> int:
    count = 0
    while rates.wait(method, channel) == 0:
        count += 1
    return count


def test_each_method_has_what_its_tier_allows_in_a_minute() -> None:
    rates = Rates(now=Clock())
    assert [allowed(rates, name) for name in ("conversations.list", "chat.update", "views.open")] == [
        20,
        50,
        100,
    ]


def test_messages_are_counted_by_channel_and_one_more_is_taken_each_second() -> None:
    clock = Clock()
    rates = Rates(now=clock)
    assert [allowed(rates, "chat.postMessage"), allowed(rates, "chat.postMessage", "C2")] == [10, 10]
    assert rates.wait("chat.postMessage", "C1") == 1.0
    clock.now += 0.75
    assert rates.wait("chat.postMessage", "C1") == 0.25
    clock.now += 2.25
    assert allowed(rates, "chat.postMessage") == 3
    clock.now += 1_000
    assert allowed(rates, "chat.postMessage") == 10


def test_a_more_generous_slack_fills_faster_and_not_higher() -> None:
    clock = Clock()
    rates = Rates(speed=10, now=clock)
    assert allowed(rates, "chat.update") == 50
    clock.now += 1.2
    assert allowed(rates, "chat.update") == 10
