"""Every golden file as the page draws it, on a desk and on a phone: whole, and within the screen.

WHOLE=1 pytest tests/sandbox/test_golden_page.py                     all of them instead of a fixed part
WHOLE=1 SHEETS=DIR pytest tests/sandbox/test_golden_page.py          with a picture of each in the folder
"""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from bot.sandbox import Sandbox
from tests.browser import DESKTOP, PHONE, Window, window
from tests.sandbox.raw_app import Json, RawApp, card, raw_app
from tests.whole import WHOLE

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOLDEN: Final = Path(__file__).parents[1] / "slack" / "golden"
EVERY: Final = sorted(GOLDEN.glob("*.json"))
PART: Final = EVERY if WHOLE else EVERY[::9]
SIZES: Final = {"desk": DESKTOP, "phone": PHONE}
GENERAL: Final = "C0GENERAL"

FAULTS: Final = (Path(__file__).parent / "page_faults.js").read_text(encoding="utf-8")
"""Tells what is wrong with a part of the page, a line each."""
SCROLLED: Final = """part => {
    const all = [part, ...part.querySelectorAll("*")];
    const most = Math.max(...all.map(each => each.scrollHeight - each.clientHeight));
    return part.matches("article") ? part.scrollHeight : Math.min(8000, Math.ceil(most * 1.5));
}"""
"""How much higher the window has to be, so that the part is in its picture to the end."""


class Frame:
    """Alice's window on an empty workspace, and the app that shows her things."""

    def __init__(self, seen: Window, app: RawApp) -> None:
        self.seen = seen
        self.app = app

    async def shows(self, state: Json) -> Locator:
        """Where the state stands in the page."""
        match state.get("type"):
            case "modal":
                return await self._form(state)
            case "home":
                answer = await self.app.call("views.publish", user_id="U0ALICE", view=state)
                assert answer["ok"], answer
                await self._goes("home")
                return self.seen.main.locator(".home")
            case _:
                return await self._message(state)

    async def leaves(self, state: Json) -> None:
        """Back to the channel."""
        if state.get("type") == "modal":
            await self.seen.form.get_by_role("button", name="Dismiss").click()
            await expect(self.seen.form).to_have_count(0)

    async def _message(self, state: Json) -> Locator:
        await self._goes(GENERAL)
        shown = {"text": state["text"], "blocks": state["blocks"]}
        answer = await self.app.call("chat.postMessage", channel=GENERAL, **shown)
        assert answer["ok"], answer
        return self.seen.main.locator(f'article[data-ts="{answer["ts"]}"]')

    async def _form(self, view: Json) -> Locator:
        await self._goes(GENERAL)
        asked = await self.app.call("chat.postMessage", channel=GENERAL, text="x", blocks=card("Open"))
        article = self.seen.main.locator(f'article[data-ts="{asked["ts"]}"]')
        await article.get_by_role("button", name="Open", exact=True).click()
        pressed = await self.app.next("block_actions")
        answer = await self.app.call("views.open", trigger_id=pressed["payload"]["trigger_id"], view=view)
        assert answer["ok"], answer
        await expect(self.seen.form).to_be_visible()
        return self.seen.form

    async def _goes(self, place: str) -> None:
        if not self.seen.page.url.endswith(f"/{place}"):
            await self.seen.page.evaluate("hash => { location.hash = hash }", f"U0ALICE/{place}")


@asynccontextmanager
async def a_frame(browser: Browser, folder: Path) -> AsyncIterator[Frame]:
    async with (
        Sandbox(data=folder) as slack,
        raw_app(slack) as app,
        window(browser, f"{slack.page_url}#U0ALICE/{GENERAL}") as seen,
    ):
        await expect(seen.box).to_be_visible()
        yield Frame(seen, app)


async def faults(page: Page, part: Locator, name: str) -> list[str]:
    """What is wrong with it in either size; with SHEETS a picture of each is saved."""
    found = []
    for kind, (width, height) in SIZES.items():
        await page.set_viewport_size({"width": width, "height": height})
        told: list[str] = await part.evaluate(FAULTS)
        found += [f"{name} ({kind}): {line}" for line in told]
        if folder := os.environ.get("SHEETS"):
            hidden: int = await part.evaluate(SCROLLED)
            await page.set_viewport_size({"width": width, "height": height + hidden})
            await page.mouse.move(0, 0)
            await part.screenshot(path=Path(folder) / f"{name}.{kind}.png", animations="disabled")
    return found


@pytest.mark.timeout(900)
async def test_every_state_is_drawn_whole_and_within_the_screen_on_a_desk_and_on_a_phone(
    browser: Browser, tmp_path: Path
) -> None:
    found: list[str] = []
    async with a_frame(browser, tmp_path) as frame:
        for path in PART:
            state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            part = await frame.shows(state)
            await expect(part).to_be_visible()
            found += await faults(frame.seen.page, part, path.stem)
            await frame.leaves(state)
    assert found == []
