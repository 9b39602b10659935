"""Who may do what, as they click it."""

import asyncio
from pathlib import Path

import pytest

from bot.sandbox import Fault, buttons, text_of
from bot.slack import refusals
from tests.system.agents import RUNS
from tests.system.house import House, a_house, both_databases, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Gus", "Guests cannot take part"),
        ("Eve", "People of another organisation cannot take part"),
        ("Alice", "You asked for this yourself"),
    ],
)
@pytest.mark.parametrize("word", ["Approve", "Reject", "Edit", "Respond"])
async def test_who_may_not_decide_is_told_privately_and_nothing_happens(
    house: House, name: str, reason: str, word: str
) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    person = house.slack.person(name)
    assert await person.press(card, word) == {"ok": True}
    told = await person.sees_privately(reason)
    assert told["thread_ts"] == card["thread_ts"]
    assert await person.forms() == []
    assert RUNS == []
    assert decisions(await house.card()) == ["Approve", "Edit", "Respond", "Reject"]
    assert await house.bob.ephemerals() == []


@pytest.mark.parametrize("name", ["Gus", "Eve"])
async def test_who_is_no_member_cannot_start_the_agent(house: House, name: str) -> None:
    person = house.slack.person(name)
    assert await person.say("#general", "/agent do it") == {"ok": True}
    await person.sees_privately("cannot take part")
    await person.say("#general", f"<@{house.bot.identity.bot_user}> do it")
    await person.sees_privately(lambda one: "ts" in one and "cannot take part" in str(one))
    assert [one for one in await house.bob.messages("#general") if one.get("bot_id")] == []


async def test_the_requester_may_decide_where_the_policy_says_so(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["requester"]\nself_approval = true\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Approve")
        await house.bob.sees_privately("You are not among the people who may decide")
        await house.alice.press(card, "Approve")
        await house.answer()


async def test_a_rule_names_who_decides_about_a_tool(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["trans*"]\napprovers = ["@carol"]\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER, ("store", {"data": {}})])
        card = await house.card()
        await house.bob.press(card, "Approve")
        await house.bob.sees_privately("You are not among the people who may decide about `transfer`")
        await house.bob.press(card, "Approve", nth=1)
        card = await house.card_with(card, "Approve", "Edit", "Respond", "Reject", "Change")
        await house.carol.press(card, "Approve")
        await house.answer()


@both_databases
async def test_a_double_click_is_one_decision(house: House) -> None:
    await house.asks([TRANSFER], [TRANSFER])
    card = await house.card()
    await asyncio.gather(*(house.bob.press(card, "Approve", stale=True) for _ in range(5)))
    second = await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) != [])
    assert len(RUNS) == 1
    await house.bob.sees_privately("Already approved by you")
    await house.bob.press(card, "Approve", stale=True)
    assert decisions(await house.card(lambda one: one["ts"] == second["ts"])) != []
    assert len(RUNS) == 1


@both_databases
async def test_of_two_people_at_the_same_instant_one_wins_and_the_other_is_told(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Reject")
    form = await house.bob.form()
    await asyncio.gather(
        house.carol.press(card, "Approve", stale=True),
        house.bob.submit(form, {"Reason": "no"}),
    )
    ended = await house.card_with(card)
    answer = await house.answer("transfer: ")
    if "Approved by <@U0CAROL>" in text_of(ended):
        assert len(RUNS) == 1
        assert "Already approved by <@U0CAROL>" in text_of(await house.bob.form("Not done"))
    else:
        assert RUNS == []
        assert "with reason: no" in answer
        await house.carol.sees_privately("Already rejected by <@U0BOB>")


async def test_a_late_submission_is_told_in_the_open_form(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Edit")
    form = await house.bob.form()
    await house.carol.press(card, "Approve")
    await house.answer()
    assert await house.bob.submit(form, {"to": "eve"}) == {}
    assert "Already approved by <@U0CAROL>" in text_of(await house.bob.form("Not done"))
    assert len(RUNS) == 1


async def test_a_click_on_an_old_drawing_is_told_what_became_of_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "PAUSE", 1.0)
    await house.asks([TRANSFER])
    card = await house.card()
    await house.slack.fault(Fault(kind="error", method="chat.update", error="is_archived", times=2))
    await house.bob.press(card, "Approve")
    await house.answer()
    assert "Approve" in buttons(await house.card(lambda one: one["ts"] == card["ts"]))
    await house.carol.press(card, "Approve", stale=True)
    await house.carol.sees_privately("Already approved by <@U0BOB>")
    await house.card_with(card)
    assert RUNS == [TRANSFER]
