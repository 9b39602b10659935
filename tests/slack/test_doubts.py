"""The card of a call that may have run already, in each of its states, friendly and hostile."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.approvals.approval import Approval, Expired, Shape, State
from bot.approvals.decision import Approve, Decision, DecisionKind, Reject, Respond
from bot.slack import verbs
from bot.slack.cards import card
from bot.slack.doubts import ran_form, read_result
from bot.slack.viewing import view_all
from tests.slack.limits import assert_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, BOB, NOW, action, approval, approvals

ALLOWED = frozenset({DecisionKind.APPROVE, DecisionKind.RESPOND, DecisionKind.REJECT})


def doubt(decision: Decision | None = None) -> Approval:
    asked = replace(approval(action(tool="pay", allowed=ALLOWED)), shape=Shape.IN_DOUBT)
    return asked.decide(asked.actions[0].id, decision, by=BOB, at=NOW) if decision else asked


def words(blocks: list[dict[str, object]]) -> list[str]:
    return [
        each["text"]["text"]
        for block in blocks
        if block["type"] == "actions"
        for each in block["elements"]  # type: ignore[attr-defined]  # JSON
    ]


def test_an_open_one_says_what_happened_and_has_its_three_buttons() -> None:
    drawn = card(doubt(), requester=ALICE)
    assert_fit_for_slack(drawn)
    assert words(drawn.blocks) == ["It ran", "Run again", "Skip", "Stop"]
    told = readable(drawn.blocks)
    assert "May have run already" in told
    assert "nobody knows whether it ran" in told
    assert "notes.txt" in told
    assert drawn.text == "pay may have run already, asked by <@U0ALICE>. Did it?"


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Respond("receipt 17"), "☑️ It ran"),
        (Respond(""), "☑️ It ran"),
        (Approve(), "🔁 Run again"),
        (Reject(), "⏭️ Skipped"),
    ],
)
def test_a_decided_one_says_who_said_what_and_never_that_it_was_approved_or_rejected(
    decision: Decision, said: str
) -> None:
    drawn = card(doubt(decision), requester=ALICE)
    assert_fit_for_slack(drawn)
    told = readable(drawn.blocks)
    assert words(drawn.blocks) == []
    assert (f"{said} by @U0BOB" if isinstance(decision, Reject) else f"{said}, says @U0BOB") in told
    assert drawn.text.endswith(f"{said}, says <@U0BOB>.")
    assert not {"Approved", "Rejected", "Answered", "reason"} & {*told.split()}
    assert ("receipt 17" in told) == (decision == Respond("receipt 17"))


def test_one_that_is_withdrawn_or_expired_says_so() -> None:
    asked = doubt()
    assert "Withdrawn" in readable(card(asked.withdraw("stopped"), requester=ALICE).blocks)
    expired = replace(
        asked, state=State.SETTLED, actions=(replace(asked.actions[0], outcome=Expired(at=NOW)),)
    )
    assert "Expired" in readable(card(expired, requester=ALICE).blocks)


@given(approvals())
@settings(max_examples=40, deadline=None)
def test_whatever_the_call_was_the_card_and_the_form_fit(asked: Approval) -> None:
    one = replace(asked.actions[0], outcome=None, allowed=ALLOWED)
    open_one = replace(asked, shape=Shape.IN_DOUBT, actions=(one,), state=State.WAITING)
    assert_fit_for_slack(card(open_one, requester=ALICE))
    assert ran_form(open_one, one)["callback_id"] == verbs.RAN_FORM
    assert words(view_all(open_one, one)["blocks"])[:3] == ["It ran", "Run again", "Skip"]


@pytest.mark.parametrize(("typed", "read"), [("  receipt 17 ", "receipt 17"), ("", ""), (None, ""), (17, "")])
def test_what_it_returned_may_be_left_out(typed: object, read: str) -> None:
    assert read_result({"response": {"value": {"type": "plain_text_input", "value": typed}}}) == read
    assert read_result({}) == ""
