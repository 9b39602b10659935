"""Several people in windows of their own: Home and thread, two votes, a stop, and reminders as hours pass."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser import DESKTOP, PHONE, picture, window
from tests.system.agents import RUNS
from tests.system.house import House, a_house
from tests.system.test_expiry import pass_hours

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
OTHER = ("store", {"data": {"a": 1}})
BOTH = '[defaults]\napprovers = ["@alice", "@bob"]\nself_approval = true\nquorum = 2\n'
TIMES = '[defaults]\napprovers = ["@bob"]\nremind_after = ["1h", "8h"]\nexpires_after = "24h"\n'


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RUNS.clear()


def at(house: House, who: str, place: str = "C0GENERAL") -> str:
    """The address at which this person sees that place."""
    return f"{house.slack.page_url}#{who}/{place}"


def button(part: Locator, word: str) -> Locator:
    return part.get_by_role("button", name=re.compile(f"^{word}")).and_(part.page.locator(".button"))


async def test_bob_approves_on_home_and_carol_sees_the_card_in_the_thread_change(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        a_house(tmp_path) as house,
        window(browser, at(house, "U0BOB", "home"), PHONE) as bob,
        window(browser, at(house, "U0CAROL")) as carol,
    ):
        home = bob.main.locator(".home")
        await expect(home).to_contain_text("Nothing waits for you.")
        await house.asks([TRANSFER])
        card = carol.article("Asked today")
        await expect(card).to_contain_text("Approval needed")
        await expect(home).to_contain_text("transfer")
        await picture(bob.page, "home", tmp_path)
        await button(home, "Approve").click()
        await expect(card).to_contain_text("Approved by @Bob")
        await expect(button(card, "Approve")).to_have_count(0)
        await expect(home).to_contain_text("Nothing waits for you.")
        await expect(home).to_contain_text("approved by you")
        await house.answer()
    assert RUNS == [TRANSFER]


async def test_alice_and_bob_decide_together_and_each_sees_the_others_vote(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        a_house(tmp_path, policy=BOTH) as house,
        window(browser, at(house, "U0ALICE")) as alice,
        window(browser, at(house, "U0BOB"), DESKTOP) as bob,
    ):
        await house.asks([TRANSFER])
        hers, his = alice.article("Asked today"), bob.article("Asked today")
        await expect(his).to_contain_text("Approval needed: 0 of 2")
        await button(his, "Approve").click()
        await expect(hers).to_contain_text("Approval needed: 1 of 2")
        await expect(hers).to_contain_text("@Bob")
        assert RUNS == []
        await button(his, "Approve").click()
        await expect(bob.main.get_by_text("Already approved by you. It still needs others.")).to_be_visible()
        await expect(alice.main.get_by_text("Already approved by you.")).to_have_count(0)
        await button(hers, "Approve").click()
        for card in (hers, his):
            await expect(card).to_contain_text("Approved")
            await expect(card.locator(".button")).to_have_count(0)
        await house.answer()
    assert RUNS == [TRANSFER]


async def test_alice_cancels_and_bobs_card_has_no_buttons_any_more(browser: Browser, tmp_path: Path) -> None:
    async with (
        a_house(tmp_path) as house,
        window(browser, at(house, "U0ALICE")) as alice,
        window(browser, at(house, "U0BOB")) as bob,
    ):
        await house.asks([TRANSFER])
        card = bob.article("Asked today")
        await expect(button(card, "Approve")).to_be_visible()
        await alice.send("/agent cancel")
        await expect(card).to_contain_text("Withdrawn")
        await expect(card.locator(".button")).to_have_count(0)
        await house.alice.sees("Nothing that waited was run", channel="#general")
        await house.asks([OTHER])
        again = bob.article("Asked today").last
        await button(again, "Approve").click()
        await house.answer("store done")
    assert RUNS == [("store", {"size": 8})]


async def test_bob_is_reminded_as_hours_pass_and_no_more_once_he_has_decided(
    browser: Browser, tmp_path: Path
) -> None:
    async with a_house(tmp_path, policy=TIMES) as house:
        await house.asks([TRANSFER])
        card = await house.card()
    thread = f"C0GENERAL/{card['thread_ts']}"
    for hours, reminders in ((1.1, 1), (7, 2)):
        pass_hours(tmp_path, hours)
        async with (
            a_house(tmp_path, policy=TIMES) as house,
            window(browser, at(house, "U0BOB", thread)) as bob,
        ):
            told = bob.thread.get_by_text("Still open")
            await expect(told).to_have_count(reminders)
            await expect(told.last).to_contain_text("transfer")
            await expect(told.last).to_contain_text("@Bob")
            if reminders == 2:
                await button(bob.thread.get_by_role("article"), "Approve").first.click()
                await expect(bob.thread).to_contain_text("Approved by @Bob")
                await house.answer()
    pass_hours(tmp_path, 20)
    async with a_house(tmp_path, policy=TIMES) as house, window(browser, at(house, "U0BOB", thread)) as bob:
        await expect(bob.thread).to_contain_text("Approved by @Bob")
        await expect(bob.thread.get_by_text("Still open")).to_have_count(2)
        await expect(bob.thread.get_by_text("Expired")).to_have_count(0)
    assert RUNS == [TRANSFER]
