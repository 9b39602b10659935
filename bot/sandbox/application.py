"""All addresses of a sandbox as one aiohttp application."""

import asyncio
from pathlib import Path

from aiohttp import web

from bot.sandbox.client_api import ClientApi
from bot.sandbox.control import Control
from bot.sandbox.core import Core
from bot.sandbox.events import Events
from bot.sandbox.files import Files
from bot.sandbox.interactions import Interactions
from bot.sandbox.oauth import Authorize
from bot.sandbox.response_urls import ResponseUrls
from bot.sandbox.speech import Speech
from bot.sandbox.web_api.endpoint import Endpoint

PAGE = Path(__file__).parent / "page"
LARGEST_BODY = 4 * 1024 * 1024


def application(core: Core, events: Events, interactions: Interactions) -> web.Application:
    """The Web API, Socket Mode, response_urls, the people's side, the controls and the page."""
    app = web.Application(client_max_size=LARGEST_BODY)
    client = ClientApi(core, events, interactions, Speech(core, events))
    endpoint, authorize = Endpoint(core), Authorize(core)
    app.add_routes(
        [
            web.post("/api/{method}", endpoint.handle),
            web.get("/api/{method}", endpoint.handle),
            web.get("/oauth/v2/authorize", authorize.ask),
            web.post("/oauth/v2/authorize", authorize.answer),
            web.get("/link", core.socket_mode.accept),
            web.post("/upload/{id}", Files(core).take),
            web.get("/files/{channel}/{ts}/{id}", Files(core).give),
            web.post("/response/{token}", ResponseUrls(core).handle),
            *client.routes(),
            *Control(core).routes(),
            web.get("/", _page),
            web.get("/archives/{channel}/{message}", _page),
            web.get("/page/{path:.+}", _page),
        ]
    )

    async def close_sockets(_: web.Application) -> None:
        if not core.origin:  # they are another's
            await core.socket_mode.close()

    app.on_shutdown.append(close_sockets)
    return app


async def _page(request: web.Request) -> web.StreamResponse:
    """A file of the page, always fresh; "/" and permalinks give its index."""
    file = PAGE / request.match_info.get("path", "index.html")
    inside = await asyncio.to_thread(lambda: file.is_file() and file.resolve().is_relative_to(PAGE.resolve()))
    if not inside:
        raise web.HTTPNotFound(text="there is no such file")
    return web.FileResponse(file, headers={"Cache-Control": "no-cache"})
