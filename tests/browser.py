"""Chromium for the tests that use the page as a person does."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    async_playwright,
    expect,
)

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING: Final = (
    "The tests of the page need Chromium, and no `chromium` is on the PATH; install it "
    "(on Debian: apt-get install chromium)."
)
DESKTOP: Final = (1280, 960)
PHONE: Final = (390, 844)
PATIENCE: Final = 15_000
"""Milliseconds until something that should show counts as missing; plenty for a busy machine."""
AWAY: Final = "Failed to load resource: net::ERR_"
"""What Chromium itself writes to the console when a server does not answer."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """The browser, until the block ends; without one, the test fails and says what to install."""
    found = shutil.which("chromium")
    if found is None:
        pytest.fail(MISSING, pytrace=False)
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


class Window:
    """One page of one address, read by accessible names; its console is watched."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.main: Locator = page.get_by_role("main")
        self.thread: Locator = page.get_by_role("complementary")
        self.form: Locator = page.get_by_role("dialog")
        self.box: Locator = page.get_by_label("Message #general")
        self.complaints: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    async def act_as(self, name: str) -> None:
        """Become somebody else by the switch, and see the page as they do."""
        await self.page.get_by_label("Act as").select_option(label=name)
        await expect(self.page.get_by_role("link", name=f"{name.partition(' (')[0]} ")).to_contain_text("you")

    async def send(self, text: str) -> None:
        """Type into the channel's box and press Enter."""
        await self.box.fill(text)
        await self.box.press("Enter")

    def article(self, text: str) -> Locator:
        """A message of the channel by what is in it."""
        return self.main.get_by_role("article").filter(has_text=text)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)


@asynccontextmanager
async def window(
    browser: Browser, address: str, size: tuple[int, int] = DESKTOP, *, is_cut_off: bool = False
) -> AsyncIterator[Window]:
    """A window that shows the address. At the end nothing may have gone wrong in it.

    `is_cut_off`: the test takes the server away, so that Chromium may say it did not answer.
    """
    context: BrowserContext = await browser.new_context(viewport={"width": size[0], "height": size[1]})
    try:
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        shown = Window(page, address)
        await page.goto(address)
        yield shown
        wrong = [one for one in shown.complaints if not (is_cut_off and one.startswith(AWAY))]
        assert wrong == []
    finally:
        await context.close()


async def picture(page: Page, name: str, folder: Path) -> None:
    """Save what the window shows as NAME.png: in the folder that SCREENSHOTS names, else in `folder`."""
    kept = Path(os.environ.get("SCREENSHOTS") or folder)
    # Away from whatever was pressed last, which would look different under the mouse.
    await page.mouse.move(0, 0)
    await page.screenshot(path=kept / f"{name}.png", animations="disabled")
