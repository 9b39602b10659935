"""Publishes Home tabs: when one is opened, and when something on it changes while it may still be open.

A drawing is owed, as everything is that Slack is told: at most one at a time for a person, and one a second.
Whoever changes something owes the drawing whose round has not begun yet, so that a hundred changes come to
two drawings, and the last of them shows all.
"""

from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

import structlog
from aiolimiter import AsyncLimiter
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals import tenure
from bot.approvals.binding import fingerprint
from bot.approvals.errors import TryLater
from bot.approvals.homes import KEPT_FRESH, Home
from bot.approvals.ids import ChannelId, PostId, Ts, UserId
from bot.approvals.inbox import Inbox
from bot.approvals.inboxes import Inboxes
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.onlookers import Onlookers
from bot.approvals.ports import Clock, Directory, Jobs, Store, Work
from bot.approvals.realm import Choice
from bot.approvals.standings import Standings
from bot.approvals.words import spoken
from bot.slack.courier import Courier
from bot.slack.home import home, stands_on
from bot.slack.languages import Languages
from bot.slack.message import View
from bot.slack.refusals import Meaning, later, meaning_of, name_of
from bot.slack.sightings import sighting_at_home
from bot.slack.text import is_user_id

PUBLISH: Final = "publish"
"""The kind of work that draws a Home tab."""
APART: Final = timedelta(seconds=1)
"""Between two drawings of one tab."""
PUBLISHES: Final = (20, 12.0)
"""A burst of drawings, and the seconds after which as many are allowed again: Slack takes 100 a minute."""
KEPT: Final = timedelta(days=7)
"""How long after somebody opened Home its buttons are taken; then it has to be opened again."""

OFF: Final = frozenset({"not_enabled", "user_not_found"})
"""What Slack says where there is no such tab: the app has none, or the person is gone."""

Payload = dict[str, Any]

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeTabs:
    """Everybody's Home tab."""

    store: Store
    jobs: Jobs
    client: AsyncWebClient
    inboxes: Inboxes
    onlookers: Onlookers
    workspace_url: str
    """`https://team.slack.com/`, as auth.test says it; links to messages begin so."""
    now: Clock
    masking: Choice[Masking] = BY_DEFAULT
    languages: Languages | None = None
    pace: AsyncLimiter = field(default_factory=lambda: AsyncLimiter(*PUBLISHES))

    def register(self, app: AsyncApp) -> None:
        """Hear of every opening."""
        app.event("app_home_opened")(self.opened)

    async def opened(self, event: Payload) -> None:
        """Owe a drawing to whoever opened it, whatever it shows already."""
        by = event.get("user")
        if event.get("tab") != "home" or not isinstance(by, str) or not is_user_id(by):
            return
        now = self.now()
        async with self.store.write() as tx:
            await tx.homes.forget(now - KEPT)
            known = await tx.homes.get(UserId(by)) or Home(person=UserId(by), opened_at=now)
            await tx.homes.save(replace(known, opened_at=now, drawn=""))
            await self.jobs.owe(tx, publishing(known))

    async def pressed(self, by: UserId) -> None:
        """Owe a drawing to whoever pressed something there: what was shown may be of before."""
        async with self.store.write() as tx:
            if known := await tx.homes.get(by):
                await self.jobs.owe(tx, publishing(known))

    async def changed(self, id: PostId) -> None:
        """Owe drawings to all whose tab may show what this message is about, if it was opened lately."""
        async with self.store.read() as tx:
            fresh = await tx.homes.opened_since(self.now() - KEPT_FRESH)
            post = await tx.posts.get(id) if fresh else None
            conversation = await tx.conversations.get(post.conversation) if post else None
            approval = await tx.approvals.get(post.approval) if post and post.approval else None
        if conversation is None:
            return
        concerned = await self.onlookers.among(fresh, conversation, approval)
        if concerned:
            async with self.store.write() as tx:
                await self.jobs.owe(tx, *map(publishing, concerned))

    async def after(self, id: PostId, showing: Awaitable[None]) -> None:
        """Whatever becomes of a message that is being shown, the tabs show what has changed."""
        try:
            await showing
        finally:
            await self.changed(id)

    async def publish(self, by: UserId) -> None:
        """Draw the tab as all is now; does nothing if it shows that already. `TryLater` if too soon."""
        known = await self._take_up(by)
        if known is None:
            return
        found = await self.inboxes.of(by)
        language = await self.languages.language(by) if self.languages else None
        with spoken(language):
            inbox = found.masked(self.masking)
            view = home(inbox, self.address)
        if fingerprint(view) == known.drawn:
            return
        shown = await self._told(known, inbox, view)
        await self.pace.acquire()
        tenure.check()
        try:
            answer = await self.client.views_publish(user_id=by, view=view)
        except SlackApiError as error:
            if meaning_of(error) is Meaning.WAIT:
                raise later(error) from error
            if name_of(error) not in OFF:
                raise
            log.warning("home_not_published", error=name_of(error))
            return
        name = str((answer.get("view") or {}).get("id") or "") or known.view
        async with self.store.write() as tx:
            if there := await tx.homes.get(by):
                await tx.homes.save(replace(there, view=name, drawn=fingerprint(view), seen=shown.seen))

    def address(self, channel: ChannelId, ts: Ts) -> str:
        """Where a message can be seen."""
        return f"{self.workspace_url}archives/{channel}/p{ts.replace('.', '')}"

    async def _take_up(self, by: UserId) -> Home | None:
        now = self.now()
        async with self.store.write() as tx:
            known = await tx.homes.get(by)
            if known is None:
                return None
            if known.began_at and timedelta() <= now - known.began_at < APART:
                raise TryLater((APART - (now - known.began_at)).total_seconds(), "it was drawn just now")
            await tx.homes.save(replace(known, round=known.round + 1, began_at=now))
            return known

    async def _told(self, known: Home, inbox: Inbox, view: View) -> Home:
        """Put into the record what can be decided on it; before it is shown, since people may be quick."""
        standing = stands_on(view, inbox)
        new = [one for one in standing if known.seen.get(one.id) != one.version]
        events = [sighting_at_home(known.person, one, view["blocks"], self.now()) for one in new]
        if events:
            async with self.store.write() as tx:
                await tx.record.append(*events)
        return replace(known, seen={one.id: one.version for one in standing})


def tabs_beside(courier: Courier, standings: Standings, directory: Directory, url: str) -> HomeTabs:
    """Home tabs that are drawn from the same rows, by the same policy and in the same Slack as the cards."""
    return HomeTabs(
        store=courier.store,
        jobs=standings.jobs,
        client=courier.client,
        inboxes=Inboxes(
            store=courier.store, directory=directory, policy=standings.policy, roster=courier.roster
        ),
        onlookers=Onlookers(directory=directory, policy=standings.policy),
        workspace_url=url,
        now=courier.now,
        masking=courier.masking,
        languages=courier.languages,
    )


def publishing(known: Home) -> Work:
    """The work of drawing a tab; owed once until it begins."""
    name = f"home:{known.person}"
    return Work(f"{name}:{known.round}", PUBLISH, key=name, payload={"person": known.person})
