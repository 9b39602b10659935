"""How an owed post becomes messages, part by part, in simpler blocks, or without a file, where Slack insists.

A part is marked as being sent before it is handed to Slack. If the answer is lost, nobody knows whether it is
there; then Slack is asked for a message that carries the post's id, before it is sent again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.errors import TryLater
from bot.approvals.ids import ChannelId, Ts
from bot.approvals.ports import Clock, Store
from bot.slack import answers, sending
from bot.slack.answer_files import NoFilesError, known, upload
from bot.slack.displaced import Displaced
from bot.slack.drawing import CHANGING, FILES, SIMPLER, Drawing
from bot.slack.finding import found
from bot.slack.message import Message
from bot.slack.pace import Pace
from bot.slack.refusals import Meaning, is_about_blocks, later, meaning_of, name_of
from bot.slack.sightings import noted, sightings

log = structlog.get_logger()


class _TooMuchError(Exception):
    """Slack does not take it as it is meant to be, and it can be said more plainly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """Shows posts. Raises `TryLater`, or Slack's own error, for the job engine to try again."""

    store: Store
    client: AsyncWebClient
    displaced: Displaced
    now: Clock
    turns: Pace
    """Of new messages."""
    refused: set[str]
    """What this Slack did not take as it is meant to be, kinds of posts and `FILES`; what comes is added."""

    async def show(self, drawing: Drawing, parts: Sequence[Message]) -> Post:
        """What of its parts is not shown yet; how the post stands then."""
        post = drawing.post
        number = post.drawn + 1 if post.kind is PostKind.ANSWER else 0
        while number < len(parts):
            try:
                post = await self._show(replace(drawing, post=post), parts[number], number)
            except NoFilesError:
                drawing = replace(drawing, files=False)
                parts = drawing.parts()
                continue
            except _TooMuchError:
                drawing = replace(drawing, plainly=True)
                parts = drawing.parts()
                continue
            if post.state is PostState.UNDELIVERABLE:
                break
            is_drawn = post.drawn == drawing.drawn(number)
            message, number = parts[number], number + 1
            told = sightings("shown", post, drawing.card, message, self.now()) if is_drawn else ()
            state = PostState.OWED if number < len(parts) else PostState.SHOWN
            post = await noted(self.store, replace(post, state=state), *told)
        return post

    async def _show(self, drawing: Drawing, message: Message, number: int) -> Post:
        post = drawing.post
        if wait := self.turns.wait(drawing.channel, f"{post.id}/{number}"):
            raise TryLater(wait, "other messages go first")
        if post.state is PostState.SENDING:
            find = known if message.file else found
            if there := await find(self.client, drawing, number):
                # It looks as it did when it was sent, whenever that was.
                drawn = post.drawn if post.kind in CHANGING else drawing.drawn(number)
                return await self._shown(drawing, there, drawn)
        post = replace(post, state=PostState.SENDING)
        await noted(self.store, post, *sightings("showing", post, drawing.card, message, self.now()))
        try:
            answer = await self._send(drawing, message, number)
        except SlackApiError as error:
            return await self._not_shown(drawing, post, message, number, error)
        return await self._shown(drawing, answer, drawing.drawn(number))

    async def _send(
        self, drawing: Drawing, message: Message, number: int
    ) -> Mapping[str, Any] | AsyncSlackResponse:
        if message.file is None:
            return await sending.post(self.client, drawing, message, number)
        try:
            return await upload(self.client, drawing, message.file)
        except NoFilesError:
            self.refused.add(FILES)
            raise

    async def _not_shown(
        self, drawing: Drawing, post: Post, message: Message, number: int, error: SlackApiError
    ) -> Post:
        """Slack said no, so nothing is there: the post is owed again, said more plainly, or given up."""
        match meaning_of(error):
            case Meaning.NO_CHANNEL:
                log.warning("post_undeliverable", post=post.id, kind=post.kind, error=name_of(error))
                return await self.displaced.lose(replace(post, state=PostState.OWED), error)
            case Meaning.TOO_MUCH if drawing.post.kind in SIMPLER and not drawing.plainly:
                if is_about_blocks(error):
                    self.refused.add(post.kind)
                raise _TooMuchError from error
            case Meaning.TOO_MUCH if drawing.post.kind is PostKind.ANSWER:
                answer = await sending.post(self.client, drawing, answers.plain(message), number)
                return await self._shown(drawing, answer, drawing.drawn(number))
            case Meaning.WAIT:
                await noted(self.store, replace(post, state=PostState.OWED))
                when = later(error)
                if name_of(error) == "ratelimited":
                    self.turns.slow_down(drawing.channel, when.seconds)
                raise when from error
            case _:
                await noted(self.store, replace(post, state=PostState.OWED))
                raise error

    async def _shown(
        self, drawing: Drawing, place: Mapping[str, Any] | AsyncSlackResponse, drawn: int
    ) -> Post:
        post = drawing.post
        channel, ts = ChannelId(place["channel"]), Ts(place["ts"])
        if post.kind is PostKind.OPENING:
            async with self.store.write() as tx:
                conversation = await tx.conversations.get(drawing.conversation.id)
                if conversation:
                    await tx.conversations.save(replace(conversation, channel=channel, thread_ts=ts))
        return replace(post, channel=channel, ts=post.ts or ts, drawn=drawn)
