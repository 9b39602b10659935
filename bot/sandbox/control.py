"""/sandbox/…: faults, the log of calls, and the state of the connections, for whoever tests an app."""

from aiohttp import web
from pydantic import ValidationError

from bot.sandbox.core import Core
from bot.sandbox.faults import Fault
from bot.sandbox.records import Json


async def apply(core: Core, fault: Fault) -> None:
    """Switch a fault on; `disconnect` happens at once and once."""
    if fault.kind == "disconnect":
        await core.socket_mode.disconnect(fault.reason)
    else:
        core.faults.add(fault)


class Control:
    """The handlers."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[web.RouteDef]:
        """The paths of this API."""
        return [
            web.get("/sandbox/faults", self._list),
            web.post("/sandbox/faults", self._add),
            web.delete("/sandbox/faults", self._clear),
            web.get("/sandbox/calls", self._calls),
            web.delete("/sandbox/calls", self._forget),
            web.get("/sandbox/health", self._health),
        ]

    async def _list(self, request: web.Request) -> web.StreamResponse:
        del request
        return web.json_response({"faults": self._faults()})

    async def _add(self, request: web.Request) -> web.StreamResponse:
        try:
            fault = Fault.model_validate_json(await request.text())
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "body"
            return web.json_response({"ok": False, "error": f"{place}: {first['msg']}"}, status=400)
        await apply(self._core, fault)
        return web.json_response({"ok": True, "faults": self._faults()})

    async def _clear(self, request: web.Request) -> web.StreamResponse:
        del request
        self._core.faults.clear()
        return web.json_response({"ok": True})

    async def _calls(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(self._core.calls.as_json(request.query.get("method")))

    async def _forget(self, request: web.Request) -> web.StreamResponse:
        del request
        self._core.calls.clear()
        return web.json_response({"ok": True})

    async def _health(self, request: web.Request) -> web.StreamResponse:
        del request
        workspace = self._core.workspace
        return web.json_response(
            {
                "ok": True,
                "seq": workspace.seq,
                "connections": self._core.socket_mode.connections,
                "owed_events": len(workspace.owed_events),
            }
        )

    def _faults(self) -> list[Json]:
        return [fault.model_dump() for fault in self._core.faults]
