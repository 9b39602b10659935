"""Several calls of a card with one press: what it covers for whom, and what becomes of each."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.action import Action
from bot.approvals.approval import Approval, State
from bot.approvals.briefing import Briefing
from bot.approvals.conversation import Status
from bot.approvals.decision import Approve, DecisionKind, Edit, Reject
from bot.approvals.errors import CouldNotCheck, NotAllowed, NotHere, Refused, UnknownAction
from bot.approvals.filing import file
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, UserId
from bot.approvals.places import Spot
from bot.approvals.policy import ChannelMembers, Members, One, Policy, Rule, Terms
from bot.approvals.together import Covered, Left, Listed, Together
from tests.approvals.fakes import (
    ELSEWHERE,
    FileTools,
    OnlyFor,
    People,
    PressedDesk,
    Ticking,
    WatchedStore,
    owing,
)
from tests.store.samples import ALICE, BOB, GENERAL, NOON, action, approval, conversation

CAROL, DAVE = UserId("U0CAROL"), UserId("U0DAVE")
APPROVE, REJECT = DecisionKind.APPROVE, DecisionKind.REJECT
EVERYBODY = Policy(
    defaults=Terms(approvers=(Members(),), all_at_once=True),
    rules=(
        Rule(tools=("pay",), approvers=(One(CAROL),)),
        Rule(tools=("vote",), quorum=2),
        Rule(tools=("alone",), all_at_once=False),
        Rule(tools=("here",), approvers=(ChannelMembers(),)),
    ),
)
NOT_YOURS = "You are not among the people who may decide about `pay`."
ON_ITS_OWN = "`alone` is decided on its own; nothing was done about it."


def call(id: str, tool: str = "look", **changes: Any) -> Action:  # noqa: ANN401 - fields of an action
    needs = EVERYBODY.terms(tool).needs
    return action(id, tool=tool, briefing=Briefing(all_at_once=True), needs=needs, **changes)


def listed(*ids: str, bound: str = "d" * 16) -> list[Listed]:
    return [Listed(id=ActionId(id), bound=bound) for id in ids]


async def a_desk(
    store: WatchedStore, *approvals: Approval, policy: Policy = EVERYBODY, people: People | None = None
) -> PressedDesk:
    """A desk before which these stand, on one card where they say so."""
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        for one in approvals:
            assert await file(tx, owing(store), one)
    return PressedDesk(
        store=store,
        jobs=owing(store),
        directory=people or People(),
        tools=FileTools(),
        policy=OnlyFor(policy),
        now=Ticking(),
    )


async def pressed(
    desk: PressedDesk,
    those: Sequence[Listed],
    decision: Approve | Reject | None = None,
    by: UserId = BOB,
    spot: Spot | None = None,
) -> Together:
    there = spot or await desk.card(those[0].id)
    return await desk.decide_all(those, decision or Approve(), by=by, spot=there)


async def opened(
    desk: PressedDesk, kind: DecisionKind = APPROVE, by: UserId = BOB, spot: Spot | None = None
) -> tuple[list[str], int]:
    """What one press on the card of p1 would decide, and how many it would leave."""
    there = spot or await desk.card(ActionId("a1"))
    covered: Covered = await desk.opens_all(ApprovalId("p1"), kind, by=by, spot=there)
    return [one.id for _, one in covered.calls], covered.others


async def known(store: WatchedStore) -> tuple[list[str | None], list[tuple[str, Any, Any]]]:
    """The outcome of each action, and the decisions in the record."""
    async with store.read() as tx:
        approvals = await tx.approvals.of(conversation().id)
        record = await tx.record.of()
    outcomes = [str(one.outcome) if one.outcome else None for each in approvals for one in each.actions]
    return outcomes, [
        (event.kind, event.action, event.detail.get("reason"))
        for event in record
        if event.kind in {"decided", "voted", "refused"}
    ]


def burst(*more: Approval) -> list[Approval]:
    """Calls that stand on the card of the first one."""
    return [replace(one, card=ApprovalId("p1")) for one in more]


# What is covered.


async def test_one_press_covers_what_is_open_on_the_card_and_this_persons_and_counts_the_others(
    store: WatchedStore,
) -> None:
    first = approval("p1", call("a1"), call("a2", "pay"), call("a3", "alone"), call("a4"))
    first = first.decide(ActionId("a4"), Approve(), by=CAROL, at=NOON)
    desk = await a_desk(store, first, *burst(approval("p2", call("b1"))), approval("p3", call("c1")))
    assert await opened(desk) == (["a1", "b1"], 2)
    assert await opened(desk, REJECT) == (["a1", "b1"], 2)
    assert await opened(desk, by=CAROL) == (["a1", "a2", "b1"], 1)


async def test_what_was_voted_for_already_is_not_approved_again_and_may_be_rejected(
    store: WatchedStore,
) -> None:
    desk = await a_desk(store, approval("p1", call("a1", "vote"), call("a2", "vote")))
    await desk.decide(ActionId("a1"), Approve(), by=BOB)
    assert await opened(desk) == (["a2"], 1)
    assert await opened(desk, REJECT) == (["a1", "a2"], 0)


@pytest.mark.parametrize(
    ("calls", "by", "sentence"),
    [
        ([call("a1", "pay"), call("a2", "alone")], BOB, NOT_YOURS),
        ([call("a1", "alone"), call("a2", "pay")], BOB, ON_ITS_OWN),
        (
            [call("a1"), call("a2")],
            ALICE,
            "You asked for this yourself, so somebody else has to decide about `look`.",
        ),
        (
            [action("a1"), action("a2")],
            BOB,
            "Nothing here can be decided together any more, so nothing was done.",
        ),
    ],
)
async def test_where_nothing_is_this_persons_to_decide_so_the_first_reason_is_told(
    store: WatchedStore, calls: list[Action], by: UserId, sentence: str
) -> None:
    desk = await a_desk(store, approval("p1", *calls))
    with pytest.raises(NotAllowed) as refused:
        await opened(desk, by=by)
    assert str(refused.value) == sentence
    assert (await known(store))[1] == [("refused", "a1", "NotAllowed")]


async def test_a_card_that_is_not_there_is_not_known(store: WatchedStore) -> None:
    desk = await a_desk(store)
    with pytest.raises(UnknownAction):
        await desk.opens_all(ApprovalId("p1"), APPROVE, by=BOB, spot=Spot())


async def test_a_press_that_was_made_elsewhere_covers_nothing(store: WatchedStore) -> None:
    desk = await a_desk(store, approval("p1", call("a1"), call("a2")))
    spot = replace(await desk.card(ActionId("a1")), channel=ELSEWHERE)
    with pytest.raises(NotHere):
        await opened(desk, spot=spot)


async def test_what_expired_since_is_told_as_that(store: WatchedStore) -> None:
    desk = await a_desk(store, replace(approval("p1", call("a1"), call("a2")), expires_at=NOON))
    with pytest.raises(Refused, match="This request expired at"):
        await opened(desk)
    assert (await pressed(desk, listed("a1"))).left[0].why.startswith("This request expired at")


# What becomes of them.


async def test_each_is_decided_with_a_line_of_its_own_in_one_transaction(store: WatchedStore) -> None:
    desk = await a_desk(
        store, approval("p1", call("a1"), call("a2", "vote")), *burst(approval("p2", call("b1")))
    )
    those = listed("a1", "a2", "b1")
    spot = await desk.card(ActionId("a1"))
    before = store.writes
    assert await pressed(desk, those, spot=spot) == Together(decided=3, waiting=1)
    assert store.writes == before + 1
    outcomes, lines = await known(store)
    by_bob = f"approved by <@{BOB}>"
    assert outcomes == [by_bob, None, by_bob]
    assert lines == [("decided", "a1", None), ("voted", "a2", None), ("decided", "b1", None)]
    async with store.read() as tx:
        found = await tx.approvals.of_action(ActionId("b1"))
    assert found
    assert found.state is State.SETTLED


async def test_a_rejection_of_all_gives_each_the_reason(store: WatchedStore) -> None:
    desk = await a_desk(store, approval("p1", call("a1"), call("a2")))
    assert await pressed(desk, listed("a1", "a2"), Reject("not today")) == Together(decided=2)
    async with store.read() as tx:
        found = await tx.approvals.of_action(ActionId("a1"))
    assert found
    assert [one.decided and one.decided.decision for one in found.actions] == [Reject("not today")] * 2


async def test_what_is_not_theirs_was_edited_or_decided_meanwhile_or_is_gone_is_left_out_and_told(
    store: WatchedStore,
) -> None:
    calls = [call("a1"), call("a2", "pay"), call("a3", "alone"), call("a4"), call("a5", "vote")]
    desk = await a_desk(store, approval("p1", *calls))
    await desk.decide(ActionId("a4"), Approve(), by=CAROL)
    await desk.decide(ActionId("a5"), Edit({"path": "b"}), by=CAROL)
    done = await pressed(desk, listed("a1", "a2", "a3", "a4", "a5", "gone"))
    assert done == Together(
        decided=1,
        left=(
            Left(why=NOT_YOURS),
            Left(why=ON_ITS_OWN),
            Left(why="This was decided meanwhile.", by=CAROL),
            Left(why="This was edited meanwhile, so nothing was done. Please read it again."),
            Left(why=str(UnknownAction())),
        ),
    )
    refused = [line for line in (await known(store))[1] if line[0] == "refused"]
    assert refused == [
        ("refused", "a2", "NotAllowed"),
        ("refused", "a3", "NotAllowed"),
        ("refused", "a4", "AlreadyDecided"),
        ("refused", "a5", "AlreadyDecided"),
    ]
    async with store.read() as tx:
        told = [event for event in await tx.record.of() if event.kind == "refused"]
    assert {(event.actor, str(event.detail["evidence"])[:24]) for event in told} == {
        (BOB, "{'standing': 'member', '")
    }


class LateToSay(People):
    """A Slack that cannot say at first who is in a channel."""

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:
        self.silent = not self.looked_into
        return await super().is_member(channel, user)


async def test_what_a_rule_wants_to_know_is_asked_before_anything_is_written(store: WatchedStore) -> None:
    people = LateToSay(inside={GENERAL: {BOB}})
    calls = call("a1"), call("a2", "pay"), call("a3", "here")
    desk = await a_desk(store, approval("p1", *calls), people=people)
    spot = await desk.card(ActionId("a1"))
    before = store.writes
    done = await pressed(desk, listed("gone", "a1", "a2", "a3"), spot=spot)
    assert done == Together(decided=2, left=(Left(why=str(UnknownAction())), Left(why=NOT_YOURS)))
    assert people.looked_into == [GENERAL, GENERAL]
    assert store.writes == before + 3  # all votes together, and a line for each refusal
    assert sorted((await known(store))[1]) == [
        ("decided", "a1", None),
        ("decided", "a3", None),
        ("refused", "a2", "NotAllowed"),
    ]


async def test_where_slack_cannot_say_who_it_is_nothing_is_decided_and_that_is_recorded_once(
    store: WatchedStore,
) -> None:
    desk = await a_desk(store, approval("p1", call("a1"), call("a2")), people=People(unknown=True))
    with pytest.raises(CouldNotCheck):
        await pressed(desk, listed("a1", "a2"))
    assert await known(store) == ([None, None], [("refused", "a1", "CouldNotCheck")])


async def test_the_reasons_that_a_form_offers_are_those_of_all_that_it_lists(store: WatchedStore) -> None:
    late, wrong = Briefing(reasons=("late", "wrong")), Briefing(reasons=("wrong",))
    calls = action("a1", briefing=late), action("a2", briefing=wrong), action("a3")
    desk = await a_desk(store, approval("p1", *calls))
    assert await desk.reasons(listed("a1", "gone")) == ("late", "wrong")
    assert await desk.reasons(listed("a1", "a2")) == ("wrong",)
    assert await desk.reasons(listed("a1", "a2", "a3")) == await desk.reasons(listed("gone")) == ()
