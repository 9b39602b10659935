"""Which approvals are remembered, for which calls, and what becomes of them when they are taken back."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.approvals.action import Action, LetThrough, Remembered, Seat
from bot.approvals.approval import Approval, Decided, Expired, Shape, State
from bot.approvals.asking import Asking
from bot.approvals.conversation import PostKind
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.errors import AlreadyDecided
from bot.approvals.ids import ActionId, UserId
from bot.approvals.journal import Call, Execution, Granted, Progress, Refuse, Why, permission
from bot.approvals.policy import Members, One, Policy, Rule, Terms
from bot.approvals.referents import Referents
from bot.approvals.remembered import in_force, remembering, verdict, voters
from tests.approvals.bench import Bench, a_bench
from tests.approvals.fakes import Asks, Line, Says, ScriptedAgent, WatchedStore, asks
from tests.store.samples import ALICE, BOB, NOON, action, approval

CAROL = UserId("U0CAROL")
ONCE = Terms(approvers=(Members(),), ask=Asking.ONCE)
PER_TOOL = replace(ONCE, ask=Asking.ONCE_PER_TOOL)
NEVER = replace(ONCE, ask=Asking.NEVER)
ALWAYS = replace(ONCE, ask=Asking.ALWAYS)
OTHERS = replace(ONCE, approvers=(One(CAROL),))
TWO = replace(ONCE, quorum=2)
SELF = replace(ONCE, self_approval=True)


def approved(terms: Terms = ONCE, decision: Decision | None = None, **changes: Any) -> Approval:  # noqa: ANN401 - fields
    """An approval of Bob's, asked under these terms, that the agent was told."""
    one = action("first", **changes)
    asked = approval("earlier", replace(one, remembering=remembering(one, Shape.BATCHED, terms)))
    seat = Seat(needs=terms.needs)
    return asked.decide(ActionId("first"), decision or Approve(), by=BOB, at=NOON, seat=seat).deliver()


def judged(
    known: Approval,
    terms: Terms = ONCE,
    *,
    shape: Shape = Shape.BATCHED,
    ran: bool = True,
    requesters: frozenset[UserId] = frozenset({ALICE}),
    still: bool = True,
    **changes: Any,  # noqa: ANN401 - fields of an action
) -> LetThrough | None:
    """What becomes of the next call."""
    found = {one.id for one in known.actions} if ran else set()
    return verdict(
        action("next", **changes),
        shape,
        terms,
        known=[known],
        ran=found,
        requesters=requesters,
        at=NOON,
        still_holds=lambda _: still,
    )


def test_the_same_call_is_not_asked_again_and_the_verdict_says_who_approved_it() -> None:
    because = Remembered(action=ActionId("first"), by=(BOB,), at=NOON)
    assert judged(approved()) == LetThrough(at=NOON, because=because)


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        ({"path": "notes.txt"}, True),
        ({"path": "other.txt"}, False),
        ({"path": "notes.txt", "mode": None}, False),
        ({}, False),
    ],
)
def test_other_arguments_are_another_call(arguments: dict[str, Any], same: bool) -> None:  # noqa: FBT001 - a table
    assert (judged(approved(), arguments=arguments) is not None) is same


def test_what_points_elsewhere_is_another_call_and_what_cannot_be_looked_up_is_always_asked() -> None:
    then, now = Referents(texts={"path": "sha256 1"}), Referents(texts={"path": "sha256 2"})
    away = Referents(problem="the disk is away")
    known, for_the_tool = approved(referents=then), approved(PER_TOOL, referents=then)
    assert judged(known, referents=then)
    assert judged(for_the_tool, PER_TOOL, referents=now)
    assert judged(known, NEVER, referents=away)
    assert not judged(known, referents=now)
    assert not judged(known, referents=away)
    assert not judged(for_the_tool, PER_TOOL, referents=away)


def test_arguments_are_compared_as_canonical_json() -> None:
    assert judged(approved(arguments={"a": 1, "b": 1.0}), arguments={"b": 1, "a": 1.0})
    assert judged(approved(arguments={"a": 1}), arguments={"a": True}) is None
    assert judged(approved(arguments={"a": 2**53 + 1}), arguments={"a": 2**53 + 2}) is None


@pytest.mark.parametrize("decision", [Reject("no"), Respond("done"), Edit({"path": "notes.txt"})])
def test_only_an_approval_of_the_call_as_it_was_asked_is_remembered(decision: Decision) -> None:
    assert judged(approved(decision=decision)) is None


def test_what_did_not_run_is_not_remembered() -> None:
    assert judged(approved(), ran=False) is None
    assert judged(replace(approved(), state=State.WITHDRAWN)) is None
    assert judged(replace(approved(), state=State.SETTLED)) is None


def test_what_was_taken_back_is_not_remembered() -> None:
    assert judged(approved().forget({ActionId("first")}, ALICE)) is None


def test_an_answer_about_a_call_in_doubt_is_no_approval_of_the_call() -> None:
    assert judged(replace(approved(), shape=Shape.IN_DOUBT)) is None


def test_of_several_approvals_the_latest_one_that_covers_the_call_and_whose_approvers_still_may_holds() -> (
    None
):
    def earlier(id: str, path: str, **changes: Any) -> Approval:  # noqa: ANN401 - fields
        known = approved(arguments={"path": path})
        (one,) = known.actions
        return replace(known, actions=(replace(one, id=ActionId(id)),), **changes)

    known = [
        earlier("first", "notes.txt"),
        earlier("second", "notes.txt"),
        earlier("left", "notes.txt", state=State.WITHDRAWN),
        earlier("gone", "notes.txt"),
        earlier("other", "other.txt"),
    ]
    seen: list[ActionId] = []

    def still_holds(one: Action) -> bool:
        seen.append(one.id)
        return one.id != "gone"

    found = verdict(
        action("next"),
        Shape.BATCHED,
        ONCE,
        known=known,
        ran={one.actions[0].id for one in known},
        requesters=frozenset({ALICE}),
        at=NOON,
        still_holds=still_holds,
    )
    assert found
    assert found.because
    assert (found.because.action, seen) == ("second", ["gone", "second"])
    assert [one.id for one, _ in in_force(known, {"first", "other"})] == ["first", "other"]  # type: ignore[arg-type]


def test_whose_votes_an_approval_took_is_said_in_the_order_in_which_they_came() -> None:
    asked = approval("p1", action("a1", needs=TWO.needs))
    for by in (CAROL, BOB):
        asked = asked.decide(ActionId("a1"), Approve(), by=by, at=NOON, seat=Seat(needs=TWO.needs))
    assert voters(asked.actions[0]) == (CAROL, BOB)


def test_votes_that_were_cast_under_another_rule_count_no_more() -> None:
    known = approved()
    cast = replace(known.actions[0], needs=TWO.needs)
    assert judged(replace(known, actions=(cast,))) is None


@pytest.mark.parametrize("terms", [ALWAYS, OTHERS, TWO, SELF])
def test_under_another_policy_it_counts_no_more(terms: Terms) -> None:
    assert judged(approved(), terms) is None
    assert judged(approved(terms) if terms is ALWAYS else approved(), terms) is None


def test_an_approval_that_nobody_was_told_would_be_remembered_is_not() -> None:
    assert judged(approved(ALWAYS), ONCE) is None


def test_the_narrower_of_both_scopes_holds() -> None:
    assert judged(approved(PER_TOOL), PER_TOOL, arguments={"path": "other.txt"})
    assert judged(approved(PER_TOOL), ONCE, arguments={"path": "other.txt"}) is None
    assert judged(approved(ONCE), PER_TOOL, arguments={"path": "other.txt"}) is None
    assert judged(approved(PER_TOOL), ONCE)
    assert judged(approved(ONCE), PER_TOOL)
    assert judged(approved(PER_TOOL), PER_TOOL, tool="delete_file") is None


def test_nobodys_earlier_approval_counts_for_what_they_ask_for_themselves() -> None:
    assert judged(approved(), requesters=frozenset({ALICE, BOB})) is None
    assert judged(approved(SELF), SELF, requesters=frozenset({ALICE, BOB}))


@pytest.mark.parametrize("terms", [ONCE, NEVER])
def test_what_takes_no_approval_and_what_may_have_run_is_always_asked(terms: Terms) -> None:
    respond = frozenset({DecisionKind.RESPOND})
    assert judged(approved(), terms, allowed=respond) is None
    assert judged(approved(), terms, shape=Shape.IN_DOUBT) is None
    assert judged(approved(), terms, shape=Shape.QUESTION) is None


def test_what_is_let_through_is_granted_at_the_tools_door_for_exactly_this_call() -> None:
    asked = approval("next", action("next", call="c1", message="m1"))
    let = asked.let_through({ActionId("next"): LetThrough(at=NOON)})
    call = Call(
        conversation=let.conversation,
        message="m1",
        id="c1",
        tool="write_file",
        arguments={"path": "notes.txt"},
    )
    assert let.state is State.SETTLED
    assert isinstance(permission(call, let, needs_person=True), Granted)
    other = replace(call, arguments={"path": "other.txt"})
    assert permission(other, let, needs_person=True) == Refuse(Why.CHANGED)
    assert permission(replace(call, tool="delete_file"), let, needs_person=True) == Refuse(Why.CHANGED)


def test_nobody_decides_about_what_is_let_through() -> None:
    asked = approval("next", action("next"), action("open"))
    let = asked.let_through({ActionId("next"): LetThrough(at=NOON)})
    assert let.state is State.WAITING
    with pytest.raises(AlreadyDecided, match="let through by the policy"):
        let.decide(ActionId("next"), Reject(), by=BOB, at=NOON)
    with pytest.raises(AlreadyDecided, match="let through by the policy"):
        let.take_back(ActionId("next"), by=BOB, at=NOON)
    expired = replace(let, expires_at=NOON).expire(NOON)
    assert [type(one.outcome) for one in expired.actions] == [LetThrough, Expired]


NO = Decided(decision=Reject(), by=BOB, at=NOON)
ASKED = asks("one", "write_file")
AGAIN = asks("two", "write_file")
THIRD = asks("three", "write_file")


def on(store: WatchedStore, agent: ScriptedAgent, terms: Terms = ONCE) -> Bench:
    return a_bench(store, agent, policy=Policy(defaults=terms))


async def first_approved(store: WatchedStore, *script: Line, **faults: Any) -> tuple[Bench, ScriptedAgent]:  # noqa: ANN401 - as the agent takes them
    """Bob has approved the first call, which ran."""
    agent = ScriptedAgent({}, Asks((ASKED,)), *script, **faults)
    bench = on(store, agent)
    await bench.asked()
    (asked,) = await bench.approvals()
    await ran(store, asked)
    return bench, agent


async def ran(store: WatchedStore, asked: Approval, progress: Progress = Progress.DONE) -> None:
    async with store.write() as tx:
        await tx.executions.add(
            Execution(
                conversation=asked.conversation,
                message="m",
                call=asked.actions[0].call,
                tool=asked.actions[0].tool,
                digest=asked.actions[0].digest,
                approval=asked.id,
                action=asked.actions[0].id,
                progress=progress,
            )
        )


async def test_a_call_that_is_not_asked_again_is_told_at_once_with_a_line_and_without_a_card_or_timers(
    store: WatchedStore,
) -> None:
    bench, agent = await first_approved(store, Asks((AGAIN,)), Says("done"))
    await bench.decides((await bench.approvals())[0])
    first, second = await bench.approvals()
    assert [one.state for one in (first, second)] == [State.DELIVERED, State.DELIVERED]
    assert [type(one.actions[0].outcome) for one in agent.scene(first.conversation).told] == [
        Decided,
        LetThrough,
    ]
    assert [post.approval for post in await bench.posts(PostKind.CARD)] == [first.id]
    assert [post.approval for post in await bench.posts(PostKind.NOT_ASKED)] == [second.id]
    assert (second.timers, second.expires_at) == ((), None)
    recorded = await bench.recorded()
    assert recorded.count("let_through") == 1
    assert recorded.index("let_through") > recorded.index("delivered")


@pytest.mark.parametrize("progress", [each for each in Progress if each is not Progress.DONE])
async def test_a_call_of_which_nobody_knows_that_it_ran_is_asked_about_again(
    store: WatchedStore, progress: Progress
) -> None:
    bench = on(store, ScriptedAgent({}, Asks((ASKED,)), Asks((AGAIN,))))
    await bench.asked()
    (asked,) = await bench.approvals()
    await ran(store, asked, progress)
    await bench.decides(asked)
    assert (await bench.approvals())[1].state is State.WAITING


async def test_taken_back_while_a_call_is_on_its_way_that_call_goes_through_and_the_next_is_asked(
    store: WatchedStore,
) -> None:
    """What was decided when it was filed holds, over a crash and a start under another policy as well."""
    crashing = Crash()
    bench, agent = await first_approved(store, Asks((AGAIN,)), Asks((THIRD,)), at=crashing)
    crashing.at = ("before resuming", 2)
    with pytest.raises(RuntimeError, match="the process dies"):
        await bench.decides((await bench.approvals())[0])
    first, second = await bench.approvals()
    assert second.state is State.SETTLED
    await bench.steering.ask_again(first.actions[0].id, by=ALICE)
    _, second = await bench.approvals()
    assert isinstance(second.actions[0].outcome, LetThrough)
    after = on(store, ScriptedAgent(agent.memory), ALWAYS)
    await after.works()
    first, second, third = await after.approvals()
    assert second.state is State.DELIVERED
    assert third.state is State.WAITING
    let = second.actions[0].outcome
    assert isinstance(let, LetThrough)
    assert let.because
    assert (let.because.taken_back, first.actions[0].forgotten) == (ALICE, ALICE)
    assert "forgotten" in await after.recorded()


async def test_all_that_would_hold_in_its_place_is_taken_back_with_it(store: WatchedStore) -> None:
    bench, _ = await first_approved(store, Asks((AGAIN,)), Says("done"))
    await bench.decides((await bench.approvals())[0])
    first, _ = await bench.approvals()
    twin = replace(first.actions[0], id=ActionId("twin"))
    other = replace(twin, id=ActionId("other"), arguments={"path": "other.txt"})
    async with store.write() as tx:
        made = replace(first, id=type(first.id)("twins"), interrupt=type(first.interrupt)("i2"))
        refused = replace(twin, id=ActionId("refused"), votes=(), outcome=NO)
        await tx.approvals.add(replace(made, actions=(twin, other, refused), version=0))
    await bench.steering.ask_again(first.actions[0].id, by=BOB)
    forgotten = {one.id: one.forgotten for each in await bench.approvals() for one in each.actions}
    assert forgotten[first.actions[0].id] == BOB
    assert forgotten[ActionId("twin")] == BOB
    assert forgotten[ActionId("other")] is None
    assert forgotten[ActionId("refused")] is None
    with pytest.raises(AlreadyDecided, match="taken back already by <@U0BOB>"):
        await bench.steering.ask_again(first.actions[0].id, by=ALICE)


async def test_what_was_never_approved_cannot_be_taken_back(store: WatchedStore) -> None:
    bench, _ = await first_approved(store)
    (asked,) = await bench.approvals()
    with pytest.raises(AlreadyDecided):
        await bench.steering.ask_again(asked.actions[0].id, by=ALICE)
    assert "forgotten" not in await bench.recorded()


async def test_what_the_policy_never_asks_about_has_no_post_at_all(store: WatchedStore) -> None:
    bench = on(store, ScriptedAgent({}, Asks((ASKED,)), Says("done")), NEVER)
    await bench.asked()
    (only,) = await bench.approvals()
    assert only.state is State.DELIVERED
    assert await bench.posts(PostKind.CARD, PostKind.NOT_ASKED) == []
    assert "let_through" in await bench.recorded()


async def test_the_timers_of_a_card_are_those_of_the_calls_that_are_asked_about(store: WatchedStore) -> None:
    bench = a_bench(
        store,
        ScriptedAgent({}, Asks((asks("one", "write_file", "delete_file"),))),
        policy=Policy(
            defaults=replace(ALWAYS, expires_after=timedelta(hours=8)),
            rules=(Rule(tools=("write_file",), ask=Asking.NEVER, expires_after=timedelta(hours=1)),),
        ),
    )
    await bench.asked()
    (asked,) = await bench.approvals()
    assert [one.tool for one in asked.open] == ["delete_file"]
    assert asked.expires_at == asked.asked_at + timedelta(hours=8)


class Crash:
    """Dies at a place, the nth time that it is passed."""

    def __init__(self) -> None:
        self.at = ("", 0)

    def __call__(self, place: str) -> None:
        name, left = self.at
        if place == name:
            self.at = (name, left - 1)
            if left == 1:
                raise RuntimeError("the process dies")
