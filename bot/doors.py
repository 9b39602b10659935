"""The ways into a running bot: HTTP, and Slack's sockets."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Protocol

from aiohttp import web
from prometheus_client import CollectorRegistry
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import ConversationId
from bot.approvals.ports import Store
from bot.background import ended
from bot.errors import CannotStart
from bot.settings import Mode, Settings
from bot.slack.http import Check, SlackEndpoint, http_app
from bot.slack.sockets import Sockets
from bot.starting import first_address


class Doors(Protocol):
    """How a bot is let hear Slack; `open_doors`, for a bot alone."""

    async def __call__(
        self,
        stack: AsyncExitStack,
        settings: Settings,
        app: AsyncApp,
        client: AsyncWebClient,
        *,
        checks: dict[str, Check],
        registry: CollectorRegistry,
    ) -> int | None:
        """Let it hear until the stack closes; the port, if it has one of its own."""


async def open_doors(
    stack: AsyncExitStack,
    settings: Settings,
    app: AsyncApp,
    client: AsyncWebClient,
    *,
    checks: dict[str, Check],
    registry: CollectorRegistry,
    routes: Sequence[web.RouteDef] = (),
) -> int:
    """Open the ways in: HTTP, and the sockets in Socket Mode. Closed in reverse order, before the work.

    `routes` are served by HTTP too.
    """
    endpoint = None
    if settings.mode is Mode.SOCKET:
        token = settings.slack_app_token.get_secret_value() if settings.slack_app_token else ""
        address = await first_address(client, token)
        sockets = Sockets(app, client, token)
        await sockets.start(address)
        watching = asyncio.create_task(sockets.watch(), name="sockets")
        stack.push_async_callback(_end, watching, sockets)
        checks["slack"] = sockets.problem
    elif settings.slack_signing_secret:
        endpoint = SlackEndpoint(app, settings.slack_signing_secret.get_secret_value())
    runner = web.AppRunner(
        http_app(checks=checks, registry=registry, slack=endpoint, routes=routes), access_log=None
    )
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    site = web.TCPSite(runner, settings.bot_host, settings.bot_port)
    try:
        await site.start()
    except OSError as error:
        raise CannotStart(
            f"{settings.bot_host}:{settings.bot_port} cannot be listened on ({error.strerror}); set BOT_PORT."
        ) from error
    port: int = runner.addresses[0][1]
    return port


async def _end(watching: asyncio.Task[None], sockets: Sockets) -> None:
    await ended(watching)
    await sockets.stop()


def store_checks(store: Store) -> dict[str, Check]:
    """What `/readyz` looks at of a bot, besides Slack."""
    return {"store": partial(store_problem, store)}


async def store_problem(store: Store) -> str | None:
    """None while the database can be read."""
    try:
        async with asyncio.timeout(2), store.read() as tx:
            await tx.conversations.get(ConversationId(""))
    except Exception as error:  # noqa: BLE001 - whatever it is, we are not ready
        return type(error).__name__
    return None
