"""Whoever loses a right loses it at once where the rule says so, and for what is remembered; who may ask."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.sandbox import text_of
from bot.sandbox.records import UserId
from tests.system.agents import RUNS
from tests.system.house import House, a_house

FIVE = ("transfer", {"amount": 5.0, "to": "bob"})
SIX = ("transfer", {"amount": 6.0, "to": "bob"})
BOB = '[defaults]\napprovers = ["@bob"]\n'


async def becomes_a_guest(house: House) -> None:
    bob = house.slack.core.workspace.accounts[UserId("U0BOB")]
    await house.slack.change(replace(bob, is_restricted=True))


@pytest.mark.parametrize("fresh", [True, False])
async def test_a_guest_of_a_moment_ago_decides_no_more_where_the_rule_asks_anew(
    tmp_path: Path,
    fresh: bool,  # noqa: FBT001 - the key's value
) -> None:
    async with a_house(tmp_path, policy=f"{BOB}fresh = {str(fresh).lower()}\n") as house:
        await house.asks([FIVE], [SIX])
        await house.bob.press(await house.card("Approval needed"), "Approve")
        card = await house.card(lambda one: "Approval needed" in text_of(one) and "amount: 6" in text_of(one))
        await becomes_a_guest(house)
        await house.bob.press(card, "Approve")
        if fresh:
            await house.bob.sees_privately("Guests cannot take part in approvals.")
            assert RUNS == [FIVE]
        else:
            await house.answer()
            assert RUNS == [FIVE, SIX]


async def test_an_approval_of_somebody_who_may_decide_no_more_is_asked_again(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=f'{BOB}fresh = true\nask = "once"\n') as house:
        await house.asks([FIVE])
        card = await house.card()
        await house.bob.press(card, "Approve")
        await house.answer()
        await becomes_a_guest(house)
        text = f"<@{house.bot.identity.bot_user}> {json.dumps([[FIVE]])}"
        await house.alice.say("#general", text, thread=card["thread_ts"])
        await house.carol.sees(
            lambda one: one["ts"] != card["ts"] and "Approval needed" in text_of(one), channel="#general"
        )
        assert RUNS == [FIVE]


@pytest.mark.parametrize("requesters", ["@@dba-oncall", "@carol"])
async def test_only_whom_the_policy_names_may_ask(tmp_path: Path, requesters: str) -> None:
    policy = f'requesters = ["{requesters}"]\n[defaults]\napprovers = ["channel"]\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([FIVE], by=house.alice)
        await house.alice.sees_privately("You are not among the people who may ask the agent here.")
        await house.asks([FIVE], by=house.carol)
        assert "<@U0CAROL>" in text_of(await house.card())
