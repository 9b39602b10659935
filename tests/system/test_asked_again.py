"""When people are not asked: an earlier approval is remembered, or the policy lets the call through."""

import json
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.policy_file import BadPolicy
from bot.sandbox import Person, buttons, text_of
from bot.store import reading_store
from tests.postgres import a_database
from tests.system.agents import FAIL, RUNS
from tests.system.house import House, a_house, decisions

FIVE = ("transfer", {"amount": 5.0, "to": "bob"})
SIX = ("transfer", {"amount": 6.0, "to": "bob"})
EVERY = ["Approve", "Edit", "Respond", "Reject"]
CHANNEL = '[defaults]\napprovers = ["channel"]\n'
ONCE = CHANNEL + 'ask = "once"\n'
PER_TOOL = CHANNEL + 'ask = "once-per-tool"\n'
NEVER = CHANNEL + '[[rules]]\ntools = ["transfer"]\nask = "never"\n'
STORE = ("store", {"data": {"a": 1}})
NOT_ASKED = "Not asked again in this conversation"


async def approved(house: House, *rounds: list[tuple[str, Any]]) -> dict[str, Any]:
    """A conversation in which Bob has approved the first round."""
    await house.asks(*rounds)
    card = await house.card()
    await house.bob.press(card, "Approve")
    return await house.card_with(card)


async def says(
    house: House, card: dict[str, Any], *rounds: list[tuple[str, Any]], by: Person | None = None
) -> None:
    """Go on in the card's thread with a model that follows these rounds."""
    text = f"<@{house.bot.identity.bot_user}> {json.dumps(rounds)}"
    await (by or house.alice).say("#general", text, thread=card["thread_ts"])


def is_open(message: dict[str, Any]) -> bool:
    """Whether it is a card on which somebody can decide."""
    return "Approve" in buttons(message)


def ran(times: int, _: object) -> bool:
    """Whether so much has run."""
    return len(RUNS) == times


async def recorded(folder: Path, kind: str) -> list[dict[str, Any]]:
    """What the record of a house that is closed says of this."""
    async with reading_store(f"sqlite:///{folder / 'bot.db'}") as store, store.read() as tx:
        return [
            {**event.detail, "actor": event.actor, "action": event.action}
            for event in await tx.record.of()
            if event.kind == kind
        ]


async def test_once_approved_the_same_call_is_not_asked_again_and_the_thread_says_so(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        await house.asks([FIVE], [FIVE])
        card = await house.card()
        assert "Once approved and run, this call is not asked again in this conversation" in text_of(card)
        await house.bob.press(card, "Approve")
        await house.answer()
        assert RUNS == [FIVE, FIVE]
        told = await house.bob.sees(NOT_ASKED, channel="#general")
        assert "transfer" in text_of(told)
        assert "approved by <@U0BOB>" in text_of(told)
        assert buttons(told) == ["Ask again"]
    (through,) = await recorded(tmp_path, "let_through")
    assert through["why"] == "remembered"
    assert through["by"] == ["U0BOB"]
    assert len(through["digest"]) == 64


async def test_other_arguments_are_asked_about_and_so_is_the_same_call_in_another_conversation(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        await approved(house, [FIVE], [SIX])
        card = await house.card("Approval needed")
        assert "amount: 6" in text_of(card)
        await house.bob.press(card, "Approve")
        await house.answer()
        await house.asks([FIVE])
        other = await house.card("Approval needed")
        assert other["thread_ts"] != card["thread_ts"]
        assert RUNS == [FIVE, SIX]


async def test_once_per_tool_holds_whatever_the_arguments_and_for_no_other_tool(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=PER_TOOL) as house:
        await house.asks([FIVE], [SIX], [STORE])
        card = await house.card()
        assert "this tool is not asked again in this conversation, whatever its arguments" in text_of(card)
        await house.bob.press(card, "Approve")
        card = await house.card("asks for store")
        assert RUNS == [FIVE, SIX]
        assert "amount: 6" in text_of(await house.bob.sees(NOT_ASKED, channel="#general"))


async def test_a_no_an_answer_and_an_edit_are_not_remembered(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        await house.asks([FIVE], [FIVE], [FIVE], [FIVE])
        card = await house.card()
        await house.bob.press(card, "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "no"})
        await house.card_with(card)
        card = await house.card(is_open)
        await house.bob.press(card, "Respond")
        await house.bob.submit(await house.bob.form(), {"Response": "it is done"})
        await house.card_with(card)
        card = await house.card(is_open)
        await house.bob.press(card, "Edit")
        await house.bob.submit(await house.bob.form(), {"amount": "6"})
        await house.card_with(card)
        await house.card(is_open)
        assert RUNS == [SIX]


async def test_what_ran_and_failed_is_asked_again(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        FAIL.append("transfer")
        await approved(house, [FIVE], [FIVE])
        await house.card(is_open)
        assert RUNS == [FIVE]


@pytest.mark.parametrize("on", ["sqlite", "postgres"])
async def test_whoever_took_part_can_have_people_asked_again_and_others_cannot(
    tmp_path: Path, on: str
) -> None:
    policy = '[defaults]\napprovers = ["@bob"]\nask = "once"\n'
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(a_database()) if on == "postgres" else None
        house = await stack.enter_async_context(a_house(tmp_path, policy=policy, database=database))
        card = await approved(house, [FIVE], [FIVE])
        await house.answer()
        told = await house.bob.sees(NOT_ASKED, channel="#general")
        await house.carol.press(told, "Ask again")
        await house.carol.sees_privately("Only the requester or an approver can do this")
        await house.alice.press(told, "Ask again")
        after = await house.bob.sees_change(told, lambda one: buttons(one) == [])
        assert "From now on it is asked again, says <@U0ALICE>" in text_of(after)
        await says(house, card, [FIVE])
        card = await house.card(is_open)
        assert RUNS == [FIVE, FIVE]
        await house.bob.press(told, "Ask again", stale=True)
        await house.bob.sees_privately("This was taken back already by <@U0ALICE>")
        await house.bob.press(card, "Approve")
        await house.answer("transfer done", thread=card["thread_ts"])
        await says(house, card, [FIVE])
        await house.bob.sees(lambda one: NOT_ASKED in text_of(one) and buttons(one) != [], channel="#general")
    if database is None:
        (forgotten,) = await recorded(tmp_path, "forgotten")
        assert forgotten["actor"] == "U0ALICE"


async def test_it_is_remembered_after_a_restart_but_not_under_another_policy(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        card = await approved(house, [FIVE])
        await house.answer()
    async with a_house(tmp_path, policy=ONCE) as house:
        await says(house, card, [FIVE])
        told = await house.bob.sees(NOT_ASKED, channel="#general")
        await house.bob.sees_change(card, partial(ran, 2))
    for number, policy in enumerate([CHANNEL, '[defaults]\napprovers = ["@bob"]\nask = "once"\n'], 3):
        async with a_house(tmp_path, policy=policy) as house:
            await says(house, card, [FIVE])
            await house.bob.press(await house.card(is_open), "Approve")
            await house.card(partial(ran, number))
            assert NOT_ASKED in text_of(told)


async def test_nobody_approves_what_they_asked_for_by_what_they_approved_before(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        card = await approved(house, [FIVE])
        await house.answer()
        await says(house, card, [FIVE], by=house.bob)
        again = await house.card(is_open)
        await house.bob.press(again, "Approve")
        await house.bob.sees_privately("You asked for this yourself")
        assert RUNS == [FIVE]


async def test_of_several_calls_the_remembered_ones_stand_on_the_card_as_decided(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        await approved(house, [FIVE], [SIX, FIVE])
        card = await house.card(is_open)
        assert "1 of 2 open" in text_of(card)
        assert f"{NOT_ASKED}: approved by <@U0BOB>" in text_of(card)
        assert decisions(card) == [*EVERY, "Ask again"]
        await house.alice.press(card, "Ask again")
        card = await house.card_with(card, *EVERY)
        assert "From now on it is asked again, says <@U0ALICE>" in text_of(card)
        await house.bob.press(card, "Approve")
        await house.answer()
        assert sorted(RUNS, key=str) == [FIVE, FIVE, SIX]


async def test_what_the_policy_never_asks_about_runs_without_a_word_and_stands_in_the_record(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=NEVER) as house:
        await house.asks([FIVE], [STORE, SIX])
        card = await house.card()
        assert RUNS == [FIVE]
        assert "Let through by the policy" in text_of(card)
        assert decisions(card) == EVERY
        await house.bob.press(card, "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "no"})
        await house.answer()
        assert RUNS == [FIVE, SIX]
        thread = await house.bob.thread("#general", card["thread_ts"])
        # What was asked, what the agent does, the card, that it was rejected, and the answer.
        assert len(thread) == 5
    through = await recorded(tmp_path, "let_through")
    assert [one["why"] for one in through] == ["policy", "policy"]
    executed = [one["digest"] for one in await recorded(tmp_path, "executing")]
    assert executed == [one["digest"] for one in through]


async def test_what_only_people_can_answer_is_asked_even_where_the_policy_never_asks(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=CHANNEL + 'ask = "never"\n') as house:
        await house.asks([("ask_user", {"question": "Which?"})])
        assert decisions(await house.card("Answer needed")) == ["Respond"]


async def test_a_rule_that_never_asks_about_what_only_people_can_answer_stops_the_start(
    tmp_path: Path,
) -> None:
    policy = CHANNEL + '[[rules]]\ntools = ["ask_*"]\nask = "never"\n'
    with pytest.raises(BadPolicy, match=r"line 5: `ask` is \"never\", but the gate of 'ask_user' does not"):
        async with a_house(tmp_path, policy=policy, audited=False):
            raise AssertionError("it started")


async def test_status_lists_what_is_not_asked_again_and_forget_takes_it_back(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=ONCE) as house:
        card = await approved(house, [FIVE])
        await house.answer()
        await house.alice.say("#general", "/agent status")
        told = text_of(await house.alice.sees_privately("Not asked again:"))
        assert "transfer, with the same arguments: approved by <@U0BOB>" in told
        code = told.partition("/agent forget ")[2][:8]
        await house.bob.say("#general", f"/agent forget {code}")
        await house.bob.sees_privately("Nothing with this code is remembered for you")
        await house.alice.say("#general", f"/agent forget {code}")
        await house.alice.sees_privately("Taken back: transfer is asked again from now on")
        await says(house, card, [FIVE])
        await house.card(is_open)
        assert RUNS == [FIVE]
