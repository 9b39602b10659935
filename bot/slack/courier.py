"""The courier: posts what is owed and redraws cards. Rows come first, messages are drawn from them."""

from dataclasses import dataclass, field, replace
from typing import Final

import structlog
from aiolimiter import AsyncLimiter
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.following import PACE, drawn_in
from bot.approvals.ids import PostId
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.ports import Clock, Store
from bot.approvals.realm import Choice
from bot.approvals.roster import ONE_AGENT, Roster
from bot.approvals.standings import Standings
from bot.approvals.times import utc_now
from bot.slack import sending
from bot.slack.displaced import Displaced
from bot.slack.drawing import CHANGING, SIMPLER, Drawing
from bot.slack.languages import Languages
from bot.slack.loading import loaded
from bot.slack.pace import Pace
from bot.slack.refusals import Meaning, later, meaning_of, name_of
from bot.slack.showing import Showing
from bot.slack.sightings import noted, sightings

REDRAWS: Final = (20, 4.0)
"""A burst of redraws, and the seconds after which as many are allowed again. Slack takes 50 and more a minute
(its Tier 3) and more in bursts; a storm of clicks must not become a storm of redraws."""

log = structlog.get_logger()


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
    now: Clock = utc_now
    pace: AsyncLimiter = field(default_factory=lambda: AsyncLimiter(*REDRAWS))
    """Of redraws."""
    turns: Pace = field(default_factory=Pace)
    """Of new messages."""
    refused: set[str] = field(default_factory=set)
    """What this Slack did not take as it is meant to be, and is given plainly from then on: kinds of posts,
    and `FILES`."""

    @property
    def _displaced(self) -> Displaced:
        return Displaced(store=self.store, standings=self.standings)

    @property
    def _showing(self) -> Showing:
        return Showing(
            store=self.store,
            client=self.client,
            displaced=self._displaced,
            now=self.now,
            turns=self.turns,
            refused=self.refused,
        )

    async def post(self, id: PostId) -> None:
        """Show an owed post; does nothing if it is shown."""
        drawing = await self._load(id)
        if drawing is None or drawing.post.state in {PostState.SHOWN, PostState.UNDELIVERABLE}:
            return
        post = drawing.post
        if drawing.is_nowhere or not (parts := drawing.parts()):
            why = "the thread has no message" if drawing.is_nowhere else "it is too late to say it"
            await noted(self.store, replace(post, state=PostState.UNDELIVERABLE, problem=why))
            return
        if await self._displaced.must_not_be_shown(drawing):
            return
        post = await self._showing.show(drawing, parts)
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
            await noted(
                self.store,
                replace(post, drawn=drawing.version),
                *sightings("shown", post, drawing.card, message, self.now()),
            )
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
                await noted(self.store, replace(post, state=PostState.OWED, ts=None))
                await self.post(post.id)
            case Meaning.NO_CHANNEL:
                log.warning("card_not_redrawn", post=post.id, error=name_of(error))
                await self._displaced.lose(post, error)
            case Meaning.TOO_MUCH if post.kind in SIMPLER and post.kind not in self.refused:
                self.refused.add(post.kind)
                await self.redraw(post.id)
            case _:
                raise error

    async def _load(self, id: PostId) -> Drawing | None:
        drawing = await loaded(self.store, self.masking, id, refused=self.refused, roster=self.roster)
        if drawing is None or drawing.reader is None or self.languages is None:
            return drawing
        return replace(drawing, language=await self.languages.language(drawing.reader))
