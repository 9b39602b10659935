"""Several people decide about one call: who they are, what they vote for, what the card says meanwhile."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import CannotStart
from bot.policy_file import BadPolicy
from bot.sandbox import Fault, Visitor, buttons, text_of
from bot.sandbox.options import SCOPES
from bot.slack import directory
from tests.postgres import a_database
from tests.system.agents import RUNS
from tests.system.house import a_house

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
EVERY = ["Approve", "Edit", "Respond", "Reject"]
TWO = '[defaults]\napprovers = ["channel"]\nquorum = 2\n'
BOTH = """
    [defaults]
    require = [
      { approvers = ["@@dba-oncall"] },
      { approvers = ["@@dba-oncall", "@bob"] },
    ]
"""
"""Carol is in the user group, and so in both; Bob is in one."""


@pytest.fixture
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Slack says is not remembered."""
    monkeypatch.setattr(directory, "REMEMBERED", 0.0)


async def test_two_of_a_channel_have_to_agree_and_the_card_says_who_did_and_who_is_missing(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=TWO) as house:
        await house.asks([TRANSFER])
        card = await house.card("Approval needed: 0 of 2")
        assert "Votes needed: 2 of this channel" in text_of(card)
        await house.bob.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change")
        assert "Approval needed: 1 of 2" in text_of(card)
        assert "1 of 2: <@U0BOB>; 1 more of this channel" in text_of(card)
        await house.alice.press(card, "Approve")
        await house.alice.sees_privately("You asked for this yourself")
        assert RUNS == []
        await house.carol.press(card, "Approve")
        await house.answer()
        assert RUNS == [TRANSFER]
        ended = await house.card_with(card)
        assert "Approved by <@U0BOB> and <@U0CAROL>" in text_of(ended)


async def test_one_person_votes_once_however_often_and_fast_they_press(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TWO) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await asyncio.gather(*(house.bob.press(card, "Approve", stale=True) for _ in range(5)))
        card = await house.card_with(card, *EVERY, "Change")
        await house.bob.press(card, "Approve")
        await house.bob.sees_privately("Already approved by you. It still needs others.")
        assert "1 of 2: <@U0BOB>; 1 more" in text_of(await house.card_with(card, *EVERY, "Change"))
        assert RUNS == []


async def test_ones_vote_can_be_taken_back_and_counts_no_more(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TWO) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change")
        await house.carol.press(card, "Change")
        await house.carol.sees_privately("There is no decision of yours to change")
        await house.bob.press(card, "Change")
        card = await house.card_with(card, *EVERY)
        await house.carol.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change")
        assert "1 of 2: <@U0CAROL>" in text_of(card)
        assert RUNS == []


async def test_one_no_ends_it_at_once_although_somebody_approved(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TWO) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change")
        await house.carol.press(card, "Reject")
        await house.carol.submit(await house.carol.form(), {"Reason": "too much"})
        assert "with reason: too much" in await house.answer("rejected")
        ended = await house.card_with(card)
        assert "Rejected by <@U0CAROL>" in text_of(ended)
        assert "Approved before by <@U0BOB>" in text_of(ended)
        assert RUNS == []


async def test_an_edit_is_voted_on_anew_and_exactly_it_runs(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TWO) as house:
        await house.asks([TRANSFER])
        first = await house.card()
        await house.bob.press(first, "Approve")
        card = await house.card_with(first, *EVERY, "Change")
        await house.carol.press(card, "Edit")
        await house.carol.submit(await house.carol.form(), {"amount": "4"})
        card = await house.bob.sees_change(card, lambda one: "Edited" in text_of(one))
        assert "amount: 4" in text_of(card)
        assert "1 of 2: <@U0CAROL>; 1 more of this channel" in text_of(card)
        await house.bob.press(first, "Approve", stale=True)
        await house.bob.sees_privately("This was edited meanwhile, so nothing was done")
        assert RUNS == []
        await house.bob.press(card, "Approve")
        await house.answer()
        assert RUNS == [("transfer", {"amount": 4.0, "to": "bob"})]
        assert "Edited and approved by <@U0CAROL> and <@U0BOB>" in text_of(await house.card_with(card))


async def test_a_form_that_showed_other_arguments_than_are_asked_now_changes_nothing(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TWO) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Edit")
        form = await house.bob.form()
        await house.carol.press(card, "Edit")
        await house.carol.submit(await house.carol.form(), {"to": "carol"})
        await house.bob.submit(form, {"amount": "4"})
        assert "This was edited meanwhile" in text_of(await house.bob.form("Not done"))
        assert RUNS == []
        assert "1 of 2: <@U0CAROL>" in text_of(
            await house.bob.sees_change(card, lambda one: "Edited" in text_of(one))
        )


async def test_one_person_in_two_groups_is_not_enough_for_both(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=BOTH) as house:
        await house.asks([TRANSFER])
        card = await house.card("0 of 2")
        await house.carol.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change")
        assert "1 of 2: <@U0CAROL>; 1 more of @dba-oncall or <@U0BOB>" in text_of(card)
        assert RUNS == []
        await house.bob.press(card, "Approve")
        await house.answer()
        assert RUNS == [TRANSFER]


@pytest.mark.usefixtures("_asked_anew")
async def test_a_vote_counts_as_it_was_found_at_the_click_and_who_left_the_group_votes_no_more(
    tmp_path: Path,
) -> None:
    policy = '[defaults]\napprovers = ["@@trio"]\nquorum = 2\n'
    async with AsyncExitStack() as stack:
        async with a_house(tmp_path) as house:
            await house.slack.add_user_group("trio", ["Bob", "Carol"])
        house = await stack.enter_async_context(a_house(tmp_path, policy=policy))
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change")
        group = house.slack.user_group("trio")
        await house.slack.change(replace(group, users=()))
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("You are not among the people who may decide about `transfer`")
        await house.slack.change(replace(group, users=(house.carol.id,)))
        await house.carol.press(card, "Approve")
        await house.answer()
        assert RUNS == [TRANSFER]


@pytest.mark.usefixtures("_asked_anew")
async def test_while_slack_cannot_say_who_is_in_a_group_nobody_decides_and_a_group_that_is_gone_is_nobody(
    tmp_path: Path,
) -> None:
    policy = '[defaults]\napprovers = ["@@dba-oncall"]\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.slack.fault(Fault(kind="error", method="usergroups.list", error="internal_error"))
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("Slack could not be asked")
        async with await Visitor.connect(house.slack.page_url) as visitor:
            await visitor.clear_faults()
        await house.slack.change(replace(house.slack.user_group("dba-oncall"), disabled=True))
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("You are not among the people")
        assert RUNS == []


async def test_a_group_that_nobody_knows_and_a_quorum_that_it_cannot_give_keep_the_bot_from_starting(
    tmp_path: Path,
) -> None:
    for policy, problem in (
        ('[defaults]\napprovers = ["@@nobody"]\n', "line 2: @@nobody is no user group of this workspace"),
        (
            '[defaults]\napprovers = ["@@dba-oncall"]\nquorum = 2\n',
            "line 3: `quorum`: 2 approvers are wanted",
        ),
        (
            f'{TWO}[[rules]]\ntools = ["transfer"]\nquorum = 1\n[[rules]]\ntools = ["trans*"]\nquorum = 3\n',
            "line 7: the rule for trans* is never reached",
        ),
    ):
        with pytest.raises(BadPolicy, match=problem.replace("*", r"\*")):
            async with a_house(tmp_path, policy=policy):
                pass


async def test_user_groups_without_their_scope_are_told_by_the_name_of_the_scope(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["@@dba-oncall"]\n'
    with pytest.raises(CannotStart, match="the scope usergroups:read is missing"):
        async with a_house(tmp_path, policy=policy, scopes=SCOPES - {"usergroups:read"}):
            pass


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_votes_outlive_a_restart(tmp_path: Path, database: str) -> None:
    async with AsyncExitStack() as stack:
        rows = await stack.enter_async_context(a_database()) if database == "postgres" else None
        async with a_house(tmp_path, policy=BOTH, database=rows) as house:
            await house.asks([TRANSFER])
            card = await house.card()
            await house.carol.press(card, "Edit")
            await house.carol.submit(await house.carol.form(), {"amount": "4"})
            await house.card_with(card, *EVERY, "Change")
        async with a_house(tmp_path, policy=BOTH, database=rows) as house:
            card = await house.card("1 of 2")
            await house.bob.press(card, "Approve")
            await house.answer()
            assert RUNS == [("transfer", {"amount": 4.0, "to": "bob"})]
            assert buttons(await house.card_with(card)) == []


async def test_of_several_actions_each_takes_its_own_votes(tmp_path: Path) -> None:
    policy = f'{TWO}[[rules]]\ntools = ["store"]\nquorum = 1\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER, ("store", {"data": {}})])
        card = await house.card("2 of 2 open")
        await house.bob.press(card, "Approve", nth=1)
        card = await house.card_with(card, *EVERY, "Change")
        await house.bob.press(card, "Approve")
        card = await house.card_with(card, *EVERY, "Change", "Change")
        await house.carol.press(card, "Approve")
        await house.answer()
        assert sorted(tool for tool, _ in RUNS) == ["store", "transfer"]
