"""Slack's agent view: a status line while the agent works in a direct message, a title, prompts.

All of it is a courtesy. A workspace that lacks it, or a call that fails, changes nothing about a run: what
Slack says that it does not have is not asked for again, and told in the log once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.conversation import Conversation
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Store
from bot.approvals.secrets import masked_text
from bot.approvals.words import phrase, say
from bot.slack.literal import in_line
from bot.slack.refusals import name_of
from bot.slack.text import breadth

WORKING: Final = phrase("is working on it…")
"""Slack puts the app's name before it, and takes it away after two minutes or with the app's next message."""
NOTHING: Final = ""
RENEWED_AFTER: Final = 90.0
"""Seconds; Slack's own two minutes with room for a slow answer."""
PROMPTS: Final = (
    (phrase("What can you do?"), phrase("What can you do, and what do you ask people about first?")),
    (phrase("What is in the workspace?"), phrase("List the files.")),
)
"""By title, what a new thread offers; in the manifest for the agent view. Slack shows at most four."""
LONGEST_TITLE: Final = 80
PATIENCE: Final = 1.0
"""Seconds that a run waits for a courtesy."""

LACKING: Final = frozenset(
    {
        "access_denied",
        "feature_not_enabled",
        "method_deprecated",
        "method_not_supported_for_channel_type",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "unknown_method",
    }
)
"""What Slack says where a workspace, a plan or an installation does not have it."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """Tells Slack what the agent is doing in a direct message; never raises."""

    client: AsyncWebClient
    store: Store
    lacking: set[str] = field(default_factory=set)
    """The methods that this workspace does not have."""

    def around(
        self, run: Callable[[ConversationId], Awaitable[None]], *, titled: bool = False
    ) -> Callable[[ConversationId], Awaitable[None]]:
        """The same work with a status line while it lasts; `titled` gives the thread its title as well."""

        async def told(id: ConversationId) -> None:
            conversation, words = await self._of(id)
            if conversation is None:
                await run(id)
                return
            if titled:
                await self._title(conversation, words)
            await self._status(conversation, say(WORKING))
            renewing = asyncio.create_task(self._renew(conversation))
            try:
                await run(id)
            finally:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
                await self._status(conversation, NOTHING)

        return told

    async def suggest(self, channel: str, thread_ts: str) -> None:
        """Offer what one may ask for to begin with, in a thread of Slack's older assistant view."""
        if "setSuggestedPrompts" not in self.lacking:
            prompts = [{"title": say(title), "message": say(message)} for title, message in PROMPTS]
            asked = self.client.assistant_threads_setSuggestedPrompts(
                channel_id=channel, thread_ts=thread_ts, prompts=prompts
            )
            await self._courtesy("setSuggestedPrompts", asked)

    async def _renew(self, conversation: Conversation) -> None:
        """Say it again and again before Slack takes it away, as long as there is a status at all."""
        while "setStatus" not in self.lacking:
            await asyncio.sleep(RENEWED_AFTER)
            await self._status(conversation, say(WORKING))

    async def _of(self, id: ConversationId) -> tuple[Conversation | None, str]:
        """The conversation, if it is in a direct message, and what it began with."""
        async with self.store.read() as tx:
            conversation = await tx.conversations.get(id)
            if conversation is None or not conversation.thread_ts or conversation.channel[:1] != "D":
                return None, ""
            return conversation, await tx.conversations.first_words(id)

    async def _title(self, conversation: Conversation, words: str) -> None:
        title = in_line(masked_text(words).strip(), LONGEST_TITLE, breadth)[0]
        if title and "setTitle" not in self.lacking:
            asked = self.client.assistant_threads_setTitle(
                channel_id=conversation.channel, thread_ts=conversation.thread_ts or "", title=title
            )
            await self._courtesy("setTitle", asked)

    async def _status(self, conversation: Conversation, status: str) -> None:
        if "setStatus" not in self.lacking:
            asked = self.client.assistant_threads_setStatus(
                channel_id=conversation.channel, thread_ts=conversation.thread_ts or "", status=status
            )
            await self._courtesy("setStatus", asked)

    async def _courtesy(self, method: str, asked: Awaitable[object]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await asked
        except SlackApiError as error:
            name = name_of(error)
            if name in LACKING:
                self.lacking.add(method)
            log.info("agent_view_lacking", method=method, error=name)
        except (SlackClientError, ClientError, OSError, TimeoutError) as error:
            log.info("agent_view_missed", method=method, error=type(error).__name__)
