"""Slack in trouble: nothing is lost, and there is one card."""

from typing import Any

import pytest

from bot.sandbox import Fault, buttons, text_of
from tests.system import agents
from tests.system.agents import RUNS
from tests.system.house import House, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})

TROUBLE = {
    "a rate limit": Fault(kind="ratelimited", method="chat.postMessage", times=2, retry_after=1),
    "a rate limit without a time": Fault(kind="ratelimited", method="chat.postMessage", times=2),
    "a server error": Fault(kind="status", method="chat.postMessage", status=503, times=2),
    "a lost answer": Fault(kind="lost_response", method="chat.postMessage", times=2),
    "a lost request": Fault(kind="drop_request", method="chat.postMessage", times=2),
    "a failed update": Fault(kind="status", method="chat.update", status=500, times=1),
    "a card that was deleted": Fault(kind="error", method="chat.update", error="message_not_found", times=1),
    "everything delivered twice": Fault(kind="duplicate", method="*"),
}


@pytest.mark.parametrize("fault", TROUBLE.values(), ids=TROUBLE.keys())
async def test_a_conversation_comes_through(house: House, fault: Fault) -> None:
    await house.slack.fault(fault)
    await house.asks([TRANSFER])
    card = await house.card(timeout=30)
    await house.bob.press(card, "Approve")
    await house.answer(timeout=30)
    assert len(RUNS) == 1
    shown = [
        message
        for message in await house.bob.thread("#general", card["thread_ts"])
        if "digest" in text_of(message) and decisions(message) != []
    ]
    assert len(shown) <= 1


async def test_a_card_that_is_decided_before_its_answer_came_is_drawn_as_decided(house: House) -> None:
    await house.slack.fault(Fault(kind="lost_response", method="chat.postMessage", times=2))
    await house.asks([TRANSFER])
    card = await house.card(timeout=30)
    await house.bob.press(card, "Approve")
    await house.answer(timeout=30)
    await house.bob.sees_change(card, lambda one: decisions(one) == [], timeout=30)


async def test_a_failure_that_is_retried_before_its_answer_came_says_so(house: House) -> None:
    agents.FAIL.append("model")
    await house.slack.fault(Fault(kind="lost_response", method="chat.postMessage", times=2))
    await house.asks([TRANSFER])
    failed = await house.alice.sees(lambda one: "Retry" in buttons(one), channel="#general", timeout=30)
    await house.alice.press(failed, "Retry")
    await house.alice.sees_change(failed, lambda one: "Retried by" in text_of(one), timeout=30)
    await house.card(timeout=30)


@pytest.mark.parametrize(("method", "times"), [("users.info", 2), ("conversations.members", 2)])
async def test_when_slack_cannot_say_who_it_is_nobody_decides(house: House, method: str, times: int) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.slack.fault(Fault(kind="error", method=method, error="internal_error", times=times))
    await house.bob.press(card, "Approve")
    await house.bob.sees_privately("could not be asked who you are")
    assert RUNS == []
    await house.bob.press(card, "Approve")
    await house.answer()


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_after_a_disconnect_the_bot_is_there_again(house: House, reason: Any) -> None:  # noqa: ANN401 - a literal
    await house.asks([TRANSFER])
    card = await house.card()
    await house.slack.fault(Fault(kind="disconnect", method="*", reason=reason))
    await house.slack.connected()
    await house.bob.press(card, "Approve")
    await house.answer()
