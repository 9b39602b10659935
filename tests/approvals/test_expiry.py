"""What time does to an approval, on the real store and the real table of jobs; the clock is wound by hand."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from bot.approvals.approval import Decided, Expired, State
from bot.approvals.conversation import PostKind, Status
from bot.approvals.decision import Approve, Reject
from bot.approvals.errors import AlreadyDecided, NotAllowed, TryLater
from bot.approvals.ids import UserId
from bot.approvals.policy import ChannelMembers, Members, One, Policy, Rule, Terms
from bot.approvals.timers import TIMER, Schedule, schedule
from bot.approvals.times import NEVER
from bot.engines import try_timers_again
from tests.approvals.days import Days, days
from tests.approvals.fakes import Asks, People, Says, ScriptedAgent, WatchedStore, asks, owed
from tests.store.samples import ALICE, BOB, GENERAL, NOON

CAROL = UserId("U0CAROL")
HOUR, MOMENT = timedelta(hours=1), timedelta(milliseconds=1)
TIMES = Terms(
    approvers=(Members(),),
    expires_after=24 * HOUR,
    remind_after=(HOUR, 8 * HOUR),
    escalate_after=12 * HOUR,
    escalate_to=(CAROL,),
)


def an_agent(*tools: str) -> ScriptedAgent:
    return ScriptedAgent({}, Asks((asks("i1", *(tools or ("write_file",))),)), Says("All done."))


async def asked(store: WatchedStore, *tools: str, terms: Terms | Policy = TIMES) -> Days:
    bench = days(store, an_agent(*tools), terms, People(inside={GENERAL: {BOB}}))
    await bench.asked()
    return bench


async def timers(store: WatchedStore) -> list[str]:
    return [str(row["id"]).partition(":")[0] for row in await owed(store, TIMER)]


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        ([], Schedule()),
        ([Terms(approvers=())], Schedule()),
        (
            [TIMES],
            Schedule(expires_after=24 * HOUR, remind_after=(HOUR, 8 * HOUR), escalate_after=12 * HOUR),
        ),
        (
            [TIMES, replace(TIMES, expires_after=4 * HOUR, remind_after=(2 * HOUR,))],
            Schedule(expires_after=4 * HOUR, remind_after=(HOUR, 2 * HOUR)),
        ),
        (
            [replace(TIMES, expires_after=NEVER), replace(TIMES, escalate_after=HOUR, escalate_to=())],
            Schedule(expires_after=24 * HOUR, remind_after=(HOUR, 8 * HOUR), escalate_after=12 * HOUR),
        ),
        (
            [replace(TIMES, remind_after=(24 * HOUR, 24 * HOUR - MOMENT), escalate_after=24 * HOUR)],
            Schedule(expires_after=24 * HOUR, remind_after=(24 * HOUR - MOMENT,)),
        ),
    ],
)
def test_of_several_terms_the_earliest_expiry_and_escalation_count_and_all_reminders_before(
    every: list[Terms], expected: Schedule
) -> None:
    assert schedule(every) == expected


async def test_an_approval_is_filed_with_its_deadline_and_its_timers(store: WatchedStore) -> None:
    approval = await (await asked(store)).approval()
    rows = await owed(store, TIMER)
    assert approval.expires_at == NOON + 24 * HOUR
    assert {row["id"]: row["due"] for row in rows} == {
        f"remind:{approval.id}:1": (NOON + HOUR).timestamp(),
        f"remind:{approval.id}:2": (NOON + 8 * HOUR).timestamp(),
        f"escalate:{approval.id}": (NOON + 12 * HOUR).timestamp(),
        f"expire:{approval.id}": (NOON + 24 * HOUR).timestamp(),
    }
    assert {row["key"] for row in rows} == {None}
    assert list(approval.timers) == [row["id"] for row in rows]


async def test_what_never_expires_has_no_timer_and_no_deadline(store: WatchedStore) -> None:
    bench = await asked(store, terms=Terms(approvers=(Members(),)))
    assert await timers(store) == []
    assert (await bench.approval()).expires_at is None
    assert await bench.works_at(2_000 * 24 * HOUR) == []
    await bench.decides(await bench.approval())
    assert (await bench.conversation()).status is Status.IDLE


async def test_what_nobody_decides_expires_and_the_agent_goes_on(store: WatchedStore) -> None:
    bench = await asked(store)
    await bench.works_at(24 * HOUR - MOMENT)
    assert (await bench.approval()).state is State.WAITING
    fired = await bench.works_at(24 * HOUR)
    approval = await bench.approval()
    assert fired == [f"expire:{approval.id}"]
    assert approval.state is State.DELIVERED
    [told] = bench.agent.scene(approval.conversation).told
    assert [action.outcome for action in told.actions] == [Expired(at=NOON + 24 * HOUR)]
    assert (await bench.conversation()).status is Status.IDLE
    assert await bench.texts(PostKind.ANSWER) == ["All done."]
    assert len(await bench.posts(PostKind.EXPIRY)) == 1
    assert (await bench.recorded())[-3:] == ["escalated", "expired", "delivered"]
    assert await timers(store) == []


async def test_what_expires_is_drawn_again_handed_to_the_agent_and_has_no_more_timers_at_once(
    store: WatchedStore,
) -> None:
    bench = await asked(store)
    id = (await bench.approval()).id
    bench.clock.time = NOON + 24 * HOUR
    await bench.timers.fire(f"expire:{id}", {"approval": id, "does": "expire"})
    approval = await bench.approval()
    assert (approval.state, (await bench.conversation()).status) == (State.SETTLED, Status.WORKING)
    assert [str(job["id"]).rpartition(":")[2] for job in await owed(store, "redraw")] == [
        str(approval.version)
    ]
    assert [job["id"] for job in await owed(store, "resume")] == [f"resume:{id}"]
    assert await timers(store) == []


async def test_of_three_actions_the_agent_gets_the_decided_and_the_expired_in_order(
    store: WatchedStore,
) -> None:
    bench = await asked(store, "first", "second", "third")
    approval = await bench.approval()
    await bench.desk.decide(approval.actions[1].id, Reject("no"), by=BOB)
    await bench.works_at(24 * HOUR)
    [told] = bench.agent.scene(approval.conversation).told
    assert [action.outcome for action in told.actions] == [
        Expired(at=NOON + 24 * HOUR),
        Decided(decision=Reject("no"), by=BOB, at=NOON),
        Expired(at=NOON + 24 * HOUR),
    ]


async def test_of_tools_with_different_terms_the_earliest_expiry_counts_for_the_whole_approval(
    store: WatchedStore,
) -> None:
    rules = (Rule(tools=("deploy",), expires_after=2 * HOUR), Rule(tools=("read",), expires_after=NEVER))
    bench = await asked(store, "read", "deploy", "write_file", terms=Policy(defaults=TIMES, rules=rules))
    assert (await bench.approval()).expires_at == NOON + 2 * HOUR
    assert await timers(store) == ["remind", "expire"]
    await bench.works_at(2 * HOUR)
    assert (await bench.approval()).state is State.DELIVERED


@pytest.mark.parametrize(("after", "late"), [(-MOMENT, False), (0 * MOMENT, True), (MOMENT, True)])
async def test_a_decision_after_the_deadline_is_refused_though_no_timer_has_fired(
    store: WatchedStore,
    after: timedelta,
    late: bool,  # noqa: FBT001 - a row of the table
) -> None:
    bench = await asked(store)
    approval = await bench.approval()
    bench.clock.time = NOON + 24 * HOUR + after
    if late:
        with pytest.raises(AlreadyDecided, match=r"This request expired at 2026-01-03 12:00 UTC\."):
            await bench.desk.decide(approval.actions[0].id, Approve(), by=BOB)
        with pytest.raises(AlreadyDecided, match="This request expired at"):
            await bench.desk.opens(approval.actions[0].id, by=BOB)
        assert await bench.approval() == approval
        assert (await bench.recorded())[-2:] == ["refused", "refused"]
    else:
        await bench.desk.decide(approval.actions[0].id, Approve(), by=BOB)
    await bench.works_at(25 * HOUR)
    [told] = bench.agent.scene(approval.conversation).told
    [outcome] = [action.outcome for action in told.actions]
    assert isinstance(outcome, Expired if late else Decided)


async def test_the_last_decision_cancels_every_timer_and_an_earlier_one_none(store: WatchedStore) -> None:
    bench = await asked(store, "first", "second")
    first, second = (await bench.approval()).actions
    await bench.desk.decide(first.id, Approve(), by=BOB)
    await bench.desk.take_back(first.id, by=BOB)
    await bench.desk.decide(first.id, Approve(), by=BOB)
    assert await timers(store) == ["remind", "remind", "escalate", "expire"]
    await bench.desk.decide(second.id, Approve(), by=BOB)
    assert await timers(store) == []


async def test_stop_cancels_the_timers(store: WatchedStore) -> None:
    bench = await asked(store)
    await bench.steering.stop((await bench.conversation()).id, by=ALICE)
    assert await timers(store) == []
    await bench.works_at(48 * HOUR)
    assert await bench.posts(PostKind.EXPIRY, PostKind.REMINDER) == []


async def test_reminders_come_once_each_and_end_with_the_decision(store: WatchedStore) -> None:
    bench = await asked(store)
    assert await bench.works_at(HOUR) != []
    assert await bench.works_at(2 * HOUR) == []
    [post] = await bench.posts(PostKind.REMINDER)
    assert post.approval == (await bench.approval()).id
    assert post.text == "a full member of this workspace, but nobody who asked for it"
    await bench.decides(await bench.approval())
    assert await bench.works_at(48 * HOUR) == []
    assert len(await bench.posts(PostKind.REMINDER)) == 1


async def test_who_may_decide_is_said_by_the_policys_words_for_what_is_open(store: WatchedStore) -> None:
    rules = (
        Rule(tools=("deploy",), approvers=(One(BOB), ChannelMembers())),
        Rule(tools=("ask_user",), self_approval=True),
    )
    bench = await asked(store, "deploy", "ask_user", terms=Policy(defaults=TIMES, rules=rules))
    await bench.works_at(HOUR)
    await bench.desk.decide((await bench.approval()).actions[1].id, Approve(), by=BOB)
    await bench.works_at(8 * HOUR)
    deploy = "<@U0BOB> or a full member in this channel, but nobody who asked for it"
    assert await bench.texts(PostKind.REMINDER) == [
        f"{deploy}; or a full member of this workspace, depending on the action",
        deploy,
    ]


@pytest.mark.parametrize(
    ("down_until", "said"),
    [
        (7 * HOUR, [PostKind.REMINDER]),
        (9 * HOUR, [PostKind.REMINDER]),
        (13 * HOUR, [PostKind.REMINDER, PostKind.ESCALATION]),
        (30 * HOUR, [PostKind.EXPIRY]),
    ],
)
async def test_after_a_time_that_the_process_was_down_only_what_still_is_so_is_said_and_once(
    store: WatchedStore, down_until: timedelta, said: list[PostKind]
) -> None:
    agent = an_agent()
    await days(store, agent, TIMES).asked()
    again = days(store, agent, TIMES)
    await again.works_at(down_until)
    kinds = [PostKind.REMINDER, PostKind.ESCALATION, PostKind.EXPIRY]
    assert [post.kind for post in await again.posts(*kinds)] == said


async def test_whoever_is_called_in_may_decide_from_then_on_and_not_before(store: WatchedStore) -> None:
    bench = await asked(store, terms=replace(TIMES, approvers=(One(BOB),)))
    action = (await bench.approval()).actions[0].id
    with pytest.raises(NotAllowed):
        await bench.desk.decide(action, Approve(), by=CAROL)
    await bench.works_at(12 * HOUR)
    approval = await bench.approval()
    assert approval.escalated_to == {CAROL}
    [post] = await bench.posts(PostKind.ESCALATION)
    assert post.text == "<@U0BOB> or <@U0CAROL>, but nobody who asked for it"
    assert f"{approval.version}" in [str(job["id"]).rpartition(":")[2] for job in await owed(store, "redraw")]
    with pytest.raises(NotAllowed):
        await bench.desk.decide(action, Approve(), by=UserId("U0DAVE"))
    await bench.decides(approval, by=CAROL)
    assert (await bench.conversation()).status is Status.IDLE


async def test_who_asked_does_not_decide_though_called_in(store: WatchedStore) -> None:
    bench = await asked(store, terms=replace(TIMES, escalate_to=(ALICE,)))
    await bench.works_at(12 * HOUR)
    with pytest.raises(NotAllowed, match="You asked for this yourself"):
        await bench.desk.decide((await bench.approval()).actions[0].id, Approve(), by=ALICE)


async def test_whoever_is_called_in_for_one_action_does_not_decide_about_another(store: WatchedStore) -> None:
    rules = (Rule(tools=("deploy",), escalate_to=(CAROL,)),)
    defaults = replace(TIMES, approvers=(One(BOB),), escalate_to=())
    bench = await asked(store, "deploy", "delete", terms=Policy(defaults=defaults, rules=rules))
    await bench.works_at(12 * HOUR)
    deploy, delete = (await bench.approval()).actions
    with pytest.raises(NotAllowed):
        await bench.desk.decide(delete.id, Approve(), by=CAROL)
    await bench.desk.decide(deploy.id, Approve(), by=CAROL)


async def test_a_timer_that_fires_twice_does_its_work_once(store: WatchedStore) -> None:
    bench = await asked(store)
    id = (await bench.approval()).id
    payload = {"approval": id, "until": ""}
    for does, at in (("remind", HOUR), ("escalate", 12 * HOUR), ("expire", 24 * HOUR)):
        bench.clock.time = NOON + at
        for _ in range(2):
            await bench.timers.fire(f"{does}:{id}", {**payload, "does": does})
    await bench.works()
    kinds = [PostKind.REMINDER, PostKind.ESCALATION, PostKind.EXPIRY]
    assert [post.kind for post in await bench.posts(*kinds)] == kinds
    recorded = await bench.recorded()
    assert (recorded.count("escalated"), recorded.count("expired"), recorded.count("delivered")) == (1, 1, 1)


@pytest.mark.parametrize("does", ["remind", "escalate", "expire"])
async def test_a_timer_that_fires_after_the_decision_changes_nothing(store: WatchedStore, does: str) -> None:
    bench = await asked(store)
    await bench.decides(await bench.approval())
    before = await bench.approval(), await bench.posts(), await bench.recorded()
    bench.clock.time = NOON + 48 * HOUR
    await bench.timers.fire(f"{does}:x", {"approval": before[0].id, "does": does, "until": ""})
    assert (await bench.approval(), await bench.posts(), await bench.recorded()) == before


async def test_a_timer_of_an_approval_that_is_not_there_does_nothing(store: WatchedStore) -> None:
    bench = days(store, an_agent(), TIMES)
    await bench.timers.fire("expire:x", {"approval": "x", "does": "expire", "until": ""})


async def test_a_timer_that_fires_too_early_comes_again_at_the_deadline(store: WatchedStore) -> None:
    bench = await asked(store)
    approval = await bench.approval()
    bench.clock.time = NOON + 24 * HOUR - timedelta(seconds=3)
    with pytest.raises(TryLater) as later:
        await bench.timers.fire(f"expire:{approval.id}", {"approval": approval.id, "does": "expire"})
    assert later.value.seconds == 3
    assert await bench.approval() == replace(approval, version=approval.version)


@pytest.mark.parametrize(
    ("does", "at", "kind"),
    [
        ("remind", HOUR, PostKind.REMINDER),
        ("escalate", 12 * HOUR, PostKind.ESCALATION),
        ("expire", 24 * HOUR, PostKind.EXPIRY),
    ],
)
async def test_a_timer_that_used_up_its_attempts_is_tried_again_by_the_sweep(
    store: WatchedStore, does: str, at: timedelta, kind: PostKind
) -> None:
    bench = await asked(store)
    due = {"does": f"{does}:%", "due": (NOON + at).timestamp()}
    async with store.write() as tx:
        connection: Any = tx.connection
        given_up = text("UPDATE jobs SET state = 'failed', attempt = 5 WHERE id LIKE :does AND due <= :due")
        await connection.execute(given_up, due)
    await bench.works_at(at)
    assert await bench.posts(kind) == []
    assert await try_timers_again(store._store, bench.steering.jobs) == 1
    await bench.works_at(at)
    assert len(await bench.posts(kind)) == 1
    assert await try_timers_again(store._store, bench.steering.jobs) == 0


async def test_a_decision_made_in_time_holds_however_late_its_run_begins(store: WatchedStore) -> None:
    """The bot was away in between: what was decided stays decided, and only what nobody decided expires."""
    bench = await asked(store)
    bench.clock.time = NOON + 23 * HOUR
    for action in (await bench.approval()).actions:
        await bench.desk.decide(action.id, Approve(), by=BOB)
    assert await bench.works_at(72 * HOUR) == []
    approval = await bench.approval()
    assert approval.expires_at is not None
    assert approval.expires_at < bench.clock.time
    assert (approval.state, [one.decided is not None for one in approval.actions]) == (
        State.DELIVERED,
        [True],
    )
    assert await bench.posts(PostKind.EXPIRY) == []


async def test_of_a_burst_the_thread_is_reminded_once_by_the_first_that_still_waits(
    store: WatchedStore,
) -> None:
    burst = Asks(tuple(asks(f"i{number}", "write_file") for number in range(4)))
    bench = days(store, ScriptedAgent({}, burst, Says("All done.")), replace(TIMES, quorum=2))
    await bench.asked()
    first, second, *_ = filed = await bench.approvals()
    assert {one.card for one in filed[1:]} == {first.id}
    assert len(await bench.works_at(HOUR)) == 4
    assert [post.approval for post in await bench.posts(PostKind.REMINDER)] == [first.id]
    for by in (BOB, CAROL):
        await bench.desk.decide(first.actions[0].id, Approve(), by=by)
    assert len(await bench.works_at(8 * HOUR)) == 3
    assert [post.approval for post in await bench.posts(PostKind.REMINDER)] == [first.id, second.id]


async def test_a_reminder_names_who_can_still_decide_and_not_who_has_voted(store: WatchedStore) -> None:
    terms = replace(TIMES, approvers=(One(ALICE), One(BOB), One(CAROL)), quorum=2)
    bench = await asked(store, terms=terms)
    await bench.works_at(HOUR)
    await bench.desk.decide((await bench.approval()).actions[0].id, Approve(), by=BOB)
    await bench.works_at(8 * HOUR)
    assert await bench.texts(PostKind.REMINDER) == [
        "2 votes, each by <@U0BOB> or <@U0CAROL>, but nobody who asked for it",
        "<@U0CAROL>, but nobody who asked for it",
    ]


@pytest.mark.parametrize(("decision", "owed_posts"), [(Reject("no"), 1), (Approve(), 0), (None, 0)])
async def test_where_the_last_of_it_expires_whoever_asked_hears_what_was_decided_before(
    store: WatchedStore, decision: Reject | Approve | None, owed_posts: int
) -> None:
    agent = ScriptedAgent({}, Asks((asks("i1", "write_file"), asks("i2", "write_file"))), Says("All done."))
    bench = days(store, agent, TIMES, People(inside={GENERAL: {BOB}}))
    await bench.asked()
    first, second = await bench.approvals()
    assert second.card == first.id
    if decision:
        await bench.desk.decide(first.actions[0].id, decision, by=BOB)
    assert await bench.posts(PostKind.OUTCOME) == []
    await bench.works_at(24 * HOUR)
    heard = await bench.posts(PostKind.OUTCOME)
    assert [one.id for one in heard] == [f"outcome:{first.id}"] * owed_posts
    assert {one.state for one in await bench.approvals()} == {State.DELIVERED}
