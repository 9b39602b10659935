"""The Bolt app: who we are in Slack, the client, and the listeners on it."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from weakref import WeakSet

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import UserId
from bot.slack.census import Whose
from bot.slack.door import Door
from bot.slack.languages import Interpreter, Languages
from bot.slack.private import Private

SCOPES: Final = frozenset(
    {
        "app_mentions:read",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "usergroups:read",
        "users:read",
    }
)
"""What the app has to be granted: what the methods it calls and the events it takes need, and no more.
`manifest.yml` says what each is for, and a test holds the three equal."""

_clients: Final = WeakSet[AsyncWebClient]()
"""Those that are in use."""

TIMEOUT: Final = 10
"""Seconds after which a request to Slack has failed."""

OPTIONAL_SCOPES: Final = frozenset({"assistant:write", "files:write"})
"""What is only a courtesy: without them, threads in Slack's agent view have no title, and a very long answer
comes in many messages and not as a file."""

WORKSPACES: Final = "https://app.slack.com/manage/{enterprise}/integrations/profile/{app}/workspaces/add"
"""Where an administrator adds the app to workspaces that is installed for all of an organisation: by itself
it is in none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is, as auth.test says it."""

    team: str
    """The workspace; of an installation for all of an organisation, the organisation itself."""
    enterprise: str | None
    bot_user: UserId
    bot_id: str
    app: str
    """The app's id; every payload that is meant for us says it."""
    url: str
    """The workspace's address, `https://team.slack.com/`."""
    scopes: frozenset[str]
    is_org_wide: bool = False
    """Whether it is installed for all of an organisation, in whichever of its workspaces it was added to."""

    @property
    def whose(self) -> Whose:
        """Whose people are one's own."""
        return Whose(team=self.team, enterprise=self.enterprise, is_org_wide=self.is_org_wide)


log = structlog.get_logger()


class Listeners(Protocol):
    """A group of listeners."""

    def register(self, app: AsyncApp) -> None:
        """Take one's payloads."""


def posting_client(token: str, api_url: str) -> AsyncWebClient:
    """The client for messages, which are durable work: that is tried again, and nothing else.

    After a lost connection or answer a message may have arrived; after a rate limit others go first.
    """
    client = AsyncWebClient(token=token, base_url=api_url, timeout=TIMEOUT, retry_handlers=[])
    _clients.add(client)
    return client


def renew_token(old: str, new: str) -> None:
    """Let every client that is in use with the one token go on with the other."""
    for client in tuple(_clients):
        if client.token == old:
            client.token = new


def slack_client(token: str, api_url: str) -> AsyncWebClient:
    """The client for what a person waits for, forms and private words: tries again once on a rate limit."""
    client = posting_client(token, api_url)
    client.retry_handlers = [AsyncRateLimitErrorRetryHandler(max_retry_count=1)]
    return client


def asking_client(token: str, api_url: str) -> AsyncWebClient:
    """The client for questions, which are safe to repeat after a lost connection or a server error too."""
    client = slack_client(token, api_url)
    client.retry_handlers += [
        AsyncConnectionErrorRetryHandler(max_retry_count=1),
        AsyncServerErrorRetryHandler(max_retry_count=1),
    ]
    return client


async def identity(client: AsyncWebClient) -> Identity:
    """Who we are; Slack's own error if the token is not taken."""
    answer = await client.auth_test()
    scopes = str(answer.headers.get("x-oauth-scopes", ""))
    bot_id = str(answer.get("bot_id") or "")
    enterprise = answer.get("enterprise_id")
    is_org_wide = bool(answer.get("is_enterprise_install"))
    # auth.test names the bot and not the app that it belongs to.
    bot = (await client.bots_info(bot=bot_id, team_id=enterprise if is_org_wide else None))["bot"]
    return Identity(
        team=str(enterprise) if is_org_wide else answer["team_id"],
        enterprise=enterprise,
        bot_user=UserId(answer["user_id"]),
        bot_id=bot_id,
        app=str(bot["app_id"]),
        url=answer["url"],
        scopes=frozenset(scope.strip() for scope in scopes.split(",") if scope.strip()),
        is_org_wide=is_org_wide,
    )


async def socket_address(client: AsyncWebClient, app_token: str) -> str:
    """A WebSocket address, good for one connection; Slack's own error if the app token is not taken."""
    return str((await client.apps_connections_open(app_token=app_token))["url"])


def bolt_app(
    client: AsyncWebClient, who: Identity, listeners: Sequence[Listeners], languages: Languages | None = None
) -> AsyncApp:
    """The app with its listeners behind the door. Signatures are checked in front, by `http.SlackEndpoint`.

    It is given who we are, so that no payload has to wait for auth.test, and so that client ids that
    happen to be in the environment do not turn it into an OAuth app.
    """

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=who.enterprise,
            team_id=who.team,
            bot_id=who.bot_id,
            bot_user_id=who.bot_user,
            bot_token=client.token,
        )

    logger = logging.getLogger("slack_bolt")
    nameless = AsyncWebClient(
        base_url=client.base_url, timeout=client.timeout, retry_handlers=client.retry_handlers
    )
    app = AsyncApp(
        name="approval-bot",
        logger=logger,
        client=nameless,
        authorize=authorize,
        request_verification_enabled=False,
        process_before_response=True,  # `acks.answered` does not wait for more than the ack
        # It offers listeners what none of ours takes, and fails on an odd event before they see it.
        attaching_conversation_kwargs_enabled=False,
    )
    app.use(Door(who.app, Private(client=client)).enter)
    if languages:  # of whom the door lets in; nobody is looked up for what is not meant for us
        app.use(Interpreter(languages=languages).enter)
    for group in listeners:
        group.register(app)
    app.event("app_uninstalled")(_gone)
    app.event("tokens_revoked")(_gone)
    app.event("team_access_granted")(_reached)
    app.event("team_access_revoked")(_reached)
    for take in (app.event, app.shortcut, app.command, app.action):
        # Bolt would answer 404 to what nobody takes, and write its body into the log. Among buttons that is a
        # link, an input that reports, a button of an older version: there is nothing to do.
        take(re.compile(".*"))(_taken)
    return app


async def _gone(ack: AsyncAck, event: dict[str, object]) -> None:
    # Of several workspaces, `workspaces.router` takes it; alone there is nothing to end but the process.
    log.error("uninstalled", kind=event.get("type"))
    await ack()


async def _reached(ack: AsyncAck, event: dict[str, object]) -> None:
    # Nothing is lost and nothing decided: what could not be posted there is tried again and again.
    log.info("workspaces_changed", kind=event.get("type"))
    await ack()


async def _taken(ack: AsyncAck) -> None:
    await ack()
