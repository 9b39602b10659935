"""Retry, Stop and Ask again count only where their buttons stand, as every other click does."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import buttons, text_of
from tests.system.agents import FAIL, RUNS
from tests.system.house import House, a_house


async def refusals(house: House) -> list[str]:
    def look() -> list[str]:
        with closing(sqlite3.connect(house.bot.settings.bot_database_url.removeprefix("sqlite:///"))) as rows:
            return [
                str(detail) for (detail,) in rows.execute("SELECT detail FROM audit WHERE kind = 'refused'")
            ]

    return await asyncio.to_thread(look)


async def stands(house: House) -> None:
    """Wait until the bot knows where its messages stand; before that the channel has to do."""

    def unknown() -> int:
        with closing(sqlite3.connect(house.bot.settings.bot_database_url.removeprefix("sqlite:///"))) as rows:
            return int(rows.execute("SELECT count(*) FROM posts WHERE ts IS NULL").fetchone()[0])

    async with asyncio.timeout(60):
        while await asyncio.to_thread(unknown):
            pass


def moved(payload: dict[str, Any], where: str) -> dict[str, Any]:
    """The click, as if it had been made in another message or another channel."""
    container = dict(payload["container"])
    if where == "message":
        container["message_ts"] = "1.000001"
        return payload | {"container": container, "message": payload["message"] | {"ts": "1.000001"}}
    container["channel_id"] = "C0RANDOM"
    return payload | {"container": container, "channel": {"id": "C0RANDOM", "name": "random"}}


@pytest.mark.parametrize("where", ["message", "channel"])
async def test_stop_counts_only_where_it_stands(house: House, where: str) -> None:
    await house.asks([("transfer", {"amount": 5.0, "to": "eve"})])
    card = await house.card()
    await stands(house)
    await house.slack.deliver(moved(house.slack.click(house.bob, card, "Stop"), where), "interactive")
    [told] = await refusals(house)
    assert '"reason":"NotHere"' in told
    assert "Approve" in buttons(await house.card())
    await house.bob.press(card, "Stop")
    await house.bob.sees_change(card, lambda one: "Withdrawn" in text_of(one))
    assert RUNS == []


@pytest.mark.parametrize("where", ["message", "channel"])
async def test_retry_counts_only_where_it_stands(house: House, where: str) -> None:
    FAIL.append("model")
    await house.asks([("transfer", {"amount": 5.0, "to": "eve"})])
    failed = await house.bob.sees(lambda one: "Retry" in buttons(one), channel="#general")
    await stands(house)
    await house.slack.deliver(moved(house.slack.click(house.bob, failed, "Retry"), where), "interactive")
    [told] = await refusals(house)
    assert '"reason":"NotHere"' in told
    await house.bob.press(failed, "Retry")
    await house.card()


@pytest.mark.parametrize("where", ["message", "channel"])
async def test_ask_again_counts_only_where_it_stands(tmp_path: Path, where: str) -> None:
    five = ("transfer", {"amount": 5.0, "to": "eve"})
    policy = '[defaults]\napprovers = ["channel"]\nask = "once"\n'
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([five], [five])
        await house.bob.press(await house.card(), "Approve")
        await house.answer()
        told = await house.bob.sees(lambda one: "Ask again" in buttons(one), channel="#general")
        await stands(house)
        click = house.slack.click(house.bob, told, "Ask again")
        await house.slack.deliver(moved(click, where), "interactive")
        [refused] = await refusals(house)
        assert '"reason":"NotHere"' in refused
        await house.bob.press(told, "Ask again")
        await house.bob.sees_change(told, lambda one: "From now on it is asked again" in text_of(one))
