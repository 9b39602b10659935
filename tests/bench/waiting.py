"""A database full of conversations that wait for a person, made within seconds and in no way different.

One conversation is really run until its agent waits. Its checkpoints are copied row by row, and each copy
gets the conversation, approval, card, timers and record that a run files for it. So a click on any of them
resumes a real thread.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.agents.build import build
from bot.agents.built import BuiltAgent
from bot.agents.schemas import ToolSchemas
from bot.agents.threads import Threads
from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation, Post, PostKind, PostState, Said, Status
from bot.approvals.executing import Executing
from bot.approvals.filing import approval_for
from bot.approvals.ids import (
    ActionId,
    ApprovalId,
    ChannelId,
    ConversationId,
    MessageId,
    PostId,
    Ts,
    UserId,
)
from bot.approvals.policy import ChannelMembers, Policy, Terms
from bot.approvals.ports import Event, Work
from bot.approvals.thread import Interrupt
from bot.approvals.timers import timed
from bot.engines import engine_at, saver_at
from bot.jobs.port import Job, JobEngine
from bot.starting import upgrade_database
from bot.store.database import RowsStore, open_store
from bot.store.posts import post_values
from bot.store.rows import action_values, approval_values, conversation_values, said_values
from bot.store.tables import actions, approvals, conversations, messages, posts
from bot.store.transaction import RowsTransaction
from tests.bench.agent import bank

POLICY: Final = '[defaults]\napprovers = ["channel"]\nremind_after = ["8h"]\nexpires_after = "24h"\n'
"""Two timers for each approval."""

TERMS: Final = Policy(
    defaults=Terms(
        approvers=(ChannelMembers(),), remind_after=(timedelta(hours=8),), expires_after=timedelta(hours=24)
    )
)
"""The same, resolved."""

SCRIPT: Final = json.dumps([[("transfer", {"amount": 1.0, "to": "bob"})]])
CHANNEL: Final = ChannelId("C0GENERAL")
REQUESTER: Final = UserId("U0ALICE")
_SAMPLE: Final = "sample"
_TOGETHER: Final = 1_000
"""Conversations in one transaction."""


def thread_of(number: int) -> ConversationId:
    """The conversation with this number, from 0."""
    return ConversationId(f"waiting-{number}")


def action_of(number: int) -> ActionId:
    """What its card's buttons decide about."""
    return ActionId(f"action-{number}")


async def fill(where: str, count: int) -> Interrupt:
    """Make the database, with so many conversations that wait; what all of them ask."""
    await upgrade_database(where)
    async with saver_at(where) as saver, open_store(where) as store:
        built = build(
            bank, name="bank", model=None, checkpointer=saver, journal=Executing(store=store, now=_now)
        )
        thread = RunnableConfig(configurable={"thread_id": _SAMPLE})
        await built.graph.ainvoke({"messages": [HumanMessage(SCRIPT)]}, thread, durability="sync")
        (interrupt,) = (await Threads(built).read(ConversationId(_SAMPLE))).interrupts
        jobs = engine_at(where, store, {}, _lost)
        for first in range(0, count, _TOGETHER):
            numbers = range(first, min(first + _TOGETHER, count))
            await _file(store, jobs, built, interrupt, numbers)
        async with store.write() as tx:
            await _copy_checkpoints(tx.connection, count)
            if tx.connection.dialect.name == "postgresql":
                await tx.connection.execute(text("ANALYZE"))  # as it does by itself a minute later
    return interrupt


async def _file(
    store: RowsStore, jobs: JobEngine, built: BuiltAgent, interrupt: Interrupt, numbers: range
) -> None:
    tools = ToolSchemas(built)
    talks = [_conversation(number) for number in numbers]
    asked: list[Approval] = []
    timers: list[Work] = []
    for number, talk in zip(numbers, talks, strict=True):
        fresh = approval_for(
            interrupt, talk, requesters=frozenset({REQUESTER}), tools=tools, at=talk.started_at
        )
        named = replace(
            fresh,
            id=ApprovalId(f"approval-{number}"),
            actions=tuple(replace(one, id=action_of(number)) for one in fresh.actions),
        )
        approval, owed = timed(named, TERMS)
        asked.append(approval)
        timers += owed
    async with store.write() as tx:
        await _write(tx, talks, asked)
        await jobs.owe(tx, *timers)


async def _write(tx: RowsTransaction, talks: Sequence[Conversation], asked: Sequence[Approval]) -> None:
    do = tx.connection.execute
    await do(insert(conversations), [conversation_values(talk) for talk in talks])
    await do(insert(messages), [said_values(_opening(talk)) | {"handed_over": True} for talk in talks])
    await do(insert(approvals), [approval_values(one) for one in asked])
    await do(insert(actions), [values for one in asked for values in action_values(one)])
    await do(insert(posts), [post_values(card) for card in map(_card, talks, asked)])
    await tx.record.append(*_filed(asked))


def _conversation(number: int) -> Conversation:
    return Conversation(
        id=thread_of(number),
        channel=CHANNEL,
        thread_ts=Ts(f"{number}.000100"),
        requester=REQUESTER,
        started_at=_now(),
        status=Status.WAITING,
    )


def _opening(talk: Conversation) -> Said:
    source = f"{talk.channel}/{talk.thread_ts}"
    return Said(
        id=MessageId(source),
        conversation=talk.id,
        by=REQUESTER,
        text=SCRIPT,
        at=talk.started_at,
        source=source,
    )


def _card(talk: Conversation, approval: Approval) -> Post:
    return Post(
        id=PostId(f"card-{approval.id}"),
        conversation=talk.id,
        kind=PostKind.CARD,
        approval=approval.id,
        state=PostState.SHOWN,
        channel=talk.channel,
        ts=Ts(f"{talk.thread_ts}1"),
        drawn=approval.version,
    )


def _filed(asked: Sequence[Approval]) -> Iterator[Event]:
    for one in asked:
        yield Event(kind="filed", at=one.asked_at, conversation=one.conversation, approval=one.id)


async def _copy_checkpoints(connection: AsyncConnection, count: int) -> None:
    postgres = connection.dialect.name == "postgresql"
    tables = ["checkpoints", *(["checkpoint_writes", "checkpoint_blobs"] if postgres else ["writes"])]
    for table in tables:
        columns = list((await connection.execute(text(f"SELECT * FROM {table} LIMIT 0"))).keys())  # noqa: S608 - our own names
        rest = ", ".join(f'"{name}"' for name in columns if name != "thread_id")
        await connection.execute(
            text(
                "WITH RECURSIVE numbers(number) AS "  # noqa: S608 - our own names
                f"(SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < {count - 1}) "
                f"INSERT INTO {table} (thread_id, {rest}) "
                f"SELECT '{thread_of(0)[:-1]}' || number, {rest} FROM {table}, numbers "
                f"WHERE thread_id = '{_SAMPLE}'"
            )
        )


async def _lost(job: Job, error: Exception) -> None:
    raise RuntimeError(job.kind) from error


def _now() -> datetime:
    return datetime.now(UTC)
