"""The record in a real database: many writers, one chain; and everything that is done to it is found."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.approvals.ids import ActionId, AgentName, ApprovalId, ConversationId, Ts
from bot.approvals.ports import Event
from bot.approvals.realm import Realm
from bot.store import RowsStore, open_store, reading_store
from bot.store.auditing import PAGE, recorded, verified
from bot.store.chain import START, Broken, Fault, Link
from bot.store.sqlite import reading_engine, writing_engine
from tests.store.samples import BOB, NOON, THREAD, conversation

COLUMNS = ("prev", "hash", "kind", "at", "conversation", "approval", "action", "actor", "detail")


def event(number: int) -> Event:
    return Event(
        kind="decided",
        at=NOON,
        conversation=THREAD,
        approval=ApprovalId(f"p{number}"),
        action=ActionId(f"a{number}"),
        actor=BOB,
        detail={"decision": "approve", "é": ["\ud800", number, None, 1.5]},
    )


async def fill(store: RowsStore, rows: int) -> None:
    async with store.write() as tx:
        await tx.record.append(*map(event, range(rows)))


async def test_fifty_writers_at_once_write_one_chain(store: RowsStore) -> None:
    async def write(number: int) -> None:
        for part in range(4):
            async with store.write() as tx:
                await tx.record.append(event(number))
                await asyncio.sleep(0)
                await tx.record.append(event(part))

    async with asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(write(number))
    end = await verified(store)
    assert isinstance(end, Link), end
    assert end.seq == 400


@asynccontextmanager
async def beside(where: str | Path) -> AsyncIterator[RowsStore]:
    """Another writer: a replica on Postgres, on SQLite a command beside the bot that holds the file."""
    if isinstance(where, str):
        async with open_store(where) as replica:
            yield replica
        return
    writer, readers = writing_engine(where), reading_engine(where)
    yield RowsStore(writer=writer, readers=readers)
    await readers.dispose()
    await writer.dispose()


async def test_replicas_and_commands_beside_the_bot_write_one_chain(where: str | Path) -> None:
    async with open_store(where) as bot, beside(where) as command:
        for number in range(5):
            await fill(bot, 2)
            await asyncio.gather(fill(command, 3), fill(bot, 1))
            end = await verified(bot)
            assert isinstance(end, Link), end
            assert end.seq == 6 * (number + 1)


async def test_a_transaction_that_is_rolled_back_leaves_no_gap(store: RowsStore) -> None:
    await fill(store, 1)

    async def fail() -> None:
        async with store.write() as tx:
            await tx.record.append(event(1))
            assert len(await tx.record.of()) == 2  # which writes it
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    await fill(store, 1)
    end = await verified(store)
    assert isinstance(end, Link), end
    assert end.seq == 2


async def test_an_empty_record_is_intact(store: RowsStore) -> None:
    assert await verified(store) == START
    broken = await verified(store, Link(1, "0" * 64))
    assert isinstance(broken, Broken)
    assert broken.fault is Fault.CUT


async def test_a_record_of_many_pages_is_read_while_it_grows(store: RowsStore) -> None:
    await fill(store, PAGE)
    seen = 0
    async for line in recorded(store):
        seen += 1
        assert line.link.seq == seen
        if seen == PAGE:
            await fill(store, 5)
    assert seen == PAGE + 5
    end = await verified(store)
    assert isinstance(end, Link), end
    assert end.seq == PAGE + 5


async def test_the_lines_of_one_conversation_keep_their_places(store: RowsStore) -> None:
    other = ConversationId("other")
    async with store.write() as tx:
        for conversation in (THREAD, other, THREAD):
            await tx.record.append(Event(kind="said", at=NOON, conversation=conversation))
    lines = [line async for line in recorded(store, THREAD)]
    assert [line.link.seq for line in lines] == [1, 3]
    everything = [line async for line in recorded(store)]
    assert [line.prev for line in everything[1:]] == [line.link.hash for line in everything[:-1]]


@pytest.fixture
async def tampered(path: Path) -> Path:
    """A chain of three on SQLite, whose triggers somebody took away."""
    async with open_store(path) as store:
        await fill(store, 3)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DROP TRIGGER audit_refuses_update")
        file.execute("DROP TRIGGER audit_refuses_delete")
    return path


def flips(file: sqlite3.Connection) -> Iterator[tuple[int, str, bytes, bytes]]:
    """Every byte of every column, with its lowest or its highest bit turned."""
    for column in COLUMNS:
        for seq, value in file.execute(f"SELECT seq, CAST({column} AS BLOB) FROM audit").fetchall():  # noqa: S608
            for place in range(len(value)):
                bit = (1, 0x80)[place % 2]
                yield seq, column, value, value[:place] + bytes([value[place] ^ bit]) + value[place + 1 :]


async def test_every_changed_byte_of_every_column_is_found(tampered: Path) -> None:
    with closing(sqlite3.connect(tampered, isolation_level=None)) as file:
        async with reading_store(tampered) as store:
            assert isinstance(await verified(store), Link)
            found = 0
            for seq, column, value, flipped in list(flips(file)):
                kind = "BLOB" if column == "detail" else "TEXT"
                write = f"UPDATE audit SET {column} = CAST(? AS {kind}) WHERE seq = ?"  # noqa: S608
                file.execute(write, (flipped, seq))
                broken = await verified(store)
                assert isinstance(broken, Broken), (seq, column, flipped)
                assert (broken.seq, broken.fault) == (seq, Fault.CHANGED), (column, flipped)
                file.execute(write, (value, seq))
                found += 1
            assert found > 650
            assert isinstance(await verified(store), Link)


@pytest.mark.parametrize(
    ("statements", "seq", "fault"),
    [
        (["UPDATE audit SET action = NULL WHERE seq = 2"], 2, Fault.CHANGED),
        (["UPDATE audit SET actor = CAST(actor AS BLOB) WHERE seq = 3"], 3, Fault.CHANGED),
        (["UPDATE audit SET detail = CAST(detail AS TEXT) WHERE seq = 1"], 1, Fault.CHANGED),
        (["UPDATE audit SET seq = 4 WHERE seq = 3"], 3, Fault.MISSING),
        (["UPDATE audit SET seq = -3 WHERE seq = 3"], -3, Fault.MISSING),
        (["DELETE FROM audit WHERE seq = 1"], 1, Fault.MISSING),
        (["DELETE FROM audit WHERE seq = 2"], 2, Fault.MISSING),
        (["DELETE FROM audit WHERE seq = 2", "UPDATE audit SET seq = 2 WHERE seq = 3"], 2, Fault.MOVED),
        (["DELETE FROM audit WHERE seq = 3"], 3, Fault.CUT),
        (["DELETE FROM audit"], 1, Fault.CUT),
        (
            [
                "UPDATE audit SET seq = 9 WHERE seq = 1",
                "UPDATE audit SET seq = 1 WHERE seq = 2",
                "UPDATE audit SET seq = 2 WHERE seq = 9",
            ],
            1,
            Fault.MOVED,
        ),
        (
            ["INSERT INTO audit SELECT 4, hash, hash, kind, at, '', '', '', '', detail FROM audit LIMIT 1"],
            4,
            Fault.CHANGED,
        ),
    ],
)
async def test_what_is_done_to_the_table_is_found(
    statements: list[str], seq: int, fault: Fault, tampered: Path
) -> None:
    async with reading_store(tampered) as store:
        mark = await verified(store)
        assert isinstance(mark, Link)
        with closing(sqlite3.connect(tampered)) as file, file:
            for statement in statements:
                file.execute(statement)
        broken = await verified(store, mark)
        assert isinstance(broken, Broken)
        assert (broken.seq, broken.fault) == (seq, fault), broken.sentence


@pytest.mark.parametrize("column", COLUMNS)
async def test_a_change_is_found_on_either_database(column: str, store: RowsStore) -> None:
    await fill(store, 3)
    async with store.write() as tx:
        on_sqlite = tx.connection.dialect.name == "sqlite"
        off = (
            ["DROP TRIGGER audit_refuses_update"]
            if on_sqlite
            else ["DROP TRIGGER audit_refuses_update ON audit"]
        )
        changed = "CAST('{}' AS BLOB)" if on_sqlite else "'{}'::bytea"
        change = changed if column == "detail" else f"replace({column}, substr({column}, 2, 1), '~')"
        for statement in (*off, f"UPDATE audit SET {column} = {change} WHERE seq = 2"):  # noqa: S608
            await tx.connection.execute(text(statement))
    broken = await verified(store)
    assert isinstance(broken, Broken)
    assert (broken.seq, broken.fault) == (2, Fault.CHANGED)


async def test_every_line_about_a_conversation_names_its_agent_where_that_has_a_name(
    store: RowsStore,
) -> None:
    named = replace(conversation("named"), realm=Realm(agent=AgentName("docs")), thread_ts=Ts("2.2"))
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.conversations.add(named)
        await tx.record.append(Event(kind="said", at=NOON, conversation=named.id))
    async with store.write() as tx:  # nothing of it was read before
        await tx.record.append(
            Event(kind="filed", at=NOON, conversation=named.id, detail={"a": 1}),
            Event(kind="filed", at=NOON, conversation=THREAD),
            Event(kind="filed", at=NOON, conversation=ConversationId("unknown")),
            Event(kind="filed", at=NOON),
        )
    async with store.read() as tx:
        lines = [dict(line.detail) for line in await tx.record.of()]
    assert lines == [{"agent": "docs"}, {"a": 1, "agent": "docs"}, {}, {}, {}]
