"""What a newcomer does, in a browser, on the real command, with a kill -9 in the middle."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser import PHONE, Window, picture, window
from tests.command_line import PYTHON

pytestmark = pytest.mark.asyncio(loop_scope="module")

TASK = '/agent tidy up: delete tmp.log, write "done" to notes.txt and ask me whether to keep data.csv'
EDITED = "done by Alice,\nread by Bob"


@asynccontextmanager
async def sandbox(data: Path, port: int = 0) -> AsyncIterator[tuple[str, Process]]:
    """`python -m bot sandbox` and the address it prints; ended with Ctrl-C unless it is dead by then."""
    mine = ("BOT_", "SLACK_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    command = ("-m", "bot", "sandbox", "--port", str(port), "--data", str(data))
    process = await asyncio.create_subprocess_exec(
        *PYTHON, *command, stdout=PIPE, cwd=data.parent, env=environment
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(30):
            line = (await process.stdout.readline()).decode()
        assert line.startswith("The sandbox is at http://127.0.0.1:"), line
        yield line.split()[4], process
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(30):
                assert await process.wait() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


def _card(seen: Window) -> Locator:
    return seen.article("Asked today")


def _buttons(seen: Window) -> Locator:
    """Those of the card itself; the page offers more at every message."""
    return _card(seen).get_by_role("button").and_(seen.page.locator("button:not(.toolbar-button)"))


async def _ask(alice: Window) -> None:
    """The hint tells a newcomer what to type; the card comes with the buttons that are allowed."""
    hint = alice.main.get_by_role("region", name="First steps")
    await expect(hint).to_contain_text(TASK)
    await alice.send(TASK)
    await expect(hint).to_be_hidden()
    await expect(_card(alice)).to_contain_text("Approval needed: 3 of 3 open")
    words = ["Approve", "Reject", "Approve", "Edit", "Reject", "Respond", "Stop"]
    await expect(_buttons(alice)).to_have_text(words)


async def _be_refused(alice: Window) -> None:
    """Who asked may not approve; that is said once, to Alice alone, and nothing is decided."""
    await _card(alice).get_by_title("Approve delete_file").click()
    refusal = "You asked for this yourself, so somebody else has to decide"
    await expect(alice.main.get_by_text(refusal)).to_have_count(1)
    await expect(alice.article("Only visible to you").filter(has_text=refusal)).to_be_visible()
    await expect(_buttons(alice)).to_have_count(7)


async def _decide(seen: Window, folder: Path) -> None:
    """Bob approves one and edits one; Alice answers what she was asked."""
    await seen.act_as("Bob Baker")
    await expect(seen.main.get_by_text("You asked for this yourself")).to_have_count(0)
    await picture(seen.page, "sandbox", folder)
    await _card(seen).get_by_title("Approve delete_file").click()
    await expect(_card(seen)).to_contain_text("Approved by @Bob")
    await _card(seen).get_by_title("Edit write_file").click()
    await _edit(seen, folder)
    await expect(_buttons(seen)).to_have_text(["Change", "Change", "Respond", "Stop"])
    await seen.act_as("Alice Archer")
    await _card(seen).get_by_title("Respond to ask_user").click()
    await expect(seen.form).to_contain_text("Should I keep data.csv?")
    await seen.form.get_by_label("Response").fill("Yes, keep it.")
    await seen.form.get_by_role("button", name="Send").click()
    await expect(seen.form).to_have_count(0)


async def _edit(seen: Window, folder: Path) -> None:
    """An error is said at its field, and what was typed stays."""
    path, content = seen.form.get_by_label("path"), seen.form.get_by_label("content")
    await expect(content).to_have_value("done")
    await content.fill(EDITED)
    await path.fill("")
    await seen.form.get_by_role("button", name="Approve edited").click()
    await expect(seen.form.get_by_role("alert")).to_have_text("This field is needed.")
    await expect(path).to_be_focused()
    await expect(content).to_have_value(EDITED)
    await path.fill("notes.txt")
    await expect(seen.form.get_by_role("alert")).to_have_count(0)
    await picture(seen.page, "edit", folder)
    await seen.form.get_by_role("button", name="Approve edited").click()
    await expect(seen.form).to_have_count(0)


async def _read_the_end(alice: Window, folder: Path) -> None:
    """The card has no buttons and says who decided what; the answer stands in the thread."""
    card = _card(alice)
    await expect(card).to_contain_text("Decided")
    await expect(_buttons(alice)).to_have_count(0)
    for outcome in ("Approved by @Bob", "Edited and approved by @Bob", "Answered by @Alice"):
        await expect(card).to_contain_text(outcome)
    await expect(card).to_contain_text("content (1 line removed (-), 2 lines added (+)):")
    await expect(card).to_contain_text("- done\n+ done by Alice,\n+ read by Bob")
    await alice.main.get_by_role("button", name="2 replies").click()
    answer = alice.thread.get_by_role("article").last
    await expect(answer).to_contain_text("Deleted tmp.log.")
    await expect(answer).to_contain_text("Yes, keep it.")
    await alice.act_as("Bob Baker")
    await expect(answer).to_contain_text("Yes, keep it.")
    await expect(alice.page.get_by_text("Only visible to you")).to_have_count(0)
    await picture(alice.page, "card", folder)


async def _look_on_a_phone(browser: Browser, address: str, folder: Path) -> None:
    """On a narrow screen nothing is cut off, and the buttons are within reach."""
    async with window(browser, f"{address}#U0BOB/C0GENERAL", PHONE) as phone:
        await expect(_buttons(phone)).to_have_count(7)
        await expect(_buttons(phone).last).to_be_in_viewport(ratio=1)
        assert await phone.page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
        await picture(phone.page, "phone", folder)


async def test_alice_asks_people_decide_and_the_files_change_over_a_kill(
    browser: Browser, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    async with sandbox(data) as (address, process), window(browser, address, is_cut_off=True) as alice:
        await _ask(alice)
        await _be_refused(alice)
        process.kill()
        await process.wait()
        await expect(alice.page.get_by_text("Reconnecting…")).to_be_visible()
        port = int(address.rstrip("/").rpartition(":")[2])
        async with sandbox(data, port) as (again, _):
            assert again == address
            await expect(alice.page.get_by_text("Reconnecting…")).to_be_hidden()
            await _look_on_a_phone(browser, address, tmp_path)
            await _decide(alice, tmp_path)
            await _read_the_end(alice, tmp_path)
            files = {one.name: one.read_text() for one in (data / "workspace").iterdir()}
    assert files.keys() == {"notes.txt", "data.csv"}
    assert files["notes.txt"] == EDITED
    assert files["data.csv"].startswith("city,people\n")
