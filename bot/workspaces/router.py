"""One way in for all workspaces: each payload goes to the bot of its workspace, and to no other.

What Slack sends for an installation in a whole organisation goes to that one's bot, and to no other.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from enum import Enum, auto
from typing import Any, Final

import structlog
from aiohttp import ClientError
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.approvals.words import phrase, say
from bot.slack.forms import message_form
from bot.slack.private import is_slacks

ABOUT_ITSELF: Final = frozenset({"app_uninstalled", "tokens_revoked"})
"""Events by which Slack says that tokens work no more."""

ABOUT_WORKSPACES: Final = frozenset({"team_access_granted", "team_access_revoked"})
"""Events by which Slack says to which workspaces of an organisation the app was added, or no more."""

NOT_INSTALLED: Final = phrase(
    "This app is not installed in your workspace, or not any more, so nothing was done. What waits there is "
    "kept, and goes on when it is installed again."
)
NOT_WORKING: Final = phrase(
    "This app does not work in your workspace at the moment, so nothing was done; whoever runs it finds the "
    "reason in its log."
)
NOT_READY: Final = 503
"""The status that is no ack: Slack sends an event again, and tells a person that it failed."""

PATIENCE: Final = 1.5
"""Seconds for telling somebody that there is no bot; the ack waits for it."""

log = structlog.get_logger()


class Lack(Enum):
    """Why there is no app for a workspace."""

    GONE = auto()
    """It is not installed there."""
    SOON = auto()
    """It is, and will be there in a moment."""
    BROKEN = auto()
    """It is, and cannot be opened."""


class Router(AsyncApp):
    """As much of an app as the ways in need: it takes requests, and hands them to the apps of workspaces."""

    def __init__(
        self,
        apps: Mapping[str, AsyncApp],
        *,
        lacking: Callable[[str], Awaitable[Lack]],
        gone: Callable[[str], Awaitable[None]],
        reached: Callable[[str], Awaitable[None]],
        api_url: str,
    ) -> None:
        """`apps` by workspace or organisation, as they are now; `lacking` says why one is not among them.

        Whom none of them answers is told so in the public language: without a token of the workspace nobody
        knows what they read.
        """
        super().__init__(
            name="approval-bot",
            logger=logging.getLogger("slack_bolt"),
            client=AsyncWebClient(base_url=api_url),
            authorize=_nobody,
            request_verification_enabled=False,
        )
        self._apps = apps
        self._lacking = lacking
        self._gone = gone
        self._reached = reached
        self._api_url = api_url

    async def async_dispatch(self, req: AsyncBoltRequest) -> BoltResponse:
        """The answer of the workspace's own app, or of none."""
        body, teams = req.body, places_of(req.body)
        if body.get("type") == "url_verification" or "ssl_check" in body:
            return await super().async_dispatch(req)  # of the app as a whole
        event = body.get("event")
        kind = event.get("type") if isinstance(event, Mapping) else None
        if kind in ABOUT_ITSELF:
            # It does not say everywhere of which of them; whether it is so is asked.
            for team in dict.fromkeys([*teams, *organisations_of(body)]):
                await self._gone(team)
            return BoltResponse(status=200)
        if kind in ABOUT_WORKSPACES:
            for team in teams:
                await self._reached(team)
        if here := [team for team in teams if team in self._apps]:
            return await self._apps[here[0]].async_dispatch(req)
        lacks = {await self._lacking(team) for team in teams}
        if Lack.SOON in lacks or (Lack.BROKEN in lacks and event):
            return BoltResponse(status=NOT_READY)
        log.info("no_such_workspace", kind=str(body.get("type") or "command")[:40])
        return await self._turned_away(body, say(NOT_WORKING if Lack.BROKEN in lacks else NOT_INSTALLED))

    async def _turned_away(self, body: Mapping[str, Any], sentence: str) -> BoltResponse:
        """An answer in the way that this kind of payload is answered, without any token."""
        match body:
            case {"command": _}:
                return BoltResponse(status=200, body={"text": sentence})
            case {"type": "view_submission"}:
                return BoltResponse(
                    status=200, body={"response_action": "update", "view": message_form(sentence)}
                )
            case {"response_url": str(url)} if is_slacks(url, self._api_url):
                with suppress(SlackClientError, ClientError, OSError, TimeoutError):
                    async with asyncio.timeout(PATIENCE):
                        await AsyncWebhookClient(url).send(
                            text=sentence, response_type="ephemeral", replace_original=False
                        )
        return BoltResponse(status=200)


def places_of(body: Mapping[str, Any]) -> list[str]:
    """The workspaces that a payload may be for, the likeliest first; or the organisation, if it is for all.

    An event says for whom Slack sends it. A button says where its message was posted from and a form where it
    was opened, which is the bot's workspace also where somebody of another one, in a shared channel, presses.
    """
    found = list(dict.fromkeys(team for team in _teams(body) if isinstance(team, str) and team))
    if (organisations := organisations_of(body)) and (_is_for_all(body) or not found):
        return organisations[:1]
    return found


def organisations_of(body: Mapping[str, Any]) -> list[str]:
    """The organisations that a payload names, for whom it is sent first."""
    told = (_entitled(body).get("enterprise_id"), _of(body, "enterprise", "id"), body.get("enterprise_id"))
    return list(dict.fromkeys(id for id in told if isinstance(id, str) and id))


def _entitled(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """For whom an event is sent; all of it, of any other payload."""
    entitled = body.get("authorizations") if body.get("type") == "event_callback" else None
    first = entitled[0] if isinstance(entitled, list) and entitled else body
    return first if isinstance(first, Mapping) else {}


def _teams(body: Mapping[str, Any]) -> list[object]:
    if body.get("type") == "event_callback":
        return [_entitled(body).get("team_id")]
    is_press = body.get("type") == "block_actions"
    return [
        _of(body, "view", "app_installed_team_id"),
        _of(body, "message", "team") if is_press else None,
        _of(body, "team", "id"),
        body.get("team_id"),
        _of(body, "user", "team_id"),
    ]


def _is_for_all(body: Mapping[str, Any]) -> bool:
    """Whether it is sent for an installation in a whole organisation; a command says so by a word."""
    if _of(body, "event", "type") in ABOUT_WORKSPACES:
        return True  # no other has these, whatever they say
    return _entitled(body).get("is_enterprise_install") in (True, "true")


def _of(body: Mapping[str, Any], part: str, name: str) -> object:
    inner = body.get(part)
    return inner.get(name) if isinstance(inner, Mapping) else None


async def _nobody() -> AuthorizeResult:
    """Each workspace's own app says who it is there."""
    raise LookupError("the app of all workspaces speaks for none of them")
