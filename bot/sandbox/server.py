"""The sandbox as one object: a workspace, its sockets, and a handle for programs."""

from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

from aiohttp import web

from bot.sandbox import founding, reading, response_urls
from bot.sandbox.administration import Administration
from bot.sandbox.application import application
from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.calls import Call
from bot.sandbox.control import apply
from bot.sandbox.core import Core
from bot.sandbox.delivery import Envelope, EnvelopeKind, Outcome
from bot.sandbox.events import Events
from bot.sandbox.faults import Fault, Faults
from bot.sandbox.grants import OnlyInstalled
from bot.sandbox.http_delivery import HttpDelivery
from bot.sandbox.interactions import Interactions, Press
from bot.sandbox.options import OptionFields, Options
from bot.sandbox.person import Person
from bot.sandbox.records import Json, UserId
from bot.sandbox.socket_mode import SocketMode
from bot.sandbox.storage import Nowhere, SqliteFile, WorkspaceFileError
from bot.sandbox.triggers import Triggers
from bot.sandbox.visitor import Visitor
from bot.sandbox.workspace import Workspace


class Sandbox(Administration):
    """A local Slack workspace on a real socket; `async with` starts and stops it.

    `data` is the folder that keeps the workspace (None: memory only), `port` 0 takes a free one. `beside`
    another one that runs, it is a second workspace of the same Slack: the app is the same, and asks and is
    told everything at the other's addresses; people and page are its own. With the same `enterprise_id`, and
    a `mark`, it is another workspace of one organisation. The other keywords are the fields of `Options`.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        data: Path | str | None = None,
        host: str = "127.0.0.1",
        beside: "Sandbox | None" = None,
        **options: Unpack[OptionFields],
    ) -> None:
        self.options = Options(**options)
        self._host, self._port, self._data = host, port, data
        self._first = beside
        self._core: Core | None = None
        self._runner: web.AppRunner | None = None
        self._http: HttpDelivery | None = None
        self._visitor: Visitor | None = None
        self._interactions: Interactions | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Open the workspace and the sockets.

        Raises OSError when the port is taken, WorkspaceFileError when the data folder cannot be used.
        """
        core = self._core = self._build()
        try:
            known = await core.workspace.open()
        except WorkspaceFileError:
            self._core = None
            raise
        if not known:
            founding.found(core.workspace)
        response_urls.forget_expired(core)
        await core.workspace.commit()
        events = Events(core)
        self._interactions = Interactions(core)
        self._runner = web.AppRunner(
            application(core, events, self._interactions), access_log=None, shutdown_timeout=1.0
        )
        try:
            await self._runner.setup()
            site = web.TCPSite(self._runner, self._host, self._port)
            await site.start()
        except OSError:
            await self.close()
            raise
        port = self._runner.addresses[0][1]
        core.address = f"http://{self._host}:{port}"
        self._visitor = await Visitor.connect(core.address)
        if self._first:
            core.origin = self._first.core.address
        core.everywhere.append(core)
        events.resume()

    async def close(self) -> None:
        """Stop serving; raises what failed in the background, as an ExceptionGroup."""
        core, self._core = self._core, None
        if core is None:
            return
        core.workspace.wake()
        if core in core.everywhere:
            core.everywhere.remove(core)
        if self._visitor is not None:
            await self._visitor.close()
        if self._runner is not None:
            await self._runner.cleanup()
        try:
            await core.background.close()
        finally:
            await core.workspace.close()
            if self._http is not None:
                await self._http.close()

    @property
    def core(self) -> Core:
        """The running parts; for tests of the sandbox itself."""
        if self._core is None:
            raise RuntimeError("the sandbox is not running")
        return self._core

    @property
    def page_url(self) -> str:
        """The address for a browser."""
        return f"{self.core.address}/"

    @property
    def api_url(self) -> str:
        """The base address of the Web API, with a slash at the end, as Slack's clients take it."""
        return f"{self.core.origin or self.core.address}/api/"

    @property
    def bot_token(self) -> str:
        """The token of the bot, xoxb-…."""
        return self.options.bot_token

    @property
    def app_token(self) -> str:
        """The token for Socket Mode, xapp-…."""
        return self.options.app_token

    @property
    def signing_secret(self) -> str:
        """What HTTP deliveries are signed with."""
        return self.options.signing_secret

    @property
    def bot_user(self) -> UserId:
        """The user id of the bot."""
        return founding.BOT_USER

    def person(self, name: str) -> Person:
        """Somebody of the workspace, by name ("Alice") or user id."""
        if self._visitor is None:
            raise RuntimeError("the sandbox is not running")
        for account in self.core.workspace.accounts.values():
            if name in (account.id, account.real_name) or name.lower() == account.name:
                return self._visitor.as_user(account.id, account.name.title())
        raise LookupError(f"nobody here is called {name}")

    async def fault(self, fault: Fault) -> None:
        """Switch a fault on."""
        await apply(self.core, fault)

    def calls(self, method: str | None = None) -> list[Call]:
        """What the app asked of the Web API so far, oldest first."""
        return self.core.calls.of(method)

    def click(self, person: Person, message: Json, button: str, *, nth: int = 0) -> Json:
        """The block_actions payload of a press, without pressing: to be sent late, twice or changed."""
        found = [
            (block, element)
            for block, element in elements_of(message.get("blocks") or [])
            if reading.is_button(element) and reading.word(element).lower() == reading.plain(button).lower()
        ]
        if nth >= len(found) or self._interactions is None:
            raise LookupError(f"no button {button!r} (number {nth}), only {reading.buttons(message)}")
        block, element = found[nth]
        press = Press(block_id=block["block_id"], action_id=element["action_id"], stale=True)
        account = self.core.workspace.accounts[person.id]
        return self._interactions.message_click(account, message["channel"], message["ts"], press)

    def shortcut(self, person: Person, message: Json, callback_id: str = "ask_about") -> Json:
        """The message_action payload of a shortcut, without choosing it: to be sent late or changed."""
        if self._interactions is None:
            raise LookupError("the sandbox has not started")
        account = self.core.workspace.accounts[person.id]
        return self._interactions.message_shortcut(account, message["channel"], message["ts"], callback_id)

    async def deliver(self, payload: Json, kind: EnvelopeKind = "interactive") -> Outcome:
        """Send a payload to the app as Slack would; `Acked` with its answer, or `Unanswered`."""
        await self.core.workspace.commit()
        return await self.core.transport.send(Envelope(kind=kind, payload=payload))

    async def verify_request_url(self, challenge: str = "challenge") -> bool:
        """Whether the request URL answers Slack's url_verification; HTTP mode only."""
        if self._http is None:
            raise RuntimeError("there is no request_url")
        return await self._http.verify(challenge)

    async def connected(self) -> None:
        """Return when the app can be reached."""
        await self.core.transport.reachable()

    def _build(self) -> Core:
        storage = Nowhere() if self._data is None else SqliteFile(Path(self._data))
        first = self._first.core if self._first else None
        faults = first.faults if first else Faults()
        socket_mode = first.socket_mode if first else SocketMode(self.options, faults)
        if self.options.request_url:
            self._http = HttpDelivery(self.options, faults, self.options.request_url)
        way = self._http or (first.way if first else socket_mode)
        core = Core(
            options=self.options,
            workspace=Workspace(storage, self.options.team),
            faults=faults,
            socket_mode=socket_mode,
            way=way,
            transport=way,
            triggers=Triggers(self.options.trigger_lifetime),
            everywhere=first.everywhere if first else [],
            uploads=first.uploads if first else {},
        )
        core.transport = OnlyInstalled(core, way)
        return core
