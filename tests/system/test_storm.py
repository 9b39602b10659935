"""Many decisions in a short time, in a Slack that keeps its rate limits: the cards come right, and no storm.

The whole of it is a hundred decisions within a minute in one channel. In CI it is thirty within
two seconds, in a Slack that is four times as generous.
"""

import asyncio
import time
from typing import Final

from bot.sandbox import Fault, text_of
from tests.system.agents import RUNS
from tests.system.house import House, Json, decisions
from tests.whole import WHOLE

DECISIONS: Final = 100 if WHOLE else 30
SPEED: Final = 1.0 if WHOLE else 4.0
MINUTE: Final = 60.0 if WHOLE else 2.0


async def test_a_hundred_decisions_in_a_minute_leave_a_hundred_cards_that_are_right(house: House) -> None:
    await asyncio.gather(
        *(house.asks([("transfer", {"amount": 1.0, "to": f"p{n}"})]) for n in range(DECISIONS))
    )
    cards: dict[str, Json] = {}
    while len(cards) < DECISIONS:
        card = await house.card(lambda one: one["ts"] not in cards and decisions(one) != [], timeout=60)
        cards[card["ts"]] = card
    await house.slack.fault(Fault(kind="rates", speed=SPEED))
    before, began = len(house.slack.calls()), time.monotonic()
    for number, card in enumerate(cards.values()):
        due = began + number * MINUTE / DECISIONS
        await asyncio.sleep(max(0.0, due - time.monotonic()))  # people press one after the other
        await (house.bob, house.carol)[number % 2].press(card, "Approve")
    pressed = time.monotonic() - began
    for card in cards.values():
        await house.bob.sees_change(card, lambda one: "Approved by" in text_of(one), timeout=300)
    right = time.monotonic() - began
    for card in cards.values():
        await house.bob.sees(lambda one: "done with" in text_of(one), thread=card["thread_ts"], timeout=300)
    calls = house.slack.calls()[before:]
    refused = [call.method for call in calls if call.outcome == "ratelimited"]
    print(  # noqa: T201 - what was measured
        f"{DECISIONS} decisions in {pressed:.0f} s: all cards right after {right:.0f} s, all answers after "
        f"{time.monotonic() - began:.0f} s; {len(calls)} calls, {len(refused)} of them too early"
    )
    assert len(RUNS) == DECISIONS
    assert len(refused) <= DECISIONS // 5, refused
