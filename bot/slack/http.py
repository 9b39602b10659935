"""HTTP in front of Bolt: health, metrics, and `/slack/events` behind a check for malformed requests."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qs

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier

from bot.slack.acks import answered
from bot.slack.payloads import well_formed

MAX_BODY: Final = 1_000_000
"""Bytes of one request; Slack's own payloads stay far below (a view is at most 250 kB)."""

_SECONDS: Final = re.compile(r"[0-9]{1,12}")

Check = Callable[[], Awaitable[str | None]]
"""None when all is well, else one sentence."""

log = structlog.get_logger()


def http_app(
    *,
    checks: Mapping[str, Check],
    registry: CollectorRegistry,
    slack: "SlackEndpoint | None" = None,
    routes: Sequence[web.RouteDef] = (),
) -> web.Application:
    """The bot's web application; without `slack` (Socket Mode) it only tells how it is."""
    app = web.Application(client_max_size=MAX_BODY)

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async def readyz(_: web.Request) -> web.Response:
        looked = [(name, await check()) for name, check in tuple(checks.items())]
        problems = {name: problem for name, problem in looked if problem}
        return web.json_response({"ok": not problems, "problems": problems}, status=503 if problems else 200)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get("/metrics", metrics)
    app.add_routes(routes)
    if slack:
        app.router.add_post("/slack/events", slack.receive)
    return app


class SlackEndpoint:
    """`POST /slack/events`: events, commands and interactivity, signed by Slack."""

    def __init__(self, app: AsyncApp, signing_secret: str) -> None:
        self._app = app
        self._verifier = SignatureVerifier(signing_secret)

    async def receive(self, request: web.Request) -> web.Response:
        """Bolt's answer; 401 for a signature that does not hold, 400 for a body that is no payload."""
        try:
            body = (await request.read()).decode()
        except UnicodeDecodeError:
            return web.Response(status=400, text="not a payload of Slack's")
        if not self._signed(request, body):
            return web.Response(status=401, text="not signed by Slack")
        payload = _payload(body, request.content_type)
        if payload is None or not well_formed(payload):
            return web.Response(status=400, text="not a payload of Slack's")
        return await to_aiohttp_response(await answered(self._app, payload))

    def _signed(self, request: web.Request, body: str) -> bool:
        timestamps = request.headers.getall("X-Slack-Request-Timestamp", [])
        signatures = request.headers.getall("X-Slack-Signature", [])
        if len(timestamps) != 1 or len(signatures) != 1 or not _SECONDS.fullmatch(timestamps[0]):
            return False
        return self._verifier.is_valid(body, timestamps[0], signatures[0])


def _payload(body: str, content_type: str) -> dict[str, Any] | None:
    """The payload, from JSON or from a form; None if it is neither."""
    try:
        if content_type == "application/json":
            payload = json.loads(body)
        else:
            form = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
            payload = json.loads(form["payload"]) if "payload" in form else form
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) and payload else None
