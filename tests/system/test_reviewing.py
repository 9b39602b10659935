"""An edit that the form cannot show by itself takes a second look; what was looked at is what runs."""

from pathlib import Path

from bot.sandbox import text_of
from tests.system.agents import RUNS
from tests.system.house import POLICY, House, a_house

LONG = "first line\n" + "a line that stays\n" * 12 + "last line"
SHOWN = "This is what changes."


async def test_a_long_text_shows_its_difference_before_it_is_sent(house: House) -> None:
    await house.asks([("transfer", {"amount": 5.0, "to": LONG})])
    card = await house.card()
    await house.bob.press(card, "Edit")
    changed = LONG.replace("first", "1st")
    assert await house.bob.submit(await house.bob.form(), {"to": changed}) == {}
    form = await house.bob.form(SHOWN)
    assert "- first line\n+ 1st line\n" in text_of(form)
    again = changed.replace("last", "the end")
    assert await house.bob.submit(form, {"to": again}) == {}  # something else than was shown
    form = await house.bob.form("+ the end line")
    assert RUNS == []
    assert await house.bob.submit(form) == {}
    await house.bob.no_form()
    ended = await house.bob.sees_change(card, lambda one: "Edited and approved" in text_of(one))
    assert "2 lines removed (-), 2 lines added (+)" in text_of(ended)
    await house.answer("transfer done")
    assert [arguments for _, arguments in RUNS] == [{"amount": 5.0, "to": again}]


async def test_an_edit_of_what_is_dangerous_asks_once_more_in_words_that_name_it(tmp_path: Path) -> None:
    policy = f"{POLICY}[[rules]]\ntools = ['transfer']\ndanger = true\n"
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([("transfer", {"amount": 5.0, "to": "bob"})])
        card = await house.card()
        await house.bob.press(card, "Edit")
        form = await house.bob.form()
        assert form["submit"]["text"] == "Approve edited"
        assert await house.bob.submit(form, {"amount": "7"}) == {}
        form = await house.bob.form("Run transfer like this? It is marked as dangerous.")
        assert form["submit"]["text"] == "Run it"
        assert "amount: 5.0 → 7" in text_of(form)
        assert RUNS == []
        assert await house.bob.submit(form) == {}
        await house.bob.no_form()
        await house.answer("transfer done")
        assert RUNS == [("transfer", {"amount": 7.0, "to": "bob"})]


async def test_a_call_that_is_turned_into_what_is_dangerous_asks_once_more_too(tmp_path: Path) -> None:
    policy = (
        f"{POLICY}[[rules]]\ntools = ['store']\nedit_to = ['lookup']\n"
        "[[rules]]\ntools = ['lookup']\ndanger = true\n"
    )
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([("store", {"data": {"a": 1}})])
        card = await house.card()
        await house.bob.press(card, "Edit")
        form = await house.bob.form("Arguments of")
        await house.bob.choose(form, "tool", "lookup")
        assert await house.bob.submit(await house.bob.form("lookup."), {"what": "it"}) == {}
        form = await house.bob.form("Run lookup like this? It is marked as dangerous.")
        assert RUNS == []
        assert await house.bob.submit(form) == {}
        await house.answer("lookup done")
        assert RUNS == [("lookup", {"what": "it"})]
