"""The bots of all workspaces in one process: each begins when its workspace installs it, and ends with it."""

import asyncio
import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import structlog
from aiohttp import ClientError
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.web.async_client import AsyncWebClient

from bot.agents.errors import BadAgent
from bot.doors import Doors
from bot.errors import CannotStart
from bot.policy_file import BadPolicy
from bot.settings import Settings
from bot.slack.app import posting_client, renew_token
from bot.slack.http import Check
from bot.slack.refusals import name_of
from bot.store.errors import CannotOpen, StoreUnavailable
from bot.store.installations import Installations, place_of
from bot.store.location import workspace_database
from bot.workspaces.databases import prepare
from bot.workspaces.router import Lack

TRY_AGAIN: Final = 60.0
"""Seconds after which a workspace whose bot could not start is tried again."""

DEAD: Final = frozenset({"account_inactive", "token_revoked", "invalid_auth"})
"""What Slack says of a token that will never work again."""

log = structlog.get_logger()


Serve = Callable[[Settings, Doors], AbstractAsyncContextManager[object]]
"""A bot of one workspace, with these settings, heard through these doors."""


@dataclass(kw_only=True)
class Tenant:
    """One workspace's bot, or one for all of an organisation, from its beginning to its end."""

    team: str
    """The workspace (T…) or the organisation (E…)."""
    token: str
    began: float
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is open, or could not be opened."""
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    problem: str | None = None
    task: asyncio.Task[None] | None = None


class Tenants:
    """Holds the bots to the installations in the rows. `apps` are those that are open, by workspace."""

    def __init__(self, settings: Settings, installations: Installations, serve: Serve) -> None:
        self._settings = settings
        self._installations = installations
        self._serve = serve
        self._tenants: dict[str, Tenant] = {}
        self._one_at_a_time = asyncio.Lock()
        self.apps: dict[str, AsyncApp] = {}
        self.checks: dict[str, Check] = {}
        self.registries: dict[str, CollectorRegistry] = {}

    async def lacking(self, team: str) -> Lack:
        """Why this workspace has no app at the moment."""
        tenant = self._tenants.get(team)
        if tenant is None:
            # Another process may have installed it, and this one has not looked since.
            every = await self._installations.everywhere()
            return Lack.SOON if any(place_of(bot) == team and self._may(bot) for bot in every) else Lack.GONE
        if tenant.ending.is_set():
            return Lack.GONE
        return Lack.BROKEN if tenant.problem else Lack.SOON

    async def look(self) -> int:
        """Begin and end what the rows say; how many are open. Safe to call as often as one likes."""
        async with self._one_at_a_time:
            every = await self._installations.everywhere()
            bots = {place_of(bot): bot for bot in every if self._may(bot)}
            for tenant in tuple(self._tenants.values()):
                await self._held_to(tenant, bots.get(tenant.team))
            new = [self._begin(team, bot) for team, bot in bots.items() if team not in self._tenants]
            for tenant in new:
                await tenant.opened.wait()
        return len(self.apps)

    async def gone(self, team: str) -> None:
        """Slack says that the tokens of this workspace work no more: look whether it is so.

        The news may be late, of an installation before the present one.
        """
        found = [bot for bot in await self._installations.everywhere() if place_of(bot) == team]
        for bot in found:
            if await self._is_dead(bot) and await self._installations.forget(bot):
                log.warning("uninstalled", team=team)
                if tenant := self._tenants.get(team):
                    self._end(tenant)

    async def reached(self, team: str) -> None:
        """Other workspaces have it now: what could not begin without them is tried again at the next look."""
        tenant = self._tenants.get(team)
        if tenant and tenant.problem:
            tenant.began = -math.inf

    async def close(self) -> None:
        """End all of them, side by side."""
        tasks = [self._end(tenant) for tenant in self._tenants.values()]
        if running := [task for task in tasks if task]:
            await asyncio.wait(running)

    def _may(self, bot: Bot) -> bool:
        allowed = self._settings.teams
        return allowed is None or bool({bot.team_id, bot.enterprise_id} & allowed)

    async def _held_to(self, tenant: Tenant, bot: Bot | None) -> None:
        is_over = tenant.task is None or tenant.task.done()
        if bot is None or tenant.ending.is_set():
            if task := self._end(tenant):
                await asyncio.wait((task,))
            self._forget(tenant.team)
        elif is_over:
            age = asyncio.get_running_loop().time() - tenant.began
            if bot.bot_token != tenant.token or age >= TRY_AGAIN:
                self._forget(tenant.team)
        elif bot.bot_token != tenant.token:
            renew_token(tenant.token, bot.bot_token)
            tenant.token = bot.bot_token

    def _forget(self, team: str) -> None:
        del self._tenants[team]
        self.checks.pop(team, None)

    def _begin(self, team: str, bot: Bot) -> Tenant:
        now = asyncio.get_running_loop().time()
        tenant = self._tenants[team] = Tenant(team=team, token=bot.bot_token, began=now)
        tenant.task = asyncio.create_task(self._live(tenant, bot), name=f"workspace {team}")
        return tenant

    def _end(self, tenant: Tenant) -> asyncio.Task[None] | None:
        """Let it hear nothing more, and end by itself: what runs comes to its end."""
        tenant.ending.set()
        self._unheard(tenant.team)
        return tenant.task

    async def _live(self, tenant: Tenant, bot: Bot) -> None:
        where = self._settings.bot_database_url
        try:
            await prepare(where, tenant.team)
            database = await asyncio.to_thread(workspace_database, where, tenant.team)
            told = {"slack_bot_token": SecretStr(bot.bot_token), "bot_database_url": database}
            own = self._settings.model_copy(update=told)
            async with self._serve(own, partial(self._heard, tenant.team)):
                tenant.opened.set()
                await tenant.ending.wait()
        except (CannotStart, CannotOpen, BadPolicy, BadAgent, StoreUnavailable) as error:
            await self._failed(tenant, bot, str(error))
        except Exception as error:  # noqa: BLE001 - the others go on; a traceback would show the token
            await self._failed(tenant, bot, type(error).__name__)
        finally:
            self._unheard(tenant.team)
            tenant.opened.set()

    async def _failed(self, tenant: Tenant, bot: Bot, problem: str) -> None:
        tenant.problem = problem
        log.error("workspace_cannot_start", team=tenant.team, problem=problem)
        if await self._is_dead(bot):
            with suppress(StoreUnavailable):
                await self._installations.forget(bot)  # uninstalled while nobody listened

        async def told() -> str | None:
            return problem

        self.checks[tenant.team] = told

    async def _heard(
        self,
        team: str,
        stack: AsyncExitStack,
        settings: Settings,  # noqa: ARG002 - of doors that listen by themselves
        app: AsyncApp,
        client: AsyncWebClient,  # noqa: ARG002 - of doors that listen by themselves
        *,
        checks: dict[str, Check],
        registry: CollectorRegistry,
    ) -> int | None:
        stack.callback(self._unheard, team)
        self.apps[team] = app
        self.registries[team] = registry
        self.checks |= {f"{team}.{name}": check for name, check in checks.items()}
        self.checks.pop(team, None)
        return None

    def _unheard(self, team: str) -> None:
        self.apps.pop(team, None)
        self.registries.pop(team, None)
        for name in [name for name in self.checks if name.startswith(f"{team}.")]:
            del self.checks[name]

    async def _is_dead(self, bot: Bot) -> bool:
        try:
            await posting_client(bot.bot_token, self._settings.slack_api_url).auth_test()
        except SlackApiError as error:
            return name_of(error) in DEAD
        except (SlackClientError, ClientError, OSError, TimeoutError):
            pass
        return False
