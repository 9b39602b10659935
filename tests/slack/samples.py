"""Approvals to draw, friendly and hostile."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

from hypothesis import strategies as st

from bot.approvals.action import Seat
from bot.approvals.approval import Action, Approval, Shape
from bot.approvals.decision import Approve, Arguments, Decision, DecisionKind, Edit, Json, Reject, Respond
from bot.approvals.errors import Refused
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, GroupId, InterruptId, PostId, UserId
from bot.approvals.who import ALONE, ChannelMembers, Members, One, Quorum, Requester, UserGroup

ALICE, BOB = UserId("U0ALICE"), UserId("U0BOB")
ANSWER = PostId("answer:conversation:message")
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EVERY = frozenset(DecisionKind)


def action(
    number: int = 0,
    tool: str = "write_file",
    arguments: Arguments | None = None,
    *,
    allowed: frozenset[DecisionKind] = EVERY,
    description: str = "",
    schema: Mapping[str, Any] | None = None,
) -> Action:
    return Action(
        id=ActionId(f"action-{number}-0123456789abc"),
        tool=tool,
        arguments={"path": "notes.txt", "content": "done"} if arguments is None else arguments,
        description=description,
        allowed=allowed,
        digest="0123456789abcdef" * 4,
        schema=schema,
    )


def approval(*actions: Action) -> Approval:
    return Approval(
        id=ApprovalId("approval-0123456789abc"),
        conversation=ConversationId("conversation-0123456789"),
        interrupt=InterruptId("0" * 32),
        shape=Shape.BATCHED,
        actions=actions or (action(),),
        asked_at=NOW,
        requesters=frozenset({ALICE}),
    )


def decided(asked: Approval, decisions: list[Decision], *, first: int | None = None) -> Approval:
    """With Bob's decisions, in turn, about the first so many actions, or all."""
    for each, decision in zip(asked.actions[:first], cycle(decisions), strict=False):
        asked = asked.decide(each.id, decision, by=BOB, at=NOW)
    return asked


TWO = (Quorum(approvers=(ChannelMembers(),), count=2),)
BOTH = (
    Quorum(approvers=tuple(One(UserId(f"U0PERSON{number}")) for number in range(30)), count=9),
    Quorum(approvers=(UserGroup(GroupId("S0RELEASE"), "release"), Members(), Requester()), count=3),
)


def voted(asked: Approval, id: ActionId, votes: Sequence[Decision], needs: tuple[Quorum, ...]) -> Approval:
    """With these votes, by a person each, as far as they are still taken."""
    for number, decision in enumerate(votes):
        seat = Seat(needs=needs, fits=frozenset({number % len(needs)}))
        with suppress(Refused):
            asked = asked.decide(id, decision, by=UserId(f"U0VOTER{number}"), at=NOW, seat=seat)
    return asked


CONTROL = [
    "<!channel>",
    "<!here>",
    "<@U0BOB>",
    "<#C0GENERAL>",
    "<https://evil.example|bank.example>",
    "<!date^1^x|y>",
]
NASTY = st.sampled_from(
    [
        *CONTROL,
        "```",
        "`",
        "*bold* _it_ ~s~",
        "@channel @here",
        "\u202egnp.exe",
        "\u200b\u2066\ufeff",
        "\U000e0041",
        "\ud800",
        "\x00\x07\x1b[31m",
        "👩🏽‍💻❤️🏳️‍🌈1️⃣",
        "שלום עולם",
        "مرحبا",
        " " * 60,
        "\n" * 30,
        "&lt;!channel&gt; &amp;",
        "[label](javascript:alert(1))",
        "[bank.example](https://evil.example)",
        "⟨U+202E⟩",
        ":smile:",
        "",
    ]
)
TEXTS = st.one_of(
    NASTY,
    st.text(alphabet=st.characters(), max_size=200),
    st.lists(NASTY, max_size=6).map(" ".join),
    st.builds(
        lambda piece, times: ((piece or "x") * times)[:2_900], NASTY, st.sampled_from([1, 50, 3_000, 20_000])
    ),
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXTS.map(lambda t: t[:300]), inner, max_size=4)
    ),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(TEXTS.map(lambda text: text[:300]), VALUES, max_size=6)
DECISIONS = st.one_of(st.just(Approve()), ARGUMENTS.map(Edit), TEXTS.map(Reject), TEXTS.map(Respond))
VOTES = st.one_of(
    st.integers(0, 13).map(lambda count: [Approve()] * count),
    st.builds(lambda count, edit: [edit, *[Approve()] * count], st.integers(0, 13), ARGUMENTS.map(Edit)),
)
ACTIONS = st.builds(
    action,
    st.just(0),
    TEXTS.map(lambda text: text[:200]),
    ARGUMENTS,
    allowed=st.sets(st.sampled_from(DecisionKind), min_size=1).map(frozenset),
    description=TEXTS,
)


@st.composite
def approvals(draw: st.DrawFn) -> Approval:
    """Any approval in any state."""
    needs = draw(st.sampled_from([ALONE, ALONE, TWO, BOTH]))
    few = draw(st.lists(ACTIONS, min_size=1, max_size=3))
    many = draw(st.sampled_from([1, 1, 2, 5, 12, 13, 50]))
    made = [
        Action(
            id=ActionId(f"action-{number}-0123456789abc"),
            tool=each.tool,
            arguments=each.arguments,
            description=each.description,
            allowed=EVERY,
            digest=each.digest,
            needs=needs,
        )
        for number, each in zip(range(many), cycle(few), strict=False)
    ]
    asked = approval(*made)
    if needs != ALONE:
        votes = draw(VOTES)
        for each in asked.actions[: draw(st.integers(0, many))]:
            asked = voted(asked, each.id, votes, needs)
    if needs == ALONE:
        asked = decided(
            asked, draw(st.lists(DECISIONS, min_size=1, max_size=4)), first=draw(st.integers(0, many))
        )
    if draw(st.booleans()) and asked.open:
        return asked.withdraw(draw(TEXTS))
    return asked
