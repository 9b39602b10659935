"""Tells one person something: an ephemeral message where they clicked, or a form over the open one."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.approvals.ids import ChannelId
from bot.approvals.secrets import masked_text
from bot.slack.answers import refusal
from bot.slack.forms import message_form
from bot.slack.message import Message
from bot.slack.payloads import Click

SLACKS_HOSTS: Final = frozenset({"hooks.slack.com", "hooks.slack-gov.com"})
"""Where a `response_url` may lead, besides the host of the Web API itself."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Private:
    """Tells one person something; never raises, since there is nobody left to tell about it."""

    client: AsyncWebClient

    async def tell(self, click: Click, sentence: str) -> None:
        """Answer a click, for this person's eyes only."""
        sentence = masked_text(sentence)
        try:
            if click.is_home:
                await self.client.views_open(trigger_id=click.trigger_id, view=message_form(sentence))
            elif click.view_id:
                await self.client.views_push(trigger_id=click.trigger_id, view=message_form(sentence))
            elif click.channel:
                await self._ephemeral(click, click.channel, refusal(sentence))
            else:
                log.warning("person_not_told", error="no_channel")
        except (SlackClientError, ClientError, OSError, TimeoutError) as error:
            log.warning("person_not_told", error=type(error).__name__)

    async def replace(self, click: Click, message: Message) -> None:
        """Put this in the place of the private message that was clicked."""
        if not is_slacks(click.response_url, self.client.base_url):
            return
        try:
            await AsyncWebhookClient(click.response_url).send(
                text=message.text, blocks=message.blocks, response_type="ephemeral", replace_original=True
            )
        except (SlackClientError, ClientError, OSError, TimeoutError) as error:
            log.warning("person_not_told", error=type(error).__name__)

    async def _ephemeral(self, click: Click, channel: ChannelId, text: str) -> None:
        """In the thread; and in the channel too, where a card that stands in both may have been clicked.

        Slack does not say which copy it was, and shows a thread's private messages only in the open thread.
        """
        places = (click.thread_ts, None) if click.is_broadcast else (click.thread_ts,)
        try:
            for place in places:
                await self.client.chat_postEphemeral(
                    channel=channel, user=click.by, thread_ts=place, text=text, parse="none"
                )
        except SlackApiError:
            # A person outside the channel, or a channel the bot has left: Slack gave an address of its own.
            if not is_slacks(click.response_url, self.client.base_url):
                raise
            await AsyncWebhookClient(click.response_url).send(
                text=text, response_type="ephemeral", replace_original=False
            )


def is_slacks(url: str, api_url: str) -> bool:
    """Whether this address is Slack's own, or of the Web API that is used (a local Slack)."""
    try:
        parts, api = urlsplit(url), urlsplit(api_url)
    except ValueError:
        return False
    if (parts.scheme, parts.netloc) == (api.scheme, api.netloc) and parts.netloc:
        return True
    return parts.scheme == "https" and parts.netloc in SLACKS_HOSTS
