"""The page in Chromium, against the sandbox on a real socket; the test itself is the app behind it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from bot.sandbox import Sandbox
from tests.browser import PHONE, Window, window
from tests.sandbox.raw_app import Json, RawApp, button, card, field, modal, option, raw_app

pytestmark = pytest.mark.asyncio(loop_scope="module")

GENERAL = "C0GENERAL"
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>&lt;b&gt;"


@asynccontextmanager
async def page(
    browser: Browser,
    **options: Any,  # noqa: ANN401 - the sandbox's own options
) -> AsyncIterator[tuple[Window, RawApp]]:
    """Alice's window on a fresh workspace, and the app that she talks to."""
    async with (
        Sandbox(**options) as slack,
        raw_app(slack) as app,
        window(browser, slack.page_url) as alice,
    ):
        await expect(alice.box).to_be_visible()
        yield alice, app


async def post(app: RawApp, *words: str, **more: Any) -> None:  # noqa: ANN401 - as `call`
    """A card in #general."""
    answer = await app.call("chat.postMessage", channel=GENERAL, text="card", blocks=card(*words), **more)
    assert answer["ok"], answer


async def opened(seen: Window, app: RawApp, view: Json) -> Json:
    """A form, opened by a press on the card's button "Edit"; answers the view as the app knows it."""
    await seen.main.get_by_role("button", name="Edit").click()
    trigger = (await app.next("block_actions"))["payload"]["trigger_id"]
    answer = await app.call("views.open", trigger_id=trigger, view=view)
    assert answer["ok"], answer
    await expect(seen.form).to_be_visible()
    known: Json = answer["view"]
    return known


async def pressed(app: RawApp) -> Json:
    """The next press that the app hears of."""
    payload: Json = (await app.next("block_actions"))["payload"]
    return payload


async def test_the_box_offers_commands_and_people_and_the_app_gets_their_ids(browser: Browser) -> None:
    async with page(browser) as (alice, app):
        offers = alice.page.get_by_role("option")
        await alice.box.press_sequentially("/ag")
        await expect(offers).to_contain_text(["/agent what to do | help | pending | status | cancel"])
        await alice.box.press("Enter")
        await expect(alice.box).to_have_value("/agent ")
        await alice.box.press_sequentially("ask @bo")
        await expect(offers).to_contain_text(["Bob Baker"])
        await alice.box.press("Tab")
        await expect(alice.box).to_have_value("/agent ask @Bob ")
        await alice.box.press_sequentially("now")
        await alice.box.press("Shift+Enter")
        await alice.box.press_sequentially("please")
        await alice.box.press("Enter")
        command = (await app.next("slash_commands"))["payload"]
        assert (command["command"], command["text"]) == ("/agent", "ask <@U0BOB|bob> now\nplease")
        await expect(alice.box).to_have_value("")


async def test_a_command_that_is_none_or_is_not_acked_is_told_and_the_text_is_given_back(
    browser: Browser,
) -> None:
    async with page(browser, patience=0.3) as (alice, app):
        app.answer = lambda _: None
        for text, told in (
            ("/nope x", "/nope is not a command here"),
            ("/agent x", "did not answer in time"),
        ):
            await alice.send(text)
            await expect(alice.main.get_by_role("alert")).to_contain_text(told)
            await expect(alice.main.get_by_role("alert")).to_have_count(1)
            await expect(alice.box).to_have_value(text)


async def test_a_press_that_nobody_acks_is_warned_of_beside_its_button_until_the_next_one(
    browser: Browser,
) -> None:
    async with page(browser, patience=0.5) as (alice, app):
        await post(app, "Approve", "Reject")
        app.answer = lambda _: None
        approve = alice.main.get_by_role("button", name="Approve")
        await approve.click()
        await expect(approve).to_have_attribute("aria-busy", "true")
        warning = alice.main.get_by_role("alert")
        await expect(warning).to_contain_text("did not answer in time")
        await expect(approve).not_to_have_attribute("aria-busy", "true")
        await expect(alice.main.locator("button:has-text('Approve') + [role=alert]")).to_be_visible()
        app.answer = lambda _: {}
        await alice.main.get_by_role("button", name="Reject").click()
        await expect(warning).to_have_count(0)
        assert [(await pressed(app))["actions"][0]["value"] for _ in range(2)] == ["v0", "v1"]


async def test_a_confirmation_has_to_be_answered_before_the_press_counts(browser: Browser) -> None:
    asks = {
        "title": {"type": "plain_text", "text": "Delete everything?"},
        "text": {"type": "mrkdwn", "text": "This runs *at once*."},
        "confirm": {"type": "plain_text", "text": "Delete"},
        "deny": {"type": "plain_text", "text": "Keep"},
    }
    buttons = [{**button("Delete all", "all"), "confirm": asks}, button("Other", "other")]
    async with page(browser) as (alice, app):
        blocks = [{"type": "actions", "elements": buttons}]
        await app.call("chat.postMessage", channel=GENERAL, text="x", blocks=blocks)
        question = alice.page.get_by_role("alertdialog", name="Delete everything?")
        everything = alice.main.get_by_role("button", name="Delete all")
        await everything.click()
        await expect(question).to_contain_text("This runs at once.")
        await expect(question.get_by_role("button", name="Keep")).to_be_focused()
        await alice.page.keyboard.press("Escape")
        await expect(question).to_have_count(0)
        await everything.click()
        await question.get_by_role("button", name="Keep").click()
        await alice.main.get_by_role("button", name="Other").click()
        assert (await pressed(app))["actions"][0]["action_id"] == "other"
        await everything.click()
        await question.get_by_role("button", name="Delete").click()
        assert (await pressed(app))["actions"][0]["action_id"] == "all"


async def test_a_menu_and_pickers_in_a_message_send_what_was_chosen(browser: Browser) -> None:
    menu = {"type": "overflow", "action_id": "menu", "options": [option("View all"), option("Stop")]}
    level: Json = {"type": "static_select", "action_id": "level", "options": [option("Low"), option("High")]}
    level["placeholder"] = {"type": "plain_text", "text": "Level"}
    day = {"type": "datepicker", "action_id": "day", "initial_date": "2026-11-30"}
    async with page(browser) as (alice, app):
        blocks = [{"type": "actions", "block_id": "row", "elements": [menu, level, day]}]
        answer = await app.call("chat.postMessage", channel=GENERAL, text="x", blocks=blocks)
        assert answer["ok"], answer
        more = alice.main.get_by_role("button", name="More actions")
        await more.click()
        await alice.page.keyboard.press("ArrowDown")
        await expect(alice.page.get_by_role("menuitem", name="Stop")).to_be_focused()
        await alice.page.keyboard.press("Enter")
        assert (await pressed(app))["actions"][0]["selected_option"]["value"] == "Stop"
        await expect(alice.page.get_by_role("menuitem")).to_have_count(0)
        await alice.main.get_by_label("Level").select_option(label="High")
        assert (await pressed(app))["actions"][0]["selected_option"]["value"] == "High"
        await alice.main.locator("input[type=date]").fill("2027-01-02")
        heard = await pressed(app)
        assert heard["actions"][0]["selected_date"] == "2027-01-02"
        assert heard["state"]["values"]["row"]["level"]["selected_option"]["value"] == "High"


async def test_a_form_says_errors_at_their_fields_and_keeps_what_was_typed_over_update_push_and_back(
    browser: Browser,
) -> None:
    fields = [
        field("path", {"type": "plain_text_input"}),
        field("count", {"type": "number_input", "is_decimal_allowed": False}),
        field("Reason", {"type": "plain_text_input", "multiline": True}, optional=True),
    ]
    async with page(browser) as (alice, app):
        await post(app, "Edit")
        view = await opened(alice, app, modal(*fields))
        path, count, reason = (alice.form.get_by_label(name) for name in ("path", "count", "Reason"))
        save = alice.form.get_by_role("button", name="Save")
        await path.fill("bad")
        await reason.fill("because")
        await save.click()
        await expect(alice.form.get_by_role("alert")).to_have_text("This field is needed.")
        await expect(count).to_be_focused()
        for wrong in ("12x", "13x"):
            await count.fill(wrong)
            await expect(alice.form.get_by_role("alert")).to_have_count(0)
            await save.click()
            await expect(alice.form.get_by_role("alert")).to_have_text("This is not a whole number.")
        await count.fill("7")
        app.answer = lambda _: {"response_action": "errors", "errors": {"path": "There is no such file."}}
        await save.click()
        for _ in range(2):
            await expect(alice.form.get_by_role("alert")).to_have_text("There is no such file.")
            await expect(path).to_be_focused()
            await path.press("End")
            await path.press_sequentially("!")
            await expect(alice.form.get_by_role("alert")).to_have_count(0)
            await expect(path).not_to_have_attribute("aria-invalid", "true")
            await save.click()
        await expect(alice.form.get_by_role("alert")).to_have_text("There is no such file.")
        await path.fill("good")
        changed = modal({"type": "section", "text": {"type": "mrkdwn", "text": "*updated*"}}, *fields)
        assert (await app.call("views.update", view_id=view["id"], view=changed))["ok"]
        await expect(alice.form).to_contain_text("updated")
        pushed = modal(title={"type": "plain_text", "text": "Above"})
        app.answer = lambda _: {"response_action": "push", "view": pushed}
        await save.click()
        await expect(alice.form.get_by_role("heading")).to_have_text("Above")
        await alice.form.get_by_role("button", name="Back").click()
        await expect(alice.form.get_by_role("heading")).to_have_text("A form")
        assert [await one.input_value() for one in (path, count, reason)] == ["good", "7", "because"]
        app.answer = lambda _: {}
        await save.click()
        await expect(alice.form).to_have_count(0)
        values = [await _submitted(app) for _ in range(5)][-1]
        assert {name: one["value"]["value"] for name, one in values.items()} == {
            "path": "good",
            "count": "7",
            "Reason": "because",
        }


async def _submitted(app: RawApp) -> Json:
    values: Json = (await app.next("view_submission"))["payload"]["view"]["state"]["values"]
    return values


async def test_every_kind_of_field_is_sent_in_slacks_form(browser: Browser) -> None:
    levels = [option("Low"), option("High")]
    fields = [
        field("mode", {"type": "static_select", "options": levels, "initial_option": levels[1]}),
        field("append", {"type": "radio_buttons", "options": levels}),
        field("flags", {"type": "checkboxes", "options": levels}),
        field("day", {"type": "datepicker"}),
        field("time", {"type": "timepicker"}),
        field("who", {"type": "multi_users_select"}),
        field("mail", {"type": "email_text_input"}, optional=True),
    ]
    async with page(browser) as (alice, app):
        await post(app, "Edit")
        await opened(alice, app, modal(*fields))
        await alice.form.get_by_label("mode").select_option(label="Low")
        await alice.form.get_by_role("radiogroup", name="append").get_by_label("High").check()
        await alice.form.get_by_role("group", name="flags").get_by_label("Low").check()
        await alice.form.get_by_label("day").fill("2027-01-02")
        await alice.form.get_by_label("time").fill("10:30")
        await alice.form.get_by_label("Bob Baker").check()
        await alice.form.get_by_role("button", name="Save").click()
        await expect(alice.form).to_have_count(0)
        sent = {name: one["value"] for name, one in (await _submitted(app)).items()}
    assert sent["mode"]["selected_option"]["value"] == "Low"
    assert sent["append"]["selected_option"]["value"] == "High"
    assert [one["value"] for one in sent["flags"]["selected_options"]] == ["Low"]
    assert sent["day"] == {"type": "datepicker", "selected_date": "2027-01-02"}
    assert sent["time"] == {"type": "timepicker", "selected_time": "10:30"}
    assert sent["who"] == {"type": "multi_users_select", "selected_users": ["U0BOB"]}
    assert sent["mail"] == {"type": "email_text_input", "value": None}


async def test_a_form_needs_no_mouse(browser: Browser) -> None:
    async with page(browser) as (alice, app):
        await post(app, "Edit")
        edit = alice.main.get_by_role("button", name="Edit")
        view = modal(field("path", {"type": "plain_text_input"}), notify_on_close=True)
        keys = alice.page.keyboard
        for ending in ("view_closed", "view_submission"):
            await edit.focus()
            await keys.press("Enter")
            trigger = (await pressed(app))["trigger_id"]
            await app.call("views.open", trigger_id=trigger, view=view)
            await expect(alice.form.get_by_label("path")).to_be_focused()
            await expect(alice.page.get_by_role("main")).to_have_count(0)
            for _ in range(12):
                await keys.press("Tab")
                assert await alice.page.evaluate("Boolean(document.activeElement.closest('dialog'))")
            await alice.form.get_by_label("path").focus()
            await keys.type("x")
            await keys.press("Escape" if ending == "view_closed" else "Enter")
            await expect(alice.form).to_have_count(0)
            assert (await app.next(ending))["payload"]["user"]["id"] == "U0ALICE"
            await expect(edit).to_be_focused()


async def test_what_was_typed_outlives_a_restart_of_the_server(browser: Browser, tmp_path: Path) -> None:
    slack = Sandbox(data=tmp_path)
    await slack.start()
    address = slack.page_url
    async with window(browser, address, is_cut_off=True) as alice:
        async with raw_app(slack) as app:
            await post(app, "Edit")
            await alice.box.fill("a draft")
            await opened(alice, app, modal())
        path = alice.form.get_by_label("path")
        await path.fill("before")
        await slack.close()
        await path.press_sequentially(" and during")
        await alice.form.get_by_role("button", name="Save").click()
        await expect(alice.form.get_by_role("alert")).to_contain_text("Nothing is lost")
        await expect(alice.page.get_by_text("Reconnecting…")).to_be_visible()
        port = int(address.rstrip("/").rpartition(":")[2])
        async with Sandbox(port=port, data=tmp_path) as again, raw_app(again) as app:
            await expect(alice.page.get_by_text("Reconnecting…")).to_be_hidden()
            await expect(path).to_have_value("before and during")
            await alice.form.get_by_role("button", name="Save").click()
            await expect(alice.form).to_have_count(0)
            assert (await _submitted(app))["path"]["value"]["value"] == "before and during"
            await alice.page.reload()
            await expect(alice.box).to_have_value("a draft")
            await alice.box.press("Enter")
            await expect(alice.article("a draft")).to_be_visible()


async def test_hostile_text_is_shown_as_it_is_and_nothing_else(browser: Browser) -> None:
    plain = {"type": "plain_text", "text": HOSTILE}
    quoted = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    blocks: list[Json] = [
        {"type": "header", "text": {**plain, "text": HOSTILE[:150]}},
        {"type": "section", "text": {"type": "mrkdwn", "text": quoted}},
        {"type": "section", "text": {"type": "mrkdwn", "text": HOSTILE}},
        {"type": "context", "elements": [plain]},
        {
            "type": "rich_text",
            "elements": [
                {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": HOSTILE}]},
            ],
        },
        {"type": "markdown", "text": f"{HOSTILE} [click](javascript:document.title='owned')"},
        {"type": "actions", "elements": [button("Edit"), button("<b>bold</b>", "bold")]},
    ]
    async with page(browser) as (alice, app):
        for depth in ("*_" * 500, "[" * 1000, "```" * 300, ">" * 500):
            await alice.send(depth)
        await alice.send(HOSTILE)
        await expect(alice.article(HOSTILE)).to_have_count(1)
        answer = await app.call("chat.postMessage", channel=GENERAL, text="x", blocks=blocks)
        assert answer["ok"], answer
        await expect(alice.main.locator("pre").last).to_have_text(HOSTILE)
        await expect(alice.main.get_by_role("button", name="<b>bold</b>")).to_be_visible()
        typed = {"type": "plain_text_input", "initial_value": HOSTILE}
        await opened(
            alice, app, modal(field("<i>path</i>", typed), title={"type": "plain_text", "text": "<u>"})
        )
        await expect(alice.form.get_by_label("<i>path</i>")).to_have_value(HOSTILE)
        injected = (
            "document.querySelectorAll('img, iframe, script:not([src]), [onerror], [href^=javascript]')"
        )
        assert await alice.page.evaluate(f"{injected}.length") == 0
        assert "owned" not in await alice.page.title()


async def test_an_unknown_block_is_a_grey_box_with_what_was_posted(browser: Browser) -> None:
    odd = {"type": "data_visualization", "kind": "pie"}
    async with page(browser) as (alice, app):
        state = re.compile(r"/client/state\?")

        async def with_odd_block(route: Any) -> None:  # noqa: ANN401 - Playwright's Route
            answer = await route.fetch()
            body = await answer.json()
            for message in body["messages"].get(GENERAL, []):
                message["blocks"] = [*message.get("blocks", []), odd]
            await route.fulfill(response=answer, json=body)

        await alice.page.route(state, with_odd_block)
        await alice.page.reload()
        await post(app, "Approve")
        box = alice.main.locator(".unknown")
        await expect(box).to_contain_text("data_visualization")
        await expect(box).to_contain_text("pie")
        await expect(alice.main.get_by_role("button", name="Approve")).to_be_visible()
        await alice.page.unroute_all(behavior="ignoreErrors")


async def test_a_reply_stands_in_its_thread_and_a_broadcast_in_both_places(browser: Browser) -> None:
    async with page(browser) as (alice, app):
        await alice.send("please")
        root = (await _last(app))["ts"]
        await post(app, "Approve", thread_ts=root, reply_broadcast=True)
        await alice.main.get_by_role("button", name="1 reply").click()
        for place in (alice.main, alice.thread):
            await expect(place.get_by_role("button", name="Approve")).to_be_visible()
        await alice.page.get_by_label("Reply in thread").fill("why?")
        await alice.thread.get_by_role("button", name="Send reply").click()
        await expect(alice.thread.get_by_role("article").last).to_contain_text("why?")
        await expect(alice.main.get_by_role("button", name="2 replies")).to_be_visible()
        await expect(alice.article("why?")).to_have_count(0)
        await app.call("chat.postEphemeral", channel=GENERAL, user="U0ALICE", thread_ts=root, text="psst")
        await expect(alice.thread.get_by_text("psst")).to_be_visible()
        await alice.act_as("Bob Baker")
        await expect(alice.thread.get_by_text("why?")).to_be_visible()
        await expect(alice.page.get_by_text("psst")).to_have_count(0)
        await alice.page.get_by_role("button", name="Close thread").click()
        await expect(alice.thread).to_be_hidden()


async def _last(app: RawApp) -> Json:
    history = await app.call("conversations.history", channel=GENERAL, limit=1)
    message: Json = history["messages"][0]
    return message


async def test_guests_strangers_and_those_outside_a_channel_see_what_is_theirs(browser: Browser) -> None:
    async with page(browser) as (seen, app):
        await app.call("chat.postMessage", channel="C0APPROVALS", text="for members")
        approvals = seen.page.get_by_role("link", name="approvals")
        await approvals.click()
        await expect(seen.article("for members")).to_be_visible()
        for name, short in (("Gus Gray (guest)", "Gus"), ("Eve Elliot (other organisation)", "Eve")):
            await seen.act_as(name)
            await expect(seen.main).to_contain_text(f"{short} is not a member of #approvals")
            await expect(seen.main.get_by_role("article")).to_have_count(0)
            await expect(seen.main.get_by_role("textbox")).to_have_count(0)
        await seen.page.get_by_role("link", name="general").click()
        await seen.send("may I?")
        await expect(seen.article("may I?")).to_contain_text("other organisation")


async def test_the_home_tab_is_opened_and_drawn_and_the_direct_message_is_a_line_to_the_bot(
    browser: Browser,
) -> None:
    home = {"type": "home", "blocks": card("Refresh", text="2 wait for you")}
    async with page(browser) as (alice, app):
        await alice.page.get_by_role("link", name="agent Home").click()
        assert (await app.next("app_home_opened"))["payload"]["event"]["user"] == "U0ALICE"
        assert (await app.call("views.publish", user_id="U0ALICE", view=home))["ok"]
        await expect(alice.main).to_contain_text("2 wait for you")
        await alice.main.get_by_role("button", name="Refresh").click()
        assert (await pressed(app))["container"]["type"] == "view"
        await alice.page.get_by_role("link", name="agent APP").click()
        line = alice.page.get_by_label("Message the bot")
        await line.fill("hello")
        await alice.page.get_by_role("button", name="Send", exact=True).click()
        assert (await app.next("message"))["payload"]["event"]["channel_type"] == "im"
        await expect(alice.article("hello")).to_be_visible()


async def test_a_reader_who_scrolled_up_stays_there_and_unread_messages_are_counted(browser: Browser) -> None:
    async with page(browser) as (alice, app):
        for number in range(40):
            await app.call("chat.postMessage", channel=GENERAL, text=f"message {number}")
        log = alice.main.get_by_role("log")
        await expect(alice.main.get_by_text("message 39")).to_be_in_viewport()
        await alice.main.get_by_text("message 3", exact=True).scroll_into_view_if_needed()
        below = alice.page.get_by_role("button", name="New messages")
        await expect(alice.main.get_by_text("message 39")).not_to_be_in_viewport()
        place = await log.evaluate("log => log.scrollTop")
        await app.call("chat.postMessage", channel=GENERAL, text="one more")
        await expect(below).to_be_visible()
        assert await log.evaluate("log => log.scrollTop") == place
        await below.click()
        await expect(alice.main.get_by_text("one more")).to_be_in_viewport()
        await alice.page.get_by_role("link", name="random").click()
        await app.call("chat.postMessage", channel=GENERAL, text="elsewhere")
        await expect(alice.page.get_by_role("link", name="general 1 unread")).to_be_visible()


async def test_on_a_phone_everything_is_one_column_and_nothing_is_cut(browser: Browser) -> None:
    async with Sandbox() as slack, raw_app(slack) as app, window(browser, slack.page_url, PHONE) as alice:
        await post(app, *(f"A rather long word on button {number}" for number in range(5)))
        await alice.send("x" * 300)
        root = (await _last(app))["ts"]
        await post(app, "Approve", thread_ts=root)
        await alice.main.get_by_role("button", name="1 reply").click()
        await expect(alice.thread.get_by_role("button", name="Approve")).to_be_in_viewport()
        await alice.page.get_by_role("button", name="Close thread").click()
        await expect(alice.main.get_by_role("button", name="button 4")).to_be_in_viewport(ratio=1)
        assert await alice.page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
        assert await alice.main.get_by_role("log").evaluate("log => log.scrollWidth - log.clientWidth") == 0
        await expect(alice.page.get_by_label("Act as")).not_to_be_in_viewport()
        drawer = alice.page.get_by_role("button", name="Channels and people")
        await drawer.click()
        await alice.page.get_by_label("Act as").select_option(label="Bob Baker")
        await expect(alice.page.get_by_label("Act as")).not_to_be_in_viewport()
        await drawer.click()
        await alice.page.get_by_role("link", name="agent Home").click()
        await expect(alice.page.get_by_label("Act as")).not_to_be_in_viewport()
        assert (await app.next("app_home_opened"))["payload"]["event"]["user"] == "U0BOB"
