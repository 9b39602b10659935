"""Another process that has a look at the database, and leaves: what was committed stays where it is.

SQLite deletes a database's log when the last one leaves. Whether somebody else is there it sees by their
locks, and a process loses its locks on a file when it closes any descriptor of it.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.agents.savers import sqlite_saver
from bot.store import open_store
from bot.store.database import reading_store
from bot.store.errors import CannotOpen
from tests.store.samples import THREAD, conversation
from tests.system.house import a_house

LOOK = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM conversations').fetchall()"


async def somebody_looks(path: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", LOOK, str(path))
    assert await process.wait() == 0


def log_of(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_ino


@asynccontextmanager
async def refused(path: Path) -> AsyncIterator[None]:
    with pytest.raises(CannotOpen):
        async with open_store(path):
            raise AssertionError("it was opened twice")
    yield


@asynccontextmanager
async def looked_at(path: Path) -> AsyncIterator[None]:
    async with reading_store(path):
        pass
    yield


@pytest.mark.parametrize("also", [sqlite_saver, refused, looked_at])
async def test_what_a_process_opens_beside_the_store_leaves_it_its_log(
    also: Callable[[Path], AbstractAsyncContextManager[object]], path: Path
) -> None:
    async with open_store(path):
        pass  # the next process finds a database, and has its locks from the beginning
    async with open_store(path) as store, also(path):
        async with store.write() as tx:
            await tx.conversations.add(conversation("before"))
        log = log_of(path)
        await somebody_looks(path)
        async with store.write() as tx:
            await tx.conversations.add(conversation())
        assert log_of(path) == log
        async with reading_store(path) as seen, seen.read() as tx:
            assert await tx.conversations.get(THREAD) == conversation()


async def test_a_running_bot_keeps_its_log_when_somebody_has_looked(tmp_path: Path) -> None:
    async with a_house(tmp_path):
        pass
    async with a_house(tmp_path):
        log = log_of(tmp_path / "bot.db")
        await somebody_looks(tmp_path / "bot.db")
        assert log_of(tmp_path / "bot.db") == log
