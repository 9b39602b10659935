"""The Home tab: the whole bot on real sockets, people who open it and press there."""

from pathlib import Path

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS
from tests.system.house import House, a_house, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
NAMED = """
    operators = ["@carol"]
    [defaults]
    approvers = ["@bob"]
"""
TWO_NEEDED = """
    [defaults]
    approvers = ["channel"]
    quorum = 2
"""


async def test_what_waits_is_approved_from_home_and_the_card_in_the_thread_changes(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    home = await house.bob.opens_home("Waiting for you")
    assert "*transfer*" in text_of(home)
    assert decisions(home)[:4] == ["Open the card", "Approve", "Edit", "Respond"]
    assert await house.bob.press(home, "Approve") == {"ok": True}
    await house.bob.sees_change(card, "Approved by <@U0BOB>")
    after = await house.bob.home("Nothing waits for you.")
    assert "transfer: approved by you" in text_of(after)
    assert "That decided it." in text_of(after)
    await house.answer()
    assert RUNS == [("transfer", {"amount": 5.0, "to": "bob"})]


async def test_a_home_that_was_opened_follows_what_others_ask_and_decide(house: House) -> None:
    await house.bob.opens_home("Nothing waits for you.")
    await house.alice.opens_home("Nothing waits for you.")
    await house.asks([TRANSFER])
    await house.bob.home("*transfer*")
    await house.alice.home("waits for a decision about transfer")
    card = await house.card()
    await house.carol.press(card, "Reject")
    await house.carol.submit(await house.carol.form(), {"Reason": "no"})
    await house.bob.home("Nothing waits for you.")
    await house.alice.home(lambda one: "finished" in text_of(one))


async def test_forms_open_over_home_and_decide(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    home = await house.bob.opens_home("*transfer*")
    await house.bob.press(home, "Edit")
    form = await house.bob.form()
    assert await house.bob.submit(form, {"amount": "3"}) == {}
    await house.bob.sees_change(card, "Edited and approved by <@U0BOB>")
    await house.bob.home("transfer: edited by you")
    await house.answer()
    assert RUNS == [("transfer", {"amount": 3.0, "to": "bob"})]


async def test_whoever_may_not_decide_has_nothing_waiting_and_a_guest_is_told(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=NAMED) as house:
        await house.asks([TRANSFER])
        await house.card()
        assert "*transfer*" in text_of(await house.bob.opens_home("*transfer*"))
        own = text_of(await house.alice.opens_home("Nothing waits for you."))
        assert "waits for a decision about transfer" in own
        guest = await house.slack.person("Gus").opens_home("Guests cannot take part")
        assert "transfer" not in text_of(guest)


async def test_an_operator_sees_all_that_waits_and_no_argument_and_cannot_decide(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=NAMED) as house:
        await house.asks([TRANSFER])
        await house.card()
        home = await house.carol.opens_home("All that waits, for operators: 1")
        assert "• transfer, asked by <@U0ALICE>" in text_of(home)
        assert [word for word in buttons(home) if word == "Approve"] == []
        assert "5.0" not in text_of(home)
        await house.carol.say("#general", "/agent pending all")
        await house.carol.sees_privately("All that waits:")
        await house.bob.say("#general", "/agent pending all")
        await house.bob.sees_privately("Only operators may list all that waits")


async def test_one_of_two_votes_from_home_leaves_the_other_to_whoever_has_not_voted(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TWO_NEEDED) as house:
        await house.asks([TRANSFER])
        await house.card()
        await house.carol.opens_home("*transfer*")
        await house.bob.press(await house.bob.opens_home("*transfer*"), "Approve")
        after = text_of(await house.bob.home("Nothing waits for you."))
        assert "It still needs others (1 of 2)." in after
        carols = await house.carol.home("(1 of 2)")
        await house.carol.press(carols, "Approve")
        await house.answer()
        assert len(RUNS) == 1


async def test_a_press_on_a_home_of_before_is_answered_and_changes_nothing(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    home = await house.bob.opens_home("*transfer*")
    await house.carol.press(card, "Approve")
    await house.answer()
    await house.bob.press(home, "Approve", stale=True)
    said = await house.bob.form("Already approved by")
    assert "<@U0CAROL>" in text_of(said) or "Carol" in text_of(said)
    await house.bob.home("Nothing waits for you.")
    assert len(RUNS) == 1
