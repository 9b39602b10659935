"""Socket Mode: two connections, so that a refresh leaves no gap, and a watchdog for dead ones."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeAlias

import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackClientError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.acks import answered
from bot.slack.payloads import well_formed

CONNECTIONS: Final = 2
"""Slack allows ten and recommends a second one for refreshes."""

LOOK_EVERY: Final = 5.0
"""Seconds between two looks of the watchdog."""

LAST_ANSWERS: Final = 3.0
"""Seconds at the end for what was received; Slack waits no longer for an ack."""

Listener: TypeAlias = Callable[[SocketModeClient, SocketModeRequest], Awaitable[None]]

log = structlog.get_logger()


class Sockets:
    """The connections to Slack. `start` returns when the first is open; `watch` keeps them so."""

    def __init__(
        self, app: AsyncApp, client: AsyncWebClient, app_token: str, *, look_every: float = LOOK_EVERY
    ) -> None:
        self._look_every = look_every
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._closing = False
        self._handlers = [
            AsyncSocketModeHandler(app, app_token, web_client=client, ping_interval=look_every)
            for _ in range(CONNECTIONS)
        ]
        for handler in self._handlers:
            handler.client.socket_mode_request_listeners.clear()
            handler.client.socket_mode_request_listeners.append(self._counted(handler))  # type: ignore[arg-type]  # its own kind of client, as Bolt has it too

    async def start(self, address: str) -> None:
        """Open the connections, the first one at this address and before this returns.

        The client itself asks for addresses until it is given one, also with a token that will never do.
        """
        self._handlers[0].client.wss_uri = address
        await self._handlers[0].client.connect()
        for handler in self._handlers[1:]:
            await self._reconnect(handler)

    async def watch(self) -> None:
        """Look after the connections until cancelled.

        The client retries one address for ever, although an address is good for one connection: a dead
        connection is given a fresh address here.
        """
        while True:
            await asyncio.sleep(self._look_every)
            for handler in self._handlers:
                client = handler.client
                if client.closed or await client.is_connected():
                    continue
                log.warning("socket_down")
                client.wss_uri = None
                if not client.connect_operation_lock.locked():
                    await self._reconnect(handler)

    async def problem(self) -> str | None:
        """None while at least one connection is open."""
        for handler in self._handlers:
            if await handler.client.is_connected():
                return None
        return "no Socket Mode connection is open"

    async def stop(self) -> None:
        """Take nothing new, let what was received be answered, and close the connections."""
        self._closing = True
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_ANSWERS):
                await self._idle.wait()
        for handler in self._handlers:
            await handler.client.close()

    def _counted(self, handler: AsyncSocketModeHandler) -> Listener:
        async def handle(client: SocketModeClient, request: SocketModeRequest) -> None:
            if self._closing:
                return  # not acked: Slack sends an event again, and tells a person that it failed
            if not well_formed(request.payload):
                await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
                return
            self._under_way += 1
            self._idle.clear()
            try:
                answer = await answered(handler.app, request.payload)
                await send_async_response(client, request, answer, time.time())
            finally:
                self._under_way -= 1
                if not self._under_way:
                    self._idle.set()

        return handle

    async def _reconnect(self, handler: AsyncSocketModeHandler) -> None:
        try:
            async with asyncio.timeout(self._look_every):
                await handler.client.connect_to_new_endpoint()
        except (TimeoutError, SlackClientError, OSError) as error:
            log.warning("socket_reconnect_failed", error=type(error).__name__)
