import copy
import json
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.request.async_internals import build_async_context

from bot.approvals.ids import ChannelId, Ts, UserId
from bot.slack.payloads import (
    Click,
    Command,
    Heard,
    Malformed,
    Submission,
    click,
    command,
    heard,
    submission,
    well_formed,
)

BOT = UserId("U0AGENT")
CLICK: dict[str, Any] = {
    "type": "block_actions",
    "user": {"id": "U0BOB", "username": "bob", "name": "bob", "team_id": "T0SANDBOX"},
    "api_app_id": "A0AGENT",
    "token": "x",
    "container": {
        "type": "message",
        "message_ts": "1772443800.000100",
        "channel_id": "C0GENERAL",
        "is_ephemeral": False,
        "thread_ts": "1772443700.000100",
    },
    "trigger_id": "12345.98765.abcd",
    "team": {"id": "T0SANDBOX", "domain": "sandbox"},
    "enterprise": None,
    "is_enterprise_install": False,
    "channel": {"id": "C0GENERAL", "name": "general"},
    "message": {
        "bot_id": "B0AGENT",
        "type": "message",
        "text": "x",
        "user": "U0AGENT",
        "ts": "1772443800.000100",
    },
    "state": {"values": {}},
    "response_url": "https://hooks.slack.com/actions/T/1/x",
    "actions": [
        {
            "action_id": "approve",
            "block_id": "0.1.buttons",
            "text": {"type": "plain_text", "text": "Approve", "emoji": True},
            "value": "opaque",
            "style": "primary",
            "type": "button",
            "action_ts": "1772443801.1",
        }
    ],
}
IN_A_VIEW: dict[str, Any] = {
    **{name: part for name, part in CLICK.items() if name not in ("channel", "message", "response_url")},
    "container": {"type": "view", "view_id": "V1"},
    "view": {
        "id": "V1",
        "hash": "1.x",
        "private_metadata": "{}",
        "type": "modal",
        "callback_id": "plain_view",
    },
}
SUBMISSION: dict[str, Any] = {
    "type": "view_submission",
    "team": {"id": "T0SANDBOX", "domain": "sandbox"},
    "user": {"id": "U0BOB", "team_id": "T0SANDBOX"},
    "trigger_id": "1.2.x",
    "view": {
        "id": "V1",
        "team_id": "T0SANDBOX",
        "app_installed_team_id": "T0SANDBOX",
        "type": "modal",
        "private_metadata": '{"action": "a"}',
        "callback_id": "reject_form",
        "state": {"values": {"reason": {"value": {"type": "plain_text_input", "value": "no"}}}},
    },
    "response_urls": [],
}
COMMAND: dict[str, Any] = {
    "token": "x",
    "team_id": "T0SANDBOX",
    "channel_id": "C0GENERAL",
    "channel_name": "general",
    "user_id": "U0ALICE",
    "command": "/agent",
    "text": "tidy up &lt;now&gt; with <@U0BOB|bob>",
    "response_url": "https://hooks.slack.com/commands/1",
    "trigger_id": "13345224609.738474920.8088930838d88f008e0",
}
MENTION: dict[str, Any] = {
    "type": "event_callback",
    "team_id": "T0SANDBOX",
    "event_id": "Ev1",
    "authorizations": [{"enterprise_id": None, "team_id": "T0SANDBOX", "user_id": "U0AGENT", "is_bot": True}],
    "event": {
        "type": "app_mention",
        "user": "U0ALICE",
        "text": "<@U0AGENT> tidy <https://a.example|a.example> &amp; tell <#C0GENERAL|general>",
        "ts": "1772443800.000200",
        "channel": "C0GENERAL",
        "team": "T0SANDBOX",
    },
}
EVERY = [CLICK, IN_A_VIEW, SUBMISSION, COMMAND, MENTION]


def direct(**changes: object) -> dict[str, Any]:
    event = {
        "type": "message",
        "channel_type": "im",
        "user": "U0ALICE",
        "text": "hello",
        "ts": "1772443800.000200",
        "channel": "D0ALICE",
    }
    return {"type": "event_callback", "team_id": "T0SANDBOX", "event": {**event, **changes}}


def test_a_click_on_a_message_is_read() -> None:
    assert click(CLICK) == Click(
        verb="approve",
        value="opaque",
        by=UserId("U0BOB"),
        team="T0SANDBOX",
        channel="C0GENERAL",  # type: ignore[arg-type]
        message_ts="1772443800.000100",  # type: ignore[arg-type]
        thread_ts="1772443700.000100",  # type: ignore[arg-type]
        trigger_id="12345.98765.abcd",
        response_url="https://hooks.slack.com/actions/T/1/x",
    )


def test_a_click_in_a_view_is_read() -> None:
    read = click(IN_A_VIEW)
    assert isinstance(read, Click)
    assert (read.channel, read.view_id, read.private_metadata) == (None, "V1", "{}")


def test_a_form_is_read() -> None:
    read = submission(SUBMISSION)
    assert isinstance(read, Submission)
    assert (read.callback_id, read.by, read.private_metadata) == ("reject_form", "U0BOB", '{"action": "a"}')
    assert read.values == SUBMISSION["view"]["state"]["values"]


def test_a_command_is_read_with_slacks_notation_undone() -> None:
    read = command(COMMAND)
    assert isinstance(read, Command)
    assert (read.text, read.by, read.channel) == ("tidy up <now> with @bob", "U0ALICE", "C0GENERAL")
    assert read.id == f"command/{COMMAND['trigger_id']}"
    assert isinstance(command({**COMMAND, "text": ""}), Command)


def test_a_mention_is_heard_without_the_mention() -> None:
    read = heard(MENTION, bot=BOT)
    assert isinstance(read, Heard)
    assert read.text == "tidy https://a.example & tell #general"
    assert (read.id, read.thread_ts, read.is_im) == ("C0GENERAL/1772443800.000200", None, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<@U0AGENT>: docs: x", "docs: x"),
        ("<@U0AGENT>, tidy up", "tidy up"),
        (" <@U0AGENT|bot>:\ntidy up", "tidy up"),
        ("<@U0AGENT>:", ""),
        ("<@U0AGENT> :tada: tidy up", ":tada: tidy up"),
        ("<@U0AGENT>:tada: tidy up", ":tada: tidy up"),
        ("please, <@U0AGENT>, tidy up", "please, , tidy up"),
        ("<@U0BOB>: <@U0AGENT> tidy up", "@U0BOB: tidy up"),
        ("hey <@U0AGENT> tidy up <@U0AGENT>", "hey tidy up"),
    ],
)
def test_with_what_the_bot_is_addressed_is_no_part_of_what_is_said(text: str, said: str) -> None:
    read = heard({**MENTION, "event": {**MENTION["event"], "text": text}}, bot=BOT)
    assert isinstance(read, Heard)
    assert read.text == said


def test_a_mention_that_was_edited_is_heard_as_one_that_was() -> None:
    edited = {"edited": {"user": "U0ALICE", "ts": "1.1"}}
    read = heard({**MENTION, "event": {**MENTION["event"], **edited}}, bot=BOT)
    assert isinstance(read, Heard)
    assert (read.is_edited, read.id) == (True, "C0GENERAL/1772443800.000200")
    assert not getattr(heard(MENTION, bot=BOT), "is_edited", True)


def changed(now: dict[str, Any], before: str = "helo", **changes: object) -> dict[str, Any]:
    """The event of a direct message that was edited, as Slack sends it."""
    told = {"user": "U0ALICE", "ts": "1772443800.000200", "text": "hello", "edited": {"user": "U0ALICE"}}
    previous = {"user": "U0ALICE", "ts": "1772443800.000200", "text": before}
    return direct(
        subtype="message_changed",
        hidden=True,
        user=None,
        ts="1772443900.000100",
        message={**told, **now},
        previous_message=previous,
        **changes,
    )


def test_an_edited_direct_message_is_heard_as_it_is_now() -> None:
    read = heard(changed({"thread_ts": "1772443700.000100"}), bot=BOT)
    assert read == Heard(
        text="hello",
        by=UserId("U0ALICE"),
        channel=ChannelId("D0ALICE"),
        ts=Ts("1772443800.000200"),
        thread_ts=Ts("1772443700.000100"),
        is_im=True,
        team="T0SANDBOX",
        is_edited=True,
    )


@pytest.mark.parametrize(
    "event",
    [
        changed({}, before="hello"),  # a preview of a link came
        changed({"edited": None}),
        changed({"bot_id": "B0AGENT"}),
        changed({"user": "U0AGENT"}),
        changed({"subtype": "bot_message"}),
        changed({}, channel="C0GENERAL", channel_type="channel"),
    ],
)
def test_what_else_changes_a_message_is_not_heard(event: dict[str, Any]) -> None:
    assert heard(event, bot=BOT) is None


def deleted(before: object = None, **changes: object) -> dict[str, Any]:
    """The event of a direct message that was deleted, as Slack sends it."""
    told = {"user": "U0ALICE", "ts": "1772443800.000200", "text": "hello", "thread_ts": "1772443700.000100"}
    return direct(
        subtype="message_deleted",
        hidden=True,
        user=None,
        text=None,
        ts="1772443900.000100",
        deleted_ts="1772443800.000200",
        previous_message={**told, **before} if isinstance(before, dict) else before or told,
        **changes,
    )


@pytest.mark.parametrize("before", [None, {"edited": {"user": "U0ALICE"}}, {"subtype": "file_share"}])
def test_a_direct_message_that_was_deleted_is_heard_as_one_that_is_gone(before: object) -> None:
    read = heard(deleted(before), bot=BOT)
    assert isinstance(read, Heard)
    assert (read.is_deleted, read.id, read.by) == (True, "D0ALICE/1772443800.000200", "U0ALICE")
    assert read.thread_ts == "1772443700.000100"
    assert not getattr(heard(direct(), bot=BOT), "is_deleted", True)


@pytest.mark.parametrize(
    "event",
    [
        deleted({"bot_id": "B0AGENT"}),
        deleted({"user": "U0AGENT"}),
        deleted({"subtype": "bot_message"}),
        deleted("nothing"),
        deleted(channel="C0GENERAL", channel_type="channel"),
    ],
)
def test_of_what_else_is_deleted_nothing_is_heard(event: dict[str, Any]) -> None:
    assert heard(event, bot=BOT) is None


def test_what_has_files_says_so() -> None:
    read = heard(direct(subtype="file_share", text="", files=[{"id": "F1"}]), bot=BOT)
    assert isinstance(read, Heard)
    assert (read.text, read.has_files) == ("", True)
    assert not getattr(heard(direct(), bot=BOT), "has_files", True)


def test_a_message_that_slacks_notation_makes_long_is_read_for_it_may_be_short_enough() -> None:
    read = heard(direct(text="&amp;" * 40_000), bot=BOT)
    assert isinstance(read, Heard)
    assert read.text == "&" * 40_000
    asked = command({**COMMAND, "text": "&amp;" * 40_000})
    assert isinstance(asked, Command)
    assert asked.text == "&" * 40_000
    assert isinstance(heard(direct(text="x" * 200_001), bot=BOT), Malformed)
    assert isinstance(command({**COMMAND, "text": "x" * 200_001}), Malformed)


def test_a_direct_message_is_heard() -> None:
    read = heard(direct(thread_ts="1772443700.000100"), bot=BOT)
    assert isinstance(read, Heard)
    assert (read.text, read.is_im, read.thread_ts) == ("hello", True, "1772443700.000100")
    assert isinstance(heard(direct(subtype="file_share"), bot=BOT), Heard)


@pytest.mark.parametrize(
    "changes",
    [
        {"subtype": "message_changed", "message": {}},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message"},
        {"bot_id": "B0OTHER"},
        {"user": "U0AGENT"},
        {"user": "USLACKBOT"},
        {"edited": {"user": "U0ALICE", "ts": "1.1"}},
        {"channel_type": "channel", "channel": "C0GENERAL"},
        {"type": "reaction_added"},
    ],
)
def test_what_no_person_says_to_the_bot_is_not_heard(changes: dict[str, object]) -> None:
    assert heard(direct(**changes), bot=BOT) is None


@pytest.mark.parametrize(
    "changes", [{"user": 7}, {"user": None}, {"text": None}, {"ts": 1.5}, {"channel": "x"}]
)
def test_an_odd_message_is_malformed(changes: dict[str, object]) -> None:
    assert isinstance(heard(direct(**changes), bot=BOT), Malformed)


@pytest.mark.parametrize(
    "odd", [None, "text", 7, [], {}, {"type": "event_callback", "event": "x"}, {"type": "block_actions"}]
)
def test_what_is_no_payload_is_malformed_with_a_reason(odd: object) -> None:
    for read in (click(odd), submission(odd), command(odd), heard(odd, bot=BOT)):
        assert isinstance(read, Malformed)
        assert read.reason


def test_ten_megabytes_of_text_are_malformed() -> None:
    huge = "x" * 10_000_000
    assert isinstance(command({**COMMAND, "text": huge}), Malformed)
    assert isinstance(heard(direct(text=huge), bot=BOT), Malformed)


def test_a_command_that_takes_long_to_read_would_stop_the_loop_so_none_does() -> None:
    assert isinstance(command({**COMMAND, "text": "<" * 40_000}), Command)
    assert isinstance(command({**COMMAND, "text": "<@" * 20_000}), Command)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


def places(part: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(part, dict):
        found += [place for name, inner in part.items() for place in places(inner, (*path, name))]
    if isinstance(part, list):
        found += [place for index, inner in enumerate(part) for place in places(inner, (*path, index))]
    return found


@st.composite
def damaged(draw: st.DrawFn) -> object:
    """A real payload with one to three of its parts replaced by anything, or left out."""
    payload: Any = copy.deepcopy(draw(st.sampled_from(EVERY)))
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(places(payload)))
        part = payload
        for step in path:
            part = part[step]
        if draw(st.booleans()) and isinstance(part, dict):
            del part[last]
        else:
            part[last] = draw(JSON)
        if not payload:
            break
    return payload


@settings(max_examples=600, deadline=None)
@given(JSON | damaged())
def test_no_payload_raises_anything(payload: object) -> None:
    assert isinstance(click(payload), Click | Malformed)
    assert isinstance(submission(payload), Submission | Malformed)
    assert isinstance(command(payload), Command | Malformed)
    assert isinstance(heard(payload, bot=BOT), Heard | Malformed | None)
    assert isinstance(well_formed(payload), bool)


@settings(max_examples=600, deadline=None)
@given(damaged())
def test_what_is_well_formed_does_not_break_bolt(payload: object) -> None:
    if well_formed(payload):
        assert isinstance(payload, dict)
        build_async_context(AsyncBoltContext(logger=logging.getLogger(__name__)), payload)


@pytest.mark.parametrize("payload", EVERY)
def test_real_payloads_are_well_formed(payload: dict[str, Any]) -> None:
    assert well_formed(payload)
    assert well_formed(json.loads(json.dumps(payload)))


@pytest.mark.parametrize(
    "odd",
    [
        {**MENTION, "event": "x"},
        {**CLICK, "user": 7},
        {**CLICK, "user": {"id": 7}},
        {**CLICK, "actions": []},
        {**CLICK, "actions": ["x"]},
        {**CLICK, "team": 7},
        {**COMMAND, "text": ["x"]},
        {**SUBMISSION, "response_urls": None},
        {**SUBMISSION, "view": None},
        {**SUBMISSION, "view": {"callback_id": "reject_form"}},
        {**MENTION, "authorizations": ["x"]},
        [],
        "x",
    ],
)
def test_odd_payloads_are_not_well_formed(odd: object) -> None:
    assert not well_formed(odd)
