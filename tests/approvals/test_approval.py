import re
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.approval import MOVES, Approval, Expired, State
from bot.approvals.decision import (
    Approve,
    DecisionKind,
    Reject,
    decision_from_json,
    decision_to_json,
    kind_of,
)
from bot.approvals.errors import AlreadyDecided, NotAllowed, Refused, UnknownAction
from bot.approvals.ids import ActionId, UserId
from tests.approvals.strategies import NOON, PEOPLE, an_action, an_approval, approvals, decisions

ALICE, BOB = UserId("U1"), UserId("U2")
FIRST, SECOND = ActionId("a0"), ActionId("a1")

moves = st.lists(
    st.tuples(
        st.sampled_from(["decide", "take_back", "deliver", "withdraw", "expire", "escalate"]),
        st.integers(0, 5).map(lambda number: ActionId(f"a{number}")),
        st.sampled_from(PEOPLE),
        decisions,
        st.integers(-2, 2),
    ),
    max_size=20,
)


def move(  # noqa: PLR0917 - what the moves have together
    approval: Approval, name: str, id: ActionId, by: UserId, decision: object, minutes: int
) -> Approval:
    at = NOON + timedelta(minutes=minutes)
    match name:
        case "decide":
            return approval.decide(id, decision, by=by, at=at)  # type: ignore[arg-type]
        case "take_back":
            return approval.take_back(id, by=by, at=at)
        case "deliver":
            return approval.deliver()
        case "expire":
            return approval.expire(at)
        case "escalate":
            return approval.escalate(frozenset({by}))
        case _:
            return approval.withdraw("because")


@given(approvals, moves)
def test_whatever_people_and_clocks_do_the_approval_stays_consistent(
    approval: Approval, wanted: list[object]
) -> None:
    for name, id, by, decision, minutes in wanted:  # type: ignore[misc]
        before = approval
        try:
            approval = move(approval, name, id, by, decision, minutes)  # type: ignore[has-type]
        except Refused:
            assert approval is before
            continue
        assert approval.state in MOVES[before.state]
        assert [action.id for action in approval.actions] == [action.id for action in before.actions]
        for action, was in zip(approval.actions, before.actions, strict=True):
            if action.decided:
                assert kind_of(action.decided.decision) in action.allowed
                assert action.outcome == was.outcome or not approval.is_over(action.decided.at)
            if was.outcome and name == "expire":  # type: ignore[has-type]
                assert action.outcome == was.outcome
            if isinstance(action.outcome, Expired):
                assert approval.state is not State.WAITING
        if approval.state is State.WAITING:
            assert approval.open
        if approval.state in {State.SETTLED, State.DELIVERED}:
            assert not approval.open


@given(approvals, moves)
def test_what_is_settled_keeps_its_outcomes_for_ever(approval: Approval, wanted: list[object]) -> None:
    approval = replace(approval, expires_at=None)
    for action in approval.actions:
        decision = Approve() if DecisionKind.APPROVE in action.allowed else None
        if decision is None:
            return
        approval = approval.decide(action.id, decision, by=ALICE, at=NOON)
    outcomes = [action.outcome for action in approval.actions]
    for name, id, by, decision, minutes in wanted:  # type: ignore[misc]
        with suppress(Refused):
            approval = move(approval, name, id, by, decision, minutes)  # type: ignore[has-type]
        assert [action.outcome for action in approval.actions] == outcomes


@pytest.mark.parametrize("state", State)
def test_the_table_of_moves_knows_every_state(state: State) -> None:
    assert state in MOVES


def test_the_first_decision_wins_and_the_second_person_is_told_who_was_first() -> None:
    approval = an_approval(an_action(0), an_action(1)).decide(FIRST, Reject("no"), by=ALICE, at=NOON)
    with pytest.raises(AlreadyDecided, match="Already rejected by <@U1>"):
        approval.decide(FIRST, Approve(), by=BOB, at=NOON)


def test_the_same_person_may_change_their_mind_until_the_last_decision_is_in() -> None:
    approval = an_approval(an_action(0), an_action(1)).decide(FIRST, Reject(), by=ALICE, at=NOON)
    approval = approval.decide(FIRST, Approve(), by=ALICE, at=NOON)
    approval = approval.decide(SECOND, Approve(), by=BOB, at=NOON)
    assert approval.state is State.SETTLED
    with pytest.raises(AlreadyDecided, match="Already approved by you"):
        approval.decide(FIRST, Reject(), by=ALICE, at=NOON)


def test_a_decision_taken_back_is_open_again_for_everybody() -> None:
    approval = an_approval(an_action(0), an_action(1)).decide(FIRST, Reject(), by=ALICE, at=NOON)
    approval = approval.take_back(FIRST, by=ALICE, at=NOON)
    assert approval.decide(FIRST, Approve(), by=BOB, at=NOON).action(FIRST).outcome is not None


def test_nobody_takes_back_the_decision_of_somebody_else() -> None:
    approval = an_approval(an_action(0), an_action(1)).decide(FIRST, Reject(), by=ALICE, at=NOON)
    with pytest.raises(AlreadyDecided):
        approval.take_back(FIRST, by=BOB, at=NOON)


def test_a_decision_that_the_action_does_not_take_is_refused() -> None:
    approval = an_approval(an_action(allowed=frozenset({DecisionKind.APPROVE})))
    with pytest.raises(NotAllowed, match="cannot be rejected"):
        approval.decide(FIRST, Reject(), by=ALICE, at=NOON)


def test_an_action_of_another_approval_is_unknown() -> None:
    with pytest.raises(UnknownAction):
        an_approval().decide(ActionId("elsewhere"), Approve(), by=ALICE, at=NOON)


def test_a_withdrawn_approval_takes_no_decision_and_says_why() -> None:
    approval = an_approval().withdraw("the conversation was stopped")
    with pytest.raises(AlreadyDecided, match="the conversation was stopped"):
        approval.decide(FIRST, Approve(), by=ALICE, at=NOON)


@pytest.mark.parametrize(("milliseconds", "late"), [(-1, False), (0, True), (1, True)])
def test_a_decision_is_in_time_until_the_deadline_whether_or_not_a_timer_fired(
    milliseconds: int,
    late: bool,  # noqa: FBT001 - a row of the table
) -> None:
    approval = replace(an_approval(an_action(0), an_action(1)), expires_at=NOON + timedelta(hours=1))
    approval = approval.decide(SECOND, Approve(), by=ALICE, at=NOON)
    at = NOON + timedelta(hours=1, milliseconds=milliseconds)
    assert approval.is_over(at) is late
    if not late:
        assert approval.decide(FIRST, Approve(), by=BOB, at=at).state is State.SETTLED
        assert approval.take_back(SECOND, by=ALICE, at=at).open == (approval.actions[0], an_action(1))
        return
    with pytest.raises(AlreadyDecided, match=r"This request expired at 2026-11-29 13:00 UTC\."):
        approval.decide(FIRST, Approve(), by=BOB, at=at)
    with pytest.raises(AlreadyDecided, match="This request expired"):
        approval.take_back(SECOND, by=ALICE, at=at)


def test_what_nobody_decided_expires_and_what_was_decided_stays_decided() -> None:
    approval = an_approval(an_action(0), an_action(1)).decide(SECOND, Reject("no"), by=BOB, at=NOON)
    expired = approval.expire(NOON)
    assert expired.state is State.SETTLED
    assert [action.outcome for action in expired.actions] == [
        Expired(at=NOON),
        approval.action(SECOND).outcome,
    ]
    with pytest.raises(AlreadyDecided, match="This request expired at 2026-11-29 12:00 UTC"):
        expired.decide(FIRST, Approve(), by=ALICE, at=NOON)
    with pytest.raises(AlreadyDecided, match="Already rejected by <@U2>"):
        expired.decide(SECOND, Approve(), by=ALICE, at=NOON)


def test_what_has_ended_does_not_expire_and_nobody_is_called_in_for_it() -> None:
    settled = an_approval().decide(FIRST, Approve(), by=ALICE, at=NOON)
    for ended in (settled, settled.deliver(), an_approval().withdraw("stopped"), an_approval().expire(NOON)):
        with pytest.raises(AlreadyDecided):
            ended.expire(NOON)
        with pytest.raises(AlreadyDecided):
            ended.escalate(frozenset({BOB}))


@given(decisions)
def test_a_decision_survives_its_row(decision: object) -> None:
    assert repr(decision_from_json(decision_to_json(decision))) == repr(decision)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "told", [{}, {"type": "aprove"}, {"type": "edit"}, {"type": "respond", "message": 1}]
)
def test_what_is_no_decision_is_not_read_as_one(told: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a decision"):
        decision_from_json(told)  # type: ignore[arg-type]


def test_the_diagram_in_the_readme_is_the_table_of_moves() -> None:
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^    (\w+) --> (\w+)$", readme, re.MULTILINE))
    assert drawn == {(here.value, there.value) for here, moves in MOVES.items() for there in moves}
