"""The person's side over HTTP: what the page and programs call under /client."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.sandbox import client_state
from bot.sandbox.answers import ImpossibleError
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.founding import BOT_ID, BOT_USER
from bot.sandbox.interactions import Interactions, Press
from bot.sandbox.records import Account, ChannelId, Json, Message, Ts, UserId, ViewId
from bot.sandbox.speech import Speech
from bot.sandbox.web_api.method import open_im
from bot.sandbox.workspace import own_topic

LONGEST_POLL = 25.0

FormState = dict[str, dict[str, Json]]
"""`state.values` of a form: by block id and action id."""


class Asked(BaseModel):
    """A request of one person, named in `as`."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    user: UserId = Field(alias="as")


class Say(Asked):
    """POST /client/say."""

    channel: ChannelId
    text: str
    thread_ts: Ts | None = None


class OfAssistant(Asked):
    """POST /client/open_assistant; without a thread a new one begins."""

    context: str = ""
    thread_ts: str = ""


class Act(Asked):
    """POST /client/act; what was chosen stands in extra fields, named as in Slack's actions."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    channel: ChannelId | None = None
    ts: Ts | None = None
    view_id: ViewId | None = None
    block_id: str
    action_id: str
    state: FormState = Field(default_factory=dict)
    stale: bool = False


class Shortcut(Asked):
    """POST /client/shortcut."""

    channel: ChannelId
    ts: Ts
    callback_id: str


class OfView(Asked):
    """POST /client/submit and /client/close."""

    view_id: ViewId
    state: FormState = Field(default_factory=dict)
    whole_stack: bool = False


Form = TypeVar("Form", bound=Asked)


class ClientApi:
    """Handlers; each answers {"ok": true, …} or {"ok": false, "error" | "warning" | "errors": …}."""

    def __init__(self, core: Core, events: Events, interactions: Interactions, speech: Speech) -> None:
        self._core = core
        self._events = events
        self._interactions = interactions
        self._speech = speech

    def routes(self) -> list[web.RouteDef]:
        """The paths of this API."""
        return [
            web.get("/client/boot", self.boot),
            web.get("/client/state", self.state),
            web.post("/client/say", self._handler(Say, self._say)),
            web.post("/client/act", self._handler(Act, self._act)),
            web.post("/client/shortcut", self._handler(Shortcut, self._shortcut)),
            web.post("/client/submit", self._handler(OfView, self._submit)),
            web.post("/client/close", self._handler(OfView, self._close)),
            web.post("/client/open_home", self._handler(Asked, self._open_home)),
            web.post("/client/open_im", self._handler(Asked, self._open_im)),
            web.post("/client/open_assistant", self._handler(OfAssistant, self._open_assistant)),
        ]

    async def boot(self, request: web.Request) -> web.StreamResponse:
        """GET /client/boot."""
        del request
        return web.json_response(client_state.boot(self._core))

    async def state(self, request: web.Request) -> web.StreamResponse:
        """GET /client/state: waits, at most 25 s, until there is something after `after`.

        With `only` it waits for, and answers, the messages of one channel or thread, or none ("own").
        """
        user = UserId(request.query.get("as", ""))
        if user not in self._core.workspace.accounts:
            return web.json_response({"ok": False, "error": "user_not_found"}, status=404)
        try:
            after = int(request.query.get("after", "-1"))
            timeout = min(float(request.query.get("timeout", LONGEST_POLL)), LONGEST_POLL)
        except ValueError:
            return web.json_response({"ok": False, "error": "after and timeout are numbers"}, status=400)
        only = request.query.get("only")
        topic = own_topic(user) if only == "own" else only
        await self._core.workspace.changed(after, within=timeout, topic=topic)
        return web.json_response(client_state.state(self._core, user, only))

    def _handler(
        self, form: type[Form], act: Callable[[Account, Form], Awaitable[Json]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            try:
                asked = form.model_validate_json(await request.text())
                answer = await act(self._account(asked.user), asked)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(str(part) for part in first["loc"]) or "body"
                answer = {"ok": False, "error": f"{place}: {first['msg']}"}
            except ImpossibleError as error:
                answer = {"ok": False, "error": str(error)}
            except SlackError as error:
                answer = {"ok": False, "error": error.code}
            await self._core.workspace.commit()
            return web.json_response(answer)

        return handle

    def _account(self, user: UserId) -> Account:
        account = self._core.workspace.accounts.get(user)
        if account is None or account.is_bot:
            raise ImpossibleError("There is no such person.")
        if account.deleted:
            raise ImpossibleError("This account is deactivated.")
        return account

    async def _say(self, account: Account, asked: Say) -> Json:
        return await self._speech.say(account, asked.channel, asked.text, asked.thread_ts)

    async def _act(self, account: Account, asked: Act) -> Json:
        press = Press(
            block_id=asked.block_id,
            action_id=asked.action_id,
            given=asked.model_extra or {},
            state=asked.state,
            stale=asked.stale,
        )
        if asked.view_id is not None:
            return await self._interactions.press_in_view(account, asked.view_id, press)
        if asked.channel is None or asked.ts is None:
            raise ImpossibleError("Name a view_id, or a channel and a ts.")
        return await self._interactions.press_in_message(account, asked.channel, asked.ts, press)

    async def _shortcut(self, account: Account, asked: Shortcut) -> Json:
        return await self._interactions.use_shortcut(account, asked.channel, asked.ts, asked.callback_id)

    async def _submit(self, account: Account, asked: OfView) -> Json:
        return await self._interactions.submit(account, asked.view_id, asked.state)

    async def _close(self, account: Account, asked: OfView) -> Json:
        return await self._interactions.close(account, asked.view_id, whole_stack=asked.whole_stack)

    async def _open_home(self, account: Account, asked: Asked) -> Json:
        del asked
        self._events.home_opened(account, open_im(self._core, account.id))
        return {"ok": True}

    async def _open_assistant(self, account: Account, asked: OfAssistant) -> Json:
        """The older assistant view: a new thread with the app, or another channel beside an old one."""
        channel = open_im(self._core, account.id)
        thread = self._core.workspace.messages.get(channel.id, {}).get(Ts(asked.thread_ts))
        if thread is None:
            ts = self._core.workspace.new_ts()
            thread = Message(
                channel=channel.id, ts=ts, user=BOT_USER, bot_id=BOT_ID, text="New thread", thread_ts=ts
            )
            self._core.workspace.put(thread)
        self._events.assistant_thread(account, thread, asked.context)
        return {"ok": True, "channel": channel.id, "ts": thread.ts}

    async def _open_im(self, account: Account, asked: Asked) -> Json:
        del asked
        return {"ok": True, "channel": open_im(self._core, account.id).id}
