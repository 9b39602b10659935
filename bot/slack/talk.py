"""What people say to the bot: the slash command, mentions, direct messages."""

import re
from dataclasses import dataclass
from typing import Any, Final

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.approvals.errors import Refused
from bot.approvals.ids import UserId
from bot.approvals.steering import Steering
from bot.approvals.words import phrase, say
from bot.slack import payloads
from bot.slack.answers import refusal
from bot.slack.message import Message
from bot.slack.naming import helped
from bot.slack.not_asked import CODE, code
from bot.slack.own import Own, said
from bot.slack.payloads import Click, Command, Heard, Malformed
from bot.slack.pending import Pending
from bot.slack.private import Private

Payload = dict[str, Any]

HELP: Final = phrase(
    "*/agent* TEXT asks the agent to do something, in a thread of its own; mention me in a thread to go on.\n"
    "*/agent pending* lists what waits for you, and what you asked for.\n"
    "*/agent status* lists what you asked for and where it stands, with a Stop at each.\n"
    "*/agent cancel* stops what you asked for in this channel; if that is more than one, it asks which.\n"
    "*/agent forget CODE* has people asked again, where *status* says that they are not.\n"
    "Where a tool call needs a person, a card with buttons comes into the thread."
)
NO_SUCH_CODE: Final = phrase("Nothing with this code is remembered for you; */agent status* lists what is.")
ONLY_FILES: Final = phrase("I cannot read files, so there was nothing to do. Say in words what to do.")
WITHOUT_FILES: Final = phrase("I cannot read files: the agent gets your words alone.")
EDITED: Final = phrase(
    "The agent has this message as it was before you edited it. Write a new one to tell it more."
)
_FORGET: Final = re.compile(rf"forget(?:\s+([0-9a-f]{{{CODE}}}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The ways to speak to the bot."""

    steering: Steering
    private: Private
    own: Own
    pending: Pending
    bot: UserId

    def register(self, app: AsyncApp) -> None:
        """Take the command and the events."""
        app.command("/agent")(self.command)
        app.event("app_mention")(self.hear)
        app.event("message")(self.hear)

    async def command(self, ack: AsyncAck, body: Payload) -> None:
        """`/agent …`: start a conversation, or say how things stand, privately."""
        command = payloads.command(body)
        if isinstance(command, Malformed):
            await ack(text=say("That was not a command I can read."))
            return
        try:
            await ack(**said(await self._obey(command)))
        except Refused as no:
            await ack(text=refusal(str(no)))

    async def hear(self, body: Payload) -> None:
        """A mention or a direct message: a conversation begins or goes on. Acked when that is written."""
        heard = payloads.heard(body, bot=self.bot)
        if isinstance(heard, Heard) and heard.is_deleted:
            await self.steering.unsay(heard.channel, heard.ts, heard.thread_ts)
        elif isinstance(heard, Heard) and (told := await self._hear(heard)):
            place = Click(verb="", value="", by=heard.by, channel=heard.channel, thread_ts=heard.thread_ts)
            await self.private.tell(place, told)

    async def _hear(self, heard: Heard) -> str:
        """Hand it on; what its author alone is to know about that, if anything."""
        if heard.has_files and not heard.text:
            return say(ONLY_FILES)
        try:
            is_new = await self.steering.hear(
                heard.text, by=heard.by, channel=heard.channel, ts=heard.ts, thread_ts=heard.thread_ts
            )
        except Refused as no:
            return str(no)
        if not is_new:
            # An edit that is delivered twice is known as it is now.
            is_known = await self.steering.is_known(heard.text, channel=heard.channel, ts=heard.ts)
            return "" if is_known or not heard.is_edited else say(EDITED)
        return say(WITHOUT_FILES) if heard.has_files else ""

    async def _obey(self, command: Command) -> Message | str:
        match command.text.strip().lower():
            case "" | "help":
                return say(HELP) + helped(self.steering.roster)
            case "pending":
                return await self.pending.mine(command.by)
            case "pending all":
                return await self.pending.every(command.by)
            case "status":
                return await self.own.status(command.by, command.channel)
            case text if wanted := _FORGET.fullmatch(text):
                return await self._forget(command.by, wanted[1] or "")
            case "cancel" | "stop":
                return await self.own.cancel(command.by, command.channel)
            case _:
                await self.steering.command(
                    command.text, by=command.by, channel=command.channel, source=command.id
                )
                return ""

    async def _forget(self, by: UserId, wanted: str) -> str:
        found = [one for one in await self.steering.remembered(by) if code(one) == wanted]
        if len(found) != 1:
            return say(NO_SUCH_CODE)
        await self.steering.ask_again(found[0].action.id, by=by)
        return say("Taken back: {tool} is asked again from now on.", tool=refusal(found[0].action.tool))
