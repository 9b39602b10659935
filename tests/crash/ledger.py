"""What a cell's database says: read once, when nothing is under way any more."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import make_url, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation, Post, Status
from bot.approvals.ids import ApprovalId, ConversationId, UserId
from bot.approvals.journal import Execution
from bot.approvals.ports import Event
from bot.jobs.table import jobs
from bot.store.database import RowsStore
from bot.store.tables import approvals
from tests.crash.people import PATIENCE

ALICE, BOB, CAROL = UserId("U0ALICE"), UserId("U0BOB"), UserId("U0CAROL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Everything about one conversation."""

    conversation: Conversation
    approvals: Mapping[ApprovalId, Approval]
    posts: Sequence[Post]
    executions: Sequence[Execution]
    record: Sequence[Event]


async def ledger_of(store: RowsStore, requester: UserId) -> Ledger:
    """Of the person's one conversation."""
    async with store.read() as tx:
        (conversation,) = await tx.conversations.of(requester)
        return Ledger(
            conversation=conversation,
            approvals={one.id: one for one in await tx.approvals.of(conversation.id)},
            posts=await tx.posts.of(conversation.id),
            executions=await tx.executions.of(conversation.id),
            record=await tx.record.of(conversation.id),
        )


async def at_rest(store: RowsStore, status: Status) -> None:
    """Until nothing is owed or under way but timers, and Alice's conversation has this status."""
    async with asyncio.timeout(PATIENCE):
        while await _under_way(store) or await _status(store) is not status:  # noqa: ASYNC110 - said by another process
            await asyncio.sleep(0.02)


async def _under_way(store: RowsStore) -> list[str]:
    async with store.read() as tx:
        owed = select(jobs.c.id, jobs.c.kind, jobs.c.state, jobs.c.error).where(jobs.c.kind != "timer")
        rows = list(await tx.connection.execute(owed))
        assert [row for row in rows if row.state == "failed"] == []
        return [row.id for row in rows]


async def _status(store: RowsStore) -> Status:
    async with store.read() as tx:
        (conversation,) = await tx.conversations.of(ALICE)
    return conversation.status


async def let_time_pass(database: str, conversation: ConversationId) -> None:
    """The deadlines of a conversation come, while no bot runs."""

    async def pass_by(connection: AsyncConnection) -> None:
        its = approvals.c.conversation == conversation
        rows = await connection.execute(select(approvals).where(its, approvals.c.expires_at.is_not(None)))
        for row in list(rows):
            ends = row.expires_at - timedelta(days=2)
            await connection.execute(
                update(approvals).where(approvals.c.id == row.id).values(expires_at=ends)
            )
            await connection.execute(update(jobs).where(jobs.c.id == f"expire:{row.id}").values(due=1.0))
        if connection.dialect.name == "postgresql":
            await connection.execute(
                text(
                    "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE queueing_lock IN "
                    "(SELECT CAST(seq AS text) FROM jobs WHERE due = 1.0)"
                )
            )

    await _changed(database, pass_by)


async def let_leases_end(database: str) -> None:
    """The dead process has not said for an hour that it lives."""

    async def end(connection: AsyncConnection) -> None:
        await connection.execute(
            text("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
        )

    if database.startswith("postgresql"):
        await _changed(database, end)


async def _changed(database: str, change: Callable[[AsyncConnection], Awaitable[None]]) -> None:
    url = make_url(database)
    driver = "postgresql+psycopg" if url.drivername == "postgresql" else "sqlite+aiosqlite"
    engine = create_async_engine(url.set(drivername=driver))
    try:
        async with engine.begin() as connection:
            await change(connection)
    finally:
        await engine.dispose()
