"""What people say to the bot: the slash command, mentions, direct messages; and the Home tab."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.approval import Approval
from bot.approvals.errors import Refused
from bot.approvals.ids import ChannelId, Ts, UserId
from bot.approvals.ports import Store, Transaction
from bot.approvals.standings import nearest
from bot.approvals.steering import Steering
from bot.slack import payloads
from bot.slack.answers import refusal
from bot.slack.home import Waiting, home
from bot.slack.message import Message
from bot.slack.not_asked import CODE, code
from bot.slack.own import Own, said
from bot.slack.payloads import Click, Command, Heard, Malformed
from bot.slack.private import Private

Payload = dict[str, Any]

HELP: Final = (
    "*/agent* TEXT asks the agent to do something, in a thread of its own; mention me in a thread to go on.\n"
    "*/agent pending* lists what waits for a decision.\n"
    "*/agent status* lists what you asked for and where it stands, with a Stop at each.\n"
    "*/agent cancel* stops what you asked for in this channel; if that is more than one, it asks which.\n"
    "*/agent forget CODE* has people asked again, where *status* says that they are not.\n"
    "Where a tool call needs a person, a card with buttons comes into the thread."
)
_FORGET: Final = re.compile(rf"forget\s+([0-9a-f]{{{CODE}}})")
MOST_LISTED: Final = 20
"""Lines of a list in a private answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The ways to speak to the bot."""

    steering: Steering
    store: Store
    client: AsyncWebClient
    private: Private
    own: Own
    bot: UserId
    workspace_url: str
    """`https://team.slack.com/`, as auth.test says it; links to messages begin so."""

    def register(self, app: AsyncApp) -> None:
        """Take the command and the events."""
        app.command("/agent")(self.command)
        # Bolt acks an event before its listener runs; a listener's middleware comes before that.
        app.event("app_mention", middleware=[self.hear])(_heard)
        app.event("message", middleware=[self.hear])(_heard)
        app.event("app_home_opened")(self.home_opened)

    async def command(self, ack: AsyncAck, body: Payload) -> None:
        """`/agent …`: start a conversation, or say how things stand, privately."""
        command = payloads.command(body)
        if isinstance(command, Malformed):
            await ack(text="That was not a command I can read.")
            return
        try:
            await ack(**said(await self._obey(command)))
        except Refused as no:
            await ack(text=refusal(str(no)))

    async def hear(self, body: Payload, next: Callable[[], Awaitable[None]]) -> None:
        """A mention or a direct message: a conversation begins or goes on."""
        heard = payloads.heard(body, bot=self.bot)
        if isinstance(heard, Heard):
            try:
                await self.steering.hear(
                    heard.text, by=heard.by, channel=heard.channel, ts=heard.ts, thread_ts=heard.thread_ts
                )
            except Refused as no:
                place = Click(
                    verb="", value="", by=heard.by, channel=heard.channel, thread_ts=heard.thread_ts
                )
                await self.private.tell(place, str(no))
        await next()

    async def home_opened(self, event: Payload) -> None:
        """Draw the Home tab for whoever opened it."""
        if event.get("tab") == "home" and isinstance(event.get("user"), str):
            view = home(await self._waiting(UserId(event["user"])))
            await self.client.views_publish(user_id=event["user"], view=view)

    async def _obey(self, command: Command) -> Message | str:
        match command.text.strip().lower():
            case "" | "help":
                return HELP
            case "pending":
                return _listed(
                    "Waiting for a decision:",
                    await self._pending(command.by),
                    "Nothing waits for a decision.",
                )
            case "status":
                return await self.own.status(command.by, command.channel)
            case text if wanted := _FORGET.fullmatch(text):
                return await self._forget(command.by, wanted[1])
            case "cancel":
                return await self.own.cancel(command.by, command.channel)
            case _:
                await self.steering.command(
                    command.text, by=command.by, channel=command.channel, source=command.id
                )
                return ""

    async def _waiting(self, by: UserId) -> list[Waiting]:
        async with self.store.read() as tx:
            approvals = await tx.approvals.waiting(limit=MOST_LISTED)
            return [one for approval in approvals if (one := await self._card(tx, approval, by))]

    async def _card(self, tx: Transaction, approval: Approval, by: UserId) -> Waiting | None:
        card = nearest(await tx.posts.cards(approval.id), by)
        conversation = await tx.conversations.get(approval.conversation)
        if conversation is None:
            return None
        link = self._link(card.channel, card.ts) if card and card.channel and card.ts else ""
        return Waiting(approval=approval, requester=conversation.requester, link=link)

    async def _pending(self, by: UserId) -> list[str]:
        return [
            f"• <{one.link}|{_tools(one.approval)}>" if one.link else f"• {_tools(one.approval)}"
            for one in await self._waiting(by)
        ]

    async def _forget(self, by: UserId, wanted: str) -> str:
        found = [one for one in await self.steering.remembered(by) if code(one) == wanted]
        if len(found) != 1:
            return "Nothing with this code is remembered for you; */agent status* lists what is."
        await self.steering.ask_again(found[0].action.id, by=by)
        return f"Taken back: {refusal(found[0].action.tool)} is asked again from now on."

    def _link(self, channel: ChannelId, ts: Ts) -> str:
        return f"{self.workspace_url}archives/{channel}/p{ts.replace('.', '')}"


async def _heard() -> None:
    """Everything was done before the ack."""


def _listed(title: str, lines: Sequence[str], empty: str) -> str:
    return "\n".join([title, *lines]) if lines else empty


def _tools(approval: Approval) -> str:
    names = list(dict.fromkeys(action.tool for action in approval.open))
    return ", ".join(refusal(name) for name in names[:3]) + (" …" if len(names) > 3 else "")  # noqa: PLR2004
