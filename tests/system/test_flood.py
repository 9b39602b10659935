"""Many requests at once: calls of one tool are one card with a row each, and only so many cards are open."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS
from tests.system.house import POLICY, House, a_house, decisions

FLOOD = "tests.system.flooding:flood"
THREE = f"open_cards = 3\n{POLICY}"


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RUNS.clear()


def calls(count: int, *, tools: int = 1) -> str:
    """So many calls of so many tools."""
    return json.dumps([(f"tool_{number % tools:02}", {"number": number}) for number in range(count)])


async def cards(house: House, channel: str = "#general") -> list[dict[str, Any]]:
    """The cards on which somebody can decide."""
    return [one for one in await house.bob.messages(channel) if "Approve" in buttons(one)]


async def test_thirty_branches_of_one_tool_are_one_card_that_two_people_decide(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=FLOOD) as house:
        await house.alice.say("#general", f"/agent {calls(30)}")
        card = await house.card("30 of 30 open")
        rows = re.findall(r"number: (\d+)", text_of(card))
        assert sorted(map(int, rows)) == [*range(30)]
        assert len(await cards(house)) == 1
        assert len(card["blocks"]) <= 50
        for left in range(30, 0, -1):
            who = house.bob if left % 2 else house.carol
            await who.press(card, "Approve", nth=0 if left % 3 else -1)
            if left > 1:
                card = await house.bob.sees_change(card, f"{left - 1} of 30 open")
        await house.answer("done with", timeout=30)
        assert sorted(run[1]["number"] for run in RUNS) == [*range(30)]
        ended = await house.bob.sees_change(card, lambda one: "Approve" not in buttons(one))
        assert "<@U0CAROL>" in json.dumps(ended)


async def test_of_thirty_tools_three_cards_are_open_and_the_last_says_how_many_wait(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=FLOOD, policy=THREE) as house:
        await house.alice.say("#general", f"/agent {calls(30, tools=30)}")
        last = await house.card("27 more requests of this conversation wait")
        decided: set[str] = set()
        for left in range(30, 0, -1):
            shown = await cards(house)
            fresh = [one for one in shown if one["ts"] not in decided]
            assert len(fresh) <= 3
            await house.bob.press(fresh[0], "Approve")
            decided.add(fresh[0]["ts"])
            if left > 3:
                await house.bob.sees(
                    lambda one, seen={*decided, *(each["ts"] for each in fresh)}: (  # type: ignore[misc]
                        "Approve" in buttons(one) and one["ts"] not in seen
                    ),
                    channel="#general",
                )
        await house.answer("done with", timeout=30)
        assert sorted(run[1]["number"] for run in RUNS) == [*range(30)]
        for one in await house.bob.messages("#general"):
            if "more request" in text_of(one):
                await house.bob.sees_change(one, lambda now: "more request" not in text_of(now), timeout=20)
        assert last["ts"] in decided


async def test_what_is_held_survives_a_restart(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=FLOOD, policy=THREE) as house:
        await house.alice.say("#general", f"/agent {calls(5, tools=5)}")
        card = await house.card("2 more requests of this conversation wait")
    async with a_house(tmp_path, agent=FLOOD, policy=THREE) as house:
        await house.bob.press(card, "Approve")
        await house.bob.sees("1 more request of this conversation waits", channel="#general")
        for _ in range(4):
            card = await house.card(lambda one: "Approve" in buttons(one))
            await house.bob.press(card, "Approve")
            await house.bob.sees_change(card, lambda one: "Approve" not in buttons(one))
        await house.answer("done with", timeout=30)
        assert sorted(run[1]["number"] for run in RUNS) == [*range(5)]


async def test_a_burst_stands_in_direct_messages_and_each_copy_follows(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["@bob", "@carol"]\nchannel = "dm:approvers"\n'
    async with a_house(tmp_path, agent=FLOOD, policy=policy) as house:
        await house.alice.say("#general", f"/agent {calls(4)}")
        bobs = await house.bob.sees("4 of 4 open", channel="D0BOB")
        carols = await house.carol.sees("4 of 4 open", channel="D0CAROL")
        await house.bob.press(bobs, "Approve")
        carols = await house.carol.sees_change(carols, "3 of 4 open")
        await house.carol.press(carols, "Reject")
        await house.carol.submit(await house.carol.form(), {"Reason": "no"})
        bobs = await house.bob.sees_change(bobs, "2 of 4 open")
        await house.bob.press(bobs, "Approve")
        bobs = await house.bob.sees_change(bobs, "1 of 4 open")
        await house.bob.press(bobs, "Approve")
        assert "not 1" in await house.answer("done with", timeout=30)
        assert sorted(run[1]["number"] for run in RUNS) == [0, 2, 3]


async def test_double_clicks_and_stale_drawings_of_a_burst_decide_once(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=FLOOD) as house:
        await house.alice.say("#general", f"/agent {calls(3)}")
        card = await house.card("3 of 3 open")
        await asyncio.gather(*(house.bob.press(card, "Approve") for _ in range(2)))
        await house.bob.sees("Already approved by you.", channel="#general")
        await house.carol.press(card, "Approve", stale=True)
        await house.carol.sees("Already approved by <@U0BOB>.", channel="#general")
        card = await house.bob.sees_change(card, "2 of 3 open")
        assert decisions(card) == ["Approve", "Edit", "Reject"] * 2
        for left in (1, 0):
            await house.bob.press(card, "Approve")
            if left:
                card = await house.bob.sees_change(card, "1 of 3 open")
        await house.answer("done with", timeout=30)
        assert sorted(run[1]["number"] for run in RUNS) == [0, 1, 2]


async def test_stop_ends_a_burst_and_what_is_held(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=FLOOD, policy=f"open_cards = 1\n{POLICY}") as house:
        await house.alice.say(
            "#general", "/agent " + json.dumps([*json.loads(calls(3)), ("other", {"number": 9})])
        )
        card = await house.card("1 more request of this conversation waits")
        await house.bob.press(card, "Stop")
        await house.alice.sees("Nothing that waited was run", channel="#general")
        gone = await house.bob.sees_change(card, "Withdrawn")
        assert buttons(gone) == []
        assert RUNS == []


async def test_what_is_held_expires_counted_from_its_showing_and_a_burst_is_told_once(tmp_path: Path) -> None:
    policy = f'open_cards = 1\n{POLICY}expires_after = "4s"\n'
    async with a_house(tmp_path, agent=FLOOD, policy=policy) as house:
        written = [*json.loads(calls(3)), ("other", {"number": 9})]
        await house.alice.say("#general", f"/agent {json.dumps(written)}")
        burst = await house.card("3 of 3 open")
        await house.bob.sees_change(burst, "Expired", timeout=20)
        held = await house.card(lambda one: "Approve" in buttons(one), timeout=20)
        assert "other" in text_of(held)
        await house.bob.press(held, "Approve")
        await house.answer("ran 9", timeout=30)
        said = [text_of(one) for one in await house.bob.messages("#general")]
        assert [one.count("tool_00 (3 times)") for one in said if "nobody decided in time" in one] == [1]
        assert [run[1]["number"] for run in RUNS] == [9]


async def test_approve_all_of_a_burst_decides_each_row_and_lets_on_what_is_held(tmp_path: Path) -> None:
    policy = f"open_cards = 1\n{POLICY}all_at_once = true\n"
    async with a_house(tmp_path, agent=FLOOD, policy=policy) as house:
        written = [*json.loads(calls(4)), ("other", {"number": 9})]
        await house.alice.say("#general", f"/agent {json.dumps(written)}")
        card = await house.card("4 of 4 open")
        await house.bob.press(card, "Approve all")
        await house.bob.submit(await house.bob.form())
        held = await house.card(lambda one: "Approve" in buttons(one) and one["ts"] != card["ts"])
        await house.bob.press(held, "Approve")
        await house.answer("done with", timeout=30)
        assert sorted(run[1]["number"] for run in RUNS) == [0, 1, 2, 3, 9]
