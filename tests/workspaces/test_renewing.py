"""Token rotation: in time, by one process, and nothing is lost that could be kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from slack_sdk.errors import SlackApiError

from bot.sandbox import Fault
from bot.workspaces.renewing import BEFORE, LEASE
from tests.postgres import a_database
from tests.workspaces.front import Browser, Front, a_front

LIFETIME = timedelta(hours=12)


@pytest.fixture(params=["sqlite", "postgres"])
async def front(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Front]:
    """With one workspace that has installed the bot, and tokens that expire."""
    if request.param == "sqlite":
        async with lived_in(tmp_path / "bot.db") as front:
            yield front
        return
    async with a_database() as url, lived_in(url) as front:
        yield front


def lived_in(where: str | Path) -> AbstractAsyncContextManager[Front]:
    return a_front(where, token_lifetime=LIFETIME.total_seconds())


@pytest.fixture(autouse=True)
async def _installed(front: Front) -> None:
    async with Browser(front) as browser:
        assert (await browser.installs(front.slack)).status == 200


async def token(front: Front) -> str:
    [bot] = await front.installations.everywhere()
    assert (await front.client(bot.bot_token).auth_test())["team_id"] == "T0SANDBOX"
    return bot.bot_token


def trades(front: Front) -> int:
    """How often a refresh token was used."""
    calls = front.slack.calls("oauth.v2.access")
    return sum(call.arguments.get("grant_type") == "refresh_token" for call in calls)


async def test_a_token_is_renewed_two_hours_before_it_expires_and_the_old_one_works_on(front: Front) -> None:
    first = await token(front)
    front.clock.ahead = LIFETIME - BEFORE - timedelta(minutes=1)
    assert await front.renewing.renew() == 0
    front.clock.ahead = LIFETIME - BEFORE + timedelta(minutes=1)
    assert await front.renewing.renew() == 1
    second = await token(front)
    assert second != first
    assert (await front.client(first).auth_test())["ok"], "what is on its way is not cut off"
    assert await front.renewing.renew() == 0
    front.clock.ahead += LIFETIME
    assert await front.renewing.renew() == 1
    assert await token(front) not in {first, second}
    with pytest.raises(SlackApiError, match="token_revoked"):
        await front.client(first).auth_test()


async def test_of_many_processes_one_renews(front: Front) -> None:
    front.clock.ahead = LIFETIME
    renewed = await asyncio.gather(*(front.renewed_by_another().renew() for _ in range(8)))
    assert sum(renewed) == 1
    assert trades(front) == 1
    assert await front.renewing.renew() == 0


async def test_whoever_died_while_renewing_is_followed_by_another(front: Front) -> None:
    [bot] = await front.installations.everywhere()
    front.clock.ahead = LIFETIME
    now = front.clock()
    assert await front.installations.take_to_renew(bot, now=now, until=now + LEASE)
    assert await front.renewing.renew() == 0
    front.clock.ahead += LEASE + timedelta(seconds=1)
    assert await front.renewing.renew() == 1
    assert trades(front) == 1


@pytest.mark.parametrize("kind", ["drop_request", "status", "ratelimited"])
async def test_a_slack_in_trouble_is_asked_again_and_loses_nothing(
    front: Front, kind: Literal["drop_request", "status", "ratelimited"]
) -> None:
    first = await token(front)
    front.clock.ahead = LIFETIME - BEFORE
    await front.slack.fault(Fault(kind=kind, method="oauth.v2.access", times=1))
    assert await front.renewing.renew() == 0
    assert await token(front) == first
    assert front.renewing.used_up == {}
    front.clock.ahead += LEASE + timedelta(seconds=1)
    assert await front.renewing.renew() == 1


async def test_an_answer_that_is_lost_costs_the_new_pair_and_not_the_old_token(front: Front) -> None:
    first = await token(front)
    front.clock.ahead = LIFETIME - BEFORE
    await front.slack.fault(Fault(kind="lost_response", method="oauth.v2.access", times=1))
    assert await front.renewing.renew() == 0
    front.clock.ahead += LEASE + timedelta(seconds=1)
    assert await front.renewing.renew() == 0
    assert await front.renewing.problem() == "install again in T0SANDBOX", (
        "somebody has to install it again, and is told in time"
    )
    assert await token(front) == first
    async with Browser(front) as browser:
        assert (await browser.installs(front.slack)).status == 200
    assert await token(front) != first
    assert await front.renewing.renew() == 1, "the clock is ahead"
    assert await front.renewing.problem() is None


async def test_a_workspace_that_uninstalled_needs_no_new_installation(front: Front) -> None:
    front.clock.ahead = LIFETIME
    await front.slack.uninstall_app()
    assert await front.renewing.renew() == 0
    assert await front.renewing.problem() == "install again in T0SANDBOX"
    [bot] = await front.installations.everywhere()
    assert await front.installations.forget(bot)
    assert await front.renewing.renew() == 0
    assert await front.renewing.problem() is None


async def test_whoever_is_stopped_while_slack_answers_still_keeps_the_new_pair(front: Front) -> None:
    first = await token(front)
    front.clock.ahead = LIFETIME
    await front.slack.fault(Fault(kind="delay", method="oauth.v2.access", seconds=0.3, times=1))
    renewing = asyncio.create_task(front.renewing.renew())
    async with asyncio.timeout(60):
        while list(front.slack.core.faults):  # noqa: ASYNC110 - until Slack has the question
            await asyncio.sleep(0)
    renewing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await renewing
    assert await token(front) != first
