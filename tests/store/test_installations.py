"""Installations: kept only encrypted, one at a time for each workspace, and never mixed up."""

import asyncio
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from cryptography.fernet import Fernet
from psycopg import sql
from slack_sdk.oauth.installation_store.models.installation import Installation

from bot.store import RowsStore
from bot.store.installations import Installations
from bot.store.sealing import CannotUnseal, Seals
from bot.store.states import UsedStates

CLIENT: Final = "1.2"
NOW: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEYS: Final = [Fernet.generate_key().decode() for _ in range(3)]
SECRETS: Final = {
    "bot_token": "xoxe.xoxb-1-bot",
    "bot_refresh_token": "xoxe-1-refresh",
    "user_token": "xoxp-1-user",
    "user_refresh_token": "xoxe-1-users",
    "incoming_webhook_url": "https://hooks.slack.com/services/1/2/3",
    "incoming_webhook_configuration_url": "https://team.slack.com/services/B1",
}


def installation(team: str | None = "T1", enterprise: str | None = None, **changes: Any) -> Installation:  # noqa: ANN401 - as the fields are
    values: dict[str, Any] = {
        "app_id": "A1",
        "enterprise_id": enterprise,
        "team_id": team,
        "team_name": "Team \u4e2d\U0001f600",
        "bot_id": "B1",
        "bot_user_id": "U1",
        "bot_scopes": "chat:write,commands",
        "bot_token_expires_at": int(NOW.timestamp()),
        "user_id": "U2",
        "user_token_expires_at": int(NOW.timestamp()),
        "is_enterprise_install": team is None,
        "installed_at": NOW.timestamp(),
    }
    return Installation(**{**values, **SECRETS, **changes})


@pytest.fixture
def installations(store: RowsStore) -> Installations:
    return Installations(store, CLIENT, Seals(KEYS[:1]))


async def test_an_installation_comes_back_as_it_was(installations: Installations) -> None:
    kept = installation()
    await installations.async_save(kept)
    found = await installations.async_find_installation(enterprise_id=None, team_id="T1")
    assert found is not None
    assert found.to_dict() == kept.to_dict()
    bot = await installations.async_find_bot(enterprise_id=None, team_id="T1")
    assert bot is not None
    assert bot.to_dict() == kept.to_bot().to_dict()
    assert await installations.async_find_bot(enterprise_id="E1", team_id="T1") is None
    assert await installations.async_find_bot(enterprise_id=None, team_id="T2") is None


async def test_no_token_is_in_the_database_as_it_is(
    where: str | Path, store: RowsStore, installations: Installations
) -> None:
    await installations.async_save(installation())
    [bot] = await installations.everywhere()
    bot.bot_token, bot.bot_refresh_token = "xoxe.xoxb-2-new", "xoxe-2-new"
    assert await installations.put_renewed(bot)
    async with store.read():
        held = await asyncio.to_thread(everything_in, where)
    assert b"hooks.slack.com" not in held
    for secret in (*SECRETS.values(), bot.bot_token, bot.bot_refresh_token):
        assert secret.encode() not in held, secret
    assert b"chat:write" in held, "it looked where the rows are"


def everything_in(where: str | Path) -> bytes:
    """Every byte of a SQLite file and of its log; of Postgres, every row as text and as bytes."""
    if isinstance(where, Path):
        return b"".join(file.read_bytes() for file in where.parent.glob(f"{where.name}*"))
    return b"\n".join(rows_of(where))


def rows_of(url: str) -> Iterator[bytes]:
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            for row in connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))):
                yield b"|".join(one if isinstance(one, bytes) else str(one).encode() for one in row)


async def test_a_workspace_that_installs_again_has_only_the_new_tokens(installations: Installations) -> None:
    await installations.async_save(installation())
    await installations.async_save(installation("T2"))
    again = installation(installed_at=NOW.timestamp() + 60, bot_token="xoxb-again", user_id="U3")
    await installations.async_save(again)
    assert [(bot.team_id, bot.bot_token) for bot in await installations.everywhere()] == [
        ("T2", "xoxe.xoxb-1-bot"),
        ("T1", "xoxb-again"),
    ]
    found = await installations.async_find_installation(enterprise_id=None, team_id="T1", user_id="U2")
    assert found is not None
    assert found.bot_token == "xoxb-again", "whoever installed it, the bot has one token"


async def test_an_organisation_and_its_workspace_are_two_installations(installations: Installations) -> None:
    await installations.async_save(installation(None, "E1", bot_token="xoxb-org"))
    await installations.async_save(installation("T1", "E1", bot_token="xoxb-team"))
    org = await installations.async_find_bot(enterprise_id="E1", team_id="T1", is_enterprise_install=True)
    team = await installations.async_find_bot(enterprise_id="E1", team_id="T1")
    assert org is not None
    assert team is not None
    assert (org.bot_token, team.bot_token) == ("xoxb-org", "xoxb-team")


async def test_another_app_in_the_same_database_is_not_seen(store: RowsStore) -> None:
    mine, others = (Installations(store, id, Seals(KEYS[:1])) for id in ("1.2", "1.3"))
    await mine.async_save(installation())
    assert await others.everywhere() == []
    assert await others.async_find_bot(enterprise_id=None, team_id="T1") is None


async def test_only_one_renews_and_the_next_one_after_it_died(installations: Installations) -> None:
    await installations.async_save(installation())
    [bot] = await installations.everywhere()
    until = NOW + timedelta(seconds=60)
    took = await asyncio.gather(*(installations.take_to_renew(bot, now=NOW, until=until) for _ in range(20)))
    assert took.count(True) == 1
    assert not await installations.take_to_renew(bot, now=until, until=until + timedelta(seconds=60))
    later = until + timedelta(microseconds=1)
    assert await installations.take_to_renew(bot, now=later, until=later)
    await installations.give_back(bot)
    assert await installations.take_to_renew(bot, now=NOW, until=until)


async def test_what_is_renewed_after_a_new_installation_is_not_kept(installations: Installations) -> None:
    await installations.async_save(installation())
    [old] = await installations.everywhere()
    await installations.async_save(installation(installed_at=NOW.timestamp() + 1, bot_token="xoxb-again"))
    old.bot_token = "xoxb-late"
    assert not await installations.put_renewed(old)
    assert not await installations.forget(old), "what Slack says of the old one does not touch the new one"
    [bot] = await installations.everywhere()
    assert bot.bot_token == "xoxb-again"
    assert await installations.forget(bot)
    assert await installations.everywhere() == []
    assert await installations.async_find_installation(enterprise_id=None, team_id="T1") is None


async def test_a_key_is_replaced_in_three_steps(store: RowsStore) -> None:
    old, new = KEYS[:2]
    await Installations(store, CLIENT, Seals([old])).async_save(installation())
    both = Installations(store, CLIENT, Seals([new, old]))
    [bot] = await both.everywhere()
    assert bot.bot_token == SECRETS["bot_token"]
    with pytest.raises(CannotUnseal, match="BOT_TOKENS_KEY does not have"):
        await Installations(store, CLIENT, Seals([new])).everywhere()
    await both.seal_anew()
    alone = Installations(store, CLIENT, Seals([new]))
    found = await alone.async_find_installation(enterprise_id=None, team_id="T1")
    assert found is not None
    assert found.to_dict() == installation().to_dict()
    with pytest.raises(CannotUnseal):
        await Installations(store, CLIENT, Seals([old])).everywhere()


def test_what_was_changed_in_the_database_is_no_secret_any_more() -> None:
    seals = Seals(KEYS[:1])
    whole = seals.sealed("xoxb-1")
    assert seals.opened(whole) == "xoxb-1"
    for place, by in itertools.product(range(0, len(whole), 7), (1, 2)):
        broken = bytearray(whole)
        broken[place] ^= by
        with pytest.raises(CannotUnseal):
            seals.opened(bytes(broken))
    assert KEYS[0] not in repr(seals)


async def test_a_state_is_taken_once_whoever_asks_at_the_same_time(store: RowsStore) -> None:
    states = [UsedStates(store) for _ in range(2)]
    later = NOW + timedelta(minutes=10)
    took = await asyncio.gather(*(states[n % 2].take("state", now=NOW, expires_at=later) for n in range(20)))
    assert took.count(True) == 1
    assert await states[0].take("other", now=NOW, expires_at=later)
    assert await states[0].take("third", now=later, expires_at=later + timedelta(minutes=10))
    assert not await states[0].take("other", now=later, expires_at=later)
