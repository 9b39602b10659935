"""Socket Mode: tickets, connections, envelopes and their acknowledgements."""

import asyncio
import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bot.sandbox.delivery import Acked, Envelope, Outcome, Unanswered
from bot.sandbox.errors import SlackError
from bot.sandbox.faults import Faults
from bot.sandbox.founding import APP_ID
from bot.sandbox.options import Options
from bot.sandbox.records import Json

TICKET_LIFETIME = 30.0
HEARTBEAT = 30.0


@dataclass(slots=True, kw_only=True, eq=False)
class Connection:
    """One open socket of the app."""

    socket: web.WebSocketResponse
    id: str
    sent: int = field(default=0)


class SocketMode:
    """Every envelope goes to one of the open connections, in turn; an ack may come back on any of them."""

    def __init__(self, options: Options, faults: Faults) -> None:
        self._options = options
        self._faults = faults
        self._tickets: dict[str, float] = {}
        self._connections: list[Connection] = []
        self._waiting: dict[str, asyncio.Future[Json]] = {}
        self._opened = asyncio.Event()
        self._turn = 0

    @property
    def connections(self) -> int:
        """How many sockets are open."""
        return len(self._connections)

    def ticket(self) -> str:
        """A fresh one, good for one connection within 30 seconds."""
        if self._faults.take("refuse_connections"):
            raise SlackError("internal_error")
        ticket = secrets.token_hex(16)
        self._tickets[ticket] = time.monotonic() + TICKET_LIFETIME
        return ticket

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """Serve one socket until it closes."""
        expires = self._tickets.pop(request.query.get("ticket", ""), 0.0)
        if expires < time.monotonic() or self._faults.take("refuse_connections"):
            return web.Response(status=408, text="this address is used up")
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT)
        await socket.prepare(request)
        if len(self._connections) >= self._options.max_connections:
            await self._goodbye(socket, "too_many_websockets")
            return socket
        connection = Connection(socket=socket, id=secrets.token_hex(4))
        self._connections.append(connection)
        try:
            await socket.send_json(self._hello(connection))
            self._opened.set()
            await self._listen(socket)
        finally:
            self._leave(connection)
        return socket

    async def send(self, envelope: Envelope) -> Outcome:
        """Send to one connection (a duplicate to another, where there is one) and wait for an ack."""
        if not self._connections:
            return Unanswered(reason="connection_failed")
        envelope_id = secrets.token_hex(16)
        reply: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[envelope_id] = reply
        copies = 2 if self._faults.take("duplicate", envelope.kind) else 1
        if self._faults.take("drop_ack", envelope.kind):
            del self._waiting[envelope_id]
        try:
            for _ in range(copies):
                await self._post(self._wrap(envelope, envelope_id))
            async with asyncio.timeout(self._options.patience):
                return Acked(payload=await reply)
        except TimeoutError:
            return Unanswered(reason="timeout")
        finally:
            self._waiting.pop(envelope_id, None)

    async def reachable(self) -> None:
        """Return when a socket is open."""
        while not self._connections:
            self._opened.clear()
            await self._opened.wait()

    async def disconnect(self, reason: str) -> None:
        """Tell every connection to go, and close it."""
        for connection in tuple(self._connections):
            self._leave(connection)
            await self._goodbye(connection.socket, reason)

    async def close(self) -> None:
        """Close every socket without a word, and let those go who wait for an acknowledgement."""
        self.give_up()
        for connection in tuple(self._connections):
            self._leave(connection)
            await connection.socket.close()

    def give_up(self) -> None:
        """End Slack's patience now, with whatever has not been acknowledged."""
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(TimeoutError())

    async def _goodbye(self, socket: web.WebSocketResponse, reason: str) -> None:
        with suppress(ConnectionError):
            await socket.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": "sandbox"}}
            )
        await socket.close()

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                self._acknowledge(message.data)

    def _acknowledge(self, text: str) -> None:
        with suppress(ValueError):
            answer = json.loads(text)
            reply = self._waiting.get(answer.get("envelope_id", "")) if isinstance(answer, dict) else None
            if reply is not None and not reply.done():
                reply.set_result(answer.get("payload") or {})

    async def _post(self, envelope: Json) -> None:
        """To the next open connection; one that turns out dead is dropped and the next one tried."""
        while self._connections:
            self._turn += 1
            connection = self._connections[self._turn % len(self._connections)]
            try:
                await connection.socket.send_json(envelope)
            except ConnectionError:
                self._leave(connection)
            else:
                connection.sent += 1
                return

    def _leave(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)

    def _hello(self, connection: Connection) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._connections),
            "connection_info": {"app_id": APP_ID},
            "debug_info": {
                "host": f"sandbox-{connection.id}",
                "build_number": 1,
                "approximate_connection_time": self._options.connection_time,
            },
        }

    def _wrap(self, envelope: Envelope, envelope_id: str) -> Json:
        wrapped: Json = {
            "envelope_id": envelope_id,
            "type": envelope.kind,
            "accepts_response_payload": envelope.kind != "events_api",
            "payload": envelope.payload,
        }
        if envelope.kind == "events_api":
            wrapped |= {"retry_attempt": envelope.attempt, "retry_reason": envelope.reason}
        return wrapped
