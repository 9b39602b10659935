"""Bursts on one card and what is held behind them, wherever the process dies."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from bot.approvals.approval import ASKED_AGAIN, Approval, Shape, State
from bot.approvals.asking import Asking
from bot.approvals.bursts import MOST, lead_for, merged, open_cards
from bot.approvals.carding import version_of
from bot.approvals.choosing import Chosen
from bot.approvals.conversation import PostKind, Status
from bot.approvals.decision import Approve, Reject
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, UserId
from bot.approvals.places import IN_THREAD, InChannel, ToApprovers
from bot.approvals.policy import Members, Policy, Rule, Terms
from bot.approvals.queueing import Queue
from bot.approvals.sayings import saying
from bot.approvals.who import One
from bot.store import open_store
from tests.approvals.bench import Bench, a_bench
from tests.approvals.fakes import Asks, Line, OnlyFor, Says, ScriptedAgent, WatchedStore, asks, owed, owing
from tests.approvals.test_crashes import Doom, World, decide, what_stands
from tests.store.samples import BOB, NOON, action, approval, conversation, later, post

ONE_CARD = Policy(
    defaults=Terms(
        approvers=(Members(),), expires_after=timedelta(hours=1), remind_after=(timedelta(minutes=1),)
    ),
    open_cards=1,
)
FLOOD: tuple[Line, ...] = (
    Asks(
        (
            asks("i1", "write_file"),
            asks("i2", "write_file"),
            asks("i3", "delete_file"),
            asks("i4", "delete_file"),
            asks("i5", "list_files"),
        )
    ),
    Says("All done."),
)


class Narrow(World):
    """A world in which one card of a conversation is open at once."""

    def _started(self) -> Bench:
        store = WatchedStore(self.rows, self.doom)
        return a_bench(store, ScriptedAgent(self.memory, *self.script, at=self.doom), policy=ONE_CARD)


async def cards_of(bench: Bench) -> list[ApprovalId | None]:
    return [post.approval for post in await bench.posts(PostKind.CARD)]


async def the_flood(world: World) -> None:
    """Each card is decided, the burst's second row first."""
    await world.does(lambda bench: bench.hears("tidy up"))
    await world.does(Bench.works)
    await world.does(lambda bench: decide(bench, "i2", 0, Approve()))
    await world.does(Bench.works)
    await world.does(lambda bench: decide(bench, "i1", 0, Reject("no")))
    await world.does(lambda bench: decide(bench, "i3", 0, Approve()))
    await world.does(lambda bench: decide(bench, "i4", 0, Approve()))
    await world.does(lambda bench: decide(bench, "i5", 0, Approve()))
    await world.does(Bench.works)


async def test_wherever_the_process_dies_a_burst_and_what_is_held_end_the_same(tmp_path: Path) -> None:
    empty, number, done = tmp_path / "empty.db", 0, False
    async with open_store(empty):
        pass
    while not done:
        number += 1
        database = tmp_path / f"{number}.db"
        copyfile(empty, database)
        async with open_store(database) as rows:
            world = Narrow(rows, Doom(number), FLOOD)
            await the_flood(world)
            stands, place = await what_stands(world), f"died at place {number}: {world.doom.place}"
            ids = {str(one.interrupt): one.id for one in await world.bench.approvals()}
            assert stands["status"] is Status.IDLE, place
            assert stands["approvals"] == [(f"i{one}", State.DELIVERED) for one in range(1, 6)], place
            assert dict(stands["told"]) == {  # type: ignore[call-overload]  # a list of pairs
                "i1": [f"rejected by <@{BOB}>"],
                **{f"i{one}": [f"approved by <@{BOB}>"] for one in (2, 3, 4, 5)},
            }, place
            assert len(stands["told"]) == 5, place  # type: ignore[arg-type]  # the same list
            assert await cards_of(world.bench) == [ids["i1"], ids["i3"], ids["i5"]], place
            recorded = await world.bench.recorded()
            counts = {kind: recorded.count(kind) for kind in ("filed", "let_on", "decided", "delivered")}
            assert counts == {"filed": 5, "let_on": 3, "decided": 5, "delivered": 5}, place
            assert await owed(rows, "timer") == [], place
            assert (stands["posts owed"], stands["kept"], stands["owed"]) == (True, [], []), place
            done = not world.doom.place
    assert number > 60


async def asked(store: WatchedStore) -> Bench:
    bench = a_bench(store, ScriptedAgent({}, *FLOOD), policy=ONE_CARD)
    await bench.asked()
    return bench


async def test_what_is_held_has_no_card_and_no_timer_until_it_is_let_on(store: WatchedStore) -> None:
    bench = await asked(store)
    filed = await bench.approvals()
    assert [one.held for one in filed] == [False, False, True, True, True]
    assert [bool(one.expires_at) for one in filed] == [True, True, False, False, False]
    assert [one.card for one in filed] == [None, filed[0].id, None, filed[2].id, None]
    assert await cards_of(bench) == [filed[0].id]
    timers = {str(job["id"]).split(":")[1] for job in await owed(store, "timer")}
    assert timers == {filed[0].id, filed[1].id}
    await bench.desk.decide(filed[1].actions[0].id, Approve(), by=BOB)
    assert [one.held for one in await bench.approvals()] == [False, False, True, True, True]
    await bench.desk.decide(filed[0].actions[0].id, Approve(), by=BOB)
    let_on = await bench.approvals()
    assert [one.held for one in let_on] == [False, False, False, False, True]
    assert let_on[2].asked_at > filed[2].asked_at
    assert let_on[2].expires_at == let_on[2].asked_at + timedelta(hours=1)
    assert await cards_of(bench) == [filed[0].id, filed[2].id]


async def test_stop_withdraws_what_is_held_as_well(store: WatchedStore) -> None:
    bench = await asked(store)
    await bench.steering.stop((await bench.conversation()).id, by=BOB)
    await bench.works()
    filed = await bench.approvals()
    assert {one.state for one in filed} == {State.WITHDRAWN}
    assert await cards_of(bench) == [filed[0].id]
    assert await owed(store, "timer") == []


def waits(id: str, tool: str = "write_file", **changes: object) -> Approval:
    return replace(approval(id, action(f"a-{id}", tool=tool)), **changes)  # type: ignore[arg-type]


def test_a_call_joins_the_first_card_of_its_tool_that_waits() -> None:
    waiting = [waits("1", "other"), waits("2"), waits("3", card=ApprovalId("2"))]
    assert lead_for(waits("4"), waiting) == waiting[1]
    assert lead_for(waits("4", "else"), waiting) is None


@pytest.mark.parametrize(
    "other",
    [
        waits("2", shape=Shape.QUESTION),
        waits("2", shape=Shape.IN_DOUBT),
        waits("2", requesters=frozenset({UserId("U0CAROL")})),
        waits("2", card=ApprovalId("gone")),
        approval("2", action("a"), action("b", tool="other")),
    ],
)
def test_a_call_joins_no_card_of_another_kind_or_of_other_requesters(other: Approval) -> None:
    assert lead_for(waits("4"), [other]) is None


def test_calls_for_which_functions_chose_other_people_stand_apart() -> None:
    bobs, carols = (Chosen(approvers=(One(UserId(id)),)) for id in ("U0BOB", "U0CAROL"))
    waiting = [approval("1", action("a-1", chosen=bobs)), approval("2", action("a-2", chosen=carols))]
    assert lead_for(approval("3", action("a-3", chosen=carols)), waiting) == waiting[1]
    assert lead_for(approval("4", action("a-4")), waiting) is None


DIRECT = Terms(approvers=(One(BOB),), channel=ToApprovers(), expires_after=timedelta(hours=1))


@pytest.mark.parametrize(
    ("defaults", "rule", "together"),
    [
        (DIRECT, {}, True),
        (DIRECT, {"redact": ("x",), "danger": True, "reasons": ("No.",), "all_at_once": True}, True),
        (DIRECT, {"edit_to": ("a",), "ask": Asking.ONCE, "fresh": True, "shared_channels": True}, True),
        (DIRECT, {"approvers": (One(UserId("U0CAROL")),)}, False),
        (DIRECT, {"quorum": 2}, False),
        (DIRECT, {"self_approval": True}, False),
        (DIRECT, {"expires_after": timedelta(hours=2)}, False),
        (DIRECT, {"remind_after": (timedelta(minutes=1),)}, False),
        (DIRECT, {"escalate_after": timedelta(minutes=1), "escalate_to": (BOB,)}, False),
        (DIRECT, {"channel": IN_THREAD}, False),
        (replace(DIRECT, channel=IN_THREAD), {}, False),
        (replace(DIRECT, channel=InChannel(ChannelId("C0OPS"))), {}, False),
    ],
)
def test_in_direct_messages_calls_of_several_tools_stand_together_if_the_same_people_decide_likewise(
    defaults: Terms,
    rule: dict[str, Any],
    together: bool,  # noqa: FBT001 - a row of the table
) -> None:
    policy = Policy(defaults=defaults, rules=(Rule(tools=("other",), **rule),))
    first = waits("1")
    for one, other in ((waits("1"), waits("2", "other")), (waits("1", "other"), waits("2"))):
        assert lead_for(other, [one], policy) == (one if together else None)
    assert lead_for(waits("2"), [first], policy) == first
    question = waits("2", "other", shape=Shape.QUESTION)
    assert lead_for(question, [first], policy) is None


def test_a_card_that_is_full_takes_no_more() -> None:
    full = [waits("0"), *(waits(str(number), card=ApprovalId("0")) for number in range(1, MOST))]
    assert lead_for(waits("next"), full) is None
    assert lead_for(waits("next"), full[:-1]) == full[0]


def test_all_that_stands_on_a_card_is_drawn_as_one() -> None:
    first = waits("1", version=2, expires_at=later(20))
    second = waits("2", version=0, expires_at=later(10), escalated_to=frozenset({BOB}))
    done = waits("3", version=1, state=State.SETTLED)
    gone = waits("4", version=1, state=State.WITHDRAWN)
    one = merged([first, second, done, gone])
    assert (one.id, one.state, one.expires_at, one.asked_at) == (first.id, State.WAITING, later(10), NOON)
    assert [each.id for each in one.actions] == ["a-1", "a-2", "a-3"]
    assert one.closed == {"a-3"}
    assert one.escalated_to == {BOB}
    assert one.version == version_of([first, second, done, gone]) == 7
    again = replace(gone, note=saying(ASKED_AGAIN, why="others"))
    assert merged([done, again]).state is State.SETTLED
    assert [each.id for each in merged([done, again]).actions] == ["a-3"]
    assert merged([again, again]).state is State.WITHDRAWN
    assert merged([gone, gone]).state is State.WITHDRAWN
    assert merged([first]) is first


def test_what_is_drawn_as_one_has_who_asked_and_who_was_called_in_for_any_of_it_and_the_last_word() -> None:
    carol = UserId("U0CAROL")
    first = waits("1", asked_at=later(1), expires_at=None, escalated_to=frozenset({BOB}))
    second = waits("2", asked_at=later(2), requesters=frozenset({carol}), escalated_to=frozenset({carol}))
    gone = waits("3", state=State.WITHDRAWN, note="stopped", escalated_to=frozenset({UserId("U0DAVE")}))
    one = merged([gone, first, second])
    assert (one.id, one.asked_at, one.expires_at, one.note) == (gone.id, later(1), None, "")
    assert one.requesters == {"U0ALICE", carol}
    assert one.escalated_to == {BOB, carol}
    assert one.closed == frozenset()
    both = merged([replace(gone, note="first"), gone])
    assert (both.note, both.closed) == ("first", frozenset())
    settled = [waits("4", state=State.SETTLED), waits("5", state=State.DELIVERED)]
    assert merged(settled).state is State.DELIVERED


NEVER_DECIDED = ("stopped by <@U0BOB>", "stopped", "the agent no longer waits for it", "")


@pytest.mark.parametrize("note", NEVER_DECIDED)
@pytest.mark.parametrize("other", [State.SETTLED, State.DELIVERED])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_was_withdrawn_and_is_not_asked_again_stays_on_a_card_on_which_nothing_waits(
    note: str, other: State, *, is_first: bool
) -> None:
    gone = waits("gone", state=State.WITHDRAWN, note=note)
    approved = replace(waits("done").decide(ActionId("a-done"), Approve(), by=BOB, at=NOON), state=other)
    one = merged([gone, approved] if is_first else [approved, gone])
    assert {each.id for each in one.actions} == {"a-gone", "a-done"}
    assert (one.state, one.note, one.closed) == (State.WITHDRAWN, note, frozenset({"a-done"}))
    assert [each.id for each in one.open] == ["a-gone"]
    untold = replace(approved, state=State.WITHDRAWN, note="untold")
    assert merged([untold, gone]).note == note, "why it was not decided, and not why it was not told"


async def test_what_is_let_on_is_asked_from_now_on_with_its_timers_and_a_line(
    store: WatchedStore,
) -> None:
    others = conversation("thread-2").id
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.conversations.add(conversation(others))
        for one in (
            waits("1", state=State.SETTLED),
            waits("2", held=True),
            waits("3", held=True, card=ApprovalId("2")),
            waits("4", "other", held=True),
            waits("5", conversation=others, held=True),
        ):
            assert await tx.approvals.add(one)
        queue = Queue(jobs=owing(store), policy=OnlyFor(ONE_CARD), now=lambda: later(60))
        await queue.let_on(tx, [conversation().id])
    async with store.read() as tx:
        asked = {one.id: one for one in await tx.approvals.of(conversation().id)}
        lines = await tx.record.of(conversation().id)
        cards = await tx.posts.cards(ApprovalId("2"))
        other = await tx.approvals.get(ApprovalId("5"))
    assert other
    assert other.held
    assert [one.held for one in asked.values()] == [False, False, False, True]
    ends = later(3_660)
    assert [one.expires_at for one in asked.values()] == [None, ends, ends, None]
    assert [(line.kind, line.at, line.approval, line.conversation, line.detail) for line in lines] == [
        ("let_on", later(60), id, conversation().id, {"expires_at": ends.isoformat()}) for id in ("2", "3")
    ]
    assert [one.place for one in cards] == [""]
    timers = [str(job["id"]) for job in await owed(store, "timer")]
    assert timers == ["remind:2:1", "expire:2", "remind:3:1", "expire:3"]


async def test_without_a_deadline_the_record_says_so_of_what_is_let_on(store: WatchedStore) -> None:
    policy = Policy(defaults=Terms(approvers=(Members(),)), open_cards=1)
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        assert await tx.approvals.add(waits("1", held=True))
        await Queue(jobs=owing(store), policy=policy, now=lambda: NOON).let_on(tx, [conversation().id])
        [line] = await tx.record.of(conversation().id)
    assert line.detail == {"expires_at": None}


@pytest.mark.parametrize(
    ("waiting", "held", "card"),
    [
        ([], False, None),
        ([waits("1", "other")], True, None),
        ([waits("1", "other", held=True)], True, None),
        ([waits("1")], False, "1"),
        ([waits("1", held=True)], True, "1"),
    ],
)
def test_what_is_asked_joins_its_card_or_stands_open_or_is_held_without_deadline_and_timers(
    waiting: list[Approval],
    held: bool,  # noqa: FBT001 - a row of the table
    card: str | None,
) -> None:
    queue = Queue(jobs=None, policy=OnlyFor(ONE_CARD), now=lambda: NOON)  # type: ignore[arg-type]
    asked, timers = queue.placed(waits("2"), waiting)
    assert (asked.held, asked.card) == (held, card)
    open_now = later(3_600), ("remind:2:1", "expire:2")
    assert (asked.expires_at, asked.timers) == ((None, ()) if held else open_now)
    assert [timer.id for timer in timers] == [*asked.timers]


async def test_the_last_card_and_the_one_that_was_let_on_last_say_again_how_many_wait(
    store: WatchedStore,
) -> None:
    async def card(id: str, ts: str | None) -> None:
        told = post(f"card-{id}", kind=PostKind.CARD, approval=ApprovalId(id), ts=ts, channel="C1")
        async with store.write() as tx:
            assert await tx.approvals.add(waits(id))
            await tx.posts.owe(told)
            await tx.posts.save(told)

    async with store.write() as tx:
        await tx.conversations.add(conversation())
    for id, ts in (("1", "1.1"), ("2", "1.2"), ("3", "1.3"), ("4", "1.4"), ("5", None)):
        await card(id, ts)
    queue = Queue(jobs=owing(store), policy=ONE_CARD, now=lambda: NOON)
    held = waits("6", held=True)

    async def drawn(*leads: str, more: tuple[str, ...] = ()) -> set[str]:
        async with store.write() as tx:
            await queue.tell(tx, [*map(waits, leads), held], tuple(map(ApprovalId, more)))
        jobs = await owed(store, "redraw")
        async with store.write() as tx:
            for job in jobs:
                await owing(store).cancel(tx, str(job["id"]))
        assert all(str(job["id"]).split(":")[2].startswith("queue-") for job in jobs)
        return {str(job["id"]).split(":")[1] for job in jobs}

    assert await drawn("1", "2", "3") == {"card-3"}
    assert await drawn("1", more=("2", "3", "4")) == {"card-1", "card-4"}
    assert await drawn("5") == set()
    assert await drawn() == set()


def test_open_cards_are_counted_once_and_without_what_is_held() -> None:
    every = [waits("1"), waits("2", card=ApprovalId("1")), waits("3", held=True), waits("4")]
    assert open_cards(every) == ["1", "4"]
