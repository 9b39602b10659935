"""Durable acks: signed clicks in HTTP mode, beside a bare Bolt listener that only acks.

Both servers are processes of their own, warm before they are measured. The bot's clicks are decisions on
approvals that wait: each is written, recorded and owed a redraw before its ack. Redraws go on meanwhile, to a
Slack that is a process too.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from bot.approvals.approval import Action, Approval, Shape
from bot.approvals.conversation import Conversation, Post, PostKind, PostState, Status
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import (
    ActionId,
    ApprovalId,
    ChannelId,
    ConversationId,
    InterruptId,
    PostId,
    Ts,
    UserId,
)
from bot.store.database import open_store
from tests.bench.clicks import approve
from tests.bench.load import Rate, load

CLICKS = 2_300
WARM_UP = 300
ROUNDS = 3
SECRET = "sandbox-signing-secret"


async def measure_acks(folder: Path) -> list[str]:
    """A line for the table."""
    pairs = []
    async with a_server("bare", str(folder)) as bare, a_server("slack", str(folder)) as slack:
        for number in range(ROUNDS):
            home = folder / f"acks-{number}"
            home.mkdir()
            await _fill(home)
            async with a_server("bot", str(home), slack) as bot:
                ours = await _warm(bot)
            theirs = await _warm(bare)
            pairs.append((ours, theirs))
    ours, theirs = sorted(pairs, key=lambda pair: pair[0].per_second / pair[1].per_second)[ROUNDS // 2]
    return [_line("durable acks of signed clicks", ours, theirs)]


async def _warm(server: str) -> Rate:
    clicks = iter(_clicks())
    await load(f"{server}/slack/events", SECRET, islice(clicks, WARM_UP))
    return await load(f"{server}/slack/events", SECRET, clicks)


def _line(what: str, ours: Rate, theirs: Rate) -> str:
    return f"| {what} | {ours} | bare Bolt, ack only: {theirs} | {ours.per_second / theirs.per_second:.2f} |"


def _clicks() -> list[str]:
    return [approve(f"first-{number}", ts=f"{number}.1") for number in range(CLICKS)]


async def _fill(folder: Path) -> None:
    """Approvals of two actions, so that the clicks decide and the agent has nothing to do yet."""
    now = datetime.now(UTC)
    async with open_store(folder / "bot.db") as store, store.write() as tx:
        for number in range(CLICKS):
            conversation = ConversationId(f"conversation-{number}")
            await tx.conversations.add(
                Conversation(
                    id=conversation,
                    channel=ChannelId("C0GENERAL"),
                    thread_ts=Ts(f"{number}.0"),
                    requester=UserId("U0ALICE"),
                    started_at=now,
                    status=Status.WAITING,
                )
            )
            approval = ApprovalId(f"approval-{number}")
            await tx.approvals.add(
                Approval(
                    id=approval,
                    conversation=conversation,
                    interrupt=InterruptId(f"interrupt-{number}"),
                    shape=Shape.BATCHED,
                    actions=tuple(
                        Action(
                            id=ActionId(f"{name}-{number}"),
                            tool="delete_file",
                            arguments={"path": "tmp.log"},
                            description="Delete a file.",
                            allowed=frozenset({DecisionKind.APPROVE, DecisionKind.REJECT}),
                            digest="0" * 64,
                        )
                        for name in ("first", "second")
                    ),
                    asked_at=now,
                    requesters=frozenset({UserId("U0ALICE")}),
                )
            )
            await tx.posts.owe(
                Post(
                    id=PostId(f"card-{number}"),
                    conversation=conversation,
                    kind=PostKind.CARD,
                    approval=approval,
                    state=PostState.SHOWN,
                    channel=ChannelId("C0GENERAL"),
                    ts=Ts(f"{number}.1"),
                    drawn=0,
                )
            )


@asynccontextmanager
async def a_server(kind: str, *arguments: str) -> AsyncIterator[str]:
    """`tests.bench.servers` as a process, and the address that it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.bench.servers", kind, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL if not os.environ.get("BENCH_LOUD") else None,
    )
    try:
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().strip()
        if not address.startswith("http"):
            raise RuntimeError(f"the server {kind} did not start: {address or 'set BENCH_LOUD=1'}")
        yield address
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
