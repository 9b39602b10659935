from typing import Any

import pytest

from bot.sandbox import RefusedError, Sandbox, Unanswered, labels, value_of
from tests.sandbox.raw_app import Json, RawApp, button, card, field, modal, option, raw_app

GENERAL = "C0GENERAL"


def never(envelope: Json) -> Json | None:
    del envelope
    return None


async def post(app: RawApp, **more: object) -> Json:
    arguments: Json = {"channel": GENERAL, "text": "card", "blocks": card("Approve", "✏️ Edit"), **more}
    return await app.call("chat.postMessage", **arguments)


async def trigger(slack: Sandbox, app: RawApp, name: str = "Bob") -> str:
    """A fresh trigger_id, out of a click."""
    await slack.person(name).say("#general", "/agent")
    return str((await app.next("slash_commands"))["payload"]["trigger_id"])


async def opened(slack: Sandbox, app: RawApp, view: Json) -> Json:
    answer = await app.call("views.open", trigger_id=await trigger(slack, app), view=view)
    assert answer["ok"], answer
    return await slack.person("Bob").form()


async def test_a_click_arrives_with_all_that_slack_sends() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        posted = await post(app, metadata={"event_type": "card", "event_payload": {"id": "7"}})
        bob = slack.person("Bob")
        assert await bob.press(await bob.sees("delete_file"), "Edit") == {"ok": True}
        click = (await app.next("block_actions"))["payload"]
        [action] = click["actions"]
        assert (action["block_id"], action["action_id"], action["value"]) == ("buttons", "go1", "v1")
        assert action["text"]["text"] == "✏️ Edit"
        assert click["user"]["id"] == "U0BOB"
        assert click["channel"] == {"id": GENERAL, "name": "general"}
        assert click["container"] == {
            "type": "message",
            "message_ts": posted["ts"],
            "channel_id": GENERAL,
            "is_ephemeral": False,
        }
        assert click["message"]["blocks"] == posted["message"]["blocks"]
        assert click["state"] == {"values": {}}
        assert click["response_url"].startswith(slack.page_url)
        assert {"trigger_id", "team", "api_app_id", "token"} <= click.keys()


async def test_a_click_in_an_ephemeral_message_carries_no_message() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        await app.call("chat.postEphemeral", channel=GENERAL, user="U0BOB", blocks=card("Approve"))
        bob = slack.person("Bob")
        await bob.press(await bob.sees_privately("delete_file"), "Approve")
        click = (await app.next("block_actions"))["payload"]
        assert click["container"]["is_ephemeral"]
        assert "message" not in click


async def test_a_click_without_an_ack_shows_a_warning_at_the_message() -> None:
    async with Sandbox(patience=0.05) as slack, raw_app(slack) as app:
        app.answer = never
        await post(app)
        bob = slack.person("Bob")
        answer = await bob.press(await bob.sees("delete_file"), "Approve")
        assert answer["ok"] is False
        assert answer["warning"] in await bob.notices()
        assert await slack.person("Alice").notices() == []


async def test_a_select_in_a_message_sends_its_option_and_the_state() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        select = {"type": "static_select", "action_id": "region", "options": [option("eu"), option("us")]}
        box = {"type": "checkboxes", "action_id": "sure", "options": [option("sure")]}
        await post(app, blocks=[{"type": "actions", "block_id": "b", "elements": [select, box]}])
        bob = slack.person("Bob")
        seen = await bob.sees(lambda message: bool(message.get("blocks")))
        await bob.choose(seen, "region", "us")
        click = (await app.next("block_actions"))["payload"]
        assert click["actions"][0]["selected_option"] == option("us")
        assert click["state"]["values"]["b"]["region"]["selected_option"] == option("us")
        assert click["state"]["values"]["b"]["sure"] == {"type": "checkboxes", "selected_options": []}


async def test_a_person_cannot_press_what_is_not_there() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        await post(app, channel="C0APPROVALS")
        bob, gus = slack.person("Bob"), slack.person("Gus")
        seen = await bob.sees("delete_file")
        with pytest.raises(LookupError, match="Approve"):
            await bob.press(seen, "Destroy")
        with pytest.raises(RefusedError, match="sees no such message"):
            await gus.press(seen, "Approve")
        await app.call("chat.update", channel="C0APPROVALS", ts=seen["ts"], text="gone")
        with pytest.raises(RefusedError, match="no element"):
            await bob.press(seen, "Approve")
        assert await bob.press(seen, "Approve", stale=True) == {"ok": True}


async def test_a_trigger_opens_one_view_within_its_time() -> None:
    async with Sandbox(trigger_lifetime=0.2) as slack, raw_app(slack) as app:
        fresh = await trigger(slack, app)
        assert (await app.call("views.open", trigger_id="1.2.x", view=modal()))[
            "error"
        ] == "invalid_trigger_id"
        assert (await app.call("views.open", trigger_id=fresh, view=modal()))["ok"]
        again = await app.call("views.open", trigger_id=fresh, view=modal())
        assert again["error"] == "exchanged_trigger_id"
    async with Sandbox(trigger_lifetime=0.0) as slack, raw_app(slack) as app:
        late = await app.call("views.open", trigger_id=await trigger(slack, app), view=modal())
        assert late["error"] == "expired_trigger_id"


async def test_a_bad_view_does_not_use_up_the_trigger() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        fresh = await trigger(slack, app)
        bad = await app.call("views.open", trigger_id=fresh, view=modal(submit=None))
        assert bad["error"] == "invalid_arguments"
        assert "submit" in bad["response_metadata"]["messages"][0]
        large = await app.call("views.open", trigger_id=fresh, view=modal(private_metadata="x" * 251_000))
        assert large["error"] == "view_too_large"
        assert (await app.call("views.open", trigger_id=fresh, view=modal()))["ok"]


async def test_a_submission_carries_what_was_typed_and_what_stood_there() -> None:
    fields = [
        field("path", {"type": "plain_text_input", "initial_value": "a.txt"}),
        field("mode", {"type": "static_select", "options": [option("add"), option("replace")]}),
        field("keep", {"type": "checkboxes", "options": [option("true")]}, optional=True),
        field("day", {"type": "datepicker"}, optional=True),
        field("count", {"type": "number_input", "is_decimal_allowed": False, "initial_value": "3"}),
    ]
    async with Sandbox() as slack, raw_app(slack) as app:
        form = await opened(slack, app, modal(*fields, private_metadata="secret-7"))
        assert "secret-7" not in str(form)
        assert labels(form) == ["path", "mode", "keep", "day", "count"]
        assert value_of(form, "path") == "a.txt"
        bob = slack.person("Bob")
        assert await bob.submit(form, {"mode": "replace", "keep": True, "day": "2026-01-31"}) == {}
        view = (await app.next("view_submission"))["payload"]["view"]
        values = {label: state["value"] for label, state in view["state"]["values"].items()}
        assert values["path"]["value"] == "a.txt"
        assert values["mode"]["selected_option"] == option("replace")
        assert values["keep"]["selected_options"] == [option("true")]
        assert values["day"]["selected_date"] == "2026-01-31"
        assert values["count"] == {"type": "number_input", "value": "3"}
        assert (view["private_metadata"], view["callback_id"]) == ("secret-7", "form")
        assert await bob.forms() == []


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ({"type": "plain_text_input"}, ""),
        ({"type": "plain_text_input", "min_length": 3}, "ab"),
        ({"type": "plain_text_input", "max_length": 3}, "abcd"),
        ({"type": "number_input", "is_decimal_allowed": False}, "1.5"),
        ({"type": "number_input", "is_decimal_allowed": True}, "many"),
        ({"type": "number_input", "is_decimal_allowed": True}, "NaN"),
        ({"type": "number_input", "is_decimal_allowed": True, "min_value": "2", "max_value": "4"}, "5"),
        ({"type": "email_text_input"}, "nobody"),
        ({"type": "url_text_input"}, "nowhere"),
        ({"type": "datepicker"}, None),
    ],
)
async def test_what_is_not_filled_in_properly_is_said_before_the_app_is_asked(
    element: Json, value: object
) -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        form = await opened(slack, app, modal(field("x", element)))
        errors = await slack.person("Bob").submit(form, {"x": value})
        assert list(errors) == ["x"]
        assert (await slack.person("Bob").form())["errors"] == errors
        assert app.queue.empty()


async def test_an_answer_of_errors_is_shown_at_the_fields_and_keeps_what_was_typed() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        form = await opened(slack, app, modal())
        app.answer = lambda _: {"response_action": "errors", "errors": {"path": "not that one"}}
        bob = slack.person("Bob")
        assert await bob.submit(form, {"path": "b.txt"}) == {"path": "not that one"}
        still = await bob.form()
        assert (still["errors"], value_of(still, "path")) == ({"path": "not that one"}, "b.txt")
        app.answer = lambda _: {}
        assert await bob.submit(still) == {}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"response_action": "errors", "errors": {"value": "an action id, not a block id"}},
        {"response_action": "errors", "errors": {}},
        {"response_action": "update"},
        {"response_action": "update", "view": {"type": "modal", "blocks": []}},
        {"response_action": "dance"},
    ],
)
async def test_an_answer_that_slack_does_not_understand_leaves_the_form_open(answer: Json | None) -> None:
    async with Sandbox(patience=0.1) as slack, raw_app(slack) as app:
        form = await opened(slack, app, modal())
        app.answer = lambda _: answer
        with pytest.raises(RefusedError, match="Try again"):
            await slack.person("Bob").submit(form, {"path": "x"})
        assert len(await slack.person("Bob").forms()) == 1


async def test_an_answer_can_update_push_and_clear() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        bob = slack.person("Bob")
        form = await opened(slack, app, modal())
        title = {"type": "plain_text", "text": "Second"}
        app.answer = lambda _: {"response_action": "update", "view": modal(title=title)}
        assert await bob.submit(form, {"path": "x"}) == {}
        [second] = await bob.forms()
        assert (second["id"], second["title"]["text"], second["hash"] != form["hash"]) == (
            form["id"],
            "Second",
            True,
        )
        assert value_of(second, "path") == "x"
        app.answer = lambda _: {"response_action": "push", "view": modal(title=title)}
        assert await bob.submit(second) == {}
        assert len(await bob.forms()) == 2
        app.answer = lambda _: {"response_action": "clear"}
        assert await bob.submit(await bob.form(), {"path": "x"}) == {}
        assert await bob.forms() == []


async def test_a_modal_can_be_pushed_until_there_are_three() -> None:
    row = {"type": "actions", "block_id": "row", "elements": [button("More", "more")]}
    view = modal(row, submit=None)
    async with Sandbox() as slack, raw_app(slack) as app:
        bob = slack.person("Bob")
        form = await opened(slack, app, view)
        outcomes = []
        for _ in range(3):
            await bob.press(form, "More")
            click = (await app.next("block_actions"))["payload"]
            assert click["container"] == {"type": "view", "view_id": form["id"]}
            pushed = await app.call("views.push", trigger_id=click["trigger_id"], view=view)
            outcomes.append(pushed.get("error", "ok"))
            form = (await bob.forms())[-1]
        assert outcomes == ["ok", "ok", "push_limit_reached"]
        assert len(await bob.forms()) == 3


async def test_a_view_is_updated_by_id_or_external_id_against_its_hash() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        form = await opened(slack, app, modal(external_id="e1"))
        conflict = await app.call("views.update", view_id=form["id"], hash="0.old", view=modal())
        assert conflict["error"] == "hash_conflict"
        updated = await app.call(
            "views.update", external_id="e1", hash=form["hash"], view=modal(external_id="e1")
        )
        assert updated["view"]["id"] == form["id"]
        await slack.person("Bob").close(form)
        assert (await app.call("views.update", view_id=form["id"], view=modal()))["error"] == "not_found"


async def test_closing_is_told_only_to_an_app_that_asked() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        bob = slack.person("Bob")
        await bob.close(await opened(slack, app, modal()))
        await bob.close(await opened(slack, app, modal(notify_on_close=True, private_metadata="m")))
        closed = (await app.next())["payload"]
        assert (closed["type"], closed["is_cleared"], closed["view"]["private_metadata"]) == (
            "view_closed",
            False,
            "m",
        )


async def test_a_press_in_a_form_carries_what_was_typed_so_far() -> None:
    row = {"type": "actions", "block_id": "row", "elements": [button("Check", "check")]}
    async with Sandbox() as slack, raw_app(slack) as app:
        form = await opened(slack, app, modal(field("path", {"type": "plain_text_input"}), row))
        typed = {"path": {"value": {"type": "plain_text_input", "value": "half"}}}
        body: dict[str, Any] = {"as": "U0BOB", "view_id": form["id"], "block_id": "row", "action_id": "check"}
        await slack.person("Bob")._wire.post("/client/act", body | {"state": typed})
        click = (await app.next("block_actions"))["payload"]
        assert click["view"]["state"]["values"] == typed
        assert value_of(await slack.person("Bob").form(), "path") == "half"


async def test_home_tells_the_app_that_it_was_opened_and_its_buttons_work() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        home = {"type": "home", "blocks": card("Refresh", text="nothing waits")}
        await app.call("views.publish", user_id="U0BOB", view=home)
        seen = await slack.person("Bob").opens_home("nothing waits")
        event = (await app.next("app_home_opened"))["payload"]["event"]
        assert (event["user"], event["tab"], event["view"]["id"]) == ("U0BOB", "home", seen["id"])
        await slack.person("Bob").press(seen, "Refresh")
        assert (await app.next("block_actions"))["payload"]["container"]["view_id"] == seen["id"]


async def test_commands_are_refused_in_threads_and_unknown_ones_everywhere() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        alice = slack.person("Alice")
        root = await alice.say("#general", "a plan")
        assert "threads" in (await alice.say("#general", "/agent x", thread=root["ts"]))["warning"]
        assert "/dance" in (await alice.say("#general", "/dance"))["warning"]
        assert app.queue.empty()


async def test_the_answer_to_a_command_may_be_the_ack_itself() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        app.answer = lambda _: {"text": "on it"}
        await slack.person("Alice").say("#general", "/agent x")
        await slack.person("Alice").sees_privately("on it")
        app.answer = lambda _: {"text": "on it, all", "response_type": "in_channel"}
        await slack.person("Alice").say("#general", "/agent x")
        assert "ephemeral" not in await slack.person("Bob").sees("on it, all")


async def test_a_click_can_be_built_and_sent_without_a_page() -> None:
    async with Sandbox(patience=0.05) as slack, raw_app(slack) as app:
        await post(app)
        bob = slack.person("Bob")
        click = slack.click(bob, await bob.sees("delete_file"), "Approve")
        click["user"]["id"] = "U0MALLORY"
        app.answer = never
        assert await slack.deliver(click) == Unanswered(reason="timeout")
        assert (await app.next("block_actions"))["payload"]["user"]["id"] == "U0MALLORY"


async def test_text_of_people_is_kept_literal_but_for_mentions() -> None:
    async with Sandbox() as slack, raw_app(slack):
        alice = slack.person("Alice")
        await alice.say("#general", "<!channel> & @bob in #approvals, not a@bob.org <@U0CAROL>")
        seen = await slack.person("Bob").sees("approvals")
        assert seen["text"] == (
            "&lt;!channel&gt; &amp; <@U0BOB> in <#C0APPROVALS|approvals>, not a@bob.org <@U0CAROL>"
        )
