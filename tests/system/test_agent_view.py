"""Slack's agent view: a title and a status line in direct messages, and no harm where there is neither."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from bot.sandbox import Fault, text_of
from bot.sandbox.options import PROMPTS, SCOPES
from bot.slack import agent_view
from bot.slack.agent_view import WORKING
from tests.browser import DESKTOP, PHONE, picture, window
from tests.system.agents import WAITING
from tests.system.house import House, a_house

SLOW = "tests.system.agents:slow"
WAIT = [("wait", {"name": "one"})]


def called(house: House, method: str) -> list[dict[str, Any]]:
    return [call.arguments for call in house.slack.calls() if call.method == f"assistant.threads.{method}"]


async def test_while_the_agent_works_the_thread_says_so_and_has_a_title(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=SLOW) as house:
        said = await house.alice.say("im", json.dumps([WAIT]))
        working = await house.alice.sees(lambda one: one.get("status") == WORKING, channel="im")
        assert working["ts"] == said["ts"]
        assert working["title"] == json.dumps([WAIT])
        WAITING[0].may_end.set()
        await house.answer("wait: waited", channel="im")
        await house.alice.sees(lambda one: one["ts"] == said["ts"] and not one.get("status"), channel="im")


async def test_while_people_are_asked_the_status_line_is_gone(house: House) -> None:
    said = await house.alice.say("im", json.dumps([[("transfer", {"amount": 5.0, "to": "bob"})]]))
    await house.alice.sees("Approval needed", channel="im")
    await house.alice.sees(lambda one: one["ts"] == said["ts"] and not one.get("status"), channel="im")
    assert called(house, "setStatus")[-1]["status"] == ""


async def test_in_a_channel_nothing_of_it_is_asked_for(house: House) -> None:
    await house.asks()
    await house.answer("heard []")
    assert called(house, "setStatus") + called(house, "setTitle") == []


async def test_a_long_or_secret_title_is_cut_and_masked(house: House) -> None:
    await house.alice.say("im", "use xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx " + "x" * 200)
    await house.answer("heard", channel="im")
    [title] = called(house, "setTitle")
    assert "abcdefghijklmnop" not in title["title"]
    assert len(title["title"]) <= 90
    assert title["title"].endswith("…")


@pytest.mark.parametrize("error", ["missing_scope", "unknown_method", "not_allowed_token_type"])
async def test_what_a_workspace_lacks_is_asked_for_once_and_no_run_fails(house: House, error: str) -> None:
    for method in ("setStatus", "setTitle"):
        await house.slack.fault(Fault(kind="error", method=f"assistant.threads.{method}", error=error))
    for words in ("one", "two"):
        await house.alice.say("im", words)
        await house.answer(f"heard {words}", channel="im")
    assert (len(called(house, "setStatus")), len(called(house, "setTitle"))) == (1, 1)


async def test_a_workspace_without_the_scope_has_a_status_and_no_title(tmp_path: Path) -> None:
    async with a_house(tmp_path, scopes=SCOPES - {"assistant:write"}) as house:
        for words in ("one", "two"):
            await house.alice.say("im", words)
            await house.answer(f"heard {words}", channel="im")
        assert len(called(house, "setTitle")) == 1
        assert len(called(house, "setStatus")) >= 4


@pytest.mark.parametrize("kind", ["lost_response", "delay"])
async def test_a_courtesy_that_gets_no_answer_holds_nothing_up(house: House, kind: Any) -> None:  # noqa: ANN401 - as Fault has it
    await house.slack.fault(Fault(kind=kind, method="assistant.threads.setStatus", seconds=5, times=1))
    await house.alice.say("im", "hello")
    await house.answer("heard hello", channel="im", timeout=4)


async def test_a_thread_of_the_older_assistant_view_is_offered_prompts_and_answers_in_it(
    house: House,
) -> None:
    opened = await house.alice.opens_assistant()
    thread = await house.alice.sees(lambda one: bool(one.get("prompts")), channel="im")
    assert thread["ts"] == opened["ts"]
    assert thread["prompts"] == [{"title": title, "message": message} for title, message in PROMPTS]
    await house.alice.say("im", PROMPTS[0][1], thread=opened["ts"])
    await house.answer(f"heard {PROMPTS[0][1]}", channel="im")
    said = await house.alice.thread(opened["channel"], opened["ts"])
    assert len(said) == 3
    assert said[0]["title"] == PROMPTS[0][1]
    assert len(called(house, "setSuggestedPrompts")) == 1


async def test_who_looks_at_another_channel_beside_it_changes_nothing(house: House) -> None:
    opened = await house.alice.opens_assistant()
    await house.alice.sees(lambda one: bool(one.get("prompts")), channel="im")
    before = len(house.slack.calls())
    await house.alice.opens_assistant(beside="#general", thread=opened["ts"])
    again = await house.alice.opens_assistant()  # the events come in order
    await house.alice.sees(lambda one: one["ts"] == again["ts"] and bool(one.get("prompts")), channel="im")
    assert len(house.slack.calls()) == before + 1
    assert len(await house.alice.messages(opened["channel"])) == 2


@pytest.mark.parametrize("error", ["missing_scope", "unknown_method", "feature_not_enabled"])
async def test_a_workspace_without_prompts_is_asked_for_them_once(house: House, error: str) -> None:
    method = "assistant.threads.setSuggestedPrompts"
    await house.slack.fault(Fault(kind="error", method=method, error=error))
    for words in ("one", "two"):
        opened = await house.alice.opens_assistant()
        await house.alice.say("im", words, thread=opened["ts"])
        await house.answer(f"heard {words}", channel="im")
    assert len(called(house, "setSuggestedPrompts")) == 1


async def test_the_status_is_said_again_before_slack_takes_it_away_and_not_after_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agent_view.RENEWED_AFTER < 120 - 10 * agent_view.PATIENCE
    monkeypatch.setattr(agent_view, "RENEWED_AFTER", 0.05)
    async with a_house(tmp_path, agent=SLOW) as house:
        await house.alice.say("im", json.dumps([WAIT]))
        await house.alice.sees(lambda _: len(called(house, "setStatus")) >= 4, channel="im")
        assert {one["status"] for one in called(house, "setStatus")} == {WORKING}
        WAITING[0].may_end.set()
        await house.answer("wait: waited", channel="im")
        await house.alice.sees(lambda one: bool(one.get("title")) and not one.get("status"), channel="im")
        told = [one["status"] for one in called(house, "setStatus")]
        assert told[-1] == ""
        await house.alice.say("#general", "/agent status")  # some time goes by
        assert len(called(house, "setStatus")) == len(told)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_the_page_shows_what_an_assistant_thread_offers(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with a_house(tmp_path) as house:
        opened = await house.alice.opens_assistant()
        await house.alice.sees(lambda one: bool(one.get("prompts")), channel="im")
        address = f"{house.slack.page_url}#U0ALICE/{opened['channel']}/{opened['ts']}"
        async with window(browser, address, size) as shown:
            offer = shown.thread.get_by_role("button", name=PROMPTS[0][0])
            await expect(offer).to_be_visible()
            await picture(shown.page, f"assistant-{size[0]}", tmp_path)
            await offer.click()
            box = shown.thread.get_by_label("Reply in thread")
            await expect(box).to_have_value(PROMPTS[0][1])
            await box.press("Enter")
            await expect(offer).to_have_count(0)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_the_page_shows_prompts_title_and_status(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with a_house(tmp_path, agent=SLOW) as house:
        im = await house.alice.opens_im()
        async with window(browser, f"{house.slack.page_url}#U0ALICE/{im}", size) as shown:
            await shown.page.get_by_role("button", name=PROMPTS[0][0]).click()
            await expect(shown.page.get_by_label("Message the bot")).to_have_value(PROMPTS[0][1])
            await picture(shown.page, f"prompts-{size[0]}", tmp_path)
            said = await house.alice.say("im", json.dumps([WAIT]))
            await house.alice.sees(lambda one: one.get("status") == WORKING, channel="im")
            await shown.page.goto(f"{house.slack.page_url}#U0ALICE/{im}/{said['ts']}")
            await expect(shown.thread.get_by_role("status").first).to_have_text(f"agent {WORKING}")
            await expect(shown.thread.get_by_role("heading")).to_have_text(json.dumps([WAIT]))
            await picture(shown.page, f"status-{size[0]}", tmp_path)
            WAITING[0].may_end.set()
            await expect(shown.thread.get_by_role("status").first).to_have_text("")
            assert "waited" in text_of(await house.alice.sees("wait: waited", channel="im"))
