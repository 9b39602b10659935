"""A call that a card shows only in part: nobody approves it in ignorance of that."""

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS, WORDS
from tests.system.house import House

LONG = "a line of what runs\n" * 400
VERY_LONG = "a line of what runs\n" * 9_000


async def asked(house: House, text: str = LONG) -> dict[str, Any]:
    WORDS["data"] = {"text": text}
    await house.asks([("store", {"data": "$data"})])
    return await house.card()


async def viewed(house: House) -> list[str]:
    def look() -> list[str]:
        with closing(sqlite3.connect(house.bot.settings.bot_database_url.removeprefix("sqlite:///"))) as rows:
            return [actor for (actor,) in rows.execute("SELECT actor FROM audit WHERE kind = 'viewed'")]

    return await asyncio.to_thread(look)


async def test_who_has_not_opened_the_whole_is_asked_once_more(house: House) -> None:
    card = await asked(house)
    await house.bob.press(card, "Approve")
    form = await house.bob.form("You have not seen the whole of it")
    assert RUNS == []
    assert await house.bob.submit(form) == {}
    await house.answer("store done with")
    assert [name for name, _ in RUNS] == ["store"]


async def test_closing_that_form_decides_nothing(house: House) -> None:
    card = await asked(house)
    await house.bob.press(card, "Approve")
    await house.bob.close(await house.bob.form("You have not seen the whole of it"))
    await house.bob.no_form()
    assert "Approve" in buttons(await house.card())
    assert RUNS == []


async def test_who_has_opened_the_whole_approves_at_once_and_nobody_else_does(house: House) -> None:
    card = await asked(house)
    await house.carol.press(card, "View all")
    await house.carol.form("a line of what runs")
    assert await viewed(house) == [house.carol.id]
    await house.bob.press(card, "Approve")
    await house.bob.close(await house.bob.form("You have not seen the whole of it"))
    await house.carol.press(card, "Approve")
    await house.answer("store done with")


async def test_the_whole_is_opened_when_the_last_page_is(house: House) -> None:
    card = await asked(house, VERY_LONG)
    await house.carol.press(card, "View all")
    page = await house.carol.form("Page 1 of")
    await house.carol.press(page, "Approve")
    await house.carol.close(await house.carol.form("You have not seen the whole of it"))
    while "Next" in buttons(page):
        assert await viewed(house) == []
        await house.carol.press(page, "Next")
        page = await house.carol.form(lambda one, last=page: one["hash"] != last["hash"])  # type: ignore[misc]
    assert await viewed(house) == [house.carol.id]
    await house.carol.press(page, "Previous")
    await house.carol.press(card, "Approve")
    await house.answer("store done with")
    assert await viewed(house) == [house.carol.id]


@pytest.mark.parametrize("text", ["short", "short\nlines"])
async def test_what_is_shown_whole_is_approved_at_once(house: House, text: str) -> None:
    card = await asked(house, text)
    assert text.split(maxsplit=1)[0] in text_of(card)
    await house.bob.press(card, "Approve")
    await house.answer("store done with")


async def test_an_edit_of_what_no_form_shows_asks_who_has_not_opened_it_as_approve_does(house: House) -> None:
    """The form has no field for what is too long for it, and that runs as it is."""
    WORDS["long"] = LONG
    await house.asks([("transfer", {"amount": 5.0, "to": "$long"})])
    card = await house.card()
    await house.bob.press(card, "Edit")
    assert await house.bob.submit(await house.bob.form("Not in this form"), {"amount": "1"}) == {}
    form = await house.bob.form("You have not seen the whole of transfer")
    assert RUNS == []
    await house.bob.press(form, "View all")
    await house.bob.close(await house.bob.form(lambda one: one["id"] != form["id"]))
    assert await viewed(house) == [house.bob.id]
    assert await house.bob.submit(await house.bob.form("You have not seen the whole"), {}) == {}
    await house.answer("transfer done with")
    assert [arguments["amount"] for _, arguments in RUNS] == [1.0]


async def test_who_has_opened_the_whole_edits_at_once(house: House) -> None:
    WORDS["long"] = LONG
    await house.asks([("transfer", {"amount": 5.0, "to": "$long"})])
    card = await house.card()
    await house.bob.press(card, "View all")
    await house.bob.close(await house.bob.form("a line of what runs"))
    await house.bob.press(card, "Edit")
    assert await house.bob.submit(await house.bob.form("Not in this form"), {"amount": "1"}) == {}
    await house.answer("transfer done with")
