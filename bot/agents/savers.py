"""Where threads are kept: LangGraph's savers on connections that are ours."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from bot.agents.patient import Patient
from bot.approvals import tenure
from bot.connections import ALONE
from bot.private_file import make_private

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import AsyncConnection, AsyncCursor
    from psycopg.rows import DictRow
    from psycopg_pool import AsyncConnectionPool

BUSY_SECONDS: Final = 5
"""How long a write waits for another writer of the file, before it lets its turn go and comes again."""


def strict_serde() -> JsonPlusSerializer:
    """Loads data and LangChain's own types only; the default would call what a row names."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@asynccontextmanager
async def sqlite_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """The saver on this file, ready to use. Only the file's owner can read it, from its first byte on."""
    await asyncio.to_thread(make_private, path)
    async with aiosqlite.connect(path, timeout=BUSY_SECONDS) as connection:
        await connection.execute("PRAGMA journal_mode=WAL")
        # A decision is on disk before its tool starts, so every commit reaches the disk.
        await connection.execute("PRAGMA synchronous=FULL")
        saver = _PatientSqliteSaver(connection, serde=strict_serde())
        await saver.setup()
        yield saver


class _PatientSqliteSaver(Patient, AsyncSqliteSaver):
    """The saver on a file that others may lock."""

    async def clear(self) -> None:
        """Python has opened a transaction for a write that failed; reads in it would see nothing newer."""
        async with self.lock:
            await self.conn.rollback()


WAIT_SECONDS: Final = 10.0
"""How long a checkpoint waits for a connection, as when the server is away for a moment."""


@asynccontextmanager
async def postgres_saver(
    url: str, *, connections: int = ALONE.checkpoints
) -> AsyncIterator["AsyncPostgresSaver"]:
    """The saver in this database, whose tables `set_up_postgres` made; it outlives restarts of the server."""
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    class PatientPostgresSaver(Patient, AsyncPostgresSaver):
        """The saver on a server that may be away for a moment.

        What it writes, it writes in a transaction that first makes sure that the work is still ours: a
        process may be frozen at any time after it looked at the clock.
        """

        @asynccontextmanager
        async def _cursor(self, *, pipeline: bool = False) -> "AsyncIterator[AsyncCursor[DictRow]]":
            async with super()._cursor(pipeline=pipeline) as cursor:
                if pipeline:  # the saver's own word for writing
                    await tenure.confirm_with(cursor)
                yield cursor

    async with _checked_pool(url, size=connections) as pool:
        saver = PatientPostgresSaver(pool, serde=strict_serde())
        saver.supports_pipeline = False  # so that it writes in plain transactions
        yield saver


async def set_up_postgres(url: str) -> None:
    """Make the saver's tables, or bring them up to date.

    One process at a time, and nobody holds a transaction meanwhile: the indexes are made beside running work
    and wait for every transaction that is open.
    """
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async with _checked_pool(url, size=1) as pool:
        await AsyncPostgresSaver(pool, serde=strict_serde()).setup()


def _checked_pool(url: str, *, size: int) -> "AsyncConnectionPool[AsyncConnection[dict[str, Any]]]":
    from psycopg import AsyncConnection
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool

    return AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[dict[str, Any]],
        # What the saver needs of a connection; and one that died with its server is replaced.
        kwargs={
            "autocommit": True,
            "prepare_threshold": 0,
            "row_factory": dict_row,
            "connect_timeout": 5,
            "application_name": "approval-bot checkpoints",
            # A process that is frozen in the middle of a write must not keep its rows from the others.
            "options": "-c idle_in_transaction_session_timeout=10s",
        },
        check=AsyncConnectionPool.check_connection,
        min_size=1,
        max_size=size,
        timeout=WAIT_SECONDS,
        name="checkpoints",
        open=False,
    )
