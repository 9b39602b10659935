"""What each timer writes, in which place it is said, and what the record has of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Post, PostKind, PostState, Status
from bot.approvals.ids import ApprovalId, ChannelId, PostId, Ts, UserId
from bot.approvals.places import ToApprovers
from bot.approvals.policy import Members, One, Policy, Rule, Terms
from bot.approvals.ports import Work
from bot.approvals.timers import Timers, timed
from bot.approvals.times import NEVER
from tests.approvals.fakes import OnlyFor, WatchedStore, owed, owing
from tests.store.samples import ALICE, BOB, GENERAL, NOON, THREAD, action, approval, conversation, later

CAROL, DAVE = UserId("U0CAROL"), UserId("U0DAVE")
HOUR = timedelta(hours=1)
TERMS = Terms(
    approvers=(Members(),),
    expires_after=4 * HOUR,
    remind_after=(HOUR, 2 * HOUR),
    escalate_after=3 * HOUR,
    escalate_to=(DAVE, CAROL),
)
POLICY = Policy(defaults=TERMS, rules=(Rule(tools=("pay",), approvers=(One(BOB),)),))
WORDS = "a full member of this workspace, but nobody who asked for it"


def test_what_is_asked_has_a_timer_for_each_time_and_reminders_know_when_the_next_one_is_due() -> None:
    asked, timers = timed(approval("p1"), POLICY)
    about = {"approval": "p1"}
    first = (NOON + 2 * HOUR).isoformat()
    assert timers == [
        Work("remind:p1:1", "timer", delay=3_600, payload={**about, "does": "remind", "until": first}),
        Work("remind:p1:2", "timer", delay=7_200, payload={**about, "does": "remind", "until": ""}),
        Work("escalate:p1", "timer", delay=10_800, payload={**about, "does": "escalate"}),
        Work("expire:p1", "timer", delay=14_400, payload={**about, "does": "expire"}),
    ]
    assert asked.timers == ("remind:p1:1", "remind:p1:2", "escalate:p1", "expire:p1")
    assert asked.expires_at == NOON + 4 * HOUR
    two = Policy(defaults=replace(TERMS, quorum=2))
    assert timed(approval("p1"), two)[0].actions[0].needs == two.defaults.needs
    never = Policy(defaults=replace(TERMS, expires_after=NEVER, escalate_after=NEVER, remind_after=()))
    assert timed(approval("p1"), never) == (approval("p1"), [])


async def waiting(store: WatchedStore, *approvals: Approval, places: Sequence[str] = ("",)) -> None:
    """These wait on one card, which stands in these places."""
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        for one in approvals:
            assert await tx.approvals.add(one)
        for number, place in enumerate(places):
            card = Post(
                id=PostId(f"card-{number}"),
                conversation=THREAD,
                kind=PostKind.CARD,
                approval=ApprovalId("p1"),
                place=place,
                state=PostState.SHOWN,
                channel=ChannelId(place or GENERAL),
                ts=Ts(f"9.{number}"),
            )
            await tx.posts.owe(card)
            await tx.posts.save(card)


async def fires(
    store: WatchedStore, does: str, *, at: datetime, policy: Policy = POLICY, until: str = "", id: str = "p1"
) -> None:
    timers = Timers(store=store, jobs=owing(store), policy=OnlyFor(policy), now=lambda: at)
    await timers.fire(f"{does}:{id}", {"approval": id, "does": does, "until": until})


async def told(store: WatchedStore) -> list[tuple[str, PostKind, str, str, Any]]:
    async with store.read() as tx:
        posts = await tx.posts.of(THREAD)
    kinds = {PostKind.REMINDER, PostKind.ESCALATION, PostKind.EXPIRY}
    return [(one.id, one.kind, one.place, one.text, one.approval) for one in posts if one.kind in kinds]


async def lines(store: WatchedStore) -> list[tuple[str, Any, Any]]:
    async with store.read() as tx:
        return [(line.kind, line.approval, dict(line.detail)) for line in await tx.record.of(THREAD)]


def waits(id: str = "p1", **changes: Any) -> Approval:  # noqa: ANN401 - fields
    return replace(approval(id), expires_at=NOON + 4 * HOUR, **changes)


@pytest.mark.parametrize(
    ("does", "kind", "words"),
    [
        ("remind", PostKind.REMINDER, WORDS),
        (
            "escalate",
            PostKind.ESCALATION,
            "a full member of this workspace or <@U0DAVE> or <@U0CAROL>, but nobody who asked for it",
        ),
    ],
)
async def test_what_there_is_to_say_is_said_in_the_thread_and_wherever_people_are_asked(
    store: WatchedStore, does: str, kind: PostKind, words: str
) -> None:
    await waiting(store, waits(), places=("", "C0OPS", BOB))
    await fires(store, does, at=NOON + 3 * HOUR)
    await fires(store, does, at=NOON + 3 * HOUR)
    name = f"{does}:p1"
    assert await told(store) == [
        (name, kind, "", words, "p1"),
        (f"{name}:C0OPS", kind, "C0OPS", words, "p1"),
        (f"{name}:{BOB}", kind, BOB, words, "p1"),
    ]
    posted = [str(job["id"]) for job in await owed(store, "post")]
    assert posted == [f"post:{name}", f"post:{name}:C0OPS", f"post:{name}:{BOB}"]


async def test_that_it_expired_is_said_in_the_thread_alone_and_each_on_the_card_has_its_line(
    store: WatchedStore,
) -> None:
    second = waits("p2", card=ApprovalId("p1"))
    third = waits("p3", card=ApprovalId("p1")).withdraw("stopped")
    await waiting(store, waits(), second, third, places=("", "C0OPS"))
    await fires(store, "expire", at=NOON + 4 * HOUR)
    assert await told(store) == [("expire:p1", PostKind.EXPIRY, "", WORDS, "p1")]
    assert await lines(store) == [
        ("expired", "p1", {"actions": ["a-p1"]}),
        ("expired", "p2", {"actions": ["a-p2"]}),
    ]
    async with store.read() as tx:
        states = [one.state for one in await tx.approvals.of(THREAD)]
        found = await tx.conversations.get(THREAD)
    assert states == [State.SETTLED, State.SETTLED, State.WITHDRAWN]
    assert found
    assert found.status is Status.WORKING


async def test_people_are_called_in_once_for_all_on_the_card_and_the_record_names_them(
    store: WatchedStore,
) -> None:
    second = waits("p2", card=ApprovalId("p1"))
    await waiting(store, waits(), second)
    await fires(store, "escalate", at=NOON + 3 * HOUR)
    await fires(store, "escalate", at=NOON + 3 * HOUR, id="p2")
    assert await lines(store) == [
        ("escalated", "p1", {"to": [CAROL, DAVE]}),
        ("escalated", "p2", {"to": [CAROL, DAVE]}),
    ]
    async with store.read() as tx:
        assert {one.escalated_to for one in await tx.approvals.of(THREAD)} == {frozenset({CAROL, DAVE})}
    assert [id for id, *_ in await told(store)] == ["escalate:p1"]


@pytest.mark.parametrize(("direct", "spread"), [(True, ["spread:p1"]), (False, [])])
async def test_who_is_called_in_is_sent_a_direct_message_where_the_others_were(
    store: WatchedStore, *, direct: bool, spread: list[str]
) -> None:
    policy = Policy(defaults=replace(TERMS, channel=ToApprovers()) if direct else TERMS)
    await waiting(store, waits())
    await fires(store, "escalate", at=NOON + 3 * HOUR, policy=policy)
    assert [str(job["id"])[:9] for job in await owed(store, "spread")] == spread


async def test_an_escalation_to_nobody_says_nothing(store: WatchedStore) -> None:
    await waiting(store, waits())
    await fires(store, "escalate", at=NOON + 3 * HOUR, policy=Policy(defaults=replace(TERMS, escalate_to=())))
    assert (await told(store), await lines(store)) == ([], [])


async def test_of_actions_with_different_people_it_is_said_that_it_depends(store: WatchedStore) -> None:
    calls = (action("a1"), action("a2", tool="pay"), action("a3"))
    await waiting(store, waits(actions=calls))
    await fires(store, "expire", at=NOON + 4 * HOUR)
    [(*_, words, _)] = await told(store)
    bob = "<@U0BOB>, but nobody who asked for it"
    assert words == f"{WORDS}; or {bob}, depending on the action"


@pytest.mark.parametrize(
    ("until", "at", "said"),
    [
        ("", later(3_600), True),
        (later(7_200).isoformat(), later(7_199.999), True),
        (later(7_200).isoformat(), later(7_200), False),  # the next one says it
        ("", NOON + 4 * HOUR, False),  # it is over, which says more
    ],
)
async def test_a_reminder_is_for_the_time_until_the_next_one_or_the_end(
    store: WatchedStore,
    until: str,
    at: datetime,
    said: bool,  # noqa: FBT001 - a row of the table
) -> None:
    await waiting(store, waits())
    await fires(store, "remind", at=at, until=until)
    assert [words for *_, words, _ in await told(store)] == ([WORDS] if said else [])


async def test_what_never_expires_is_not_expired_by_a_timer_of_another_policy(store: WatchedStore) -> None:
    await waiting(store, replace(approval("p1"), requesters=frozenset({ALICE})))
    await fires(store, "expire", at=NOON + 400 * HOUR)
    assert (await told(store), await lines(store)) == ([], [])
