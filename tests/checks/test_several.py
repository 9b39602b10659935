"""What `check` says of a bot for several workspaces, and of where a bot is."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.checks.finding import Finding, Verdict
from bot.checks.several import AGAIN, NOBODY, NOT_NAMED, several_findings
from bot.checks.slack import NOWHERE, slack_findings
from bot.sandbox import Sandbox, grants
from bot.sandbox.records import TeamId
from bot.settings import Settings
from tests.workspaces.front import GRID, OTHER, Browser, Front, a_front


@pytest.fixture
async def front(tmp_path: Path) -> AsyncIterator[Front]:
    async with a_front(tmp_path / "bot.db") as front:
        yield front


async def found(front: Front, **changes: Any) -> list[Finding]:  # noqa: ANN401 - settings
    settings = front.settings.model_copy(update={"bot_database_url": front.where, **changes})
    return [finding async for finding in several_findings(settings, None)]


async def test_before_anybody_has_installed_it_the_address_is_told(front: Front) -> None:
    assert await found(front) == [
        Finding(Verdict.OK, "Slack takes SLACK_CLIENT_ID and SLACK_CLIENT_SECRET."),
        Finding(Verdict.OK, "Socket Mode: Slack takes SLACK_APP_TOKEN."),
        Finding(Verdict.NOTE, NOBODY.format(address=f"{front.address}/slack/install")),
    ]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"slack_client_id": "9.9"}, "invalid_client_id"),
        ({"slack_client_secret": SecretStr("other")}, "bad_client_secret"),
    ],
)
async def test_an_app_that_slack_does_not_know_is_told(
    front: Front, changes: dict[str, Any], error: str
) -> None:
    first = (await found(front, **changes))[0]
    assert first.verdict is Verdict.WRONG
    assert first.sentence == f"Slack refuses SLACK_CLIENT_ID or SLACK_CLIENT_SECRET ({error})."


async def test_each_workspace_is_looked_at_by_itself(front: Front) -> None:
    async with Browser(front) as browser:
        await browser.installs(front.slack)
        await browser.installs(front.other)
    for name in ("#general", "#approvals"):
        channel = front.other.channel(name)
        await front.other.change(replace(channel, members=channel.members[:-1]))
    config = SecretStr(front.slack.options.config_token)
    told = await found(front, slack_config_token=config)
    other = "T0OTHER (<Other> & sons)"
    assert Finding(Verdict.OK, "The app's manifest has every event, the command and the shortcut.") in told
    assert Finding(Verdict.OK, "T0SANDBOX (Sandbox): All 11 scopes are granted.") in told
    assert Finding(Verdict.OK, "T0SANDBOX (Sandbox): The bot is in #approvals, #general.") in told
    assert Finding(Verdict.WARNING, f"{other}: {NOWHERE}") in told


async def test_a_workspace_that_is_not_named_any_more_and_one_that_uninstalled_are_told(front: Front) -> None:
    async with Browser(front) as browser:
        await browser.installs(front.slack)
        await browser.installs(front.other)
    await front.slack.uninstall_app()
    told = await found(front, slack_teams="T0SANDBOX")
    again = AGAIN.format(
        team="T0SANDBOX (Sandbox)", error="account_inactive", address=f"{front.address}/slack/install"
    )
    assert Finding(Verdict.WRONG, again) in told
    assert Finding(Verdict.WARNING, NOT_NAMED.format(team="T0OTHER (<Other> & sons)")) in told


async def test_each_workspace_of_an_organisation_is_looked_at(tmp_path: Path) -> None:
    of_grid = replace(OTHER, enterprise_id=GRID)
    async with a_front(tmp_path / "bot.db", other=of_grid) as front, Browser(front) as browser:
        await browser.installs(GRID)
        where = "https://app.slack.com/manage/E0GRID/integrations/profile/A0AGENT/workspaces/add"
        nowhere = f"The bot is in no workspace of the organisation yet; an administrator adds it at {where}."
        assert Finding(Verdict.WARNING, f"E0GRID (Grid): {nowhere}") in await found(front)
        await front.other.add_app()
        told = await found(front, slack_teams="T0SANDBOX,E0GRID")
        assert (
            Finding(
                Verdict.OK, "E0GRID (Grid): T0OTHER (<Other> & sons): The bot is in #approvals, #general."
            )
            in told
        )
        assert Finding(Verdict.OK, "E0GRID (Grid): All 11 scopes are granted.") in told
        told = await found(front, slack_teams="T0OTHER")
        assert Finding(Verdict.WARNING, NOT_NAMED.format(team="E0GRID (Grid)")) in told
        [grant] = grants.of_organisation(front.other.core)
        many = tuple(TeamId(f"T0MANY{number}") for number in range(12))
        front.other.core.workspace.put(replace(grant, teams=many))
        told = await found(front)
        looked_at = [one.sentence.split()[2] for one in told if "T0MANY" in one.sentence]
        assert looked_at == [f"T0MANY{number}" for number in range(10)]
        assert told[-1] == Finding(
            Verdict.NOTE, "E0GRID (Grid): Workspaces besides these that have it, not looked at here: 2."
        )


async def test_a_key_that_is_missing_is_told(front: Front) -> None:
    async with Browser(front) as browser:
        await browser.installs(front.slack)
    told = await found(front, bot_tokens_key=SecretStr(Fernet.generate_key().decode()))
    assert any("BOT_TOKENS_KEY does not have" in one.sentence for one in told)


@pytest.mark.parametrize("scope", ["assistant:write", "chat:write"])
async def test_a_scope_that_is_missing_is_told_with_where_to_add_it(scope: str) -> None:
    scopes = Sandbox().options.scopes - {scope}
    async with Sandbox(scopes=scopes) as slack:
        settings = Settings(
            _env_file=None,
            slack_bot_token=SecretStr(slack.bot_token),
            slack_app_token=SecretStr(slack.app_token),
            slack_api_url=slack.api_url,
        )
        told = [one async for one in slack_findings(settings, None) if "scope" in one.sentence]
    where = "add it under OAuth & Permissions, Bot Token Scopes, and install the app again."
    if scope == "chat:write":
        assert told == [Finding(Verdict.WRONG, f"The scope chat:write is missing; {where}")]
    else:
        courtesy = f"The scope assistant:write, a courtesy, is missing; {where}"
        assert told == [
            Finding(Verdict.WARNING, courtesy),
            Finding(Verdict.OK, "All 11 scopes are granted."),
        ]
