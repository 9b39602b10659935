"""`python -m bot serve` for several workspaces: one way in, one bot for each, and installations meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ports import Clock
from bot.approvals.times import utc_now
from bot.approvals.words import ENGLISH, public_language
from bot.background import ended
from bot.connections import ONE_OF_SEVERAL
from bot.doors import Doors, open_doors, store_checks
from bot.errors import CannotStart
from bot.languages import language
from bot.oauth_settings import INSTALL_PATH, REDIRECT_PATH
from bot.policy_file import PolicyFile
from bot.settings import Settings
from bot.store.database import RowsStore, open_store
from bot.store.installations import Installations, place_of
from bot.store.sealing import CannotUnseal, Seals
from bot.store.states import UsedStates
from bot.wiring import running_bot
from bot.workspaces.gathered import registry_of
from bot.workspaces.install import InstallDoors
from bot.workspaces.renewing import Renewing
from bot.workspaces.router import Router
from bot.workspaces.states import States
from bot.workspaces.tenants import Tenants

LOOK_EVERY: Final = 15.0
"""Seconds between two looks at the rows: what another replica has installed, and tokens that are due."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Several:
    """The bots of all workspaces, as far as others look at them."""

    settings: Settings
    tenants: Tenants
    renewing: Renewing
    port: int

    @property
    def sentence(self) -> str:
        """For the operator, at the start."""
        running = ", ".join(sorted(self.tenants.apps)) or "no workspace yet"
        begin = (self.settings.slack_redirect_uri or "").removesuffix(REDIRECT_PATH) + INSTALL_PATH
        return f"Running in {running}; workspaces install the bot at {begin}."


@asynccontextmanager
async def serving_several(
    settings: Settings,
    policy_file: PolicyFile | None,
    *,
    model: str | None = None,
    otherwise: PolicyFile | None = None,
    now: Clock = utc_now,
) -> AsyncIterator[Several]:
    """Serve every workspace that has installed the bot, and those that will, until the block ends.

    Raises `CannotStart` or `CannotOpen` with a sentence for the operator. What is wrong in one workspace, or
    of the policy there, keeps the others from nothing: `/readyz` and the log say it.
    """

    def serve(own: Settings, doors: Doors) -> AbstractAsyncContextManager[object]:
        return running_bot(
            own, policy_file, model=model, otherwise=otherwise, doors=doors, connections=ONE_OF_SEVERAL
        )

    said = policy_file or otherwise
    async with AsyncExitStack() as stack:
        stack.enter_context(public_language((language(said.content.language) if said else None) or ENGLISH))
        store = await stack.enter_async_context(
            open_store(settings.bot_database_url, connections=ONE_OF_SEVERAL)
        )
        installations = await _unsealed(store, settings)
        tenants = Tenants(settings, installations, serve)
        stack.push_async_callback(tenants.close)
        renewing = Renewing(
            settings=settings, api_url=settings.slack_api_url, installations=installations, now=now
        )
        await _look(renewing, tenants)
        looking = asyncio.create_task(_again_and_again(renewing, tenants), name="workspaces")
        stack.push_async_callback(ended, looking)
        port = await _opened(stack, settings, store, tenants, renewing)
        log.info("started", workspaces=sorted(tenants.apps), mode=settings.mode.value)
        yield Several(settings=settings, tenants=tenants, renewing=renewing, port=port)


async def _opened(
    stack: AsyncExitStack, settings: Settings, store: RowsStore, tenants: Tenants, renewing: Renewing
) -> int:
    async def on_installed(installation: Installation) -> bool:
        await tenants.look()
        return place_of(installation) in tenants.apps

    seals = Seals(settings.token_keys)
    install = InstallDoors(
        settings=settings,
        api_url=settings.slack_api_url,
        installations=renewing.installations,
        states=States(seals=seals, used=UsedStates(store), now=utc_now),
        on_installed=on_installed,
    )
    router = Router(
        tenants.apps,
        lacking=tenants.lacking,
        gone=tenants.gone,
        reached=tenants.reached,
        api_url=settings.slack_api_url,
    )
    tenants.checks |= store_checks(store)
    tenants.checks["tokens"] = renewing.problem
    return await open_doors(
        stack,
        settings,
        router,
        AsyncWebClient(base_url=settings.slack_api_url),
        checks=tenants.checks,
        registry=registry_of(tenants.registries),
        routes=install.routes(),
    )


async def _unsealed(store: RowsStore, settings: Settings) -> Installations:
    """The installations, all of them encrypted with the first key; `CannotStart` if a key is missing."""
    installations = Installations(store, settings.slack_client_id or "", Seals(settings.token_keys))
    try:
        if len(settings.token_keys) > 1:
            await installations.seal_anew()
        await installations.everywhere()
    except CannotUnseal as error:
        raise CannotStart(str(error)) from error
    return installations


async def _look(renewing: Renewing, tenants: Tenants) -> None:
    await renewing.renew()
    await tenants.look()


async def _again_and_again(renewing: Renewing, tenants: Tenants) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY)
        try:
            await _look(renewing, tenants)
        except Exception as error:  # noqa: BLE001 - whatever it was, there is a next time
            log.warning("look_failed", error=type(error).__name__)
