"""A turn as people follow it: how each call stands, what is told of it, and when one card tells it all."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.approvals.action import Decided, Expired, LetThrough, Remembered
from bot.approvals.approval import Approval, Outcome, Shape, State
from bot.approvals.decision import Approve, Arguments, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.ids import ActionId, InterruptId
from bot.approvals.masking import Masking
from bot.approvals.plan import ENDED, Course, Plan, Stand, Task, is_on_one_card, plan_of
from bot.approvals.sayings import saying, uttered
from bot.approvals.steps import STOPPED, STOPPED_IN_DOUBT
from bot.approvals.thread import ActionRequest, Called, Condition, Interrupt, Thread, Turn
from bot.approvals.words import spoken
from tests.slack.unspoken import Bracketed
from tests.store.samples import BOB, NOON, action, approval

WORKING, WAITING = Course.WORKING, Course.WAITING
OLD = LetThrough(at=NOON, because=Remembered(action=ActionId("old"), by=(BOB,), at=NOON))


def called(id: str = "c1", arguments: Arguments | None = None, **more: Any) -> Called:  # noqa: ANN401
    return Called(message="m1", id=id, tool="read", arguments=arguments or {}, **more)


def turn(*calls: Called) -> Turn:
    return Turn(id="said", calls=calls)


def thread(*asked: str) -> Thread:
    """Which stands before an interrupt about these calls."""
    requests = tuple(
        ActionRequest(
            tool="read", arguments={}, description="", allowed=frozenset(DecisionKind), call=one, message="m1"
        )
        for one in asked
    )
    pending = (Interrupt(id=InterruptId("i1"), shape=Shape.BATCHED, requests=requests),) if asked else ()
    return Thread(condition=Condition.RUNNABLE, interrupts=pending)


def about(outcome: Outcome | None = None, state: State = State.SETTLED, **more: Any) -> Approval:  # noqa: ANN401
    """An approval of the call `c1`."""
    one = replace(action(tool="read"), message="m1", call="c1", outcome=outcome)
    return replace(approval("p1", one), state=state, **more)


def decided(decision: Decision) -> Decided:
    return Decided(decision=decision, by=BOB, at=NOON)


def stand(
    call: Called, *approvals: Approval, pending: tuple[str, ...] = (), course: Course = WORKING
) -> Stand:
    plan = plan_of(turn(call), thread(*pending), approvals, course, Masking())
    [task] = plan.tasks
    return task.stand


DONE, FAILED = called(result="found"), called(result="no", failed=True)


@pytest.mark.parametrize(
    ("call", "outcome", "expected"),
    [
        (called(), None, Stand.RUNNING),
        (DONE, None, Stand.DONE),
        (FAILED, None, Stand.FAILED),
        (called(result=""), None, Stand.DONE),
        (called(result=STOPPED), None, Stand.STOPPED),
        (called(result=STOPPED_IN_DOUBT), None, Stand.STOPPED),
        (called(result=STOPPED), decided(Reject("no")), Stand.STOPPED),
        (called(), Expired(at=NOON), Stand.EXPIRED),
        (DONE, Expired(at=NOON), Stand.EXPIRED),
        (DONE, decided(Reject("no")), Stand.REJECTED),
        (DONE, decided(Respond("7")), Stand.ANSWERED),
        (called(), decided(Approve()), Stand.RUNNING),
        (DONE, decided(Approve()), Stand.DONE),
        (FAILED, decided(Edit({})), Stand.FAILED),
        (DONE, OLD, Stand.DONE),
        (called(), OLD, Stand.RUNNING),
    ],
)
def test_a_call_stands_as_its_result_and_what_people_decided_say(
    call: Called, outcome: Outcome | None, expected: Stand
) -> None:
    assert stand(call, about(outcome)) is expected
    if outcome is None:
        assert stand(call) is expected


@pytest.mark.parametrize(
    ("approval", "call", "expected"),
    [
        (about(state=State.WAITING), called(), Stand.WAITING),
        (about(decided(Approve()), State.WAITING), called(), Stand.WAITING),
        (about(decided(Approve()), State.WAITING), DONE, Stand.DONE),
        (about(decided(Reject("no")), State.WITHDRAWN), called(), Stand.RUNNING),
        (about(decided(Reject("no")), State.WITHDRAWN), DONE, Stand.DONE),
        (about(decided(Reject("no")), shape=Shape.IN_DOUBT), DONE, Stand.SKIPPED),
        (about(decided(Respond("7")), shape=Shape.IN_DOUBT), DONE, Stand.DONE),
        (about(decided(Respond("7")), shape=Shape.IN_DOUBT), FAILED, Stand.FAILED),
        (about(decided(Approve()), shape=Shape.IN_DOUBT), called(), Stand.RUNNING),
    ],
)
def test_while_people_are_asked_it_waits_and_of_a_call_in_doubt_other_things_are_said(
    approval: Approval, call: Called, expected: Stand
) -> None:
    assert stand(call, approval) is expected


def test_a_call_that_is_about_to_be_asked_about_waits_and_one_beside_those_that_wait_is_held() -> None:
    assert stand(called(), pending=("c1",)) is Stand.WAITING
    assert stand(called(), pending=("c2",)) is Stand.RUNNING
    assert stand(called(), pending=("c1",), course=WAITING) is Stand.WAITING
    assert stand(called(), pending=("c2",), course=WAITING) is Stand.HELD
    assert stand(DONE, pending=("c2",), course=WAITING) is Stand.DONE
    decided_already = about(decided(Approve()))
    assert stand(called(), decided_already, pending=("c1",)) is Stand.RUNNING
    assert stand(called(), decided_already, pending=("c1",), course=WAITING) is Stand.WAITING


def test_an_approval_of_which_no_call_is_known_says_nothing() -> None:
    bare = replace(approval("p1", action(tool="read")), state=State.WAITING)
    assert stand(replace(called(""), message=""), bare) is Stand.RUNNING


def test_of_calls_with_one_id_in_two_messages_each_has_its_own_stand() -> None:
    two = turn(called(), replace(called(), message="m2"))
    plan = plan_of(two, thread(), [about(state=State.WAITING)], WORKING, Masking())
    assert [one.stand for one in plan.tasks] == [Stand.WAITING, Stand.RUNNING]


@pytest.mark.parametrize("odd", ["an outcome of tomorrow", decided("a decision of tomorrow")])  # type: ignore[arg-type]
def test_an_outcome_that_nobody_knows_is_an_error(odd: Any) -> None:  # noqa: ANN401
    with pytest.raises(AssertionError, match="of tomorrow"):
        stand(DONE, about(odd))


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ({}, ""),
        ({"a": "x", "b": 1}, "a: x, b: 1"),
        ({"a": " x \n y\t"}, "a: x y"),
        (
            {"a": {"k": 1}, "b": {}, "c": [1], "d": [], "e": None, "f": True},
            "a: {…}, b: {}, c: […], d: [], e: null, f: true",
        ),
        ({"a": (1,), "b": ()}, "a: […], b: []"),
        ({"a": {1}}, 'a: "{1}"'),
        ({"a": "x" * 137}, "a: " + "x" * 137),
        ({"a": "x" * 138}, "a: " + "x" * 136 + "…"),
        ({"password": "hunter2hunter2"}, "password: (masked, 14 characters)"),
        ({"a": "x" * 7_996 + " token=abc12345"}, "a: " + "x" * 136 + "…"),
    ],
)
def test_of_the_arguments_a_line_of_140_characters_is_told_and_no_secret(arguments: Any, given: str) -> None:  # noqa: ANN401
    [task] = plan_of(turn(called(arguments=arguments)), thread(), [], WORKING, Masking()).tasks
    assert task.given == given


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("found", "found"),
        ("", ""),
        ("a\n  b", "a b"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        ("the password is hunter2hunter2.", "the password is (masked, 14 characters)."),
    ],
)
def test_of_what_came_out_a_line_of_200_characters_is_told_and_no_secret_of_the_turn(
    result: str, told: str
) -> None:
    calls = (called(arguments={"password": "hunter2hunter2"}), called("c2", result=result))
    assert plan_of(turn(*calls), thread(), [], WORKING, Masking()).tasks[1].told == told


def test_secrets_of_what_people_are_asked_are_masked_too() -> None:
    asked = replace(about(), actions=(action("a9", {"password": "hunter2hunter2"}),))
    [task] = plan_of(turn(called(result="hunter2hunter2")), thread(), [asked], WORKING, Masking()).tasks
    assert task.told == "(masked, 14 characters)"


@pytest.mark.parametrize(
    ("outcome", "call", "told"),
    [
        (decided(Respond("7")), called(result="7"), "7"),
        (decided(Approve()), FAILED, "no"),
        (decided(Reject("no")), called(result="User rejected it"), ""),
        (Expired(at=NOON), called(result="Nobody decided"), ""),
        (None, called(result=STOPPED), ""),
    ],
)
def test_a_sentence_of_ours_is_not_told_as_what_came_out(
    outcome: Outcome | None, call: Called, told: str
) -> None:
    [task] = plan_of(turn(call), thread(), [about(outcome)], WORKING, Masking()).tasks
    assert task.told == told


TASKS = tuple(Task(tool="read", given="a: 1", stand=one, told="told") for one in Stand)


def test_at_its_end_what_has_no_result_is_stopped_and_tells_nothing() -> None:
    plan = Plan(course=WORKING, tasks=TASKS, version=3, due=NOON)
    ended = plan.ended(Course.HALTED)
    assert [one.stand for one in ended.tasks] == [one if one in ENDED else Stand.STOPPED for one in Stand]
    assert [one.told for one in ended.tasks] == ["told" if one in ENDED else "" for one in Stand]
    assert (ended.course, ended.version, ended.due) == (Course.HALTED, 3, NOON)
    assert {one for one in Stand if one not in ENDED} == {Stand.WAITING, Stand.HELD, Stand.RUNNING}


@pytest.mark.parametrize(
    ("course", "under_way", "expected"),
    [
        (Course.WORKING, True, Stand.RUNNING),
        (Course.WAITING, True, Stand.HELD),
        (Course.HALTED, False, Stand.STOPPED),
        (Course.STOPPED, False, Stand.STOPPED),
        (Course.DONE, False, Stand.STOPPED),
    ],
)
def test_a_turn_that_is_over_has_no_call_under_way(
    course: Course,
    under_way: bool,  # noqa: FBT001 - a table
    expected: Stand,
) -> None:
    plan = plan_of(turn(called()), thread(), [], course, Masking())
    assert (plan.course, plan.is_under_way, plan.tasks[0].stand) == (course, under_way, expected)
    assert (plan.version, plan.due) == (0, None)


def test_a_plan_is_read_as_it_was_written() -> None:
    for plan in (Plan(course=WAITING, tasks=TASKS, version=3, due=NOON), Plan(course=Course.DONE, tasks=())):
        assert Plan.from_json(plan.to_json()) == plan
    assert Plan(course=WORKING, tasks=(Task(tool="ä", given="g", stand=Stand.DONE),)).to_json() == (
        '{"course": "working", "tasks": [["ä", "g", "done", ""]], "version": 0, "due": null}'
    )


def test_two_plans_look_alike_whatever_their_versions() -> None:
    plan = Plan(course=WORKING, tasks=TASKS)
    assert plan.looks_like(replace(plan, version=7, due=NOON + timedelta(1)))
    assert not plan.looks_like(replace(plan, course=WAITING))
    assert not plan.looks_like(replace(plan, tasks=TASKS[1:]))


def test_one_card_tells_of_a_turn_if_it_is_about_all_of_its_calls() -> None:
    one, two = turn(called()), turn(called(), called("c2"))
    assert is_on_one_card(one, thread(), [about()])
    assert not is_on_one_card(two, thread(), [about()])
    assert not is_on_one_card(one, thread(), [])
    assert is_on_one_card(two, thread("c1", "c2", "c3"), [])
    assert not is_on_one_card(two, thread("c1"), [about()])
    assert is_on_one_card(one, thread(), [about(OLD)])
    assert not is_on_one_card(one, thread(), [about(LetThrough(at=NOON))])
    assert not is_on_one_card(turn(replace(called(), message="m2")), thread("c1"), [about()])


def test_a_failure_is_kept_for_every_language_and_what_is_secret_in_it_for_none() -> None:
    failed = saying("`{tool}` failed: {why}", tool="read", why="hunter2-hunter2 is\nwrong " + "x" * 300)
    call = called(arguments={"password": "hunter2-hunter2"}, result=failed, failed=True)
    plan = Plan.from_json(plan_of(turn(call), thread(), (), WORKING, Masking()).to_json())
    told = plan.tasks[0].told
    assert told == f"`read` failed: (masked, 15 characters) is wrong {'x' * 166}…"
    with spoken(Bracketed()):
        assert uttered(told) == f"⟦{told}⟧"
