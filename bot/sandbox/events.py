"""Events: what is told to the app, and told again until it acknowledges."""

import asyncio
import time
from dataclasses import replace

from bot.sandbox.core import Core
from bot.sandbox.delivery import Acked, Envelope, Unanswered
from bot.sandbox.founding import APP_ID, BOT_USER
from bot.sandbox.grants import speaks_for_all
from bot.sandbox.records import Account, Channel, Json, Message, OwedEvent
from bot.sandbox.slack_objects import message_object, view_object

MENTION = f"<@{BOT_USER}>"


class Events:
    """Sends events; a copy of each stays in the workspace until the app took it or the retries are over."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def message(self, channel: Channel, message: Message) -> None:
        """Somebody wrote: message.* where subscribed, app_mention where the bot is named and present."""
        if BOT_USER not in channel.members or message.user == BOT_USER:
            return
        sort = "im" if channel.is_im else "group" if channel.is_private else "channel"
        body = message_object(message, self._core.workspace) | {
            "channel": channel.id,
            "event_ts": message.ts,
        }
        if f"message.{sort}" in self._core.options.events or f"message.{sort}s" in self._core.options.events:
            self._emit(body | {"channel_type": sort}, message.user)
        if MENTION in message.text and not channel.is_im and "app_mention" in self._core.options.events:
            self._emit(body | {"type": "app_mention"}, message.user)

    def home_opened(self, account: Account, channel: Channel) -> None:
        """Somebody looks at the Home tab."""
        if "app_home_opened" not in self._core.options.events:
            return
        event: Json = {
            "type": "app_home_opened",
            "user": account.id,
            "channel": channel.id,
            "tab": "home",
            "event_ts": self._core.workspace.new_ts(),
        }
        home = self._core.workspace.home(account.id)
        if home is not None:
            event["view"] = view_object(home, self._core)
        self._emit(event, account.id)

    def assistant_thread(self, account: Account, thread: Message, context: str = "") -> None:
        """Somebody opened the assistant's pane, or looks at another channel beside it (`context`)."""
        name = "assistant_thread_context_changed" if context else "assistant_thread_started"
        if name not in self._core.options.events:
            return
        about: Json = {
            "user_id": account.id,
            "context": {"channel_id": context, "team_id": account.team_id} if context else {},
            "channel_id": thread.channel,
            "thread_ts": thread.ts,
        }
        event_ts = self._core.workspace.new_ts()
        self._emit({"type": name, "assistant_thread": about, "event_ts": event_ts}, account.id)

    def app_is_gone(self, *, of_all: bool = False) -> None:
        """Somebody uninstalled the app, from the workspace or from all, which takes its tokens away."""
        outside = self._of_organisation() if of_all else {}
        self._emit({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [BOT_USER]}}, BOT_USER, outside)
        self._emit({"type": "app_uninstalled"}, BOT_USER, outside)

    def app_was_added(self, *, is_there: bool) -> None:
        """An administrator added the organisation's app to this workspace, or took it away there."""
        kind = "team_access_granted" if is_there else "team_access_revoked"
        if kind in self._core.options.events:
            about: Json = {"type": kind, "team_ids": [self._core.workspace.team.id]}
            self._emit(about, BOT_USER, self._of_organisation())

    def resume(self) -> None:
        """Go on with what was owed when the workspace stopped, once somebody listens."""
        for owed in tuple(self._core.workspace.owed_events.values()):
            again = replace(owed, attempt=owed.attempt + 1)
            self._core.background.start(self._deliver(again, wait=True), f"event {owed.id} again")

    def _of_organisation(self) -> Json:
        """What the outside of an event says that is about no single workspace."""
        return {"team_id": None, "context_team_id": None, "authorizations": []}

    def _emit(self, event: Json, user: str, outside: Json | None = None) -> None:
        event_id = self._core.workspace.new_id("Ev")
        team, is_for_all = self._core.workspace.team, speaks_for_all(self._core)
        payload = {
            "token": "sandbox",
            "team_id": team.id,
            "enterprise_id": team.enterprise_id,
            "context_team_id": team.id,
            "context_enterprise_id": team.enterprise_id,
            "api_app_id": APP_ID,
            "event": event,
            "type": "event_callback",
            "event_id": event_id,
            "event_time": int(time.time()),
            "authorizations": [
                {
                    "enterprise_id": team.enterprise_id,
                    "team_id": None if is_for_all else team.id,
                    "user_id": BOT_USER,
                    "is_bot": True,
                    "is_enterprise_install": is_for_all,
                }
            ],
            "is_ext_shared_channel": self._shared(event.get("channel", "")),
            "event_context": f"4-{event_id}-{user}",
            **(outside or {}),
        }
        owed = OwedEvent(id=event_id, payload=payload)
        self._core.workspace.put(owed)
        self._core.background.start(self._deliver(owed), f"event {event_id}")

    async def _deliver(self, owed: OwedEvent, *, wait: bool = False) -> None:
        delays = self._core.options.retry_delays
        reason = "connection_failed" if wait else ""
        if wait:
            await self._core.transport.reachable()
        while True:
            envelope = Envelope(kind="events_api", payload=owed.payload, attempt=owed.attempt, reason=reason)
            outcome = await self._core.transport.send(envelope)
            match outcome:
                case Acked():
                    break
                case Unanswered(may_retry=False):
                    break
                case Unanswered():
                    reason = outcome.reason
            if owed.attempt >= len(delays):
                break
            owed = replace(owed, attempt=owed.attempt + 1)
            self._core.workspace.put(owed)
            await self._core.workspace.commit()
            await asyncio.sleep(delays[owed.attempt - 1])
        self._core.workspace.drop(owed)
        await self._core.workspace.commit()

    def _shared(self, channel_id: str) -> bool:
        workspace = self._core.workspace
        channel = next((one for one in workspace.channels.values() if one.id == channel_id), None)
        return channel is not None and any(workspace.accounts[user].is_stranger for user in channel.members)
