"""Home tabs, when they are drawn and what is kept of it: on the real store, over a Slack of a few lines."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from gettext import NullTranslations
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY

import pytest
from aiolimiter import AsyncLimiter
from slack_sdk.errors import SlackApiError
from structlog.testing import capture_logs

from bot.approvals.binding import fingerprint
from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.errors import TryLater
from bot.approvals.homes import Home
from bot.approvals.ids import ApprovalId, ChannelId, PostId, Ts, UserId
from bot.approvals.inboxes import Inboxes
from bot.approvals.masking import Masking
from bot.approvals.onlookers import Onlookers
from bot.approvals.policy import ChannelMembers, Policy, Terms
from bot.slack.home import home
from bot.slack.home_tabs import KEPT, PUBLISHES, HomeTabs, publishing, tabs_beside
from tests.approvals.fakes import People, WatchedStore, owed, owing
from tests.slack.steps import Called, error
from tests.store.samples import ALICE, BOB, GENERAL, NOON, action, approval, conversation

ANYBODY = Policy(defaults=Terms(approvers=(ChannelMembers(),)))
URL = "https://team.slack.com/"
CARD = PostId("card-p1")


@dataclass(kw_only=True)
class Tabs:
    """The tabs with what is around them, at a time that a test sets."""

    store: WatchedStore
    slack: Called = field(default_factory=lambda: Called(answers={"views_publish": {"view": {"id": "V1"}}}))
    now: datetime = NOON
    masking: Masking = field(default_factory=Masking)

    @property
    def tabs(self) -> HomeTabs:
        people = People(inside={GENERAL: {BOB}})
        client: Any = self.slack
        return HomeTabs(
            store=self.store,
            jobs=owing(self.store),
            client=client,
            inboxes=Inboxes(store=self.store, directory=people, policy=ANYBODY),
            onlookers=Onlookers(directory=people, policy=ANYBODY),
            workspace_url=URL,
            now=lambda: self.now,
            masking=self.masking,
            pace=AsyncLimiter(1_000, 1),
        )

    async def known(self, by: UserId = BOB) -> Home | None:
        async with self.store.read() as tx:
            return await tx.homes.get(by)

    async def keep(self, known: Home) -> None:
        async with self.store.write() as tx:
            await tx.homes.save(known)

    async def owed(self) -> list[str]:
        return [str(row["id"]) for row in await owed(self.store, "publish")]


@pytest.fixture
async def tabs(store: WatchedStore) -> Tabs:
    """One approval waits in a thread, with a card."""
    made = Tabs(store=store)
    asked = approval("p1", action("a1", {"password": "hunter2hunter2"}), conversation=conversation().id)
    card = Post(id=CARD, conversation=conversation().id, kind=PostKind.CARD, approval=asked.id)
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        assert await tx.approvals.add(asked)
        await tx.posts.owe(card)
        await tx.posts.save(replace(card, state=PostState.SHOWN, channel=GENERAL, ts=Ts("9.000100")))
    return made


def opened(by: object = BOB, tab: str = "home") -> dict[str, Any]:
    return {"type": "app_home_opened", "user": by, "tab": tab}


def test_what_is_owed_is_one_drawing_of_a_round() -> None:
    work = publishing(Home(person=BOB, opened_at=NOON, round=3))
    assert (work.id, work.kind, work.key, work.delay) == ("home:U0BOB:3", "publish", "home:U0BOB", 0)
    assert work.payload == {"person": "U0BOB"}


async def test_whoever_opens_home_is_owed_a_drawing_whatever_it_shows_already(tabs: Tabs) -> None:
    await tabs.tabs.opened(opened())
    assert await tabs.known() == Home(person=BOB, opened_at=NOON)
    assert await tabs.owed() == ["home:U0BOB:0"]
    await tabs.keep(Home(person=BOB, opened_at=NOON, view="V1", round=4, drawn="as before"))
    tabs.now = NOON + timedelta(hours=1)
    await tabs.tabs.opened(opened())
    assert await tabs.known() == Home(person=BOB, opened_at=tabs.now, view="V1", round=4, drawn="")
    assert await tabs.owed() == ["home:U0BOB:0", "home:U0BOB:4"]


@pytest.mark.parametrize(
    "event", [opened(tab="messages"), opened(None), opened(7), opened("<!here>"), {}, {"tab": "home"}]
)
async def test_another_tab_or_nobody_is_owed_nothing(tabs: Tabs, event: dict[str, Any]) -> None:
    await tabs.tabs.opened(event)
    assert await tabs.owed() == []
    assert await tabs.known() is None


async def test_a_tab_that_was_opened_more_than_a_week_ago_is_forgotten(tabs: Tabs) -> None:
    await tabs.keep(Home(person=ALICE, opened_at=NOON))
    tabs.now = NOON + KEPT
    await tabs.tabs.opened(opened())
    assert await tabs.known(ALICE)
    tabs.now = NOON + KEPT + timedelta(seconds=1)
    await tabs.tabs.opened(opened())
    assert await tabs.known(ALICE) is None


async def test_whoever_presses_something_there_is_owed_a_drawing(tabs: Tabs) -> None:
    await tabs.tabs.pressed(BOB)
    assert await tabs.owed() == []
    await tabs.keep(Home(person=BOB, opened_at=NOON, round=2))
    await tabs.tabs.pressed(BOB)
    assert await tabs.owed() == ["home:U0BOB:2"]


async def test_a_change_is_owed_to_those_whom_it_concerns_and_who_opened_it_lately(tabs: Tabs) -> None:
    dave = UserId("U0DAVE")
    for person in (ALICE, BOB, dave):
        await tabs.keep(Home(person=person, opened_at=NOON))
    tabs.now = NOON + timedelta(hours=12)
    await tabs.tabs.changed(PostId("unknown"))
    assert await tabs.owed() == []
    await tabs.tabs.changed(CARD)
    assert sorted(await tabs.owed()) == ["home:U0ALICE:0", "home:U0BOB:0"]


async def test_a_change_is_owed_to_nobody_who_opened_it_more_than_twelve_hours_ago(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))
    tabs.now = NOON + timedelta(hours=12, seconds=1)
    await tabs.tabs.changed(CARD)
    assert await tabs.owed() == []


async def test_a_message_about_no_approval_concerns_whoever_asked_in_its_conversation(tabs: Tabs) -> None:
    for person in (ALICE, BOB):
        await tabs.keep(Home(person=person, opened_at=NOON))
    async with tabs.store.write() as tx:
        await tx.posts.owe(Post(id=PostId("n1"), conversation=conversation().id, kind=PostKind.NOTICE))
    await tabs.tabs.changed(PostId("n1"))
    assert await tabs.owed() == ["home:U0ALICE:0"]


async def test_the_tabs_show_what_has_changed_whatever_becomes_of_the_message(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))

    async def showing() -> None:
        assert await tabs.owed() == []
        raise OSError("the network")

    with pytest.raises(OSError, match="the network"):
        await tabs.tabs.after(CARD, showing())
    assert await tabs.owed() == ["home:U0BOB:0"]


async def test_a_drawing_shows_the_inbox_and_is_kept_by_its_fingerprint(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON, round=2))
    await tabs.tabs.publish(BOB)
    [(method, asked)] = tabs.slack.asked
    inbox = (await tabs.tabs.inboxes.of(BOB)).masked(tabs.masking)
    assert inbox.waiting
    assert (method, asked) == ("views_publish", {"user_id": BOB, "view": home(inbox, tabs.tabs.address)})
    assert "hunter2" not in str(asked)
    assert "https://team.slack.com/archives/C0GENERAL/p9000100" in str(asked)
    assert await tabs.known() == Home(
        person=BOB,
        opened_at=NOON,
        view="V1",
        round=3,
        began_at=NOON,
        drawn=fingerprint(asked["view"]),
        seen={ApprovalId("p1"): 0},
    )


async def test_before_it_is_shown_the_record_has_what_can_be_decided_on_it_once(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))
    for turn in range(3):
        tabs.now = NOON + timedelta(seconds=2 * turn)
        if turn == 1:
            await tabs.tabs.opened(opened())
        await tabs.tabs.publish(BOB)
    assert [method for method, _ in tabs.slack.asked] == ["views_publish"] * 2
    async with tabs.store.read() as tx:
        events = await tx.record.of(conversation().id)
    [shown] = [event for event in events if event.kind == "showing"]
    assert (shown.at, shown.approval, shown.detail["home"]) == (NOON, "p1", BOB)
    assert shown.detail["blocks"] == fingerprint(tabs.slack.asked[0][1]["view"]["blocks"])


async def test_what_is_shown_already_is_not_published_again(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))
    await tabs.tabs.publish(BOB)
    tabs.now = NOON + timedelta(seconds=1)
    await tabs.tabs.publish(BOB)
    assert len(tabs.slack.asked) == 1
    known = await tabs.known()
    assert known
    assert (known.round, known.began_at) == (2, tabs.now)


async def test_who_never_opened_it_is_published_nothing(tabs: Tabs) -> None:
    await tabs.tabs.publish(BOB)
    assert (tabs.slack.asked, await tabs.known()) == ([], None)


@pytest.mark.parametrize(
    ("after", "wait"), [(timedelta(), 1.0), (timedelta(milliseconds=250), 0.75), (timedelta(seconds=1), None)]
)
async def test_two_drawings_of_one_tab_are_a_second_apart(
    tabs: Tabs, after: timedelta, wait: float | None
) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON, began_at=NOON))
    tabs.now = NOON + after
    if wait is None:
        await tabs.tabs.publish(BOB)
        assert len(tabs.slack.asked) == 1
        return
    with pytest.raises(TryLater, match="it was drawn just now") as later:
        await tabs.tabs.publish(BOB)
    assert later.value.seconds == wait
    assert tabs.slack.asked == []


async def test_a_clock_that_was_put_back_holds_nobody_up(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON, began_at=NOON))
    tabs.now = NOON - timedelta(milliseconds=1)
    await tabs.tabs.publish(BOB)
    assert len(tabs.slack.asked) == 1


@pytest.mark.parametrize("name", ["not_enabled", "user_not_found"])
async def test_where_slack_has_no_such_tab_it_is_logged_and_left(tabs: Tabs, name: str) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))
    tabs.slack.answers["views_publish"] = error(name)
    with capture_logs() as logs:
        await tabs.tabs.publish(BOB)
    assert logs == [{"event": "home_not_published", "error": name, "log_level": "warning"}]
    known = await tabs.known()
    assert known
    assert (known.drawn, known.round) == ("", 1)


async def test_slack_says_when_to_come_back_and_any_other_answer_is_an_error(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))
    tabs.slack.answers["views_publish"] = error("ratelimited", 429)
    with pytest.raises(TryLater):
        await tabs.tabs.publish(BOB)
    tabs.now = NOON + timedelta(seconds=1)
    tabs.slack.answers["views_publish"] = error("invalid_blocks")
    with pytest.raises(SlackApiError):
        await tabs.tabs.publish(BOB)


@pytest.mark.parametrize(
    ("answer", "view"),
    [({"view": {"id": "V2"}}, "V2"), ({"view": {}}, "V0"), ({}, "V0"), ({"view": None}, "V0")],
)
async def test_what_slack_calls_the_tab_is_kept_if_it_says_so(tabs: Tabs, answer: object, view: str) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON, view="V0"))
    tabs.slack.answers["views_publish"] = answer
    await tabs.tabs.publish(BOB)
    known = await tabs.known()
    assert known
    assert known.view == view


def test_a_message_has_an_address_without_a_dot(tabs: Tabs) -> None:
    assert tabs.tabs.address(ChannelId("C1"), Ts("1.000100")) == "https://team.slack.com/archives/C1/p1000100"


def test_slack_takes_twenty_drawings_at_once_and_then_as_many_in_twelve_seconds(store: WatchedStore) -> None:
    made = Tabs(store=store).tabs
    bare = HomeTabs(
        **{
            name: getattr(made, name)
            for name in ("store", "jobs", "client", "inboxes", "onlookers", "workspace_url", "now")
        }
    )
    assert PUBLISHES == (bare.pace.max_rate, bare.pace.time_period) == (20, 12.0)


def test_tabs_are_drawn_from_what_the_cards_are_drawn_from(store: WatchedStore) -> None:
    people = People()
    courier = {name: object() for name in ("client", "now", "masking", "languages")}
    beside: Any = SimpleNamespace(store=store, roster=object(), **courier)
    standings: Any = SimpleNamespace(jobs=object(), policy=ANYBODY)
    directory: Any = people
    assert tabs_beside(beside, standings, directory, URL) == HomeTabs(
        store=store,
        jobs=standings.jobs,
        inboxes=Inboxes(store=store, directory=people, policy=ANYBODY, roster=beside.roster),
        onlookers=Onlookers(directory=people, policy=ANYBODY),
        workspace_url=URL,
        pace=ANY,
        **courier,  # type: ignore[arg-type]
    )


async def test_the_tab_is_drawn_in_the_language_of_its_reader(tabs: Tabs) -> None:
    await tabs.keep(Home(person=BOB, opened_at=NOON))

    class Waves(NullTranslations):
        def gettext(self, message: str) -> str:
            return f"~{message}~"

    class Languages:
        async def language(self, user: UserId) -> Waves | None:
            return Waves() if user == BOB else None

    speaking: Any = Languages()
    await replace(tabs.tabs, languages=speaking).publish(BOB)
    assert "~Approve~" in str(tabs.slack.asked)


def test_the_app_tells_of_every_opening(store: WatchedStore) -> None:
    taken: list[tuple[str, str]] = []

    class App:
        def event(self, name: str) -> Any:  # noqa: ANN401
            return lambda what: taken.append((name, what.__name__))

    app: Any = App()
    Tabs(store=store).tabs.register(app)
    assert taken == [("app_home_opened", "opened")]
