"""Decisions in rows, and what functions of a policy said in rows."""

import math
from datetime import timedelta
from typing import Any

import pytest

from bot.approvals.asking import Asking
from bot.approvals.choosing import ApprovalRequest, Chosen, NoFunctions
from bot.approvals.decision import (
    Approve,
    Decision,
    DecisionKind,
    Edit,
    Json,
    Reject,
    Respond,
    decision_from_json,
    decision_to_json,
    kind_of,
    strict,
)
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.places import IN_THREAD, InChannel, ToApprovers
from bot.approvals.times import NEVER
from bot.approvals.who import One, Quorum, UserGroup

TABLE: list[tuple[Decision, DecisionKind, dict[str, Json]]] = [
    (Approve(), DecisionKind.APPROVE, {"type": "approve"}),
    (Edit({"path": "b"}), DecisionKind.EDIT, {"type": "edit", "arguments": {"path": "b"}}),
    (
        Edit({}, tool="archive"),
        DecisionKind.EDIT,
        {"type": "edit", "arguments": {}, "tool": "archive"},
    ),
    (Reject(), DecisionKind.REJECT, {"type": "reject", "reason": ""}),
    (Reject("no"), DecisionKind.REJECT, {"type": "reject", "reason": "no"}),
    (Respond("done"), DecisionKind.RESPOND, {"type": "respond", "message": "done"}),
]


@pytest.mark.parametrize(("decision", "kind", "row"), TABLE)
def test_a_decision_is_a_row_and_back(decision: Decision, kind: DecisionKind, row: dict[str, Json]) -> None:
    assert (kind_of(decision), decision_to_json(decision)) == (kind, row)
    assert decision_from_json(row) == decision


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"type": "other"},
        {"type": "edit"},
        {"type": "edit", "arguments": []},
        {"type": "reject"},
        {"type": "reject", "reason": None},
        {"type": "respond"},
    ],
)
def test_a_row_that_is_no_decision_is_refused(row: dict[str, Json]) -> None:
    with pytest.raises(ValueError, match=r"^not a decision$"):
        decision_from_json(row)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (1.5, 1.5),
        ([1, math.inf, [math.nan]], [1, "inf", ["nan"]]),
        ({"a": {"b": math.inf}, "c": None}, {"a": {"b": "inf"}, "c": None}),
        ("inf", "inf"),
        (True, True),
    ],
)
def test_numbers_that_json_cannot_say_become_text_however_deep_they_are(value: Json, said: Json) -> None:
    assert strict(value) == said


ANN = One(UserId("U1"))
DBA = UserGroup(GroupId("S1"), "dba")
CHOSEN: list[tuple[Chosen, dict[str, Any], dict[str, Json]]] = [
    (Chosen(), {}, {}),
    (Chosen(approvers=(ANN, DBA)), {"approvers": (ANN, DBA)}, {"approvers": ["U1", ["S1", "dba"]]}),
    (Chosen(quorum=2), {"quorum": 2}, {"quorum": 2}),
    (
        Chosen(require=(Quorum(approvers=(ANN,), count=2),)),
        {"require": (Quorum(approvers=(ANN,), count=2),)},
        {"require": [{"of": ["U1"], "count": 2}]},
    ),
    (Chosen(self_approval=False), {"self_approval": False}, {"self_approval": False}),
    (Chosen(self_approval=True), {"self_approval": True}, {"self_approval": True}),
    (Chosen(ask=Asking.ONCE), {"ask": Asking.ONCE}, {"ask": "once"}),
    (Chosen(channel=IN_THREAD), {"channel": IN_THREAD}, {"channel": "thread"}),
    (Chosen(channel=ToApprovers()), {"channel": ToApprovers()}, {"channel": "dm:approvers"}),
    (
        Chosen(channel=InChannel(ChannelId("C1"), "#ops")),
        {"channel": InChannel(ChannelId("C1"))},
        {"channel": ["C1", "#ops"]},
    ),
    (
        Chosen(expires_after=timedelta(seconds=90)),
        {"expires_after": timedelta(seconds=90)},
        {"expires_after": 90.0},
    ),
    (Chosen(expires_after=NEVER), {"expires_after": NEVER}, {"expires_after": "never"}),
    (
        Chosen(approvers=(), quorum=1, require=(), self_approval=True, ask=Asking.NEVER),
        {"approvers": (), "quorum": 1, "require": (), "self_approval": True, "ask": Asking.NEVER},
        {"approvers": [], "require": [], "ask": "never", "quorum": 1, "self_approval": True},
    ),
]


@pytest.mark.parametrize(("chosen", "said", "row"), CHOSEN)
def test_what_functions_said_is_a_row_and_back_and_says_no_more_than_they_did(
    chosen: Chosen, said: dict[str, Any], row: dict[str, Json]
) -> None:
    assert (chosen.said, chosen.to_json()) == (said, row)
    assert Chosen.from_json(row) == chosen
    assert Chosen.from_json(row).to_json() == row


def test_a_place_or_an_end_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^not a place$"):
        Chosen.from_json({"channel": "somewhere"})
    with pytest.raises(ValueError, match=r"^not a number of seconds$"):
        Chosen.from_json({"expires_after": "soon"})


def test_why_functions_had_no_answer_is_told_and_not_kept() -> None:
    assert (Chosen(problem="it failed").said, Chosen(problem="it failed").to_json()) == ({}, {})


async def test_a_policy_without_functions_has_nothing_to_say_of_any_tool() -> None:
    request = ApprovalRequest(
        tool="pay", arguments={}, requesters=frozenset(), conversation="t1", channel="C1"
    )
    assert not NoFunctions().has_functions("pay")
    assert await NoFunctions().chosen(request, within=1) is None
