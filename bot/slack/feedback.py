"""What a press of a thumb below an answer does."""

import re
from dataclasses import dataclass
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.approvals.errors import Refused
from bot.approvals.ids import PostId
from bot.approvals.opinions import Opinion, Opinions
from bot.slack import payloads, verbs
from bot.slack.payloads import Malformed
from bot.slack.place import spot_of
from bot.slack.private import Private

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbs:
    """Takes the presses: commit first, ack second, and a sentence for this person alone."""

    opinions: Opinions
    private: Private

    def register(self, app: AsyncApp) -> None:
        """Take both buttons, in either form."""
        app.action(re.compile(f"{verbs.FEEDBACK}(_up|_down)?"))(self.press)

    async def press(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Note what somebody thinks of an answer."""
        click = payloads.click(body)
        if isinstance(click, Malformed):
            await ack()
            return
        word, _, id = click.value.partition(":")
        if word not in set(Opinion):
            log.warning("feedback_unreadable")
            await ack()
            return
        try:
            told = await self.opinions.give(PostId(id), Opinion(word), by=click.by, spot=spot_of(click))
        except Refused as refusal:
            told = str(refusal)
        await ack()
        await self.private.tell(click, told)
