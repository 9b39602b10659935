"""Whatever an app or a page sends, it is answered in Slack's way and never with a 500."""

import asyncio
from itertools import product

import aiohttp
import pytest

from bot.sandbox import Sandbox
from bot.sandbox.web_api.endpoint import METHODS
from tests.sandbox.raw_app import Json, raw_app

VALUES: list[object] = [
    None,
    "",
    "x",
    "0",
    -1,
    1e30,
    True,
    [],
    {},
    ["x"],
    {"type": "modal"},
    "[]",
    "{}",
    "\x00",
    "é" * 5000,
]
NAMES = ["channel", "user", "users", "ts", "message_ts", "thread_ts", "text", "blocks", "view", "trigger_id"]
MORE = [
    "view_id",
    "user_id",
    "metadata",
    "limit",
    "cursor",
    "types",
    "oldest",
    "hash",
    "usergroup",
    "team_id",
]


@pytest.mark.parametrize("method", sorted(METHODS.keys() - {"apps.connections.open"}))
async def test_every_method_answers_garbage_with_an_error_or_a_result(method: str) -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        good: Json = {
            "channel": "C0GENERAL",
            "user": "U0BOB",
            "users": "U0BOB",
            "text": "x",
            "user_id": "U0BOB",
        }
        calls = [good | {name: value} for name, value in product([*NAMES, *MORE], VALUES)]
        answers = await asyncio.gather(*(app.call(method, **arguments) for arguments in calls))
        assert all(isinstance(answer["ok"], bool) for answer in answers)
        assert all(answer["ok"] or answer["error"] for answer in answers)


@pytest.mark.parametrize("body", ["", "null", "[]", "{", '{"channel": 1}', "\x00", "[" * 200])
async def test_a_body_that_is_no_object_is_answered(body: str) -> None:
    async with Sandbox() as slack, aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bearer {slack.bot_token}", "Content-Type": "application/json"}
        for path in ("api/chat.postMessage", "client/say", "client/act", "client/submit", "response/none"):
            async with session.post(slack.page_url + path, data=body, headers=headers) as response:
                assert response.status < 500
                assert (await response.json())["ok"] is False


async def test_what_a_page_sends_wrongly_is_told_in_a_sentence() -> None:
    async with Sandbox() as slack, aiohttp.ClientSession() as session:
        for name, value in product(
            ["as", "channel", "ts", "text", "state", "view_id", "selected_option"], VALUES
        ):
            for path in ("say", "act", "submit", "close", "open_home", "open_im"):
                body = {"as": "U0BOB", "block_id": "b", "action_id": "a", name: value}
                async with session.post(f"{slack.page_url}client/{path}", json=body) as response:
                    assert response.status == 200
                    answer = await response.json()
                    assert answer["ok"] or answer["error"]
