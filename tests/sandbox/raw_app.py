"""An app of bare sockets: what arrives is queued, and every answer is decided by the test."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from bot.sandbox import Sandbox

Json = dict[str, Any]
Answer = Callable[[Json], Json | None]


def plain_ack(envelope: Json) -> Json | None:
    del envelope
    return {}


class RawApp:
    """`answer` gives the payload of an ack, or None for no ack at all."""

    def __init__(self, slack: Sandbox, session: aiohttp.ClientSession) -> None:
        self._slack = slack
        self._session = session
        self._sockets: list[aiohttp.ClientWebSocketResponse] = []
        self._readers: list[asyncio.Task[None]] = []
        self.hellos: list[Json] = []
        self.queue: asyncio.Queue[tuple[int, Json]] = asyncio.Queue()
        self.answer: Answer = plain_ack

    async def call(self, method: str, *, token: str | None = None, **arguments: object) -> Json:
        bearer = self._slack.bot_token if token is None else token
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        address = self._slack.api_url + method
        async with self._session.post(address, json=arguments, headers=headers) as response:
            body: Json = await response.json()
            return body

    async def url(self) -> str:
        opened = await self.call("apps.connections.open", token=self._slack.app_token)
        return str(opened["url"])

    async def connect(self, url: str | None = None) -> aiohttp.ClientWebSocketResponse:
        socket = await self._session.ws_connect(url or await self.url())
        first: Json = await socket.receive_json()
        self.hellos.append(first)
        number = len(self._sockets)
        self._sockets.append(socket)
        self._readers.append(asyncio.create_task(self._read(socket, number)))
        return socket

    async def next(self, kind: str | None = None) -> Json:
        """The next envelope; of this type (or event type), where one is named."""
        async with asyncio.timeout(60):
            while True:
                _, envelope = await self.queue.get()
                payload = envelope.get("payload", {})
                if kind in (
                    None,
                    envelope["type"],
                    payload.get("type"),
                    payload.get("event", {}).get("type"),
                ):
                    return envelope

    async def close(self) -> None:
        for socket in self._sockets:
            await socket.close()
        await asyncio.gather(*self._readers)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse, number: int) -> None:
        async for message in socket:
            envelope: Json = message.json()
            if "envelope_id" in envelope:
                answer = self.answer(envelope)
                if answer is not None:
                    ack = {"envelope_id": envelope["envelope_id"]} | ({"payload": answer} if answer else {})
                    await socket.send_json(ack)
            self.queue.put_nowait((number, envelope))


@asynccontextmanager
async def raw_app(slack: Sandbox, *, connect: bool = True) -> AsyncIterator[RawApp]:
    async with aiohttp.ClientSession() as session:
        app = RawApp(slack, session)
        if connect:
            await app.connect()
        try:
            yield app
        finally:
            await app.close()


def button(word: str, action_id: str = "go", value: str = "v") -> Json:
    return {
        "type": "button",
        "action_id": action_id,
        "text": {"type": "plain_text", "text": word},
        "value": value,
    }


def card(*words: str, text: str = "delete_file") -> list[Json]:
    return [
        {"type": "section", "block_id": "what", "text": {"type": "plain_text", "text": text}},
        {
            "type": "actions",
            "block_id": "buttons",
            "elements": [button(word, f"go{place}", f"v{place}") for place, word in enumerate(words)],
        },
    ]


def field(label: str, element: Json, **more: object) -> Json:
    return {
        "type": "input",
        "block_id": label,
        "label": {"type": "plain_text", "text": label},
        "element": {"action_id": "value", **element},
        **more,
    }


def option(value: str) -> Json:
    return {"text": {"type": "plain_text", "text": value}, "value": value}


def modal(*blocks: Json, **more: object) -> Json:
    return {
        "type": "modal",
        "callback_id": "form",
        "title": {"type": "plain_text", "text": "A form"},
        "submit": {"type": "plain_text", "text": "Save"},
        "blocks": list(blocks) or [field("path", {"type": "plain_text_input"})],
        **more,
    }
