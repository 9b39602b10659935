"""POST /api/METHOD: token, scopes, faults, the call itself, the log, the answer."""

import asyncio
import json
import math
import time

from aiohttp import web

from bot.sandbox import grants
from bot.sandbox.calls import Call
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.faults import Fault
from bot.sandbox.records import Grant, Json
from bot.sandbox.web_api import apps, assistant, auth, chat, conversations, files, oauth, people, reach, views
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method, need_scope

METHODS: dict[str, Method] = {
    **apps.METHODS,
    **assistant.METHODS,
    **auth.METHODS,
    **chat.METHODS,
    **conversations.METHODS,
    **files.METHODS,
    **oauth.METHODS,
    **people.METHODS,
    **views.METHODS,
}


_SECRET = frozenset({"client_secret", "code", "refresh_token"})


class Endpoint:
    """The Web API of one sandbox."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call; the log has it whatever happens."""
        name = request.match_info["method"]
        values, token = await read(request)
        started = time.time()
        fault = self._core.faults.take_api(name) or self._too_fast(name, values)
        if fault is not None and fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
        elif fault is not None and fault.kind != "lost_response":
            self._log(name, values, fault.error if fault.kind == "error" else fault.kind, started)
            return faulty(request, fault)
        owner = grants.of_token(self._core, token) or self._core
        core, answer, outcome = await self._run(owner, name, token, values)
        self._log(name, values, outcome, started, core)
        await core.workspace.commit()
        if fault is not None and fault.kind == "lost_response":
            return cut(request)
        scopes = ",".join(sorted(core.options.scopes))
        return web.json_response(answer, headers={"x-oauth-scopes": scopes})

    def _too_fast(self, name: str, values: Json) -> Fault | None:
        rates = self._core.faults.rates
        wait = rates.wait(name, str(values.get("channel", ""))) if rates else 0
        return Fault(kind="ratelimited", retry_after=math.ceil(wait)) if wait else None

    async def _run(self, core: Core, name: str, token: str, values: Json) -> tuple[Core, Json, str]:
        try:
            method = METHODS.get(name)
            if method is None:
                raise SlackError("unknown_method", req_method=name)  # noqa: TRY301 - one way to say no
            grant = self._check_token(core, method, token)
            if grant and grant.teams is not None:
                core = reach.meant(core, grant, name, values)
            if method.scope is not None:
                need_scope(core, method.scope)
            answer = await method.run(core, Arguments(values, grant))
        except SlackError as error:
            return core, error.body(), error.code
        return core, {"ok": True, **answer}, "ok"

    def _check_token(self, core: Core, method: Method, token: str) -> Grant | None:
        if not method.token:
            return None  # it takes the app's id and secret
        if not token:
            raise SlackError("not_authed")
        kinds = {core.options.app_token: "xapp", core.options.config_token: "xoxe.xoxp"}
        grant = None if token in kinds else grants.check(core, token)
        if kinds.get(token, "xoxb") != method.token:
            raise SlackError("not_allowed_token_type")
        return grant

    def _log(self, name: str, values: Json, outcome: str, at: float, core: Core | None = None) -> None:
        shown = {name: value for name, value in values.items() if name not in _SECRET}
        (core or self._core).calls.add(Call(method=name, arguments=shown, outcome=outcome, at=at))


async def read(request: web.Request) -> tuple[Json, str]:
    """The arguments of a call, structures decoded, and the token that came with it."""
    values: Json = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = await request.json()
        except ValueError:
            body = {}
        values |= body if isinstance(body, dict) else {}
    elif request.can_read_body:
        values |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    header = request.headers.get("Authorization", "")
    if header.startswith("Basic "):
        return values | oauth.basic(header), ""
    bearer = header.removeprefix("Bearer ").strip()
    token = str(values.pop("token", "") or "")
    return {name: _decoded(name, value) for name, value in values.items()}, bearer or token


def faulty(request: web.Request, fault: Fault) -> web.StreamResponse:
    """The answer of a call that a fault hit before its work."""
    match fault.kind:
        case "ratelimited":
            wait = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
            return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=wait)
        case "status":
            return web.Response(status=fault.status, text="upstream is unwell")
        case "error":
            return web.json_response({"ok": False, "error": fault.error})
        case _:
            return cut(request)


def cut(request: web.Request) -> web.StreamResponse:
    """Cut the connection; what is returned never leaves."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _decoded(name: str, value: object) -> object:
    """Forms and older clients send structures as JSON strings; the log shows them as what they are."""
    if name in {"blocks", "view", "metadata"} and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
