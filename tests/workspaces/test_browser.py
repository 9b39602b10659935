"""A person installs the bot in Chromium, on a telephone: cookies, links and forms of a real browser."""

from pathlib import Path

from playwright.async_api import Page, expect

from bot.workspaces import install
from tests.browser import PHONE, chromium, picture
from tests.workspaces.front import a_front


async def test_a_person_installs_it_and_a_link_to_the_end_of_it_is_good_for_nobody_else(
    tmp_path: Path,
) -> None:
    async with a_front(tmp_path / "bot.db") as front, chromium() as browser:
        size = {"width": PHONE[0], "height": PHONE[1]}
        context = await browser.new_context(viewport=size)  # type: ignore[arg-type]  # as Playwright's own
        page = await context.new_page()
        await page.goto(f"{front.address}/slack/install")
        await picture(page, "install", tmp_path)
        assert await fits(page)
        await page.get_by_role("link", name=install.ADD).click()
        await expect(page.get_by_role("button", name="Allow in Sandbox")).to_be_visible()
        await page.get_by_role("button", name="Allow in <Other> & sons").click()
        await expect(page.get_by_text(install.INSTALLED.format(name="<Other> & sons"))).to_be_visible()
        assert await fits(page)
        assert [one.team_id for one in front.installed] == ["T0OTHER"]
        assert await context.cookies(front.address) == []
        ended = page.url
        others = await (await browser.new_context()).new_page()
        for again in (page, others):
            await again.goto(ended)
            await expect(again.get_by_text(install.NOT_BEGUN)).to_be_visible()
            await picture(again, "install-refused", tmp_path)
        await page.get_by_role("link", name=install.AGAIN).click()
        await expect(page.get_by_role("link", name=install.ADD)).to_be_visible()
        assert len(front.installed) == 1


async def fits(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    found: bool = await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return found
