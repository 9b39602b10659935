"""What the guard may do, as tables: by what people decided, and by what the journal has."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.action import LetThrough, Remembered
from bot.approvals.approval import Action, Approval, Decided, State
from bot.approvals.binding import digest
from bot.approvals.decision import Approve, Arguments, Decision, Edit, Reject, Respond
from bot.approvals.ids import ActionId, ApprovalId, ConversationId
from bot.approvals.journal import (
    MOVES,
    Ask,
    Call,
    Execution,
    Free,
    Granted,
    Progress,
    Refuse,
    Return,
    Run,
    Why,
    digest_of,
    next_step,
    permission,
)
from bot.approvals.referents import Referents
from tests.store.samples import BOB, NOON, THREAD, action, approval

CALL = Call(conversation=THREAD, message="m", id="c", tool="write_file", arguments={"path": "notes.txt"})


def asked(decision: Decision | None, state: State = State.SETTLED) -> Approval:
    """People were asked about the call, and decided so."""
    outcome = Decided(decision=decision, by=BOB, at=NOON) if decision else None
    return approval("p1", action(message="m", call="c", outcome=outcome), state=state)


def granted(told: object) -> bool:
    return isinstance(told, Granted)


@pytest.mark.parametrize("state", [State.SETTLED, State.DELIVERED])
@pytest.mark.parametrize("needs_person", [True, False])
@pytest.mark.parametrize(
    ("decision", "arguments", "told"),
    [
        (Approve(), {"path": "notes.txt"}, None),
        (Approve(), {"path": "other.txt"}, Why.CHANGED),
        (Approve(), {"path": "notes.txt", "mode": "w"}, Why.CHANGED),
        (Approve(), {}, Why.CHANGED),
        (Edit({"path": "b"}), {"path": "b"}, None),
        (Edit({"path": "b"}), {"path": "notes.txt"}, Why.CHANGED),
        (Reject(), {"path": "notes.txt"}, Why.REJECTED),
        (Respond("x"), {"path": "notes.txt"}, Why.ANSWERED),
        (None, {"path": "notes.txt"}, Why.EXPIRED),
    ],
)
def test_where_people_were_asked_their_decision_holds_whatever_the_gate_says(
    state: State,
    needs_person: bool,  # noqa: FBT001 - a parameter
    decision: Decision | None,
    arguments: Arguments,
    told: Why | None,
) -> None:
    call = replace(CALL, arguments=arguments)
    allowed = permission(call, asked(decision, state), needs_person=needs_person)
    assert granted(allowed) if told is None else allowed == Refuse(told)


@pytest.mark.parametrize("decision", [Approve(), Edit({"path": "notes.txt"}), Reject(), None])
@pytest.mark.parametrize(("state", "why"), [(State.WAITING, Why.UNDECIDED), (State.WITHDRAWN, Why.WITHDRAWN)])
def test_what_is_not_settled_or_is_withdrawn_lets_nothing_run(
    decision: Decision | None, state: State, why: Why
) -> None:
    assert permission(CALL, asked(decision, state), needs_person=False) == Refuse(why)


def test_a_deadline_that_has_passed_since_takes_no_decision_back() -> None:
    late = replace(asked(Approve()), expires_at=NOON)
    assert granted(permission(CALL, late, needs_person=True))


def test_where_nobody_was_asked_the_gate_decides() -> None:
    other = approval("p1", action(message="m", call="another"))
    earlier = approval("p1", action(message="an earlier one", call="c"))
    for row in (None, other, earlier):
        assert permission(CALL, row, needs_person=False) == Free()
        assert permission(CALL, row, needs_person=True) == Refuse(Why.UNDECIDED)


@pytest.mark.parametrize("arguments", [{"path": object()}, {"path": {1: 2}}, {"path": {1, 2}}])
def test_arguments_that_are_no_json_were_never_shown_and_do_not_run(arguments: Any) -> None:  # noqa: ANN401
    call = replace(CALL, arguments=arguments)
    assert permission(call, asked(Approve()), needs_person=True) == Refuse(Why.CHANGED)


def test_another_tool_with_the_same_arguments_does_not_run() -> None:
    call = replace(CALL, tool="delete_file")
    assert permission(call, asked(Approve()), needs_person=True) == Refuse(Why.CHANGED)


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text()))
def test_exactly_the_arguments_that_were_decided_run(arguments: Arguments) -> None:
    allowed = permission(replace(CALL, arguments=arguments), asked(Approve()), needs_person=True)
    assert granted(allowed) == (arguments == {"path": "notes.txt"})


def test_a_grant_names_the_digest_that_people_saw() -> None:
    row = asked(Edit({"path": "b"}))
    allowed = permission(replace(CALL, arguments={"path": "b"}), row, needs_person=True)
    assert allowed == Granted(
        approval=row.id,
        action=row.actions[0].id,
        digest=digest(
            tool="write_file", arguments={"path": "b"}, thread=THREAD, interrupt=row.interrupt, call="c"
        ),
    )


GRANT = Granted(approval=ApprovalId("p1"), action=ActionId("a1"), digest="d" * 64)
BEGUN = Execution(
    conversation=ConversationId(THREAD),
    message="m",
    call="c",
    tool="write_file",
    digest="d" * 64,
    approval=ApprovalId("p1"),
    action=ActionId("a1"),
)


def entry(progress: Progress) -> Execution:
    return replace(BEGUN, progress=progress, version=3)


AGAIN = replace(BEGUN, attempt=2, version=3)
TABLE = {
    # in the journal       an ordinary tool                one that is safe to repeat
    None: (Run(BEGUN), Run(BEGUN)),
    Progress.INTENT: (Ask(entry(Progress.IN_DOUBT)), Run(AGAIN)),
    Progress.PAUSED: (Run(AGAIN), Run(AGAIN)),
    Progress.DONE: (Return(entry(Progress.DONE)), Return(entry(Progress.DONE))),
    Progress.FAILED: (Return(entry(Progress.FAILED)), Run(AGAIN)),
    Progress.IN_DOUBT: (Ask(entry(Progress.IN_DOUBT)), Ask(entry(Progress.IN_DOUBT))),
    Progress.SKIPPED: (Refuse(Why.SKIPPED), Refuse(Why.SKIPPED)),
}


@pytest.mark.parametrize("progress", TABLE)
def test_what_happens_next_by_what_the_journal_has(progress: Progress | None) -> None:
    known = entry(progress) if progress else None
    for repeatable, step in zip((False, True), TABLE[progress], strict=True):
        assert next_step(CALL, GRANT, known, repeatable=repeatable) == step


def test_the_table_has_every_state() -> None:
    assert {*TABLE} == {None, *Progress}
    assert {*MOVES} == {*Progress}


LEGAL = {
    (Progress.INTENT, Progress.INTENT),
    (Progress.INTENT, Progress.PAUSED),
    (Progress.INTENT, Progress.DONE),
    (Progress.INTENT, Progress.FAILED),
    (Progress.INTENT, Progress.IN_DOUBT),
    (Progress.PAUSED, Progress.INTENT),
    (Progress.FAILED, Progress.INTENT),
    (Progress.IN_DOUBT, Progress.INTENT),
    (Progress.IN_DOUBT, Progress.DONE),
    (Progress.IN_DOUBT, Progress.SKIPPED),
}


@pytest.mark.parametrize(("before", "after"), list(product(Progress, Progress)))
def test_only_the_moves_of_the_table_are_made(before: Progress, after: Progress) -> None:
    if (before, after) in LEGAL:
        assert entry(before).move(after).progress is after
    else:
        with pytest.raises(ValueError, match=f"{before} cannot become {after}"):
            entry(before).move(after)


@pytest.mark.parametrize("asked_now", [0, 1])
def test_whoever_was_asked_about_a_doubt_is_counted_when_it_begins_again(asked_now: int) -> None:
    again = replace(BEGUN, progress=Progress.IN_DOUBT, attempt=3, asked=2).again(asked=asked_now)
    assert (again.progress, again.attempt, again.asked) == (Progress.INTENT, 4, 2 + asked_now)


@pytest.mark.parametrize(
    ("because", "bound"), [(None, False), (Remembered(action=ActionId("a0"), by=(BOB,), at=NOON), True)]
)
def test_what_the_policy_never_asks_about_may_point_anywhere_and_what_is_remembered_may_not(
    because: Remembered | None,
    bound: bool,  # noqa: FBT001 - a row of the table
) -> None:
    pointing = Referents(texts={"path": "sha256 1"})
    through = action(message="m", call="c", outcome=LetThrough(at=NOON, because=because), referents=pointing)
    allowed = permission(CALL, approval("p1", through, state=State.SETTLED), needs_person=True)
    assert isinstance(allowed, Granted)
    assert (allowed.bound, allowed.referents) == (bound, pointing)


def test_an_edit_is_granted_with_what_its_own_arguments_pointed_at() -> None:
    before, then = Referents(texts={"path": "sha256 1"}), Referents(texts={"path": "sha256 2"})
    row = approval("p1", action(message="m", call="c", referents=before, targets={"move": {}}))
    edit = Edit({"path": "b"}, tool="move")
    row = row.decide(ActionId("a1"), edit, by=BOB, at=NOON, referents=then)
    call = replace(CALL, tool="move", arguments={"path": "b"})
    allowed = permission(call, row, needs_person=True)
    assert isinstance(allowed, Granted)
    assert (allowed.referents, allowed.bound) == (then, True)
    assert allowed.digest == row.digest_of(row.actions[0], "move", {"path": "b"}, then)


def test_the_record_has_the_digest_of_what_would_run_and_nothing_where_there_is_none() -> None:
    row, now = asked(Approve()), Referents(texts={"path": "sha256 1"})
    call = replace(CALL, tool="other", arguments={"path": "x"}, referents=now)
    assert digest_of(call, row) == row.digest_of(row.actions[0], "other", {"path": "x"}, now)
    nothing: Any = {"path": object()}
    assert digest_of(replace(call, arguments=nothing), row) == ""
    assert digest_of(replace(call, id="another"), row) == ""
    assert digest_of(call, None) == ""


def test_the_key_is_the_same_for_every_attempt_and_another_for_another_decision() -> None:
    assert BEGUN.again().key == BEGUN.key
    assert replace(BEGUN, digest="e" * 64).key != BEGUN.key


def test_a_decision_does_not_age_by_itself() -> None:
    """What was decided in time stays decided: nothing in the rules looks at a clock."""
    old = Decided(decision=Approve(), by=BOB, at=NOON - timedelta(days=400))
    row = asked(Approve())
    actions: tuple[Action, ...] = (replace(row.actions[0], outcome=old),)
    assert granted(permission(CALL, replace(row, actions=actions), needs_person=True))
