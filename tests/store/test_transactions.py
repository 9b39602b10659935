import asyncio
import logging

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.approvals.decision import Approve
from bot.approvals.errors import Conflict
from bot.approvals.ids import ActionId, ConversationId
from bot.approvals.ports import Event
from bot.store import RowsStore, StoreUnavailable
from tests.store.samples import BOB, NOON, THREAD, approval, conversation, post

SLOW = text(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"
)
"""Keeps a database busy for some tenths of a second."""


async def test_what_raises_writes_nothing_at_all(store: RowsStore) -> None:
    with pytest.raises(ZeroDivisionError):
        await _write_everything_and_raise(store)
    async with store.read() as tx:
        assert await tx.conversations.get(THREAD) is None
        assert await tx.approvals.waiting() == []
        assert await tx.record.of() == []


async def _write_everything_and_raise(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.approvals.add(approval())
        await tx.record.append(Event(kind="filed", at=NOON))
        raise ZeroDivisionError


async def test_who_waits_for_the_commit_is_called_once_it_is_visible_to_others(store: RowsStore) -> None:
    called = asyncio.Event()
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        tx.on_commit(called.set)
        assert not called.is_set()
    assert called.is_set()


async def test_nobody_is_called_after_a_rollback(store: RowsStore) -> None:
    called = asyncio.Event()

    async def give_up() -> None:
        async with store.write() as tx:
            tx.on_commit(called.set)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await give_up()
    async with store.write():
        pass
    assert not called.is_set()


async def test_a_call_that_fails_after_the_commit_neither_loses_rows_nor_the_other_calls(
    store: RowsStore, caplog: pytest.LogCaptureFixture
) -> None:
    called = asyncio.Event()

    def fail() -> None:
        raise RuntimeError

    with caplog.at_level(logging.CRITICAL):
        async with store.write() as tx:
            await tx.conversations.add(conversation())
            tx.on_commit(fail)
            tx.on_commit(called.set)
    assert called.is_set()
    async with store.read() as tx:
        assert await tx.conversations.get(THREAD)


async def test_a_reader_waits_for_no_writer_and_sees_one_moment(store: RowsStore) -> None:
    async with store.read() as reader:
        assert await reader.conversations.get(THREAD) is None
        async with store.write() as writer:
            await writer.conversations.add(conversation())
            assert await reader.conversations.get(THREAD) is None
        assert await reader.conversations.get(THREAD) is None
    async with store.read() as reader:
        assert await reader.conversations.get(THREAD)


async def test_a_reader_cannot_write(store: RowsStore) -> None:
    with pytest.raises(StoreUnavailable, match="read-only"):
        async with store.read() as tx:
            await tx.conversations.add(conversation())


async def test_writers_take_turns_and_none_of_them_fails(store: RowsStore) -> None:
    async def write(number: int) -> None:
        async with store.write() as tx:
            await tx.conversations.add(conversation(f"c{number}"))
            await asyncio.sleep(0)
            await tx.record.append(Event(kind="filed", at=NOON, conversation=ConversationId(f"c{number}")))

    async with asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(write(number))
    async with store.read() as tx:
        assert len(await tx.record.of()) == 100


async def test_of_many_who_decide_at_once_one_wins(store: RowsStore) -> None:
    asked = approval("p1")
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.approvals.add(asked)

    async def decide() -> bool:
        async with store.read() as tx:
            seen = await tx.approvals.of_action(ActionId("a-p1"))
            assert seen is not None
        try:
            async with store.write() as tx:
                await tx.approvals.save(asked.decide(ActionId("a-p1"), Approve(), by=BOB, at=NOON))
        except Conflict:
            return False
        return True

    assert sorted(await asyncio.gather(*(decide() for _ in range(20)))) == [False] * 19 + [True]


async def test_who_is_cancelled_in_the_middle_of_a_statement_writes_nothing_and_blocks_nobody(
    store: RowsStore,
) -> None:
    started = asyncio.Event()

    async def write() -> None:
        async with store.write() as tx:
            await tx.conversations.add(conversation())
            started.set()
            await tx.connection.execute(SLOW)

    task = asyncio.create_task(write())
    await started.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with store.write() as tx:
        assert await tx.conversations.get(THREAD) is None
        await tx.conversations.add(conversation())


async def test_who_is_cancelled_while_waiting_for_a_turn_blocks_nobody(store: RowsStore) -> None:
    async def write() -> None:
        async with store.write() as tx:
            await tx.conversations.add(conversation())

    async with store.write():
        waiting = [asyncio.create_task(write()) for _ in range(3)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    await write()


@pytest.mark.parametrize("turns", range(0, 40, 3))
async def test_who_is_cancelled_at_any_moment_wrote_everything_and_told_or_nothing(
    store: RowsStore, turns: int
) -> None:
    told = asyncio.Event()

    async def write() -> None:
        async with store.write() as tx:
            await tx.conversations.add(conversation())
            await tx.record.append(Event(kind="filed", at=NOON))
            tx.on_commit(told.set)

    task = asyncio.create_task(write())
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with store.write() as tx:
        there = await tx.conversations.get(THREAD) is not None
        recorded = len(await tx.record.of())
    assert (there, recorded) in {(True, 1), (False, 0)}
    assert told.is_set() == there


async def test_rows_belong_to_conversations_that_exist(store: RowsStore) -> None:
    with pytest.raises(IntegrityError):
        async with store.write() as tx:
            await tx.posts.owe(post())


async def test_the_record_and_what_people_were_shown_cannot_be_changed(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.approvals.add(approval())
        await tx.record.append(Event(kind="filed", at=NOON))
    for statement in ("UPDATE audit SET kind = 'x'", "DELETE FROM audit", "UPDATE actions SET position = 1"):
        with pytest.raises(IntegrityError):
            async with store.write() as tx:
                await tx.connection.execute(text(statement))
    async with store.read() as tx:
        assert [event.kind for event in await tx.record.of()] == ["filed"]


async def test_a_commit_is_on_disk(file_store: RowsStore) -> None:
    async with file_store.write() as tx:
        pragmas = {
            name: (await tx.connection.execute(text(f"PRAGMA {name}"))).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 2000}


async def test_a_mistake_in_a_statement_is_no_fault_of_the_disk(store: RowsStore) -> None:
    with pytest.raises(DBAPIError, match=r"no such table|does not exist"):
        async with store.write() as tx:
            await tx.connection.execute(text("SELECT * FROM nowhere"))
