"""What a locked, full or read-only disk does: one sentence, nothing lost, and on it goes when it is over."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.approvals.ids import ConversationId
from bot.store import RowsStore, StoreUnavailable
from tests.store.samples import conversation, said


@pytest.fixture
def store(file_store: RowsStore) -> RowsStore:
    """Locks, full disks and pragmas are of a file."""
    return file_store


async def pragma(store: RowsStore, setting: str) -> None:
    """Set on the one connection that writes."""
    async with store.write() as tx:
        await tx.connection.execute(text(f"PRAGMA {setting}"))


@pytest.fixture
def other(path: Path, store: RowsStore) -> Iterator[sqlite3.Connection]:  # noqa: ARG001 - opened after it
    connection = sqlite3.connect(path, isolation_level=None)
    yield connection
    connection.close()


async def test_a_database_that_another_writer_holds_is_said_to_be_busy(
    store: RowsStore, other: sqlite3.Connection
) -> None:
    await pragma(store, "busy_timeout = 0")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match=r"^The database is busy with another writer; nothing was"):
        await pragma(store, "user_version")
    async with store.read() as tx:
        assert await tx.approvals.waiting() == []
    other.execute("ROLLBACK")
    async with store.write() as tx:
        await tx.conversations.add(conversation())


async def write_much(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation("lost"))
        await tx.conversations.keep(said(text="x" * 100_000))


async def test_a_full_disk_takes_nothing_back_and_the_next_transaction_works(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        pages = (await tx.connection.execute(text("PRAGMA page_count"))).scalar_one()
    await pragma(store, f"max_page_count = {pages + 4}")
    with pytest.raises(StoreUnavailable, match=r"^The disk is full; nothing was written\.$"):
        await write_much(store)
    async with store.write() as tx:
        assert await tx.conversations.get(ConversationId("lost")) is None
        await tx.conversations.keep(said(text="short"))
    await pragma(store, "max_page_count = 1000000")
    async with store.write() as tx:
        assert [one.text for one in await tx.conversations.kept(conversation().id)] == ["short"]


async def test_a_read_only_disk_is_said_to_be_one(store: RowsStore) -> None:
    await pragma(store, "query_only = ON")
    with pytest.raises(StoreUnavailable, match=r"^The database is read-only; nothing was written\.$"):
        async with store.write() as tx:
            await tx.conversations.add(conversation())
    async with store.read() as tx:
        assert await tx.conversations.get(conversation().id) is None


async def test_an_error_does_not_quote_what_people_wrote(store: RowsStore) -> None:
    await pragma(store, "query_only = ON")
    with pytest.raises(StoreUnavailable) as caught:
        async with store.write() as tx:
            await tx.conversations.add(conversation("hunter2"))
    assert "hunter2" not in repr(caught.value.__cause__) + str(caught.value.__cause__)


async def test_what_another_connection_writes_into_the_same_file_is_waited_for(
    store: RowsStore, other: sqlite3.Connection
) -> None:
    """As the agent's checkpoints do, which are in the same file."""
    other.execute("CREATE TABLE checkpoints (blob)")
    for number in range(20):
        other.execute("INSERT INTO checkpoints VALUES (?)", (b"x" * 20_000,))
        async with store.write() as tx:
            await tx.conversations.add(conversation(f"c{number}"))
    assert other.execute("SELECT count(*) FROM conversations").fetchone() == (20,)
