"""The addresses to which an app sends a file's bytes, and at which people read it."""

from dataclasses import replace

from aiohttp import web

from bot.sandbox.core import Core
from bot.sandbox.records import ChannelId, Ts


class Files:
    """Files of one sandbox: plain text, whatever it is."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def take(self, request: web.Request) -> web.StreamResponse:
        """POST /upload/ID: the bytes, as many as were announced."""
        id = request.match_info["id"]
        upload = self._core.uploads.get(id)
        content = await request.read()
        if upload is None:
            raise web.HTTPNotFound(text="nothing was announced here")
        if len(content) != upload.length:
            raise web.HTTPBadRequest(text=f"{upload.length} bytes were announced, {len(content)} came")
        self._core.uploads[id] = replace(upload, content=content)
        return web.Response(text=f"OK - {len(content)}")

    async def give(self, request: web.Request) -> web.StreamResponse:
        """GET /files/CHANNEL/TS/ID: what is in it."""
        channel, ts = ChannelId(request.match_info["channel"]), Ts(request.match_info["ts"])
        message = self._core.workspace.messages.get(channel, {}).get(ts)
        for file in (message.files if message else None) or ():
            if file["id"] == request.match_info["id"]:
                return web.Response(text=file["content"], content_type="text/plain", charset="utf-8")
        raise web.HTTPNotFound(text="there is no such file")
