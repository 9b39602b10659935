"""The forms as people use them: an edit with an error, its difference, and an answer that is chosen."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser import PHONE, Window, picture, window
from tests.system.agents import RUNS
from tests.system.house import a_house

pytestmark = pytest.mark.asyncio(loop_scope="module")

SQL = "DELETE FROM people\nWHERE city = 'Bern';"
CHANGED = SQL.replace("Bern", "Basel")


def _send(seen: Window, word: str) -> Locator:
    return seen.form.get_by_role("button", name=word)


async def _edit(bob: Window, folder: Path) -> None:
    """What does not fit is said at its field; what changes is shown; sending that decides."""
    await bob.main.get_by_title("Edit transfer").click()
    amount = bob.form.get_by_label("amount")
    await expect(bob.form).to_contain_text("Before: 5.0")
    await bob.form.get_by_label("to").fill(CHANGED)
    await amount.fill("")
    await _send(bob, "Approve edited").click()
    await expect(bob.form.get_by_role("alert")).to_have_text("This field is needed.")
    await amount.fill("4")
    await _send(bob, "Approve edited").click()
    await expect(bob.form).to_contain_text("This is what changes.")
    await expect(bob.form).to_contain_text("- WHERE city = 'Bern';\n+ WHERE city = 'Basel';")
    await expect(bob.form.get_by_label("to")).to_have_value(CHANGED)
    assert RUNS == []
    await picture(bob.page, "difference", folder)
    await _send(bob, "Approve edited").click()
    await expect(bob.form).to_have_count(0)
    card = bob.article("Edited and approved")
    await expect(card).to_contain_text("to (1 line removed (-), 1 line added (+)):")


async def _answer(bob: Window, folder: Path) -> None:
    """The choices stand below the question; one press and Send."""
    await bob.main.get_by_title("Respond to choose Which one?").click()
    await expect(bob.form).to_contain_text("Which one?")
    await bob.form.get_by_label("notes.txt").check()
    await picture(bob.page, "choices", folder)
    await _send(bob, "Send").click()
    await expect(bob.form).to_have_count(0)
    await expect(bob.article("Answered by @Bob")).to_contain_text("notes.txt")


async def test_bob_edits_and_answers_on_his_phone(browser: Browser, tmp_path: Path) -> None:
    RUNS.clear()
    async with a_house(tmp_path) as house:
        ask = ("choose", {"question": "Which one?", "choices": ["data.csv", "notes.txt"]})
        await house.asks([("transfer", {"amount": 5.0, "to": SQL})], [ask])
        async with window(browser, f"{house.slack.page_url}#U0BOB/C0GENERAL", PHONE) as bob:
            await _edit(bob, tmp_path)
            await _answer(bob, tmp_path)
        assert "choose: notes.txt" in await house.answer("notes.txt")
    assert RUNS == [("transfer", {"amount": 4.0, "to": CHANGED})]
