"""What one person is to know, on the real store: who is shown what, and how much is asked for it."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.action import Seat
from bot.approvals.approval import Approval, State
from bot.approvals.decision import Approve
from bot.approvals.desk import Desk
from bot.approvals.errors import NotHere
from bot.approvals.homes import Home
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, ConversationId, InterruptId, UserId
from bot.approvals.inboxes import MOST_WAITING, PAGE, Inboxes
from bot.approvals.places import Spot
from bot.approvals.policy import ChannelMembers, One, Policy, Quorum, Rule, Terms
from bot.slack.home import home
from bot.store.rows import action_values, approval_values
from bot.store.tables import actions, approvals
from tests.approvals.fakes import HOME, FileTools, People, WatchedStore, owing
from tests.store.samples import ALICE, BOB, GENERAL, NOON, action, approval, conversation

CAROL = UserId("U0CAROL")
ANYBODY = Policy(defaults=Terms(approvers=(ChannelMembers(),)))
INSIDE = {GENERAL: {BOB, CAROL}}


def asks(number: int, **changes: object) -> Approval:
    about = approval(f"p{number}", action(f"a{number}"), conversation=ConversationId("c1"))
    return replace(about, interrupt=InterruptId(f"{number:032}"), **changes)  # type: ignore[arg-type]


async def filed(store: WatchedStore, *given: Approval) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation("c1", channel=GENERAL, requester=ALICE))
        for one in given:
            assert await tx.approvals.add(one)


def inboxes(store: WatchedStore, policy: Policy = ANYBODY, people: People | None = None) -> Inboxes:
    return Inboxes(store=store, directory=people or People(inside=INSIDE), policy=policy)


async def test_of_very_many_the_oldest_are_shown_the_others_counted_and_few_statements_said(
    store: WatchedStore,
) -> None:
    await filed(store, *(asks(number) for number in range(2 * PAGE + 1)))
    said: list[str] = []

    def hear(_: object, __: object, statement: str, *___: object) -> None:
        said.append(statement)

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        inbox = await inboxes(store).of(BOB)
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
    assert [one.asked.approval.id for one in inbox.waiting] == [
        f"p{number}" for number in range(MOST_WAITING)
    ]
    assert inbox.more == 2 * PAGE + 1 - MOST_WAITING
    assert len([one for one in said if one.startswith("SELECT")]) < 12
    assert inbox.every is None


async def filed_quickly(store: WatchedStore, count: int) -> None:
    """So many approvals in a fifth as many conversations of forty channels."""
    rooms = [ChannelId(f"C0{number:02}") for number in range(40)]
    begun = [
        conversation(f"c{number}", channel=rooms[number % len(rooms)], requester=ALICE)
        for number in range(count // 5)
    ]
    given = [
        replace(asks(number), conversation=begun[number % len(begun)].id, held=number % 10 == 9)
        for number in range(count)
    ]
    async with store.write() as tx:
        for one in begun:
            await tx.conversations.add(one)
        assert isinstance(tx.connection, AsyncConnection)
        await tx.connection.execute(approvals.insert(), [approval_values(one) for one in given])
        await tx.connection.execute(actions.insert(), [row for one in given for row in action_values(one)])


async def test_ten_thousand_that_wait_are_all_counted_for_whoever_may_decide_about_them(
    store: WatchedStore,
) -> None:
    await filed_quickly(store, 10_000)
    policy = Policy(defaults=Terms(approvers=(ChannelMembers(),)), operators=(One(CAROL),))
    inside = {ChannelId(f"C0{number:02}"): {BOB} for number in range(40)}
    people = People(inside=inside)
    bobs = await inboxes(store, policy, people).of(BOB)
    assert [one.asked.approval.id for one in bobs.waiting] == [
        f"p{number}" for number in range(MOST_WAITING + 1) if number != 9
    ]
    assert (bobs.more, bobs.total, bobs.is_partial) == (10_000 - MOST_WAITING, 10_000, False)
    assert sorted(people.looked_into) == sorted(inside)
    carols = await inboxes(store, policy, People(inside=inside)).of(CAROL)
    assert carols.every is not None
    assert (carols.waiting, carols.more, len(carols.every), carols.total) == ((), 0, 15, 10_000)
    half = People(inside={room: {BOB} for room in sorted(inside)[:20]})
    assert (await inboxes(store, policy, half).of(BOB)).more == 5_000 - MOST_WAITING
    view = home(bobs, lambda channel, ts: f"https://a.example/{channel}/{ts}")
    assert len(view["blocks"]) <= 100
    assert "9,9" in str(view)


async def test_nothing_waits_for_who_asked_who_voted_who_is_outside_and_who_is_not_named(
    store: WatchedStore,
) -> None:
    two = (Quorum(approvers=(ChannelMembers(),), count=2),)
    asked = asks(1, requesters=frozenset({ALICE}))
    voted = asked.decide(ActionId("a1"), Approve(), by=CAROL, at=NOON, seat=Seat(needs=two))
    await filed(store, voted)
    waiting = {by: (await inboxes(store).of(by)).waiting for by in (ALICE, BOB, CAROL)}
    assert {by: len(those) for by, those in waiting.items()} == {ALICE: 0, BOB: 1, CAROL: 0}
    outside = inboxes(store, people=People(inside={GENERAL: {CAROL}}))
    assert (await outside.of(BOB)).waiting == ()
    named = Policy(
        defaults=Terms(approvers=(One(CAROL),)), rules=(Rule(tools=("other",), approvers=(One(BOB),)),)
    )
    assert (await inboxes(store, named).of(BOB)).waiting == ()


async def test_what_is_held_is_counted_and_not_shown(store: WatchedStore) -> None:
    await filed(store, asks(1), asks(2, held=True))
    inbox = await inboxes(store).of(BOB)
    assert [one.asked.approval.id for one in inbox.waiting] == [ApprovalId("p1")]
    assert inbox.more == 1


async def test_what_slack_cannot_say_leaves_it_out_and_says_so(store: WatchedStore) -> None:
    await filed(store, asks(1))
    unknown = await inboxes(store, people=People(inside=INSIDE, unknown=True)).of(BOB)
    assert (unknown.standing, unknown.waiting, unknown.requests) == (None, (), ())
    silent = await inboxes(store, people=People(inside=INSIDE, silent=True)).of(BOB)
    assert (silent.waiting, silent.is_partial) == ((), True)
    assert not (await inboxes(store).of(BOB)).is_partial


async def test_a_press_counts_only_in_the_home_tab_of_whoever_presses(store: WatchedStore) -> None:
    await filed(store, asks(1))
    desk = Desk(
        store=store,
        jobs=owing(store),
        directory=People(inside=INSIDE),
        tools=FileTools(),
        policy=ANYBODY,
        now=lambda: NOON,
    )

    async def press(view: str) -> Approval:
        spot = Spot(home=view, team=HOME)
        return await desk.decide(ActionId("a1"), Approve(), by=BOB, spot=spot)

    with pytest.raises(NotHere, match="not your Home tab"):
        await press("V1")
    async with store.write() as tx:
        await tx.homes.save(Home(person=CAROL, opened_at=NOON, view="V1"))
        await tx.homes.save(Home(person=BOB, opened_at=NOON, view="V2"))
    with pytest.raises(NotHere, match="Please open it again"):
        await press("V1")
    async with store.read() as tx:
        refused = [line for line in await tx.record.of() if line.kind == "refused"]
        assert [line.detail["claimed"] for line in refused] == [
            {"team": HOME, "channel": None, "message": None, "home": "V1"}
        ] * 2
    assert (await press("V2")).state is State.SETTLED


async def test_operators_see_all_and_may_decide_no_more_for_it(store: WatchedStore) -> None:
    await filed(store, *(asks(number) for number in range(20)))
    policy = Policy(defaults=Terms(approvers=(One(CAROL),)), operators=(One(BOB),))
    inbox = await inboxes(store, policy).of(BOB)
    assert inbox.every is not None
    assert (len(inbox.every), inbox.total, inbox.waiting) == (15, 20, ())
    assert (await inboxes(store, policy).of(CAROL)).every is None
