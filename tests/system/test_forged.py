"""Forged payloads, signed by nobody's mistake: no accident, no change, nothing that grows.

A fixed part runs each time; `WHOLE=1 pytest tests/system/test_forged.py` sends all 10,000 to each door.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest
from sqlalchemy import create_engine, text

from bot.sandbox import sign
from bot.sandbox.delivery import Acked, Envelope, EnvelopeKind
from bot.sandbox.http_delivery import encode
from bot.settings import Mode
from tests.system.agents import RUNS
from tests.system.forgery import Forgery, Json, forgeries
from tests.system.house import House, a_house
from tests.whole import WHOLE

POLICY = '[defaults]\napprovers = ["channel"]\nall_at_once = true\n'
NUMBER = 10_000 if WHOLE else 1_000
AT_ONCE = 20
STAND = frozenset({"conversations", "messages", "approvals", "actions", "executions"})
GROWS = frozenset({"audit", "jobs"})
"""A refusal is recorded, and work that is done is cleared away; nothing else comes of them."""


async def real_payloads(house: House) -> list[Forgery]:
    """One of each kind that the bot takes, as its own buttons and forms make them."""
    await house.asks([("transfer", {"amount": 5.0, "to": "bob"}), ("transfer", {"amount": 6.0, "to": "eve"})])
    card = await house.card()
    clicks = [house.slack.click(house.bob, card, word) for word in ("Approve", "Edit", "Reject", "Stop")]
    await house.bob.press(card, "Edit")
    form = await house.bob.form()
    await house.bob.close(form)
    every = [one async for one in all_at_once(house, card)]
    sent = clicks[0] | {"type": "view_submission", "view": form | {"state": {"values": {}}}}
    del sent["actions"]
    shortcut = house.slack.shortcut(house.bob, card)
    ask = sent | {"view": form | {"callback_id": "ask_form", "state": {"values": {}}}}
    listed = clicks[3] | {"actions": [clicks[3]["actions"][0] | {"action_id": "stop_own"}]}
    reason = clicks[2] | {"actions": [clicks[2]["actions"][0] | {"action_id": "reject_all_with"}]}
    place = {"team_id": "T0SANDBOX", "api_app_id": "A0AGENT"}
    command = place | {
        "command": "/agent",
        "text": "do it",
        "user_id": "U0BOB",
        "channel_id": "C0GENERAL",
        "trigger_id": "1.2.3",
        "response_url": "",
    }
    said = {
        "type": "app_mention",
        "user": "U0BOB",
        "channel": "C0GENERAL",
        "ts": "1.2",
        "text": "<@U0AGENT> do it",
    }
    event = place | {"type": "event_callback", "event": said, "event_id": "Ev1"}
    interactive: list[Forgery] = [
        ("interactive", one) for one in [*clicks, sent, shortcut, ask, listed, reason]
    ]
    interactive += [("interactive", one) for one in every]
    return [*interactive, ("slash_commands", command), ("events_api", event)]


async def all_at_once(house: House, card: Json) -> AsyncIterator[Json]:
    """Both buttons, and both forms with what they list."""
    for word, title in (("Approve all", "Approve these 2 calls?"), ("Reject all", "Reject these 2 calls?")):
        click = house.slack.click(house.bob, card, word)
        yield click
        await house.bob.press(card, word)
        form = await house.bob.form(title)
        opened = [call for call in house.slack.calls() if call.method == "views.open"]
        place = {"private_metadata": opened[-1].arguments["view"]["private_metadata"]}
        await house.bob.close(form)
        sent = click | {"type": "view_submission", "view": form | place | {"state": {"values": {}}}}
        del sent["actions"]
        yield sent


def rows(folder: Path) -> dict[str, Any]:
    """What may not change: every row that says how things stand, and of the others how many there are."""
    engine = create_engine(f"sqlite:///{folder / 'bot.db'}")
    with engine.connect() as connection:
        names = connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")).all()
        many = {name: connection.scalar(text(f'SELECT count(*) FROM "{name}"')) for name in names}  # noqa: S608 - our own tables
        stand = {name: connection.execute(text(f"SELECT * FROM {name}")).all() for name in STAND}  # noqa: S608 - our own tables
    engine.dispose()
    return stand | {name: number for name, number in many.items() if name not in GROWS | STAND}


def encoded(kind: EnvelopeKind, payload: Json) -> tuple[bytes, str]:
    """As `encode`, for values that no form has."""
    if kind != "slash_commands":
        return encode(Envelope(kind=kind, payload=payload))
    return urlencode(payload, errors="surrogatepass").encode(), "application/x-www-form-urlencoded"


@pytest.mark.timeout(600)
async def test_over_http_none_of_them_is_an_accident_and_none_changes_anything(tmp_path: Path) -> None:
    async with a_house(tmp_path, mode=Mode.HTTP, policy=POLICY) as house:
        forged = forgeries(await real_payloads(house), NUMBER)
        before, tasks = rows(tmp_path), len(asyncio.all_tasks())
        statuses: Counter[int] = Counter()

        async def send(session: aiohttp.ClientSession) -> None:
            for kind, payload in forged:
                body, content_type = encoded(kind, payload)
                headers = {"Content-Type": content_type} | sign(house.slack.signing_secret, body)
                url = f"http://127.0.0.1:{house.bot.port}/slack/events"
                async with session.post(url, data=body, headers=headers) as answer:
                    statuses[answer.status] += 1
                    assert answer.status < 500, (kind, payload)

        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*(send(session) for _ in range(AT_ONCE)))
        assert statuses.total() == NUMBER
        assert set(statuses) <= {200, 400, 404}, statuses
        assert statuses[200] > NUMBER / 10, statuses
        await is_as_before(house, tmp_path, before, tasks)


@pytest.mark.timeout(600)
async def test_over_a_socket_each_is_answered_and_none_changes_anything(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=POLICY) as house:
        forged = forgeries(await real_payloads(house), NUMBER)
        before, tasks = rows(tmp_path), len(asyncio.all_tasks())

        async def send() -> None:
            for kind, payload in forged:
                assert isinstance(await house.slack.deliver(payload, kind), Acked), (kind, payload)

        await asyncio.gather(*(send() for _ in range(AT_ONCE)))
        await is_as_before(house, tmp_path, before, tasks)


async def is_as_before(house: House, folder: Path, before: dict[str, Any], tasks: int) -> None:
    """Nothing has changed or grown, and what waits can still be decided."""
    assert rows(folder) == before
    # What is done after an ack, such as telling somebody, may still be under way.
    if under_way := {task for task in asyncio.all_tasks() if task.get_name() == "payload"}:
        await asyncio.wait(under_way, timeout=60)
    assert len(asyncio.all_tasks()) <= tasks + 5 * AT_ONCE
    assert RUNS == []
    card = await house.card()
    await house.bob.press(card, "Approve")
    await house.bob.press(await house.bob.sees_change(card, "1 of 2 open"), "Approve")
    await house.answer()
    assert len(RUNS) == 2
