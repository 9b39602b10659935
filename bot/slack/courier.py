"""The courier: posts what is owed and redraws cards. Rows come first, messages are drawn from them.

A post is marked as being sent before it is handed to Slack. If the answer is lost, nobody knows whether the
message is there; then Slack is asked for a message that carries the post's id, before it is posted again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from aiolimiter import AsyncLimiter
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.approvals.approval import State
from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.errors import TryLater
from bot.approvals.following import PACE, drawn_in
from bot.approvals.ids import ChannelId, PostId, Ts
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.ports import Clock, Event, Store
from bot.approvals.realm import Choice
from bot.approvals.roster import ONE_AGENT, Roster
from bot.approvals.standings import Standings
from bot.slack import answers, sending
from bot.slack.answer_files import FILES, NoFilesError, known, upload
from bot.slack.displaced import Displaced
from bot.slack.drawing import CHANGING, SIMPLER, Drawing
from bot.slack.finding import found
from bot.slack.languages import Languages
from bot.slack.loading import loaded
from bot.slack.message import File, Message
from bot.slack.pace import Pace
from bot.slack.refusals import Meaning, is_about_blocks, later, meaning_of, name_of
from bot.slack.sightings import sighting

REDRAWS: Final = (20, 4.0)
"""A burst of redraws, and the seconds after which as many are allowed again. Slack takes 50 and more a minute
(its Tier 3) and more in bursts; a storm of clicks must not become a storm of redraws."""

log = structlog.get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Courier:
    """Carries posts to Slack. Raises `TryLater`, or Slack's own error, for the job engine to try again."""

    store: Store
    client: AsyncWebClient
    masking: Choice[Masking] = BY_DEFAULT
    roster: Roster = ONE_AGENT
    standings: Standings | None = None
    """Who knows where a card must not stand; None where every place will do."""
    languages: Languages | None = None
    """Who knows what people read; None for the policy's language."""
    now: Clock = _now
    pace: AsyncLimiter = field(default_factory=lambda: AsyncLimiter(*REDRAWS))
    """Of redraws."""
    turns: Pace = field(default_factory=Pace)
    """Of new messages."""
    lacking: set[str] = field(default_factory=set)
    """What this Slack does not do at all: `FILES`."""
    refused: set[PostKind] = field(default_factory=set)
    """What this Slack did not take as it is meant to be, and is given plainly from then on."""

    @property
    def _displaced(self) -> Displaced:
        return Displaced(store=self.store, standings=self.standings)

    async def post(self, id: PostId) -> None:
        """Show an owed post; does nothing if it is shown."""
        drawing = await self._load(id)
        if drawing is None or drawing.post.state in {PostState.SHOWN, PostState.UNDELIVERABLE}:
            return
        post = drawing.post
        if drawing.is_nowhere:
            await self._save(
                replace(post, state=PostState.UNDELIVERABLE, problem="the thread has no message")
            )
            return
        # The second message of an answer that goes on is what comes of it where there are no files.
        drawing = replace(drawing, files=FILES not in self.lacking and post.drawn < 1)
        parts = drawing.parts()
        if not parts:
            await self._save(replace(post, state=PostState.UNDELIVERABLE, problem="it is too late to say it"))
            return
        if await self._displaced.must_not_be_shown(drawing):
            return
        first = post.drawn + 1 if post.kind is PostKind.ANSWER else 0
        try:
            post = await self._show_all(drawing, parts, first)
        except NoFilesError:
            drawing = await self._load(id) or drawing
            post = await self._show_all(drawing, drawing.parts(), 1)
        if post.state is PostState.UNDELIVERABLE:
            return
        # It may have been decided, withdrawn or retried while it was on its way.
        if post.kind in {PostKind.CARD, PostKind.PROGRESS}:
            await self.redraw(id, version=post.drawn + 1)
            now = await self._load(id)
            if now and now.behind != drawing.behind:
                await self.redraw(id)
        elif post.kind in CHANGING and (post.drawn, post.settled_by) != drawing.looks:
            await self.redraw(id)

    async def _show_all(self, drawing: Drawing, parts: Sequence[Message], first: int) -> Post:
        post = drawing.post
        for number in range(first, len(parts)):
            post = await self._show(replace(drawing, post=post), parts[number], number)
            if post.state is PostState.UNDELIVERABLE:
                break
            last = number == len(parts) - 1
            is_drawn = post.drawn == drawing.drawn(number)
            told = self._told("shown", replace(drawing, post=post), parts[number]) if is_drawn else ()
            post = await self._save(replace(post, state=PostState.SHOWN if last else PostState.OWED), *told)
        return post

    async def redraw(self, id: PostId, *, version: int | None = None) -> None:
        """Bring a shown message up to date; a message that is gone is posted anew.

        With a `version` only if the rows have that one and the message does not.
        """
        if not await self._to_redraw(id, version):
            return
        await self.pace.acquire()
        drawing = await self._to_redraw(id, version)
        if drawing is None:
            return
        post, [message] = drawing.post, drawing.parts()
        try:
            await sending.update(self.client, drawing, message)
        except SlackApiError as error:
            await self._not_redrawn(post, error)
        else:
            await self._save(replace(post, drawn=drawing.version), *self._told("shown", drawing, message))
            if post.kind is PostKind.PROGRESS:
                await self._go_on(id, drawing.version)

    async def _go_on(self, id: PostId, shown: int) -> None:
        """What the agent did while this was drawn may have counted on this drawing: owe one more."""
        newer = await self._to_redraw(id, shown + 1)
        if newer and newer.version > shown and self.standings:
            async with self.store.write() as tx:
                again = drawn_in(id, f"after {newer.version}", PACE.total_seconds())
                await self.standings.jobs.owe(tx, again)

    async def give_up(self, id: PostId, problem: str) -> None:
        """Note that a post could not be shown after the last attempt; its approval stays decidable."""
        drawing = await self._load(id)
        if drawing and drawing.post.state is not PostState.SHOWN:
            await self._displaced.give_up(drawing, problem)

    async def _to_redraw(self, id: PostId, version: int | None) -> Drawing | None:
        drawing = await self._load(id)
        if drawing is None or drawing.post.ts is None:
            return None
        # A drawing of a turn is of whatever there is by then: what came since has counted on it.
        is_turn = version is not None and drawing.post.kind is PostKind.PROGRESS
        wanted = drawing.version if is_turn else version
        if wanted is not None and not drawing.post.drawn < wanted <= drawing.version:
            return None
        return drawing

    async def _not_redrawn(self, post: Post, error: SlackApiError) -> None:
        match meaning_of(error):
            case Meaning.WAIT:
                raise later(error) from error
            case Meaning.NO_MESSAGE:
                await self._save(replace(post, state=PostState.OWED, ts=None))
                await self.post(post.id)
            case Meaning.NO_CHANNEL:
                log.warning("card_not_redrawn", post=post.id, error=name_of(error))
                await self._displaced.lose(post, error)
            case Meaning.TOO_MUCH if post.kind in SIMPLER and post.kind not in self.refused:
                self.refused.add(post.kind)
                await self.redraw(post.id)
            case _:
                raise error

    async def _show(self, drawing: Drawing, message: Message, number: int) -> Post:
        post = drawing.post
        if wait := self.turns.wait(drawing.channel, f"{post.id}/{number}"):
            raise TryLater(wait, "other messages go first")
        if message.file:
            return await self._show_file(drawing, message.file, number)
        if post.state is PostState.SENDING and (there := await found(self.client, drawing, number)):
            # It looks as it did when it was sent, whenever that was.
            known = post.drawn if post.kind in CHANGING else drawing.drawn(number)
            return await self._shown(drawing, there, known)
        post = replace(post, state=PostState.SENDING)
        await self._save(post, *self._told("showing", drawing, message))
        try:
            answer = await sending.post(self.client, drawing, message, number)
        except SlackApiError as error:
            return await self._not_shown(drawing, post, message, number, error)
        return await self._shown(drawing, answer, drawing.drawn(number))

    async def _show_file(self, drawing: Drawing, file: File, number: int) -> Post:
        """The same of an answer's file; `NoFilesError` where its words go on in messages."""
        place = await known(self.client, drawing, number)
        if place is None:
            post = await self._save(replace(drawing.post, state=PostState.SENDING))
            try:
                place = await upload(self.client, drawing, file)
            except NoFilesError:
                self.lacking.add(FILES)
                raise
            except SlackApiError as error:
                return await self._not_shown(drawing, post, Message(text="", blocks=[]), number, error)
        return await self._shown(drawing, place, number)

    async def _not_shown(
        self, drawing: Drawing, post: Post, message: Message, number: int, error: SlackApiError
    ) -> Post:
        """Slack said no, so nothing is there: the post is owed again, said more plainly, or given up."""
        match meaning_of(error):
            case Meaning.NO_CHANNEL:
                log.warning("post_undeliverable", post=post.id, kind=post.kind, error=name_of(error))
                return await self._displaced.lose(replace(post, state=PostState.OWED), error)
            case Meaning.TOO_MUCH if drawing.post.kind in SIMPLER and not drawing.plainly:
                if is_about_blocks(error):
                    self.refused.add(post.kind)
                simpler = replace(drawing, plainly=True, post=replace(post, state=PostState.OWED))
                return await self._show(simpler, simpler.parts()[number], number)
            case Meaning.TOO_MUCH if drawing.post.kind is PostKind.ANSWER:
                answer = await sending.post(self.client, drawing, answers.plain(message), number)
                return await self._shown(drawing, answer, drawing.drawn(number))
            case Meaning.WAIT:
                await self._save(replace(post, state=PostState.OWED))
                when = later(error)
                if name_of(error) == "ratelimited":
                    self.turns.slow_down(drawing.channel, when.seconds)
                raise when from error
            case _:
                await self._save(replace(post, state=PostState.OWED))
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

    async def _load(self, id: PostId) -> Drawing | None:
        drawing = await loaded(self.store, self.masking, id, refused=self.refused, roster=self.roster)
        if drawing is None or drawing.reader is None or self.languages is None:
            return drawing
        return replace(drawing, language=await self.languages.language(drawing.reader))

    async def _save(self, post: Post, *events: Event) -> Post:
        """Write how it is shown, and return it; who settled it meanwhile stays."""
        async with self.store.write() as tx:
            if there := await tx.posts.get(post.id):
                post = replace(post, settled_by=there.settled_by)
            await tx.posts.save(post)
            await tx.record.append(*events)
        return post

    def _told(self, kind: str, drawing: Drawing, message: Message) -> Iterator[Event]:
        """A line of the record for each approval of a card about which somebody can decide."""
        if drawing.post.kind is PostKind.CARD:
            for one in drawing.card:
                if one.state is State.WAITING:
                    yield sighting(kind, drawing.post, one, message.blocks, self.now())
