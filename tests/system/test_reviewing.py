"""An edit that the form cannot show by itself takes a second look; what was looked at is what runs."""

from bot.sandbox import text_of
from tests.system.agents import RUNS
from tests.system.house import House

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
