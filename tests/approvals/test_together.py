"""Which open calls one press may decide, and why not the others."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals import together
from bot.approvals.action import Decided, Vote
from bot.approvals.approval import Action, Approval, Shape, State
from bot.approvals.briefing import Briefing
from bot.approvals.decision import Approve, DecisionKind, Edit
from bot.approvals.errors import AlreadyDecided, NotAllowed, Refused
from bot.approvals.ids import ActionId, UserId
from bot.approvals.policy import Members, Quorum, Terms
from tests.store.samples import ALICE, BOB, NOON, action, approval

APPROVE, REJECT = DecisionKind.APPROVE, DecisionKind.REJECT
TERMS = Terms(approvers=(Members(),), all_at_once=True)
ALONE = "`write_file` is decided on its own; nothing was done about it."


def call(id: str = "a1", **changes: Any) -> Action:  # noqa: ANN401 - fields of an action
    return action(id, **{"briefing": Briefing(all_at_once=True), **changes})


def dangerous(id: str = "a1") -> Action:
    return call(id, briefing=Briefing(all_at_once=True, dangers=("write_file",)))


def ids(asked: Approval, kind: DecisionKind) -> list[str]:
    return [one.id for _, one in together.covered([asked], kind)]


def test_the_open_calls_are_covered_in_their_order() -> None:
    asked = approval("p1", call("a1"), call("a2"), call("a3")).decide(
        ActionId("a2"), Approve(), by=BOB, at=NOON
    )
    assert ids(asked, APPROVE) == ids(asked, REJECT) == ["a1", "a3"]


def test_what_is_dangerous_is_rejected_together_and_never_approved() -> None:
    asked = approval("p1", call("a1"), dangerous("a2"))
    assert (ids(asked, APPROVE), ids(asked, REJECT)) == (["a1"], ["a1", "a2"])


@pytest.mark.parametrize(
    "one",
    [
        call(briefing=Briefing()),
        call(briefing=Briefing(dangers=("write_file",))),
        call(allowed=frozenset({DecisionKind.EDIT, DecisionKind.RESPOND})),
    ],
)
def test_a_call_of_which_people_were_not_told_so_or_that_takes_no_such_decision_is_not_covered(
    one: Action,
) -> None:
    asked = approval("p1", one, call("a2"))
    assert ids(asked, APPROVE) == ids(asked, REJECT) == ["a2"]


@pytest.mark.parametrize(
    "changes",
    [
        {"held": True},
        {"shape": Shape.QUESTION},
        {"shape": Shape.IN_DOUBT},
        *({"state": one} for one in State if one is not State.WAITING),
    ],
)
def test_nothing_is_covered_of_an_approval_that_does_not_wait_for_people(changes: dict[str, object]) -> None:
    asked = replace(approval("p1", call("a1"), call("a2")), **changes)  # type: ignore[arg-type]  # fields of it
    assert ids(asked, APPROVE) == ids(asked, REJECT) == []


@pytest.mark.parametrize(("calls", "enough"), [(0, False), (1, False), (2, True), (3, True)])
def test_two_calls_are_enough_and_one_is_not(calls: int, enough: bool) -> None:  # noqa: FBT001 - what is expected
    asked = [approval(f"p{number}", call(f"a{number}")) for number in range(calls)]
    assert together.has_enough(asked, APPROVE) is enough
    assert together.has_enough(asked, REJECT) is enough


def test_one_that_is_dangerous_and_one_that_is_not_are_enough_to_reject_alone() -> None:
    asked = [approval("p1", call("a1"), dangerous("a2"))]
    assert (together.has_enough(asked, APPROVE), together.has_enough(asked, REJECT)) == (False, True)


@pytest.mark.parametrize("kind", [APPROVE, REJECT])
def test_what_the_policy_allows_now_and_then_is_let_be(kind: DecisionKind) -> None:
    together.refuse(approval("p1", call()), call(), kind, TERMS)


@pytest.mark.parametrize(
    ("one", "kind", "terms"),
    [
        (call(), APPROVE, replace(TERMS, all_at_once=False)),
        (call(), REJECT, replace(TERMS, all_at_once=False)),
        (call(briefing=Briefing()), APPROVE, TERMS),
        (call(), APPROVE, replace(TERMS, danger=True)),
        (dangerous(), APPROVE, TERMS),
        (call(allowed=frozenset({DecisionKind.REJECT})), APPROVE, TERMS),
        (call(), DecisionKind.EDIT, TERMS),
        (call(), DecisionKind.RESPOND, TERMS),
    ],
)
def test_what_the_policy_did_or_does_not_allow_is_refused(
    one: Action, kind: DecisionKind, terms: Terms
) -> None:
    with pytest.raises(NotAllowed) as refused:
        together.refuse(approval("p1", one), one, kind, terms)
    assert str(refused.value) == ALONE


def test_what_is_dangerous_now_is_still_rejected_together() -> None:
    together.refuse(approval("p1", dangerous()), dangerous(), REJECT, replace(TERMS, danger=True))


def test_what_was_decided_meanwhile_is_refused_as_that() -> None:
    asked = approval("p1", call()).decide(ActionId("a1"), Approve(), by=BOB, at=NOON)
    with pytest.raises(AlreadyDecided) as refused:
        together.refuse(asked, asked.actions[0], APPROVE, replace(TERMS, all_at_once=False))
    assert str(refused.value) == "This was decided meanwhile."


def test_what_is_not_what_was_listed_is_refused() -> None:
    together.refuse_unlisted(call(), together.Listed(id=ActionId("a1"), bound="d" * 16))
    for other in (
        together.Listed(id=ActionId("a1"), bound="d" * 15 + "e"),
        together.Listed(id=ActionId("a1"), bound="d" * 17),
        together.Listed(id=ActionId("a2"), bound="d" * 16),
    ):
        with pytest.raises(AlreadyDecided) as refused:
            together.refuse_unlisted(call(), other)
        assert str(refused.value) == "This was edited meanwhile, so nothing was done. Please read it again."


def test_a_call_is_listed_by_what_it_is_now() -> None:
    edited = call().voted(Vote(decision=Edit({"path": "b"}), by=BOB, at=NOON, digest="e" * 64), call().needs)
    assert together.listed(call()) == together.Listed(id=ActionId("a1"), bound="d" * 16)
    assert together.listed(edited) == together.Listed(id=ActionId("a1"), bound="e" * 16)


TWO = (Quorum(approvers=(Members(),), count=2),)


def half_approved(id: str = "a1", *, fits: frozenset[int] = frozenset({0}), digest: str = "d" * 64) -> Action:
    return replace(
        call(id, needs=TWO),
        votes=(Vote(decision=Approve(), by=BOB, at=NOON, digest=digest, fits=fits),),
    )


def test_what_somebody_has_approved_already_is_not_approved_again_and_may_still_be_rejected() -> None:
    asked = [
        approval("p1", half_approved("a1"), call("a2")),
        approval("p2", half_approved("a3", fits=frozenset()), half_approved("a4", digest="e" * 64)),
    ]

    def ids_for(kind: DecisionKind, by: UserId) -> list[str]:
        return [action.id for _, action in together.for_person(asked, kind, by)]

    every = ["a1", "a2", "a3", "a4"]
    assert ids_for(APPROVE, BOB) == ["a2", "a3", "a4"]
    assert ids_for(APPROVE, ALICE) == every
    assert ids_for(REJECT, BOB) == ids_for(REJECT, ALICE) == every


def test_what_became_of_each_is_counted_and_what_is_left_says_why_and_who_was_faster() -> None:
    def listed(id: str) -> together.Listed:
        return together.Listed(id=ActionId(id), bound="d" * 16)

    done = approval("p1", call("a1")).decide(ActionId("a1"), Approve(), by=BOB, at=NOON)
    waits = approval("p2", half_approved("a2"))
    verdicts: list[tuple[together.Listed, Approval | Refused]] = [
        (listed("a1"), done),
        (listed("a2"), waits),
        (listed("a6"), approval("p3", half_approved("a6"))),
        (listed("a3"), AlreadyDecided("This was decided meanwhile.")),
        (listed("a4"), NotAllowed("Not yours.")),
        (listed("a5"), Refused("It is gone.")),
    ]
    now = {
        ActionId("a3"): call("a3", outcome=Decided(decision=Approve(), by=ALICE, at=NOON)),
        ActionId("a4"): call("a4"),
    }
    assert together.told(verdicts, now) == together.Together(
        decided=3,
        waiting=2,
        left=(
            together.Left(why="This was decided meanwhile.", by=ALICE),
            together.Left(why="Not yours."),
            together.Left(why="It is gone."),
        ),
    )
    assert together.told([], {}) == together.Together(decided=0)


@pytest.mark.parametrize(
    ("each", "common"),
    [
        ([], ()),
        ([("late", "wrong")], ("late", "wrong")),
        ([("late", "wrong", "other"), ("other", "late")], ("late", "other")),
        ([("late",), ("wrong",)], ()),
        ([("late", "wrong"), ("wrong",), ("late", "wrong")], ("wrong",)),
    ],
)
def test_ready_made_reasons_for_several_calls_are_those_that_each_of_them_has(
    each: list[tuple[str, ...]], common: tuple[str, ...]
) -> None:
    calls = [call(f"a{at}", briefing=Briefing(reasons=reasons)) for at, reasons in enumerate(each)]
    assert together.common_reasons(calls) == common
