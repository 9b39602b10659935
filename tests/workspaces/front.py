"""The two addresses of an installation on a real socket, in front of a Slack with one or two workspaces."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, Protocol, Self

import aiohttp
from aiohttp import web
from cryptography.fernet import Fernet
from pydantic import SecretStr
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.oauth_settings import REDIRECT_PATH
from bot.sandbox import Sandbox
from bot.sandbox.options import Team
from bot.sandbox.records import TeamId
from bot.settings import Settings
from bot.store import RowsStore, open_store
from bot.store.installations import Installations
from bot.store.sealing import Seals
from bot.store.states import UsedStates
from bot.workspaces.install import InstallDoors
from bot.workspaces.renewing import Renewing
from bot.workspaces.states import States
from tests.system.house import free_port

KEY: Final = Fernet.generate_key().decode()
GRID: Final = "E0GRID"
OTHER: Final = Team(id=TeamId("T0OTHER"), name="<Other> & sons", domain="other")


class Installable(Protocol):
    """Where a browser can go."""

    @property
    def slack(self) -> Sandbox:
        """The workspace that has the server."""

    @property
    def address(self) -> str:
        """The bot's own."""


class Clock:
    """The time, which can be moved."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass(kw_only=True)
class Front:
    """Everything of it, for a test."""

    slack: Sandbox
    other: Sandbox
    settings: Settings
    store: RowsStore
    installations: Installations
    renewing: Renewing
    clock: Clock
    address: str
    where: str
    doors: InstallDoors
    installed: list[Installation] = field(default_factory=list)

    def client(self, token: str | None) -> AsyncWebClient:
        return AsyncWebClient(token=token, base_url=self.slack.api_url)

    def renewed_by_another(self) -> Renewing:
        return Renewing(
            settings=self.settings,
            api_url=self.slack.api_url,
            installations=self.installations,
            now=self.clock,
        )


class Page(HTMLParser):
    """The links, the hidden fields and the words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fields: dict[str, str] = {}
        self.words = ""
        self.language = ""
        self._quiet = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self._quiet = tag in {"style", "title"}
        if tag == "html":
            self.language = told["lang"]
        elif tag == "a":
            self.links.append(told["href"])
        elif tag == "input":
            self.fields[told["name"]] = told["value"]

    def handle_endtag(self, tag: str) -> None:
        self._quiet = self._quiet and tag not in {"style", "title"}

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.words += data


@dataclass(kw_only=True)
class Visit:
    """What a browser was shown in the end."""

    status: int
    page: Page
    url: URL


class Browser:
    """Somebody's browser: it keeps cookies, and is led on by Slack."""

    def __init__(self, front: Installable, language: str = "") -> None:
        self._front = front
        headers = {"Accept-Language": language} if language else {}
        self.session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True), headers=headers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def opens(self, url: str | URL) -> Visit:
        async with self.session.get(url) as response:
            return Visit(status=response.status, page=Page(await response.text()), url=response.url)

    async def is_asked(self) -> Page:
        """Slack's page, to which the bot's own leads."""
        mine = await self.opens(f"{self._front.address}/slack/install")
        assert mine.status == 200
        [way] = mine.page.links
        return (await self.opens(way)).page

    async def is_led_back(self, asked: Page, team: str | None) -> URL:
        """Where Slack leads after the answer, which is not gone to yet."""
        form = {**asked.fields, "team": team or ""}
        where = f"{self._front.slack.page_url}oauth/v2/authorize"
        async with self.session.post(where, data=form, allow_redirects=False) as response:
            assert response.status == 302, await response.text()
            return URL(response.headers["Location"], encoded=True)

    async def installs(self, sandbox: Sandbox | str | None) -> Visit:
        """All of it, in a workspace or an organisation (E…); None does not allow it."""
        place = sandbox.options.team.id if isinstance(sandbox, Sandbox) else sandbox
        return await self.opens(await self.is_led_back(await self.is_asked(), place))


@asynccontextmanager
async def a_front(
    where: str | Path,
    *,
    teams: str = "any",
    other: Team = OTHER,
    **options: Any,  # noqa: ANN401 - the sandbox's own
) -> AsyncIterator[Front]:
    """The front with a database, before anybody has installed anything."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options |= {"redirect_uris": (f"{address}{REDIRECT_PATH}",), "is_installed": False}
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(Sandbox(**options))
        second = await stack.enter_async_context(Sandbox(beside=slack, team=other, **options))
        settings = Settings(
            _env_file=None,
            slack_client_id=slack.options.client_id,
            slack_client_secret=SecretStr(slack.options.client_secret),
            slack_redirect_uri=options["redirect_uris"][0],
            slack_teams=teams,
            bot_tokens_key=SecretStr(KEY),
            slack_app_token=SecretStr(slack.app_token),
            slack_api_url=slack.api_url,
        )
        assert settings.missing_for_slack() == []
        store = await stack.enter_async_context(open_store(where))
        clock, seals = Clock(), Seals(settings.token_keys)
        installations = Installations(store, settings.slack_client_id or "", seals)
        installed: list[Installation] = []

        async def on_installed(one: Installation) -> bool:
            installed.append(one)
            return True

        doors = InstallDoors(
            settings=settings,
            api_url=slack.api_url,
            installations=installations,
            states=States(seals=seals, used=UsedStates(store), now=clock),
            on_installed=on_installed,
        )
        await _serve(stack, doors, port)
        renewing = Renewing(settings=settings, api_url=slack.api_url, installations=installations, now=clock)
        yield Front(
            slack=slack,
            other=second,
            settings=settings,
            store=store,
            installations=installations,
            renewing=renewing,
            clock=clock,
            address=address,
            where=str(where) if "://" in str(where) else f"sqlite:///{where}",
            doors=doors,
            installed=installed,
        )


async def _serve(stack: AsyncExitStack, doors: InstallDoors, port: int) -> None:
    app = web.Application()
    app.add_routes(doors.routes())
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, "127.0.0.1", port).start()


def query(url: URL, **changes: str) -> URL:
    """The address with other words in its query; an empty one is left out."""
    told: Mapping[str, str] = {**url.query, **changes}
    return url.with_query({name: value for name, value in told.items() if value})
