"""What a person types: messages and slash commands."""

import re
from collections.abc import Callable

from bot.sandbox import grants, payloads, response_urls
from bot.sandbox.answers import ImpossibleError
from bot.sandbox.core import Core
from bot.sandbox.delivery import Acked, Envelope, Unanswered
from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.options import Command
from bot.sandbox.records import Account, Channel, ChannelId, Json, Message, Ts
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.chat import thread_root

MENTIONS = re.compile(r"(?<![\w.])(?:@([A-Za-z0-9._-]*[A-Za-z0-9])|#([a-z0-9_-]+))")
TOKENS = re.compile(r"(<[@#][A-Z0-9]+(?:\|[^<>]*)?>)")
LONGEST = 40_000


class Speech:
    """The message box."""

    def __init__(self, core: Core, events: Events) -> None:
        self._core = core
        self._events = events

    async def say(self, account: Account, channel_id: ChannelId, text: str, thread_ts: Ts | None) -> Json:
        """Post what was typed, or run it as a command if it starts with a slash."""
        channel = self._channel(account, channel_id)
        if text.startswith("/"):
            return await self._command(account, channel, text, in_thread=thread_ts is not None)
        if not text.strip():
            raise ImpossibleError("An empty message cannot be sent.")
        if len(text) > LONGEST:
            raise ImpossibleError("A message has at most 40,000 characters.")
        try:
            root = thread_root(self._core, channel, Arguments({"thread_ts": thread_ts}))
        except SlackError:
            raise ImpossibleError("There is no such thread.") from None
        message = Message(
            channel=channel.id,
            ts=self._core.workspace.new_ts(),
            user=account.id,
            text=self.written(text),
            thread_ts=root,
        )
        self._core.workspace.put(message)
        self._events.message(channel, message)
        return {"ok": True, "channel": channel.id, "ts": message.ts}

    def written(self, text: str) -> str:
        """The text as Slack keeps it: &, <, > escaped, people and channels by their ids."""
        return self._outside_tokens(text, lambda part: MENTIONS.sub(self._mention, _escaped(part)))

    def _outside_tokens(self, text: str, change: Callable[[str], str]) -> str:
        parts = TOKENS.split(text)
        return "".join(part if place % 2 else change(part) for place, part in enumerate(parts))

    def _command_text(self, text: str, *, should_escape: bool) -> str:
        """As for a message, but with names beside the ids; without `should_escape` as it was typed."""
        if not should_escape:
            return _escaped(text)
        names = {f"<@{one.id}>": f"<@{one.id}|{one.name}>" for one in self._core.workspace.accounts.values()}
        return re.sub(r"<@\w+>", lambda found: names.get(found.group(), found.group()), self.written(text))

    def _mention(self, found: re.Match[str]) -> str:
        workspace = self._core.workspace
        person, channel = found.groups()
        for account in workspace.accounts.values():
            if person and account.name == person.lower():
                return f"<@{account.id}>"
        for one in workspace.channels.values():
            if channel and one.name == channel and not one.is_im:
                return f"<#{one.id}|{one.name}>"
        return found.group()

    def _channel(self, account: Account, channel_id: ChannelId) -> Channel:
        channel = self._core.workspace.channels.get(channel_id)
        if channel is None or account.id not in channel.members:
            raise ImpossibleError("This person is not in that channel.")
        if channel.is_archived:
            raise ImpossibleError("The channel is archived.")
        return channel

    async def _command(self, account: Account, channel: Channel, text: str, *, in_thread: bool) -> Json:
        name, _, rest = text.partition(" ")
        command = next((one for one in self._core.options.commands if one.command == name), None)
        if command is None or not grants.is_installed(self._core):
            return self._refused(account, channel, f"{name} is not a command here.")
        if in_thread:
            return self._refused(account, channel, f"{name} does not work in threads. Use it in the channel.")
        written = self._command_text(rest.strip(), should_escape=command.should_escape)
        payload = payloads.command(self._core, account, channel, name, written)
        await self._core.workspace.commit()
        match await self._core.transport.send(Envelope(kind="slash_commands", payload=payload)):
            case Acked(payload=answer):
                return self._answered(account, channel, command, answer)
            case Unanswered(reason=reason):
                why = "was not reached" if reason == "connection_failed" else "did not answer in time"
                return self._refused(account, channel, f"⚠ {name} failed: the app {why}.")

    def _answered(self, account: Account, channel: Channel, command: Command, answer: Json) -> Json:
        if answer.get("text") or answer.get("blocks"):
            try:
                response_urls.answer(self._core, account.id, channel, None, answer)
            except SlackError as error:
                reason = f"⚠ {command.command} failed: its answer was refused ({error.code})."
                return self._refused(account, channel, reason) | {"detail": error.body()}
        return {"ok": True}

    def _refused(self, account: Account, channel: Channel, sentence: str) -> Json:
        self._core.workspace.notify(account.id, sentence, {"channel": channel.id})
        return {"ok": False, "warning": sentence}


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
