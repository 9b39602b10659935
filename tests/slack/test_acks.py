"""Every payload is answered at its ack, with what was checked before, and what follows an ack goes on."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from prometheus_client import CollectorRegistry
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import UserId
from bot.sandbox import sign
from bot.slack.acks import answered
from bot.slack.app import Identity, bolt_app
from bot.slack.http import SlackEndpoint, http_app

SECRET = "s3cret"
OURS = {"api_app_id": "A1", "team_id": "T1", "team": {"id": "T1"}, "user": {"id": "U1"}}
CLICK = OURS | {"type": "block_actions", "actions": [{"type": "button", "action_id": "go", "block_id": "b"}]}
MENTION = OURS | {"type": "event_callback", "event": {"type": "app_mention", "user": "U1"}}
COMMAND = {"command": "/agent", "text": "hello", "api_app_id": "A1", "team_id": "T1", "user_id": "U1"}


def an_app() -> AsyncApp:
    who = Identity(
        team="T1",
        enterprise=None,
        bot_user=UserId("U0"),
        bot_id="B1",
        app="A1",
        url="https://t.slack.com/",
        scopes=frozenset(),
    )
    return bolt_app(AsyncWebClient("xoxb-1"), who, [])


def first(app: AsyncApp, listener: Callable[..., Awaitable[None]]) -> None:
    """Let this one take everything, before those that the app has."""
    for take in (app.event, app.command, app.action):
        take(re.compile(".*"))(listener)
    taken = len(app._async_listeners) - 3
    app._async_listeners[:] = app._async_listeners[taken:] + app._async_listeners[:taken]


@asynccontextmanager
async def http(app: AsyncApp) -> AsyncIterator[Callable[[str], Awaitable[int]]]:
    """Sends signed forms; the status of each answer."""
    web = http_app(checks={}, registry=CollectorRegistry(), slack=SlackEndpoint(app, SECRET))
    async with TestServer(web) as server, ClientSession() as session:

        async def send(form: str) -> int:
            headers = {"Content-Type": "application/x-www-form-urlencoded"} | sign(SECRET, form)
            async with session.post(server.make_url("/slack/events"), data=form, headers=headers) as answer:
                return answer.status

        yield send


@pytest.mark.parametrize("payload", [CLICK, COMMAND, MENTION])
async def test_the_ack_is_the_answer_and_what_follows_goes_on_beside(payload: dict[str, Any]) -> None:
    app, may_go_on, done = an_app(), asyncio.Event(), asyncio.Event()

    async def listener(ack: AsyncAck) -> None:
        await ack()
        await may_go_on.wait()
        done.set()

    first(app, listener)
    async with asyncio.timeout(60):
        assert (await answered(app, payload)).status == 200
        assert not done.is_set()
        may_go_on.set()
        await done.wait()


@pytest.mark.parametrize("payload", [CLICK, COMMAND, MENTION])
async def test_what_fails_before_its_ack_is_not_acked(
    payload: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    app = an_app()

    async def listener(ack: AsyncAck) -> None:  # noqa: ARG001 - it does not get so far
        raise OSError

    first(app, listener)
    assert (await answered(app, payload)).status == 500
    assert [one.levelno for one in caplog.records] == [logging.ERROR]


async def test_what_fails_after_its_ack_is_acked(caplog: pytest.LogCaptureFixture) -> None:
    app = an_app()

    async def listener(ack: AsyncAck) -> None:
        await ack(text="fine")
        raise OSError

    first(app, listener)
    answer = await answered(app, COMMAND)
    assert (answer.status, answer.body) == (200, "fine")
    assert [one.levelno for one in caplog.records] == [logging.ERROR]


async def test_an_event_is_acked_when_its_listener_has_done_everything() -> None:
    app, has_begun, may_end = an_app(), asyncio.Event(), asyncio.Event()

    async def listener() -> None:
        has_begun.set()
        await may_end.wait()

    first(app, listener)
    answer = asyncio.create_task(answered(app, MENTION))
    await has_begun.wait()
    assert not answer.done()
    may_end.set()
    assert (await answer).status == 200


async def test_a_payload_is_taken_once_although_the_requests_sender_has_gone() -> None:
    app, may_ack, acked = an_app(), asyncio.Event(), asyncio.Event()

    async def listener(ack: AsyncAck) -> None:
        await may_ack.wait()
        await ack()
        acked.set()

    first(app, listener)
    waiting = asyncio.create_task(answered(app, CLICK))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait((waiting,))
    may_ack.set()
    async with asyncio.timeout(60):
        await acked.wait()


@pytest.mark.parametrize("action", ["open", "feedback", "an_older_one"])
async def test_a_button_that_nobody_takes_is_acked(action: str) -> None:
    pressed = CLICK | {"actions": [{"type": "button", "action_id": action, "block_id": "b"}]}
    assert (await answered(an_app(), pressed)).status == 200


async def test_a_command_over_http_may_be_about_a_payload() -> None:
    app, texts = an_app(), list[str]()

    async def listener(ack: AsyncAck, body: dict[str, Any]) -> None:
        texts.append(body["text"])
        await ack()

    first(app, listener)
    async with http(app) as send:
        for text in ("hello", "explain the payload", "payload", ""):
            assert await send(urlencode(COMMAND | {"text": text})) == 200
    assert texts == ["hello", "explain the payload", "payload", ""]


async def test_of_two_payloads_in_one_form_the_one_that_was_checked_is_taken() -> None:
    app, verbs = an_app(), list[str]()

    async def listener(ack: AsyncAck, body: dict[str, Any]) -> None:
        verbs.append(body["actions"][0]["action_id"])
        await ack()

    first(app, listener)
    broken = CLICK | {"user": ["U1"], "actions": [{"type": "button", "action_id": "stop", "block_id": "b"}]}
    async with http(app) as send:
        both = [("payload", json.dumps(CLICK)), ("payload", json.dumps(broken))]
        assert await send(urlencode(both)) == 200
        assert await send(urlencode(both[::-1])) == 400
    assert verbs == ["go"]
