"""A very long answer is a beginning and a file; where there are no files, messages; never two files."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from playwright.async_api import Browser, expect

from bot.sandbox import Fault, text_of
from bot.sandbox.options import SCOPES
from tests.browser import DESKTOP, PHONE, picture, window
from tests.system.agents import WORDS
from tests.system.house import House, a_house

LINE = "A line of the answer with <!channel> and a secret: xoxb-1234567890-abcdef, number {number}.\n\n"
LONG = "".join(LINE.format(number=number) for number in range(700))
COMPLETE = "files.completeUploadExternal"
URL = "files.getUploadURLExternal"


@pytest.fixture
async def teller(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path, agent="tests.system.leaky:leaky") as house:
        yield house


async def asked(house: House, text: str = LONG) -> None:
    WORDS["everything"] = [text]
    await house.asks([("remember", {})])


async def said(house: House) -> list[dict[str, Any]]:
    """What stands in the thread below its opening, the agent's words and files."""
    messages = await house.alice.messages("#general")
    return [one for one in messages if one.get("files") or "The agent says:" in text_of(one)]


async def content(house: House, message: dict[str, Any]) -> str:
    [file] = message["files"]
    async with (
        aiohttp.ClientSession() as web,
        web.get(f"{house.slack.page_url.rstrip('/')}{file['url_private']}") as told,
    ):
        assert told.content_type == "text/plain"
        return await told.text()


async def test_a_very_long_answer_is_its_beginning_and_a_file_with_all_of_it(teller: House) -> None:
    await asked(teller)
    shown = await teller.alice.sees(lambda one: bool(one.get("files")), channel="#general")
    first, file = await said(teller)
    assert file["ts"] == shown["ts"]
    assert "This is the beginning; the whole answer, " in text_of(first)
    assert "number 0." in text_of(first)
    assert "Written by an AI agent" in text_of(first)
    assert first["blocks"][-1]["type"] == "context_actions"
    assert file["files"][0]["title"] == "The agent's whole answer"
    whole = await content(teller, file)
    assert "number 0." in whole
    assert "number 699." in whole
    assert "(masked, 22 characters)" in whole
    assert "xoxb-1234567890" not in whole
    assert file["thread_ts"] == first["thread_ts"]


async def test_an_answer_of_three_messages_stays_in_messages(teller: House) -> None:
    await asked(teller, LONG[:30_000])
    await teller.alice.sees("Written by an AI agent", channel="#general")
    assert len(await said(teller)) == 3
    assert teller.slack.calls(URL) == []


async def test_without_the_scope_it_goes_on_in_messages_and_is_tried_once(tmp_path: Path) -> None:
    scopes = SCOPES - {"files:write"}
    async with a_house(tmp_path, agent="tests.system.leaky:leaky", scopes=scopes) as house:
        for number in range(2):
            await asked(house, f"{LONG}round {number} ends")
            await house.alice.sees(f"round {number} ends", channel="#general")
        told = [text_of(one) for one in await said(house)]
        assert len(told) % 2 == 0
        assert ["This is the beginning" in one for one in told].count(True) == 2
        assert len(house.slack.calls(URL)) == 1
        assert [one for one in await said(house) if one.get("files")] == []


async def test_slacks_answer_that_was_lost_makes_no_second_file(teller: House) -> None:
    await teller.slack.fault(Fault(kind="lost_response", method=COMPLETE, times=1))
    await asked(teller)
    file = await teller.alice.sees(lambda one: bool(one.get("files")), channel="#general")
    # what is said in the same thread comes after it
    await teller.alice.say("#general", "@agent hello", thread=file["thread_ts"])
    await teller.alice.sees("heard", channel="#general", timeout=20)
    assert [bool(one.get("files")) for one in await said(teller)] == [False, True, False]
    assert len(teller.slack.calls(COMPLETE)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault(kind="drop_request", method=COMPLETE, times=1),
        Fault(kind="drop_request", method=URL, times=1),
        Fault(kind="status", method=COMPLETE, times=1),
        Fault(kind="error", method=COMPLETE, error="internal_error", times=1),
        Fault(kind="ratelimited", method=URL, retry_after=0, times=1),
    ],
)
async def test_a_call_that_did_nothing_is_made_again(teller: House, fault: Fault) -> None:
    await teller.slack.fault(fault)
    await asked(teller)
    await teller.alice.sees(lambda one: bool(one.get("files")), channel="#general", timeout=20)
    assert len(await said(teller)) == 2


@pytest.mark.parametrize(
    "error", ["file_uploads_disabled", "posting_to_channel_denied", "storage_limit_reached"]
)
async def test_where_files_are_refused_it_goes_on_in_messages(teller: House, error: str) -> None:
    await teller.slack.fault(Fault(kind="error", method=COMPLETE, error=error))
    await asked(teller)
    await teller.alice.sees(lambda one: "number 699." in text_of(one), channel="#general")
    told = await said(teller)
    assert len(told) > 3
    assert not any(one.get("files") for one in told)
    assert sum("This is the beginning" in text_of(one) for one in told) == 1


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_the_page_opens_the_file(browser: Browser, tmp_path: Path, size: tuple[int, int]) -> None:
    async with a_house(tmp_path, agent="tests.system.leaky:leaky") as house:
        await asked(house)
        shown = await house.alice.sees(lambda one: bool(one.get("files")), channel="#general")
        channel = house.slack.calls("chat.postMessage")[-1].arguments["channel"]
        address = f"{house.slack.page_url}#U0ALICE/{channel}/{shown['thread_ts']}"
        async with window(browser, address, size) as page:
            link = page.thread.get_by_role("link", name="The agent's whole answer")
            await expect(link).to_be_visible()
            await picture(page.page, f"file-{size[0]}", tmp_path)
            async with page.page.context.expect_page() as opened:
                await link.click()
            whole = await opened.value
            await expect(whole.locator("body")).to_contain_text("number 699.")
