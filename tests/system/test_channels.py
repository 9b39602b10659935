"""Where cards stand: in the thread, in a channel that the policy names, with each approver; and where not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.policy_file import BadPolicy
from bot.sandbox import Fault, Person, buttons, text_of
from tests.system.agents import RUNS
from tests.system.house import House, a_house, decisions

Json = dict[str, Any]

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
STORE: tuple[str, Json] = ("store", {"data": {}})
NEEDED = "Approval needed"

OPS = '[defaults]\napprovers = ["channel"]\nchannel = "#approvals"\n'
BOTH = '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["store"]\nchannel = "#approvals"\n'
DIRECT = '[defaults]\napprovers = ["@bob", "@@dba-oncall", "requester"]\nchannel = "dm:approvers"\n'


async def in_channel(house: House, name: str, wanted: str = NEEDED) -> Json:
    return await house.bob.sees(wanted, channel=name)


async def directly(person: Person, wanted: str = NEEDED) -> Json:
    """The card in this person's direct message with the bot."""
    return await person.sees(wanted, channel=f"D{person.id[1:]}")


def is_sent(message: Json) -> bool:
    return "was sent to" in text_of(message) and not buttons(message)


async def test_a_card_stands_in_the_channel_that_the_policy_names_and_the_thread_says_where(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=OPS) as house:
        await house.asks([TRANSFER])
        card = await in_channel(house, "#approvals")
        assert "thread_ts" not in card
        told = await house.alice.sees(is_sent, channel="#general")
        assert "#approvals" in text_of(told)
        await house.bob.press(card, "Approve")
        await house.answer()
        assert len(RUNS) == 1
        assert [one for one in await house.bob.messages("#general") if decisions(one)] == []
        assert decisions(await house.bob.sees_change(card, lambda one: not decisions(one))) == []


async def test_channel_approvers_are_the_members_of_the_channel_where_the_card_stands(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=OPS) as house:
        general = house.slack.channel("#general")
        carol = house.carol.id
        await house.slack.change(replace(general, members=tuple({*general.members} - {carol})))
        await house.asks([TRANSFER])
        await house.carol.press(await in_channel(house, "#approvals"), "Approve")
        await house.answer()


async def test_every_copy_takes_a_decision_and_shows_those_of_the_others(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=BOTH) as house:
        await house.asks([TRANSFER, STORE])
        here, there = await house.card(), await in_channel(house, "#approvals")
        assert text_of(here) == text_of(there)
        await house.bob.press(there, "Approve")
        here = await house.bob.sees_change(here, lambda one: "Change" in decisions(one))
        await house.carol.press(here, "Approve")
        await house.answer()
        await house.bob.sees_change(there, lambda one: not decisions(one))


async def test_approvers_are_sent_the_card_each_once_and_nobody_else(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=DIRECT) as house:
        await house.asks([TRANSFER])
        bobs, carols = await directly(house.bob), await directly(house.carol)
        await house.alice.sees(is_sent, channel="#general")
        # Who asked is named too, and may not decide without self_approval.
        assert [one for one in await house.alice.messages(f"D{house.alice.id[1:]}") if decisions(one)] == []
        await house.bob.press(bobs, "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "not now"})
        await house.answer("not now")
        assert RUNS == []
        await house.carol.sees_change(carols, lambda one: not decisions(one))
        to = [str(call.arguments["channel"]) for call in house.slack.calls("chat.postMessage")]
        assert [one for one in to if one.startswith("U")] == [house.bob.id, house.carol.id]


async def test_forms_and_view_all_opened_from_a_copy_decide_there(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=DIRECT) as house:
        await house.asks([TRANSFER])
        card = await directly(house.bob)
        await house.bob.press(card, "Edit")
        await house.bob.submit(await house.bob.form(), {"to": "carol"})
        await house.answer()
        assert len(RUNS) == 1
        await house.asks([("store", {"data": {"text": "long " * 2_000}}), STORE])
        card = await directly(house.bob, "2 of 2 open")
        await house.bob.press(card, "View all")
        await house.bob.press(await house.bob.form(), "Approve")
        await house.bob.sees_change(card, lambda one: "Change" in buttons(one))


async def test_no_card_is_posted_into_a_channel_shared_with_others_unless_the_policy_allows_it(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path) as house:
        await house.slack.change(replace(house.slack.channel("#general"), is_ext_shared=True))
        await house.asks([TRANSFER])
        told = await house.alice.sees("shared with another organisation", channel="#general")
        assert "`shared_channels = true`" in text_of(told).replace("\u2060", "")
        assert [one for one in await house.bob.messages("#general") if decisions(one)] == []
        assert "not shown in a message yet" in (await pending(house))
        assert RUNS == []
    # Once the policy allows it, it is shown after all.
    allowing = '[defaults]\napprovers = ["channel"]\nshared_channels = true\n'
    async with a_house(tmp_path, policy=allowing) as house:
        await house.bob.press(await house.card(), "Approve")
        await house.answer()


async def test_a_policy_may_allow_cards_in_shared_channels(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["channel"]\nshared_channels = true\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.slack.change(replace(house.slack.channel("#general"), is_ext_shared=True))
        await house.asks([TRANSFER])
        await house.bob.press(await house.card(), "Approve")
        await house.answer()


async def pending(house: House) -> str:
    await house.bob.say("#general", "/agent pending")
    return text_of(await house.bob.sees_privately("Waiting for you"))


@pytest.mark.parametrize("loss", ["archived", "without the bot"])
async def test_where_the_channel_is_lost_the_card_falls_back_to_the_thread(tmp_path: Path, loss: str) -> None:
    policy = OPS.replace('"channel"]', '"@bob"]')
    async with a_house(tmp_path, policy=policy) as house:
        channel = house.slack.channel("#approvals")
        people = tuple(id for id in channel.members if id != "U0AGENT")
        lost = replace(channel, is_archived=True) if loss == "archived" else replace(channel, members=people)
        await house.slack.change(lost)
        await house.asks([TRANSFER])
        await house.alice.sees("cannot be written in any more", channel="#general")
        await house.bob.press(await house.card(), "Approve")
        await house.answer()


async def test_a_channel_that_is_lost_while_the_card_stands_there_is_noticed_at_the_next_drawing(
    tmp_path: Path,
) -> None:
    policy = OPS.replace('"channel"]', '"@bob", "@carol"]\nquorum = 2')
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER])
        card = await in_channel(house, "#approvals")
        await house.bob.press(card, "Approve")
        await house.bob.sees_change(card, lambda one: "1 of 2" in str(one["blocks"]))
        await house.slack.change(replace(house.slack.channel("#approvals"), is_archived=True))
        await house.bob.press(card, "Approve", stale=True)
        await house.alice.sees("cannot be written in any more", channel="#general")
        here = await house.card()
        await house.bob.press(here, "Approve")
        await house.carol.press(here, "Approve")
        await house.answer()


async def test_a_reminder_comes_where_people_are_asked_and_pending_leads_each_to_the_own_card(
    tmp_path: Path,
) -> None:
    policy = DIRECT + 'remind_after = ["1s"]\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER])
        card = await directly(house.bob)
        reminded = await house.bob.sees("Still open", channel=f"D{house.bob.id[1:]}", timeout=30)
        assert reminded["thread_ts"] == card["ts"]
        await house.alice.sees("Still open", channel="#general")
        assert f"{card['channel'] if 'channel' in card else 'D' + house.bob.id[1:]}/p" in await pending(house)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('channel = "#nowhere"', "line 3: #nowhere is no channel that the bot can see"),
        ('channel = "C0NOWHERE"', "line 3: C0NOWHERE is no channel that the bot can see"),
        ('channel = "#random"', "line 3: The bot is not in #random; type /invite there"),
        ('channel = "dm:approvers"', "line 3: `channel`: direct messages go to people and user groups"),
    ],
)
async def test_a_place_that_cannot_have_the_card_is_refused_at_start_by_its_line(
    tmp_path: Path, line: str, why: str
) -> None:
    policy = f'[defaults]\napprovers = ["channel"]\n{line}\n'
    with pytest.raises(BadPolicy) as refused:
        async with a_house(tmp_path, policy=policy, audited=False):
            raise AssertionError("it started")
    assert why in str(refused.value)


@pytest.mark.parametrize("policy", [OPS, DIRECT.replace('"@@dba-oncall", ', "")])
async def test_a_copy_whose_answer_was_lost_is_found_and_not_posted_twice(
    tmp_path: Path, policy: str
) -> None:
    async with a_house(tmp_path, policy=policy) as house:
        name = "#approvals" if policy is OPS else await house.bob.opens_im()
        await house.asks([TRANSFER])
        card = await in_channel(house, name)
        await house.bob.press(card, "Approve")
        await house.answer()
        await house.slack.fault(Fault(kind="lost_response", method="chat.postMessage", times=3))
        await house.asks([STORE])
        anew = await house.bob.sees(
            lambda one: one["ts"] != card["ts"] and decisions(one) != [], channel=name, timeout=30
        )
        await house.bob.press(anew, "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "no more"})
        await house.answer("no more", timeout=30)
        assert len([one for one in await house.bob.messages(name) if one.get("bot_id")]) == 2
