"""Whoever asked hears once, in the thread, what was decided where they would not see it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import text_of
from tests.system.agents import RUNS
from tests.system.house import House, a_house

TRANSFER = ("transfer", {"amount": 5.0, "to": "s3cret-recipient"})
OPS = '[defaults]\napprovers = ["channel"]\nchannel = "#approvals"\n'
DIRECT = '[defaults]\napprovers = ["@bob"]\nchannel = "dm:approvers"\n'
OWN = '[defaults]\napprovers = ["channel"]\nself_approval = true\n'


def heard(house: House) -> list[str]:
    """What the channel was told so, since this start."""
    said = [call.arguments for call in house.slack.calls("chat.postMessage") if call.outcome == "ok"]
    return [str(one["text"]) for one in said if str(one["text"]).startswith("🏁 <@U0ALICE>:")]


async def card(house: House, where: str) -> dict[str, Any]:
    return await house.bob.sees("Approval needed", channel=where)


@pytest.mark.parametrize(("policy", "where"), [(OPS, "#approvals"), (DIRECT, "D0BOB")])
async def test_what_is_decided_elsewhere_is_told_once_in_the_thread_without_an_argument(
    tmp_path: Path, policy: str, where: str
) -> None:
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER])
        await house.bob.press(await card(house, where), "Approve")
        told = await house.alice.sees("🏁", channel="#general")
        assert "🏁 <@U0ALICE>: transfer was approved by <@U0BOB>." in text_of(told)
        assert "s3cret" not in json.dumps(told)
        assert told["thread_ts"]
        await house.answer()
        assert len(heard(house)) == 1
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER])
        await card(house, where)
        assert heard(house) == []


async def test_an_approval_in_the_thread_is_not_told_and_a_rejection_is(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        await house.asks([TRANSFER])
        await house.bob.press(await house.card(), "Approve")
        await house.answer()
        assert heard(house) == []
        await house.asks([TRANSFER])
        await house.bob.press(await house.card(), "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "not now"})
        await house.answer("not now")
        [told] = heard(house)
        assert "🏁 <@U0ALICE>: transfer was rejected by <@U0BOB>." in told
        assert len(RUNS) == 1


async def test_whoever_decided_alone_what_they_asked_is_told_nothing(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=OWN + 'channel = "#approvals"\n') as house:
        await house.asks([TRANSFER])
        await house.alice.press(await card(house, "#approvals"), "Approve")
        await house.answer()
        assert heard(house) == []


async def test_a_burst_is_told_once_when_all_of_it_is_decided(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=OPS, agent="tests.system.flooding:flood") as house:
        await house.alice.say("#general", f"/agent {json.dumps([('pay', {'number': n}) for n in range(4)])}")
        shown = await house.bob.sees("4 of 4 open", channel="#approvals")
        for left in range(3, -1, -1):
            assert heard(house) == []
            await house.bob.press(shown, "Approve")
            if left:
                shown = await house.bob.sees_change(shown, f"{left} of 4 open")
        await house.answer()
        [told] = heard(house)
        assert "🏁 <@U0ALICE>: pay (4 times) were approved by <@U0BOB>." in told
