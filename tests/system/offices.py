"""Two workspaces of one Slack and the bot that serves both, on real sockets, with real files.

Everything has the same id in both: people, channels, the bot. Nothing but the workspace tells them apart.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.oauth_settings import REDIRECT_PATH
from bot.policy_file import parse_policy
from bot.sandbox import Person, Sandbox, text_of
from bot.settings import Mode, Settings
from bot.store.location import workspace_database
from bot.workspaces.serving import Several, serving_several
from tests.system.house import POLICY, check_record, free_port, is_answer
from tests.workspaces.front import KEY, OTHER, Browser, Clock, Visit

Json = dict[str, Any]
TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})


@dataclass(frozen=True, kw_only=True)
class Office:
    """One of the workspaces."""

    slack: Sandbox

    @property
    def team(self) -> str:
        return self.slack.options.team.id

    @property
    def alice(self) -> Person:
        return self.slack.person("Alice")

    @property
    def bob(self) -> Person:
        return self.slack.person("Bob")

    async def asks(self, *calls: tuple[str, Json], title: str = "Approval needed") -> Json:
        said = await self.alice.say("#general", f"/agent {json.dumps([list(calls)])}")
        assert said == {"ok": True}, said
        return await self.bob.sees(title, channel="#general")

    async def answer(self, wanted: str = "done with") -> str:
        said = await self.alice.sees(lambda one: is_answer(one) and wanted in text_of(one))
        return text_of(said)


@dataclass(frozen=True, kw_only=True)
class Offices:
    """Both of them, and the bot."""

    one: Office
    other: Office
    several: Several
    address: str
    clock: Clock

    @property
    def slack(self) -> Sandbox:
        return self.one.slack

    def database(self, office: Office) -> str:
        return workspace_database(self.several.settings.bot_database_url, office.team)

    async def install(self, office: Office, language: str = "") -> Visit:
        async with Browser(self, language) as browser:
            return await browser.installs(office.slack)


@asynccontextmanager
async def two_offices(
    folder: Path,
    *,
    mode: Mode = Mode.SOCKET,
    database: str | None = None,
    policy: str = POLICY,
    teams: str = "any",
    **options: Any,  # noqa: ANN401 - the sandbox's own
) -> AsyncIterator[Offices]:
    """Both, with everything in `folder`, before anybody has installed the bot; opened again it goes on."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options |= {"redirect_uris": (f"{address}{REDIRECT_PATH}",), "is_installed": False}
    if mode is Mode.HTTP:
        options["request_url"] = f"{address}/slack/events"
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(Sandbox(data=folder / "one", **options))
        other = await stack.enter_async_context(
            Sandbox(data=folder / "other", beside=slack, team=OTHER, **options)
        )
        settings = Settings(
            _env_file=None,
            slack_client_id=slack.options.client_id,
            slack_client_secret=SecretStr(slack.options.client_secret),
            slack_redirect_uri=options["redirect_uris"][0],
            slack_teams=teams,
            bot_tokens_key=SecretStr(KEY),
            slack_app_token=SecretStr(slack.app_token) if mode is Mode.SOCKET else None,
            slack_signing_secret=SecretStr(slack.signing_secret) if mode is Mode.HTTP else None,
            slack_api_url=slack.api_url,
            bot_mode=mode,
            bot_port=port,
            bot_agent="tests.system.agents:bank",
            bot_workspace=folder / "workspace",
            bot_database_url=database or f"sqlite:///{folder / 'bot.db'}",
        )
        clock, file = Clock(), parse_policy(policy, name="approvals.toml")
        async with serving_several(settings, file, model="offline", now=clock) as several:
            offices = Offices(
                one=Office(slack=slack),
                other=Office(slack=other),
                several=several,
                address=address,
                clock=clock,
            )
            yield offices
            both = (offices.one, offices.other)
            judged = [office for office in both if office.team in several.tenants.apps]
        for office in judged:
            await check_record(offices.database(office), office.slack)
