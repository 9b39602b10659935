"""Time passes: the whole bot on real sockets. Between two starts hours pass, by making the rows older."""

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.sandbox import Person, buttons, text_of
from tests.system.agents import RUNS
from tests.system.house import House, a_house, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
TIMES = """
    [defaults]
    approvers = ["@bob"]
    remind_after = ["1h", "8h"]
    escalate_after = "12h"
    escalate_to = ["@carol"]
"""
SOON = '[defaults]\napprovers = ["channel"]\nexpires_after = "1s"\n'

NOT_A_NO = "Nobody decided in time, so the tool did not run. This is not a no"


def pass_hours(folder: Path, hours: float) -> None:
    """Make everything in the bot's file that much older; the bot must not be running."""

    def earlier(text: str) -> str:
        return (datetime.fromisoformat(text) - timedelta(hours=hours)).isoformat(timespec="microseconds")

    with closing(sqlite3.connect(folder / "bot.db")) as file, file:
        for id, asked_at, expires_at in file.execute(
            "SELECT id, asked_at, expires_at FROM approvals"
        ).fetchall():
            file.execute(
                "UPDATE approvals SET asked_at = ?, expires_at = ? WHERE id = ?",
                (earlier(asked_at), earlier(expires_at), id),
            )
        for id, payload in file.execute("SELECT id, payload FROM jobs WHERE kind = 'timer'").fetchall():
            told = json.loads(payload)
            if told.get("until"):
                told["until"] = earlier(told["until"])
            file.execute(
                "UPDATE jobs SET due = due - ?, payload = ? WHERE id = ?",
                (hours * 3_600, json.dumps(told), id),
            )


async def in_thread(person: Person, card: dict[str, Any], wanted: str) -> dict[str, Any]:
    return await person.sees(wanted, channel="#general", thread=card["thread_ts"])


async def texts(house: House, card: dict[str, Any]) -> list[str]:
    return [text_of(message) for message in await house.bob.thread("#general", card["thread_ts"])]


async def test_a_card_that_nobody_decides_expires_by_itself_and_everybody_is_told(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=SOON) as house:
        await house.asks([TRANSFER])
        card = await house.card("Expired")
        assert buttons(card) == []
        assert "⌛ Expired unanswered" in text_of(card)
        told = await in_thread(house.alice, card, "nobody decided in time")
        assert "<@U0ALICE>" in text_of(told)
        assert NOT_A_NO in await house.answer(NOT_A_NO)
        assert RUNS == []


async def test_a_card_says_until_when_it_is_open(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    assert "Open until <!date^" in json.dumps(card["blocks"], ensure_ascii=False)


async def test_a_deadline_that_passed_while_the_process_was_down_counts_and_a_late_click_is_told(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.asks([TRANSFER])
        card = await house.card()
    pass_hours(tmp_path, 30)
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.bob.press(card, "Approve", stale=True)
        await house.bob.sees_privately("This request expired at")
        assert NOT_A_NO in await house.answer(NOT_A_NO)
        card = await house.bob.sees_change(card, "Expired")
        assert buttons(card) == []
        said = await texts(house, card)
        assert not any("Still open" in text or "📣" in text for text in said)
        assert RUNS == []


async def test_what_was_decided_of_three_before_the_deadline_goes_to_the_agent_with_what_expired(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.asks(
            [
                ("transfer", {"amount": 1.0, "to": "first"}),
                ("transfer", {"amount": 2.0, "to": "second"}),
                ("ask_user", {"question": "third?"}),
            ]
        )
        card = await house.card("3 of 3 open")
        await house.bob.press(card, "Approve", nth=1)
        every = ["Approve", "Edit", "Respond", "Reject"]
        card = await house.card_with(card, *every, "Change", "Respond")
    pass_hours(tmp_path, 24)
    async with a_house(tmp_path, policy=TIMES) as house:
        answer = await house.answer("second")
        assert RUNS == [("transfer", {"amount": 2.0, "to": "second"})]
        assert answer.count(NOT_A_NO) == 2
        assert 'transfer done with {"amount": 2.0' in answer
        card = await house.bob.sees_change(card, "2 of 3 expired")
        assert "Approved by <@U0BOB>" in text_of(card)
        told = text_of(await in_thread(house.alice, card, "nobody decided in time"))
        assert "What was decided before (1 of 3) stays decided." in told


async def test_the_thread_is_reminded_once_with_what_waits_and_who_may_decide(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.asks([TRANSFER])
        card = await house.card()
    for _ in range(2):
        pass_hours(tmp_path, 2)
        async with a_house(tmp_path, policy=TIMES) as house:
            said = text_of(await in_thread(house.bob, card, "Still open"))
            assert "Still open: transfer" in said
            assert "To decide: <@U0BOB>, but nobody who asked for it." in said
            assert [("Still open" in text) for text in await texts(house, card)].count(True) == 1
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.bob.press(card, "Approve")
        await house.answer()
    pass_hours(tmp_path, 48)
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.asks([TRANSFER], by=house.alice)
        await house.bob.sees(lambda one: decisions(one) != [], channel="#general")
        after = await texts(house, card)
        assert [("Still open" in text) for text in after].count(True) == 1
        assert not any("⌛" in text for text in after)


async def test_whoever_is_called_in_is_mentioned_and_may_decide_and_could_not_before(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("You are not among the people who may decide")
    pass_hours(tmp_path, 13)
    async with a_house(tmp_path, policy=TIMES) as house:
        said = text_of(await in_thread(house.carol, card, "📣"))
        assert "<@U0CAROL>: nobody has decided about transfer" in said
        card = await house.bob.sees_change(card, "Called in: <@U0CAROL>")
        await house.carol.press(card, "Approve")
        await house.answer()
        assert len(RUNS) == 1


async def test_a_reminder_in_the_thread_mentions_who_can_still_decide_and_nobody_in_vain(
    tmp_path: Path,
) -> None:
    two = TIMES.replace('["@bob"]', '["@alice", "@bob", "@carol", "@@dba-oncall"]\nquorum = 2')
    async with a_house(tmp_path, policy=two) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Approve")
        await house.bob.sees_change(card, "1 of 2")
    pass_hours(tmp_path, 2)
    async with a_house(tmp_path, policy=two) as house:
        said = await in_thread(house.carol, card, "Still open")
        to = text_of(said).partition("To decide: ")[2]
        assert "<@U0CAROL> or a member of <!subteam^S0" in to
        assert "<@U0BOB>" not in to
        assert "<@U0ALICE>" not in to
        assert said["thread_ts"] == card["thread_ts"]


async def test_a_burst_is_reminded_of_once(tmp_path: Path) -> None:
    agent = "tests.system.flooding:flood"
    async with a_house(tmp_path, policy=TIMES, agent=agent) as house:
        await house.alice.say("#general", f"/agent {json.dumps([('pay', {'number': n}) for n in range(5)])}")
        card = await house.card("5 of 5 open")
    pass_hours(tmp_path, 2)
    async with a_house(tmp_path, policy=TIMES, agent=agent) as house:
        said = text_of(await in_thread(house.bob, card, "Still open"))
        assert "Still open: pay (5 times), wait since" in said
        await house.bob.press(card, "Approve")
        await house.bob.sees_change(card, "4 of 5 open")
        assert [("Still open" in text) for text in await texts(house, card)].count(True) == 1
