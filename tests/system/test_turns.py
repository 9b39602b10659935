"""A message that waits its turn becomes the reason for rejecting what was open when it came."""

from pathlib import Path
from typing import Any

from bot.approvals.ids import UserId
from bot.approvals.turns import NO_LONGER, NO_LONGER_WAITS, WAITS
from bot.sandbox import Person, buttons, text_of
from bot.slack.turns import LABEL
from bot.store.database import reading_store
from tests.system.agents import RUNS
from tests.system.house import House, a_house, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
LATER = ("transfer", {"amount": 7.0, "to": "eve"})
BY_CAROL = "<@U0CAROL> rejected what was open, with this message as the reason."


async def waits(house: House, text: str, thread: str, by: Person | None = None) -> dict[str, Any]:
    """Somebody writes in the thread while people are asked; the notice about it."""
    mention = f"<@{house.bot.identity.bot_user}>"
    await (by or house.alice).say("#general", f"{mention} {text}", thread=thread)
    notice = await house.bob.sees(lambda one: buttons(one) == [LABEL], channel="#general", thread=thread)
    assert text_of(notice).strip().startswith(WAITS)
    return notice


async def test_everything_open_is_rejected_with_the_message_and_the_agent_hears_it_once(house: House) -> None:
    await house.asks([TRANSFER, LATER])
    card = await house.card()
    notice = await waits(house, "wrong customer", card["thread_ts"])
    await house.carol.press(notice, LABEL)
    told = await house.answer("wrong customer")
    assert told.count("wrong customer") == 2
    used = await house.bob.sees_change(notice, BY_CAROL)
    assert buttons(used) == []
    ended = await house.card_with(card)
    assert text_of(ended).count("wrong customer") == 2
    answers = [one for one in await house.alice.messages("#general") if "heard" in text_of(one)]
    assert answers == [], "it is not given to the agent as words as well"
    assert RUNS == []
    await house.bob.press(notice, LABEL, stale=True)
    await house.bob.sees_privately("This message was used as the reason already by <@U0CAROL>.")


async def test_whoever_asked_may_not_reject_by_it_and_the_message_goes_on_waiting(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    notice = await waits(house, "no", card["thread_ts"])
    await house.alice.press(notice, LABEL)
    await house.alice.sees_privately("`transfer`: You asked for this yourself")
    await house.slack.person("Gus").press(notice, LABEL)
    await house.slack.person("Gus").sees_privately("Guests cannot take part in approvals.")
    assert decisions(await house.card()) != []
    await house.bob.press(card, "Approve")
    await house.answer("heard no")
    over = await house.bob.sees_change(notice, NO_LONGER)
    assert buttons(over) == []
    await house.carol.press(notice, LABEL, stale=True)
    await house.carol.sees_privately(NO_LONGER_WAITS)


async def test_what_a_person_may_not_decide_is_told_and_stays_open(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["store"]\napprovers = ["@bob"]\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([TRANSFER, ("store", {"data": {"a": 1}})])
        card = await house.card()
        notice = await waits(house, "not now", card["thread_ts"])
        await house.carol.press(notice, LABEL)
        told = await house.carol.sees_privately("Rejected, except for what you may not decide:")
        assert "`store`: You are not among the people who may decide about `store`." in text_of(told)
        assert "`transfer`" not in text_of(told)
        await house.bob.press(notice, LABEL)
        used = await house.bob.sees_change(notice, BY_CAROL.replace("CAROL", "BOB"))
        assert buttons(used) == []
        assert (await house.answer("not now")).count("not now") == 2
        assert RUNS == []


async def test_it_rejects_only_what_was_open_when_the_message_came(house: House) -> None:
    await house.asks([TRANSFER], [LATER])
    card = await house.card()
    notice = await waits(house, "stop it", card["thread_ts"])
    await house.bob.press(card, "Approve")
    second = await house.card(lambda one: one["ts"] != card["ts"] and "Approve" in buttons(one))
    await house.carol.press(notice, LABEL, stale=True)
    await house.carol.sees_privately(NO_LONGER_WAITS)
    assert "Approve" in decisions(second)
    await house.bob.press(second, "Approve")
    await house.answer("heard stop it")
    assert len(RUNS) == 2


async def test_an_edit_made_meanwhile_is_not_rejected_by_it(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy='[defaults]\napprovers = ["channel"]\nquorum = 2\n') as house:
        await house.asks([TRANSFER])
        card = await house.card()
        notice = await waits(house, "too much", card["thread_ts"])
        await house.bob.press(card, "Edit")
        await house.bob.submit(await house.bob.form(), {"amount": "1"})
        edited = await house.bob.sees_change(card, "1 of 2")
        await house.carol.press(notice, LABEL)
        await house.carol.sees_privately("edited meanwhile")
        await house.carol.press(edited, "Approve")
        await house.answer("heard too much")
        assert RUNS == [("transfer", {"amount": 1.0, "to": "bob"})]


async def test_the_button_counts_only_where_the_notice_stands(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    notice = await waits(house, "no", card["thread_ts"])
    forged = house.slack.click(house.bob, notice, LABEL)
    forged["channel"]["id"] = forged["container"]["channel_id"] = "C0RANDOM"
    await house.slack.deliver(forged, "interactive")
    await house.bob.sees_privately("This is not where the notice stands, so nothing was done.")
    assert decisions(await house.card()) != []


async def test_whoever_wrote_the_reason_may_still_decide_about_what_comes_next(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        notice = await waits(house, "another way please", card["thread_ts"], by=house.bob)
        await house.bob.press(notice, LABEL)
        await house.answer("another way please")
        await house.bob.sees_change(notice, BY_CAROL.replace("CAROL", "BOB"))
    async with reading_store(house.bot.settings.bot_database_url) as store, store.read() as tx:
        [conversation] = await tx.conversations.of(UserId("U0ALICE"))
        assert await tx.conversations.speakers(conversation.id) == {UserId("U0ALICE")}


async def test_a_message_that_is_too_long_for_a_reason_says_so(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    notice = await waits(house, "x" * 3_001, card["thread_ts"])
    await house.bob.press(notice, LABEL)
    await house.bob.sees_privately("This message has 3,001 characters and a reason at most 3,000")
    assert decisions(await house.card()) != []


async def test_after_a_stop_the_notice_offers_nothing_any_more(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    notice = await waits(house, "no", card["thread_ts"])
    await house.alice.press(card, "Stop")
    over = await house.bob.sees_change(notice, NO_LONGER)
    assert buttons(over) == []
