from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import Account, Sandbox, buttons, text_of
from tests.sandbox.raw_app import RawApp, card, modal, raw_app

Json = dict[str, Any]
GENERAL = "C0GENERAL"


@pytest.fixture
async def slack() -> AsyncIterator[Sandbox]:
    async with Sandbox() as running:
        yield running


@pytest.fixture
async def app(slack: Sandbox) -> AsyncIterator[RawApp]:
    async with raw_app(slack, connect=False) as client:
        yield client


async def test_auth_test_names_the_bot_and_its_scopes(slack: Sandbox) -> None:
    answer = await AsyncWebClient(slack.bot_token, base_url=slack.api_url).auth_test()
    assert answer["user_id"] == slack.bot_user
    assert answer["bot_id"] == "B0AGENT"
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-other", "invalid_auth"), ("xapp-sandbox-app", "not_allowed_token_type")],
)
async def test_a_call_without_the_right_token_is_refused(app: RawApp, token: str, error: str) -> None:
    assert (await app.call("auth.test", token=token))["error"] == error


async def test_a_bot_token_opens_no_socket(app: RawApp) -> None:
    assert (await app.call("apps.connections.open"))["error"] == "not_allowed_token_type"


async def test_the_token_may_stand_in_the_form(slack: Sandbox) -> None:
    async with aiohttp.ClientSession() as session:
        form = {"token": slack.bot_token, "channel": GENERAL, "text": "hi", "unfurl_links": "false"}
        async with session.post(slack.api_url + "chat.postMessage", data=form) as response:
            assert (await response.json())["message"]["text"] == "hi"


async def test_an_unknown_method_is_called_so(app: RawApp) -> None:
    assert (await app.call("chat.shout"))["error"] == "unknown_method"


async def test_a_missing_scope_says_what_is_needed() -> None:
    async with Sandbox(scopes=frozenset({"commands"})) as slack, raw_app(slack, connect=False) as app:
        answer = await app.call("chat.postMessage", channel=GENERAL, text="hi")
        assert (answer["error"], answer["needed"], answer["provided"]) == (
            "missing_scope",
            "chat:write",
            "commands",
        )
        info = await app.call("conversations.info", channel=GENERAL)
        assert info["needed"] == "channels:read"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0NOWHERE", "text": "x"}, "channel_not_found"),
        ({"channel": "C0RANDOM", "text": "x"}, "not_in_channel"),
        ({"channel": GENERAL}, "no_text"),
        ({"channel": GENERAL, "text": ""}, "no_text"),
        ({"channel": GENERAL, "text": "x" * 40_001}, "msg_too_long"),
        ({"channel": GENERAL, "text": "x", "blocks": "not json"}, "invalid_blocks_format"),
        ({"channel": GENERAL, "text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        ({"channel": GENERAL, "text": "x", "metadata": {"event_type": "a"}}, "invalid_metadata_schema"),
        ({"channel": GENERAL, "text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"text": "x"}, "invalid_arguments"),
    ],
)
async def test_a_message_that_slack_would_refuse_is_refused(app: RawApp, arguments: Json, error: str) -> None:
    assert (await app.call("chat.postMessage", **arguments))["error"] == error


async def test_invalid_blocks_are_named_by_json_pointer(app: RawApp) -> None:
    answer = await app.call("chat.postMessage", channel=GENERAL, text="x", blocks=card("x" * 76))
    assert answer["error"] == "invalid_blocks"
    [message] = answer["response_metadata"]["messages"]
    assert "[json-pointer:/blocks/1/elements/0/text/text]" in message


async def test_nothing_is_posted_in_an_archived_or_a_foreign_private_channel(
    slack: Sandbox, app: RawApp
) -> None:
    await slack.change(replace(slack.channel("#approvals"), is_archived=True))
    assert (await app.call("chat.postMessage", channel="C0APPROVALS", text="x"))["error"] == "is_archived"
    secret = await slack.add_channel("secret", ["Alice"], is_private=True, with_bot=False)
    assert (await app.call("chat.postMessage", channel=secret.id, text="x"))["error"] == "channel_not_found"
    assert (await app.call("conversations.info", channel=secret.id))["error"] == "channel_not_found"


async def test_a_reply_shown_to_the_channel_is_in_thread_and_history(slack: Sandbox, app: RawApp) -> None:
    root = await slack.person("Alice").say("#general", "please")
    reply = await app.call(
        "chat.postMessage",
        channel="#general",
        text="on it",
        thread_ts=root["ts"],
        reply_broadcast=True,
        metadata={"event_type": "card", "event_payload": {"id": "7"}},
    )
    await app.call("chat.postMessage", channel=GENERAL, text="in the thread alone", thread_ts=root["ts"])
    history = await app.call("conversations.history", channel=GENERAL)
    assert [(one["text"], one.get("subtype")) for one in history["messages"]] == [
        ("on it", "thread_broadcast"),
        ("please", None),
    ]
    thread = await app.call(
        "conversations.replies", channel=GENERAL, ts=reply["ts"], include_all_metadata=True
    )
    assert [one["ts"] for one in thread["messages"]][:2] == [root["ts"], reply["ts"]]
    assert thread["messages"][0]["reply_count"] == 2
    assert thread["messages"][1]["metadata"]["event_payload"] == {"id": "7"}
    without = await app.call("conversations.replies", channel=GENERAL, ts=root["ts"])
    assert "metadata" not in without["messages"][1]


async def test_an_update_without_blocks_takes_the_blocks_away(slack: Sandbox, app: RawApp) -> None:
    posted = await app.call("chat.postMessage", channel=GENERAL, text="x", blocks=card("Approve"))
    bob = slack.person("Bob")
    seen = await bob.sees("delete_file")
    assert buttons(seen) == ["Approve"]
    await app.call("chat.update", channel=GENERAL, ts=posted["ts"], text="done")
    changed = await bob.sees_change(seen, "done")
    assert (text_of(changed), buttons(changed)) == ("done", [])
    assert "edited" in changed


async def test_only_the_bots_own_messages_can_be_changed_or_deleted(slack: Sandbox, app: RawApp) -> None:
    theirs = await slack.person("Alice").say("#general", "mine")
    place = {"channel": GENERAL, "ts": theirs["ts"]}
    assert (await app.call("chat.update", **place, text="x"))["error"] == "cant_update_message"
    assert (await app.call("chat.delete", **place))["error"] == "cant_delete_message"
    nowhere = {"channel": GENERAL, "ts": "1.000001"}
    assert (await app.call("chat.update", **nowhere, text="x"))["error"] == "message_not_found"
    own = await app.call("chat.postMessage", channel=GENERAL, text="mine too")
    own_place = {"channel": GENERAL, "ts": own["ts"]}
    assert (await app.call("chat.update", **own_place, text="x" * 4001))["error"] == "msg_too_long"
    bob = slack.person("Bob")
    seen = await bob.sees("mine too")
    assert (await app.call("chat.delete", **own_place))["ok"]
    await bob.sees_gone(seen)


async def test_an_ephemeral_message_is_seen_by_one_and_found_by_nobody(slack: Sandbox, app: RawApp) -> None:
    root = await slack.person("Alice").say("#general", "please")
    said = {"channel": GENERAL, "text": "not you", "thread_ts": root["ts"]}
    shown = await app.call("chat.postEphemeral", **said, user="U0GUS")
    seen = await slack.person("Gus").sees_privately("not you")
    assert (seen["ts"], seen["thread_ts"]) == (shown["message_ts"], root["ts"])
    assert await slack.person("Alice").ephemerals() == []
    found = await app.call("chat.update", channel=GENERAL, ts=shown["message_ts"], text="x")
    assert found["error"] == "message_not_found"
    stranger = await slack.add_person(
        Account(id="U0ZOE", name="zoe", real_name="Zoe Zorn", team_id="T0SANDBOX")  # type: ignore[arg-type]
    )
    outside = await app.call("chat.postEphemeral", **said, user=stranger.id)
    assert outside["error"] == "user_not_in_channel"


async def test_a_permalink_of_a_reply_names_its_thread(slack: Sandbox, app: RawApp) -> None:
    root = await slack.person("Alice").say("#general", "please")
    reply = await app.call("chat.postMessage", channel=GENERAL, text="x", thread_ts=root["ts"])
    link = (await app.call("chat.getPermalink", channel=GENERAL, message_ts=reply["ts"]))["permalink"]
    assert link.startswith(f"{slack.page_url}archives/{GENERAL}/p")
    assert f"thread_ts={root['ts']}" in link


async def test_people_are_described_as_slack_describes_them(app: RawApp) -> None:
    gus = (await app.call("users.info", user="U0GUS"))["user"]
    eve = (await app.call("users.info", user="U0EVE"))["user"]
    bot = (await app.call("users.info", user="U0AGENT"))["user"]
    assert (gus["is_restricted"], gus["is_stranger"], gus["profile"]["display_name"]) == (True, False, "gus")
    assert (eve["is_stranger"], eve["team_id"] != gus["team_id"]) == (True, True)
    assert bot["is_bot"]
    assert (await app.call("users.info", user="U0NOBODY"))["error"] == "user_not_found"


async def test_a_deactivated_person_is_told_so_and_can_do_nothing(slack: Sandbox, app: RawApp) -> None:
    await slack.change(replace(slack.account("Bob"), deleted=True))
    assert (await app.call("users.info", user="U0BOB"))["user"]["deleted"]
    assert (await app.call("conversations.open", users="U0BOB"))["error"] == "user_disabled"
    with pytest.raises(AssertionError, match="deactivated"):
        await slack.person("Bob").say("#general", "hello?")


async def test_members_come_page_by_page(app: RawApp) -> None:
    found: list[str] = []
    cursor = ""
    for _ in range(3):
        page = await app.call("conversations.members", channel=GENERAL, limit=2, cursor=cursor)
        found += page["members"]
        cursor = page["response_metadata"]["next_cursor"]
    assert found == ["U0ALICE", "U0BOB", "U0CAROL", "U0GUS", "U0EVE", "U0AGENT"]
    assert cursor == ""


async def test_no_channel_says_that_it_is_shared_and_random_is_without_the_bot(app: RawApp) -> None:
    listed = (await app.call("conversations.list"))["channels"]
    assert {one["name"]: (one["is_ext_shared"], one["is_member"]) for one in listed} == {
        "general": (False, True),
        "approvals": (False, True),
        "random": (False, False),
    }


async def test_the_user_group_has_carol_in_it(app: RawApp) -> None:
    [group] = (await app.call("usergroups.list"))["usergroups"]
    assert group["handle"] == "dba-oncall"
    assert (await app.call("usergroups.users.list", usergroup=group["id"]))["users"] == ["U0CAROL"]
    assert (await app.call("usergroups.users.list", usergroup="S0X"))["error"] == "no_such_subteam"


async def test_a_direct_message_is_opened_on_demand_and_stays_the_same(slack: Sandbox, app: RawApp) -> None:
    opened = await app.call("conversations.open", users="U0BOB")
    again = await app.call("conversations.open", users="U0BOB")
    assert opened["channel"]["id"] == again["channel"]["id"] == await slack.person("Bob").opens_im()
    await app.call("chat.postMessage", channel="U0BOB", text="psst")
    assert (await slack.person("Bob").sees("psst"))["channel"] == opened["channel"]["id"]
    assert await slack.person("Alice").messages(opened["channel"]["id"]) == []


async def test_home_is_published_against_its_hash(slack: Sandbox, app: RawApp) -> None:
    home = {"type": "home", "blocks": [{"type": "section", "text": {"type": "plain_text", "text": "hello"}}]}
    first = await app.call("views.publish", user_id="U0BOB", view=home)
    stale = await app.call("views.publish", user_id="U0BOB", view=home, hash="0.old")
    assert stale["error"] == "hash_conflict"
    second = await app.call("views.publish", user_id="U0BOB", view=home, hash=first["view"]["hash"])
    assert second["view"]["id"] == first["view"]["id"]
    assert text_of(await slack.person("Bob").home("hello")) == "hello"
    assert (await app.call("views.publish", user_id="U0BOB", view=modal()))["error"] == "invalid_arguments"


async def test_the_calls_of_the_app_are_counted_without_its_token(slack: Sandbox, app: RawApp) -> None:
    await app.call("chat.postMessage", channel=GENERAL, text="one")
    await app.call("chat.postMessage", channel="C0RANDOM", text="two")
    assert [(call.arguments["text"], call.outcome) for call in slack.calls("chat.postMessage")] == [
        ("one", "ok"),
        ("two", "not_in_channel"),
    ]
    assert slack.bot_token not in str(slack.calls())


async def test_timestamps_are_never_given_twice(app: RawApp) -> None:
    stamps = [(await app.call("chat.postMessage", channel=GENERAL, text="x"))["ts"] for _ in range(20)]
    assert stamps == sorted(set(stamps))
