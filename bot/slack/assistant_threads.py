"""Slack's older assistant view: a thread that somebody opens there offers what one may ask for."""

from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.slack.agent_view import AgentView

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantThreads:
    """Takes the two events of that view; a workspace with the newer one, or with neither, sends none."""

    view: AgentView

    def register(self, app: AsyncApp) -> None:
        """Take both."""
        app.event("assistant_thread_started")(self.started)
        app.event("assistant_thread_context_changed")(self.moved)

    async def started(self, body: Payload) -> None:
        """Somebody opened a thread with the app; what they say in it comes as any direct message does."""
        match body:
            case {"event": {"assistant_thread": {"channel_id": str(channel), "thread_ts": str(thread)}}}:
                if channel.startswith("D") and thread:
                    await self.view.suggest(channel, thread)
            case _:
                pass

    async def moved(self) -> None:
        """Somebody looks at another channel: what the agent is asked does not depend on that."""
