"""HTTP mode: what is signed is taken, everything else is turned away without a trace."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.sandbox import sign
from bot.settings import Mode
from tests.system.agents import RUNS
from tests.system.house import House, a_house, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path, mode=Mode.HTTP) as house:
        yield house


async def send(house: House, body: bytes | str, headers: dict[str, str], path: str = "/slack/events") -> int:
    url = f"http://127.0.0.1:{house.bot.port}{path}"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status


def signed(house: House, body: str | bytes, at: int | None = None) -> dict[str, str]:
    return sign(house.slack.signing_secret, body, at)


def a_click(value: str, user: str = "U0BOB", **changed: Any) -> str:  # noqa: ANN401 - any JSON
    payload = {
        "type": "block_actions",
        "user": {"id": user, "team_id": "T0SANDBOX"},
        "team": {"id": "T0SANDBOX"},
        "api_app_id": "A0AGENT",
        "container": {"type": "message", "message_ts": "1.1", "channel_id": "C0GENERAL"},
        "channel": {"id": "C0GENERAL"},
        "trigger_id": "1.2.3",
        "actions": [{"type": "button", "action_id": "approve", "block_id": "b", "value": value}],
    } | changed
    return urlencode({"payload": json.dumps(payload)})


def value_of(card: dict[str, Any]) -> str:
    for block in card["blocks"]:
        for element in block.get("elements", []):
            if element.get("action_id") == "approve":
                value: str = element["value"]
                return value
    raise LookupError("the card has no Approve")


async def test_the_whole_way_works_over_http(house: House) -> None:
    assert await house.slack.verify_request_url()
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Edit")
    assert await house.bob.submit(await house.bob.form(), {"amount": "6"}) == {}
    await house.answer()
    assert RUNS == [("transfer", {"amount": 6.0, "to": "bob"})]
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> more", thread=card["thread_ts"])
    await house.answer("heard more")


@pytest.mark.parametrize("late", [-301, -100_000, 301, 100_000])
async def test_a_signature_of_another_time_is_turned_away(house: House, late: int) -> None:
    await house.asks([TRANSFER])
    body = a_click(value_of(await house.card()))
    assert await send(house, body, FORM | signed(house, body, int(time.time()) + late)) == 401
    assert RUNS == []


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"X-Slack-Signature": "v0=00"},
        {"X-Slack-Signature": ""},
        {"X-Slack-Request-Timestamp": "soon"},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Request-Timestamp": "-1"},
        {"X-Slack-Request-Timestamp": "1e9"},
        {"X-Slack-Request-Timestamp": "9" * 400},
    ],
)
async def test_a_signature_that_does_not_hold_is_turned_away(house: House, broken: dict[str, str]) -> None:
    await house.asks([TRANSFER])
    body = a_click(value_of(await house.card()))
    headers = FORM | (signed(house, body) | broken if broken else {})
    assert await send(house, body, headers) == 401
    assert await send(house, body + "&x=1", FORM | signed(house, body)) == 401
    assert RUNS == []
    assert decisions(await house.card()) != []


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ("", FORM),
        ("garbage", FORM),
        ("payload=", FORM),
        ("payload=garbage", FORM),
        ("payload=[]", FORM),
        ("payload=null", FORM),
        ("payload=7", FORM),
        ('payload={"type":"block_actions","user":7}', FORM),
        ('payload={"type":"block_actions","actions":"x"}', FORM),
        ("{", JSON),
        ("[]", JSON),
        ('{"type":"event_callback","event":"text"}', JSON),
        ('{"type":"event_callback","event":{"type":7}}', JSON),
        ("[" * 100_000, JSON),
        (b"\xff\xfe", JSON),
    ],
)
async def test_garbage_that_is_signed_is_a_bad_request_and_no_accident(
    house: House, body: str | bytes, headers: dict[str, str]
) -> None:
    assert 400 <= await send(house, body, headers | signed(house, body)) < 500


async def test_a_body_that_is_too_large_is_not_read(house: House) -> None:
    body = b"payload=" + b"x" * 1_000_000
    assert await send(house, body, FORM | signed(house, body)) == 413


async def test_a_click_with_a_made_up_value_changes_nothing(house: House) -> None:
    await house.asks([TRANSFER])
    await house.card()
    for value in ("", "x", "../..", "1" * 1999, json.dumps({"approve": True})):
        body = a_click(value)
        assert await send(house, body, FORM | signed(house, body)) == 200
    assert RUNS == []


async def test_the_same_signed_click_sent_again_and_again_is_one_decision(house: House) -> None:
    await house.asks([TRANSFER], [TRANSFER])
    card = await house.card()
    place = {"type": "message", "message_ts": card["ts"], "channel_id": "C0GENERAL"}
    body = a_click(value_of(card), container=place)
    headers = FORM | signed(house, body)
    assert await asyncio.gather(*(send(house, body, headers) for _ in range(10))) == [200] * 10
    await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) != [])
    assert await send(house, body, headers) == 200
    assert len(RUNS) == 1


async def test_what_happens_is_counted_by_kind(house: House) -> None:
    await house.asks([TRANSFER])
    await house.bob.press(await house.card(), "Approve")
    await house.answer()
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{house.bot.port}/metrics") as answer,
    ):
        told = await answer.text()
    assert 'approval_bot_events_total{kind="decided"} 1.0' in told
    assert "transfer" not in told


async def test_health_and_readiness_are_told(house: House) -> None:
    url = f"http://127.0.0.1:{house.bot.port}"
    async with aiohttp.ClientSession() as session:
        for path in ("/healthz", "/readyz", "/metrics"):
            async with session.get(url + path) as answer:
                assert answer.status == 200, path
        for path in ("/", "/slack/events", "/client/boot"):
            async with session.get(url + path) as answer:
                assert answer.status in {404, 405}, path
