"""Two workspaces of one Slack and the bot that serves both, on real sockets, with real files.

Everything has the same id in both: people, channels, the bot. Nothing but the workspace tells them apart.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.oauth_settings import REDIRECT_PATH
from bot.policy_file import parse_policy
from bot.sandbox import Person, Sandbox, text_of
from bot.sandbox.options import Team
from bot.settings import Mode, Settings
from bot.store.location import workspace_database
from bot.workspaces.serving import Several, serving_several
from tests.audit.judging import judged as audit
from tests.system.house import POLICY, free_port, is_answer
from tests.workspaces.front import GRID, KEY, OTHER, Browser, Clock, Visit

Json = dict[str, Any]
OF_GRID = replace(OTHER, enterprise_id=GRID, mark="X")
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

    def database(self, office: Office | str) -> str:
        team = office if isinstance(office, str) else office.team
        return workspace_database(self.several.settings.bot_database_url, team)

    async def install(self, office: Office | str, language: str = "") -> Visit:
        """In one of them, or in an organisation (E…)."""
        async with Browser(self, language) as browser:
            return await browser.installs(office if isinstance(office, str) else office.slack)


@asynccontextmanager
async def two_offices(
    folder: Path,
    *,
    mode: Mode = Mode.SOCKET,
    database: str | None = None,
    policy: str = POLICY,
    teams: str = "any",
    of_grid: bool = False,
    **options: Any,  # noqa: ANN401 - the sandbox's own
) -> AsyncIterator[Offices]:
    """Both, with everything in `folder`, before anybody has installed the bot; opened again it goes on.

    They are strangers to each other, or two workspaces `of_grid`, in which no two ids are alike.
    """
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options |= {"redirect_uris": (f"{address}{REDIRECT_PATH}",), "is_installed": False}
    if mode is Mode.HTTP:
        options["request_url"] = f"{address}/slack/events"
    async with AsyncExitStack() as stack:
        one, another = (replace(Team(), enterprise_id=GRID), OF_GRID) if of_grid else (Team(), OTHER)
        slack = await stack.enter_async_context(Sandbox(data=folder / "one", team=one, **options))
        other = await stack.enter_async_context(
            Sandbox(data=folder / "other", beside=slack, team=another, **options)
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
            judged = {office.team: office.slack.calls() for office in both}
            judged[GRID] = sorted(
                [call for calls in judged.values() for call in calls], key=lambda one: one.at
            )
            running = set(several.tenants.apps)
        for team in sorted(running):
            told = await audit(offices.database(team), judged[team])
            assert told.faults == [], told.faults
