"""`/slack/install` and `/slack/oauth_redirect`: the bot is installed in a workspace or an organisation."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode, urljoin

import structlog
from aiohttp import ClientError, web
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.words import Language, in_public, phrase, say, spoken
from bot.languages import accepted
from bot.oauth_settings import INSTALL_PATH, REDIRECT_PATH, OAuthSettings
from bot.slack.app import OPTIONAL_SCOPES, SCOPES, WORKSPACES, posting_client
from bot.slack.refusals import name_of
from bot.store.errors import StoreUnavailable
from bot.store.installations import Installations
from bot.workspaces.pages import page
from bot.workspaces.states import COOKIE, LIFETIME, States
from bot.workspaces.trading import traded

WELCOME: Final = phrase(
    "The approval bot asks people in Slack before an AI agent does anything that matters. Install it in your "
    "workspace, or in all of your organisation?"
)
ADD: Final = phrase("Add to Slack")
AGAIN: Final = phrase("Begin again")
INSTALLED: Final = phrase(
    "The approval bot is installed in {name}; invite it into a channel there with /invite."
)
NOT_YET: Final = phrase(
    "The approval bot is installed in {name} and does not work there yet; whoever runs it finds the reason "
    "in its log."
)
FOR_ALL: Final = phrase(
    "The approval bot is installed for {name}. An administrator of the organisation now adds it to "
    "workspaces; then invite it into channels there with /invite."
)
FOR_ALL_NOT_YET: Final = phrase(
    "The approval bot is installed for {name} and does not work there yet. An administrator of the "
    "organisation now adds it to workspaces; if it does not work then, whoever runs it finds the reason in "
    "its log."
)
ADD_TO_WORKSPACES: Final = phrase("Add it to workspaces")
NOT_ALLOWED: Final = phrase("You did not allow it in Slack, so nothing was installed.")
NOT_BEGUN: Final = phrase(
    "This installation was not begun in this browser, took more than ten minutes, or is done already, so "
    "nothing was installed."
)
SLACK_REFUSED: Final = phrase("Slack did not complete the installation ({error}), so nothing was installed.")
UNREACHABLE: Final = phrase(
    "Slack could not be reached just now, so nothing was installed; please try again."
)
NOT_KEPT: Final = phrase(
    "The installation could not be kept just now, so nothing was installed; please try again."
)
NOT_FOR_THEM: Final = phrase(
    "This bot is not for {name}: whoever runs it has to add {id} to SLACK_TEAMS first. Nothing was installed."
)

log = structlog.get_logger()

OnInstalled = Callable[[Installation], Awaitable[bool]]
"""Has the bot of this workspace begin; whether it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallDoors:
    """The two addresses, and what happens between them."""

    settings: OAuthSettings
    api_url: str
    installations: Installations
    states: States
    on_installed: OnInstalled

    def routes(self) -> list[web.RouteDef]:
        """The addresses."""
        return [web.get(INSTALL_PATH, self.begin), web.get(REDIRECT_PATH, self.finish)]

    async def begin(self, request: web.Request) -> web.Response:
        """Show the way to Slack; the browser keeps the state until it comes back."""
        state = self.states.issue()
        asked = {
            "client_id": self.settings.slack_client_id or "",
            "scope": ",".join(sorted(SCOPES | OPTIONAL_SCOPES)),
            "redirect_uri": self.settings.slack_redirect_uri or "",
            "state": state,
        }
        where = f"{urljoin(self.api_url, '../oauth/v2/authorize')}?{urlencode(asked)}"
        with spoken(_read_by(request)):
            shown = page(say(WELCOME), link={say(ADD): where})
        is_secure = asked["redirect_uri"].startswith("https:")
        age = int(LIFETIME.total_seconds())
        # Lax: it comes along when Slack leads back here, and not when another page asks in the background.
        shown.set_cookie(
            COOKIE, state, max_age=age, path="/", secure=is_secure, httponly=True, samesite="Lax"
        )
        return shown

    async def finish(self, request: web.Request) -> web.Response:
        """Slack led back here: check the state, trade the code, keep what came of it."""
        with spoken(_read_by(request)):
            shown = await self._finished(request.query, request.cookies.get(COOKIE, ""))
        shown.del_cookie(COOKIE, path="/")
        return shown

    async def _finished(self, query: Mapping[str, str], cookie: str) -> web.Response:
        if "error" in query:
            return self._failed(
                say(NOT_ALLOWED) if query["error"] == "access_denied" else _refused(query["error"])
            )
        try:
            if not await self.states.take(query.get("state", ""), cookie):
                return self._failed(say(NOT_BEGUN))
            installation = await self._traded(query.get("code", ""))
            if problem := await self._problem(installation):
                return problem
            await self.installations.async_save(installation)
        except SlackApiError as error:
            log.warning("installation_refused", error=name_of(error))
            return self._failed(_refused(name_of(error)))
        except StoreUnavailable:
            log.error("installation_not_kept")  # noqa: TRY400 - its text would hold what was to be kept
            return self._failed(say(NOT_KEPT), status=503)
        except (SlackClientError, ClientError, OSError, TimeoutError) as error:
            log.warning("installation_failed", error=type(error).__name__)
            return self._failed(say(UNREACHABLE), status=502)
        log.info("installed", team=installation.team_id, enterprise=installation.enterprise_id)
        with in_public():  # the bot that begins there speaks the policy's language, whoever installed it
            works = await self.on_installed(installation)
        return _welcome(installation, works=works)

    async def _traded(self, code: str) -> Installation:
        redirect_uri = self.settings.slack_redirect_uri
        answer = await traded(self.settings, self.api_url, code=code, redirect_uri=redirect_uri)
        who = await self._client(str(answer["access_token"])).auth_test()
        return installation_of(answer, who.data)  # type: ignore[arg-type]  # it is a JSON object

    async def _problem(self, installation: Installation) -> web.Response | None:
        """The page for whoever may not install; the token is given back."""
        allowed = self.settings.teams
        ids = {installation.team_id, installation.enterprise_id} - {None}
        if allowed is None or ids & allowed:
            return None
        log.warning(
            "installation_not_allowed", team=installation.team_id, enterprise=installation.enterprise_id
        )
        await self._given_back(installation)
        id = installation.team_id or installation.enterprise_id
        return page(say(NOT_FOR_THEM, name=_name(installation), id=id), status=403)

    async def _given_back(self, installation: Installation) -> None:
        try:
            await self._client(installation.bot_token).auth_revoke()
        except (SlackClientError, ClientError, OSError, TimeoutError) as error:
            log.warning("token_not_given_back", error=type(error).__name__)

    def _client(self, token: str | None = None) -> AsyncWebClient:
        # None of these is repeated by itself: a code is good for one trade.
        return posting_client(token or "", self.api_url)

    def _failed(self, sentence: str, *, status: int = 400) -> web.Response:
        begin = (self.settings.slack_redirect_uri or "").removesuffix(REDIRECT_PATH) + INSTALL_PATH
        return page(sentence, link={say(AGAIN): begin}, status=status)


def installation_of(granted: Mapping[str, Any], who: Mapping[str, Any]) -> Installation:
    """What is kept, from the answers of oauth.v2.access and auth.test."""
    team, enterprise = granted.get("team") or {}, granted.get("enterprise") or {}
    person, hook = granted.get("authed_user") or {}, granted.get("incoming_webhook") or {}
    is_for_all = bool(granted.get("is_enterprise_install"))
    return Installation(
        app_id=granted.get("app_id"),
        enterprise_id=enterprise.get("id"),
        enterprise_name=enterprise.get("name"),
        enterprise_url=who.get("url") if is_for_all else None,
        team_id=None if is_for_all else team.get("id"),
        team_name=None if is_for_all else team.get("name"),
        bot_token=granted["access_token"],
        bot_id=who.get("bot_id"),
        bot_user_id=granted.get("bot_user_id"),
        bot_scopes=granted.get("scope") or "",
        bot_refresh_token=granted.get("refresh_token"),
        bot_token_expires_in=granted.get("expires_in"),
        user_id=str(person.get("id") or ""),
        user_token=person.get("access_token"),
        user_scopes=person.get("scope") or "",
        user_refresh_token=person.get("refresh_token"),
        user_token_expires_in=person.get("expires_in"),
        incoming_webhook_url=hook.get("url"),
        incoming_webhook_channel=hook.get("channel"),
        incoming_webhook_channel_id=hook.get("channel_id"),
        incoming_webhook_configuration_url=hook.get("configuration_url"),
        is_enterprise_install=is_for_all,
        token_type=granted.get("token_type"),
    )


def _welcome(installation: Installation, *, works: bool) -> web.Response:
    name = _name(installation)
    if not installation.is_enterprise_install:
        return page(say(INSTALLED if works else NOT_YET, name=name))
    where = WORKSPACES.format(enterprise=installation.enterprise_id, app=installation.app_id)
    return page(say(FOR_ALL if works else FOR_ALL_NOT_YET, name=name), link={say(ADD_TO_WORKSPACES): where})


def _name(installation: Installation) -> str:
    return installation.team_name or installation.enterprise_name or say("this workspace")


def _read_by(request: web.Request) -> Language | None:
    return accepted(request.headers.get("Accept-Language", ""))


def _refused(error: str) -> str:
    """The error by its name; whatever else stands in its place is not ours to show."""
    is_name = error.replace("_", "").isascii() and error.replace("_", "").isalnum() and len(error) <= 60  # noqa: PLR2004 - longer than any of Slack's
    return say(SLACK_REFUSED, error=error if is_name else say("no reason given"))
