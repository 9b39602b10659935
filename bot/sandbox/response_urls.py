"""response_url: five answers within thirty minutes, to the place where somebody acted."""

import asyncio
import json
import secrets
import time
from dataclasses import replace

from aiohttp import web

from bot.sandbox.calls import Call
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import BOT_ID, BOT_USER
from bot.sandbox.records import Channel, ChannelId, Json, Message, ResponseUrl, Ts, UserId
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.chat import content, thread_root
from bot.sandbox.web_api.endpoint import cut, faulty

MOST_USES = 5
METHOD = "response_url"


def issue(core: Core, user: UserId, channel: ChannelId, original: Ts | None = None) -> str:
    """A fresh address that may replace `original`."""
    token = f"{secrets.randbelow(10**12)}-{secrets.token_hex(12)}"
    expires = time.time() + core.options.response_url_lifetime
    core.workspace.put(ResponseUrl(id=token, user=user, channel=channel, expires=expires, original=original))
    return f"{core.origin or core.address}/response/{token}"


def answer(core: Core, user: UserId, channel: Channel, original: Ts | None, body: Json) -> None:
    """Do what one answer asks for; raises SlackError when it asks for something impossible."""
    args = Arguments(body)
    message = core.workspace.messages.get(channel.id, {}).get(original) if original else None
    if args.flag("delete_original"):
        if message is None:
            raise SlackError("message_not_found", status=404)
        core.workspace.drop(message)
        return
    text, blocks = content(args)
    if args.flag("replace_original") and original is not None:
        if message is None:
            raise SlackError("message_not_found", status=404)
        edited = None if blocks else core.workspace.new_ts()
        core.workspace.put(replace(message, text=text, blocks=blocks, edited=edited))
        return
    kind = args.optional_text("response_type") or "ephemeral"
    if kind not in {"ephemeral", "in_channel"}:
        raise SlackError("invalid_payload", status=400)
    core.workspace.put(
        Message(
            channel=channel.id,
            ts=core.workspace.new_ts(),
            user=BOT_USER,
            bot_id=BOT_ID,
            text=text,
            blocks=blocks,
            thread_ts=thread_root(core, channel, args),
            seen_by=None if kind == "in_channel" else user,
        )
    )


def forget_expired(core: Core) -> None:
    """Throw away the addresses whose time is over."""
    for url in tuple(core.workspace.response_urls.values()):
        if url.expires < time.time():
            core.workspace.drop(url)


class ResponseUrls:
    """POST /response/TOKEN."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer "ok", or Slack's error with a status of 4xx."""
        started = time.time()
        body = await _body(request)
        fault = self._core.faults.take_api(METHOD)
        if fault is not None and fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
        elif fault is not None and fault.kind != "lost_response":
            self._log(body, fault.kind, started)
            return faulty(request, fault)
        core = self._whose(request.match_info["token"])
        try:
            self._use(core, request.match_info["token"], body)
        except SlackError as error:
            self._log(body, error.code, started)
            status = 400 if error.status == 200 else error.status  # noqa: PLR2004 - the default
            await core.workspace.commit()
            return web.json_response(error.body(), status=status)
        self._log(body, "ok", started)
        await core.workspace.commit()
        return cut(request) if fault and fault.kind == "lost_response" else web.Response(text="ok")

    def _whose(self, token: str) -> Core:
        found = (one for one in self._core.everywhere if token in one.workspace.response_urls)
        return next(found, self._core)

    def _use(self, core: Core, token: str, body: Json | None) -> None:
        workspace = core.workspace
        url = workspace.response_urls.get(token)
        if url is None or url.expires < time.time():
            raise SlackError("expired_url" if url else "no_such_url", status=404)
        if url.uses >= MOST_USES:
            raise SlackError("used_url", status=404)
        if body is None:
            raise SlackError("invalid_payload", status=400)
        workspace.put(replace(url, uses=url.uses + 1))
        answer(core, url.user, workspace.channels[url.channel], url.original, body)

    def _log(self, body: Json | None, outcome: str, at: float) -> None:
        self._core.calls.add(Call(method=METHOD, arguments=body or {}, outcome=outcome, at=at))


async def _body(request: web.Request) -> Json | None:
    try:
        if request.content_type == "application/json":
            body = await request.json()
        else:
            body = json.loads(str((await request.post()).get("payload", "")))
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
