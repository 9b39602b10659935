"""Approvals, decisions and people for property tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from bot.approvals.approval import Action, Approval, Shape
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Json, Reject, Respond
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, InterruptId, UserId

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
PEOPLE = [UserId("U1"), UserId("U2"), UserId("U3")]

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
arguments = st.dictionaries(st.text(), json_values, max_size=5)
decisions: st.SearchStrategy[Decision] = st.one_of(
    st.just(Approve()),
    st.builds(Edit, arguments),
    st.builds(Reject, st.text()),
    st.builds(Respond, st.text()),
)
allowed = st.frozensets(st.sampled_from(DecisionKind), min_size=1)


def an_action(number: int = 0, *, allowed: frozenset[DecisionKind] | None = None) -> Action:
    return Action(
        id=ActionId(f"a{number}"),
        tool="delete_file",
        arguments={"path": "tmp.log"},
        description="Delete a file.",
        allowed=allowed or frozenset(DecisionKind),
        digest="d" * 64,
    )


def an_approval(*actions: Action) -> Approval:
    return Approval(
        id=ApprovalId("p1"),
        conversation=ConversationId("c1"),
        interrupt=InterruptId("i1"),
        shape=Shape.BATCHED,
        actions=actions or (an_action(),),
        asked_at=NOON,
        requesters=frozenset({UserId("U1")}),
    )


deadlines = st.none() | st.integers(-1, 2).map(lambda minutes: NOON + timedelta(minutes=minutes))
approvals = st.builds(
    lambda kinds, deadline: replace(
        an_approval(*(an_action(number, allowed=kind) for number, kind in enumerate(kinds))),
        expires_at=deadline,
    ),
    st.lists(allowed, min_size=1, max_size=5),
    deadlines,
)
