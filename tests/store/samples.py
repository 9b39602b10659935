"""Values to write, with everything that a test does not care about filled in."""
# ruff: noqa: ANN401 - `changes` are whatever fields the value has

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.approvals.approval import Action, Approval, Shape
from bot.approvals.conversation import Conversation, Post, PostKind, Said
from bot.approvals.decision import DecisionKind, Json
from bot.approvals.ids import (
    ActionId,
    ApprovalId,
    ChannelId,
    ConversationId,
    InterruptId,
    MessageId,
    PostId,
    Ts,
    UserId,
)

NOON = datetime(2026, 1, 2, 12, 0, 0, 123456, tzinfo=UTC)
ALICE, BOB = UserId("U0ALICE"), UserId("U0BOB")
GENERAL = ChannelId("C0GENERAL")
THREAD = ConversationId("thread-1")


def conversation(id: str = THREAD, **changes: Any) -> Conversation:
    base = Conversation(
        id=ConversationId(id), channel=GENERAL, thread_ts=Ts(f"1.{id}"), requester=ALICE, started_at=NOON
    )
    return replace(base, **changes)


def said(id: str = "m1", text: str = "hello", **changes: Any) -> Said:
    base = Said(id=MessageId(id), conversation=THREAD, by=ALICE, text=text, at=NOON, source=f"{GENERAL}/{id}")
    return replace(base, **changes)


def action(id: str = "a1", arguments: dict[str, Json] | None = None, **changes: Any) -> Action:
    base = Action(
        id=ActionId(id),
        tool="write_file",
        arguments={"path": "notes.txt"} if arguments is None else arguments,
        description="Write a file",
        allowed=frozenset(DecisionKind),
        digest="d" * 64,
    )
    return replace(base, **changes)


def approval(id: str = "p1", *actions: Action, **changes: Any) -> Approval:
    base = Approval(
        id=ApprovalId(id),
        conversation=THREAD,
        interrupt=InterruptId(f"i-{id}"),
        shape=Shape.BATCHED,
        actions=actions or (action(f"a-{id}"),),
        asked_at=NOON,
        requesters=frozenset({ALICE}),
    )
    return replace(base, **changes)


def post(id: str = "post-1", **changes: Any) -> Post:
    return replace(Post(id=PostId(id), conversation=THREAD, kind=PostKind.NOTICE, text="hi"), **changes)


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)
