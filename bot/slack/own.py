"""`/agent status` and `/agent cancel`: what a person asked for, privately, with a Stop at each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.approvals.asked_for import AskedFor, OwnConversations
from bot.approvals.conversation import Status
from bot.approvals.errors import CouldNotCheck, Refused
from bot.approvals.ids import ChannelId, ConversationId, UserId
from bot.approvals.steering import Steering
from bot.approvals.taking_back import InForce
from bot.approvals.words import phrase, say
from bot.slack import payloads, verbs
from bot.slack.message import Message
from bot.slack.not_asked import in_words
from bot.slack.payloads import Malformed
from bot.slack.private import Private
from bot.slack.stands import MORE, Group, listed

Payload = dict[str, Any]

YOURS: Final = phrase("What you asked for:")
OTHERS: Final = phrase("What others have under way in this channel:")
WHICH: Final = phrase("Which of these is to be stopped?")
ELSEWHERE: Final = phrase("Nothing that you asked for in this channel is under way. Elsewhere there is:")
NOTHING: Final = phrase("You have not asked for anything yet.")
NOTHING_HERE: Final = phrase("Nothing that you asked for in this channel is under way.")
STOPPING: Final = phrase("Stopping what you asked for; its thread says when it is done.")
NOT_ASKED_AGAIN: Final = phrase("Not asked again:")
MOST_REMEMBERED: Final = 10
"""Lines about what is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """Lists conversations for a person, and stops that person's own."""

    own: OwnConversations
    steering: Steering
    private: Private
    workspace_url: str
    """`https://team.slack.com/`, as auth.test says it; links to messages begin so."""

    def register(self, app: AsyncApp) -> None:
        """Take the Stop of a list."""
        app.action(verbs.STOP_OWN)(self.stop)

    async def status(self, by: UserId, channel: ChannelId) -> Message:
        """What the person asked for, what others have under way in the channel, and what is remembered."""
        mine = await self.own.of(by)
        groups = [Group(title=say(YOURS), shown=mine)] if mine else [Group(title=say(NOTHING), shown=())]
        if others := await self._others(channel, by):
            groups.append(Group(title=say(OTHERS), shown=others, stoppable=False))
        below = not_asked_again(await self.steering.remembered(by))
        return listed(groups, self.workspace_url, below, self.steering.roster)

    async def cancel(self, by: UserId, channel: ChannelId) -> Message | str:
        """Stop the only thing that the person has under way in the channel, or ask which one is meant."""
        under_way = [one for one in await self.own.of(by) if one.conversation.status is not Status.IDLE]
        here = [one for one in under_way if one.conversation.channel == channel]
        if len(here) == 1:
            await self.own.stop(here[0].conversation.id, by=by)
            return say(STOPPING)
        if not under_way:
            return say(NOTHING_HERE)
        group = Group(title=say(WHICH), shown=here) if here else Group(title=say(ELSEWHERE), shown=under_way)
        return listed([group], self.workspace_url, roster=self.steering.roster)

    async def stop(self, ack: AsyncAck, body: Payload) -> None:
        """Stop the conversation at which the button stands, and draw the list anew."""
        click = payloads.click(body)
        if isinstance(click, Malformed):
            await ack()
            return
        try:
            await self.own.stop(ConversationId(click.value), by=click.by)
        except Refused as no:
            await ack()
            await self.private.tell(click, str(no))
            return
        await ack()
        if click.channel:
            await self.private.replace(click, await self.status(click.by, click.channel))

    async def _others(self, channel: ChannelId, by: UserId) -> list[AskedFor]:
        try:
            return await self.own.of_others(channel, by)
        except CouldNotCheck:  # who is in the channel; one's own list does not depend on it
            return []


def not_asked_again(remembered: Sequence[InForce]) -> list[str]:
    """What is not asked again in the person's conversations, in mrkdwn."""
    lines = [in_words(one) for one in remembered[:MOST_REMEMBERED]]
    if more := len(remembered) - len(lines):
        lines.append(say(MORE, count=more))
    return [say(NOT_ASKED_AGAIN), *lines] if lines else []


def said(answer: Message | str) -> dict[str, Any]:
    """What a command is acked with; a string is in mrkdwn."""
    if isinstance(answer, Message):
        return {"text": answer.text, "blocks": answer.blocks}
    return {"text": answer}
