"""A tool that shows its calls itself, in the whole bot: asked once, kept, and never trusted."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from bot.approvals import presenting
from bot.render import Fields, Table, Text
from bot.sandbox import Fault, text_of
from bot.store import reading_store
from bot.store.auditing import recorded
from tests.browser import DESKTOP, PHONE, chromium, picture, window
from tests.system.agents import RUNS
from tests.system.house import House, a_house
from tests.system.rendering import ASKED, SHOWS, for_ever, friendly

SHOP = "tests.system.rendering:shop"
CALL = ("refund", {"order": "A-17", "amount": 129.9, "key": "xoxb-1234567890-abcdef"})


@pytest.fixture(autouse=True)
def _shows() -> None:
    ASKED.clear()
    SHOWS[:] = [friendly]


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path, agent=SHOP) as house:
        yield house


def kinds(card: dict[str, Any]) -> list[str]:
    return [block["type"] for block in card["blocks"]]


async def test_the_card_shows_what_the_tool_tells_and_the_call_runs_with_its_own_arguments(
    shop: House,
) -> None:
    await shop.asks([CALL])
    card = await shop.card("As the tool itself shows it")
    assert "129.90 EUR" in text_of(card)
    assert kinds(card).count("table") == 1
    await shop.bob.press(card, "Approve")
    await shop.bob.close(await shop.bob.form("You have not seen the whole of it"))
    await shop.bob.press(card, "View all")
    whole = await shop.bob.form("order (text, 4 characters):")
    assert "129.9" in text_of(whole)
    assert "(masked, 22 characters)" in text_of(whole)
    await shop.bob.close(whole)
    await shop.bob.press(card, "Approve")
    await shop.answer("refund done with")
    assert RUNS == [CALL]
    decided = await shop.card("Approved")
    assert "129.90 EUR" in text_of(decided)
    assert ASKED == [{"order": "A-17", "amount": 129.9, "key": "(masked, 22 characters)"}]


async def test_it_is_asked_once_and_every_drawing_shows_the_same(tmp_path: Path) -> None:
    two = '[defaults]\napprovers = ["channel"]\nquorum = 2\n'
    async with a_house(tmp_path, agent=SHOP, policy=two) as house:
        await house.asks([CALL])
        await house.bob.press(await house.card("129.90 EUR"), "View all")
        await house.bob.close(await house.bob.form("order"))
    SHOWS[:] = [lambda _: Text("something else")]
    async with a_house(tmp_path, agent=SHOP, policy=two) as house:
        card = await house.card("129.90 EUR")
        await house.bob.press(card, "Approve")
        card = await house.card("1 of 2")
        assert "129.90 EUR" in text_of(card)
        assert "something else" not in text_of(card)
    assert len(ASKED) == 1


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (lambda _: 1 / 0, "it failed with ZeroDivisionError"),
        (lambda _: {"text": "x"}, "`render` gave something else than"),
        (for_ever, "it took longer than 0.05 seconds"),
    ],
)
async def test_a_tool_that_fails_at_it_is_shown_by_its_arguments(
    how: Any,  # noqa: ANN401 - a function of the team
    why: str,
    shop: House,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(presenting, "RENDERING", 0.05)
    SHOWS[:] = [how]
    await shop.asks([CALL])
    card = await shop.card("own presentation cannot be shown")
    assert why in text_of(card)
    assert "order: A-17" in text_of(card)
    await shop.bob.press(card, "Approve")
    await shop.answer("refund done with")


async def test_a_slack_that_refuses_tables_is_given_letters_from_then_on(tmp_path: Path) -> None:
    asked, may_go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def waits(arguments: dict[str, Any]) -> object:
        loop.call_soon_threadsafe(asked.set)
        may_go_on.wait()
        return friendly(arguments)

    SHOWS[:] = [waits]
    async with a_house(tmp_path, agent=SHOP) as shop:
        await shop.asks([("refund", {"order": "A-1", "amount": 1})])
        await asyncio.wait_for(asked.wait(), 10)
        await shop.bob.sees("A-1", channel="#general")  # the opening: what is posted next is the card
        await shop.slack.fault(
            Fault(kind="error", method="chat.postMessage", error="invalid_blocks", times=1)
        )
        may_go_on.set()
        assert_letters(await shop.card("Price"))
        await shop.asks([("refund", {"order": "A-2", "amount": 1})])
        assert_letters(await shop.card(lambda one: "orders/A-2" in text_of(one)))
        tables = [call for call in shop.slack.calls() if "table" in kinds({"blocks": [], **call.arguments})]
        assert [call.outcome for call in tables] == ["invalid_blocks"]
        shop.slack.core.calls.clear()  # the house takes a refusal for a fault of ours
    async with reading_store(f"sqlite:///{tmp_path / 'bot.db'}") as store:
        record = [line.event async for line in recorded(store)]
    drawn = [(one.kind, one.detail["blocks"]) for one in record if one.kind in {"showing", "shown"}]
    (_, refused), (_, first), there, (_, second), there_too = drawn
    assert [there, there_too] == [("shown", first), ("shown", second)], "the record has what stands there"
    assert first != refused


def assert_letters(card: dict[str, Any]) -> None:
    assert "table" not in kinds(card)
    assert "Article  Count  Price" in text_of(card)


async def test_a_slack_that_refuses_a_table_when_it_is_drawn_again_gets_letters(shop: House) -> None:
    await shop.asks([CALL])
    card = await shop.card("129.90 EUR")
    await shop.slack.fault(Fault(kind="error", method="chat.update", error="invalid_blocks", times=1))
    await shop.bob.press(card, "Reject")
    await shop.bob.submit(await shop.bob.form(), {"Reason": "No."})
    assert_letters(await shop.card("Rejected"))
    shop.slack.core.calls.clear()  # as above


async def test_what_an_edit_made_of_it_is_not_shown_as_the_tool_showed_the_first(tmp_path: Path) -> None:
    two = '[defaults]\napprovers = ["channel"]\nquorum = 2\n'
    async with a_house(tmp_path, agent=SHOP, policy=two) as house:
        await house.asks([("refund", {"order": "A-17", "amount": 1.0})])
        await house.bob.press(await house.card("As the tool itself"), "Edit")
        assert await house.bob.submit(await house.bob.form("Arguments of"), {"order": "B-1"}) == {}
        card = await house.card("B-1")
        assert "As the tool itself" not in text_of(card)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_it_looks_like_a_card_in_a_browser(size: tuple[int, int], shop: House, tmp_path: Path) -> None:
    SHOWS[:] = [lambda told: [*friendly(told), Table(["a", "b"], [["1", 2]]), Fields({"x": "y"})]]  # type: ignore[misc] # a list
    await shop.asks([CALL])
    await shop.card("129.90 EUR")
    async with chromium() as browser, window(browser, f"{shop.slack.page_url}#U0BOB/C0GENERAL", size) as page:
        await expect(page.page.get_by_text("As the tool itself shows it").first).to_be_visible()
        await expect(
            page.page.get_by_role("link", name="https://shop.example/orders/A-17").first
        ).to_be_visible()
        await picture(page.page, f"rendered-{size[0]}", tmp_path)
