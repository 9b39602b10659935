"""Engines on one SQLite file: a single writer that holds the file's write lock, and readers beside it."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import aiosqlite
from sqlalchemy import URL, AsyncAdaptedQueuePool, Connection, Engine, NullPool, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.cancelling import to_the_end
from bot.store.chain import sealed

BUSY_SECONDS: Final = 2.0
"""How long to wait for another connection's write; well inside the 3 s that Slack gives an ack."""

QUEUE_SECONDS: Final = 10.0
"""How long a transaction waits for its turn at the one writer."""

READERS: Final = 4

_WRITER: Final = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON")
_READER: Final = ("query_only = ON",)


def writing_engine(path: Path) -> AsyncEngine:
    """One connection: SQLite's busy wait is not a queue, so writers take turns before they reach it."""
    return _engine(path, _WRITER, _Connection, size=1)


def reading_engine(path: Path) -> AsyncEngine:
    """Connections that cannot write, each transaction on one snapshot."""
    return _engine(path, _READER, _Reader, size=READERS)


def migrating_engine(path: Path) -> Engine:
    """A plain synchronous engine, for the schema alone; to be used in a thread."""
    engine = create_engine(URL.create("sqlite"), creator=partial(_open, path), poolclass=NullPool)

    def open_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(_Connection.BEGIN)

    event.listen(engine, "begin", open_transaction)
    return engine


def _engine(path: Path, pragmas: Sequence[str], kind: "type[_Connection]", *, size: int) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        async_creator=partial(_connect, path, pragmas, kind),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=QUEUE_SECONDS,
        hide_parameters=True,  # an error's text must not carry arguments into a log
    )

    def open_transaction(connection: Connection) -> None:
        own = connection.connection.driver_connection
        if isinstance(own, _Connection):
            own.begin()

    event.listen(engine.sync_engine, "begin", open_transaction)
    return engine


def _open(path: Path, pragmas: Sequence[str] = ()) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    connection.create_function("audit_hash", 3, sealed, deterministic=True)
    return connection


async def _connect(path: Path, pragmas: Sequence[str], kind: "type[_Connection]") -> aiosqlite.Connection:
    connection = kind(partial(_open, path, pragmas), iter_chunk_size=64)
    # A process that ends in a hurry must not wait for this thread.
    connection._thread.daemon = True  # noqa: SLF001 - as SQLAlchemy does for its own connections
    try:
        return await to_the_end(_opened(connection))
    except BaseException:
        await connection.close()
        raise


async def _opened(connection: aiosqlite.Connection) -> aiosqlite.Connection:
    return await connection


class _Connection(aiosqlite.Connection):
    """aiosqlite's connection with one hand-over to its thread per statement; SQLAlchemy's use takes four.

    The hand-overs, not SQLite, are what a short transaction spends its time on. For the same reason a
    transaction is opened in the hand-over of its first statement.
    """

    BEGIN: ClassVar = "BEGIN IMMEDIATE"
    """What Python's driver would otherwise choose for itself."""

    _to_begin: str | None = None

    def cursor(self) -> "_Cursor":  # type: ignore[override]
        """A cursor that costs nothing until it executes."""
        return _Cursor(self)

    async def rollback(self) -> None:
        """Roll back if there is something to: the pool asks at every return."""
        # A cancelled statement costs the connection, so nothing can be on its way in the thread here.
        self._to_begin = None
        if self.in_transaction:
            await super().rollback()

    async def commit(self) -> None:
        """Commit, if a statement has opened the transaction."""
        self._to_begin = None
        if self.in_transaction:
            await super().commit()

    def begin(self) -> None:
        """Open a transaction before the next statement."""
        self._to_begin = self.BEGIN

    async def run(self, work: Callable[[sqlite3.Connection], "_Outcome"]) -> "_Outcome":
        """Do this in the connection's thread."""
        begin, self._to_begin = self._to_begin, None

        def in_transaction(raw: sqlite3.Connection) -> _Outcome:
            if begin:
                raw.execute(begin)
            return work(raw)

        outcome: _Outcome = await self._execute(in_transaction, self._conn)  # type: ignore[no-untyped-call]
        return outcome


class _Reader(_Connection):
    """One that cannot write, and so waits for no writer."""

    BEGIN: ClassVar = "BEGIN"


class _Outcome:
    """Everything that is wanted of a statement, fetched while still in the thread."""

    __slots__ = ("description", "lastrowid", "rowcount", "rows")

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self.description = cursor.description
        self.rows = cursor.fetchall() if cursor.description else []
        self.rowcount = cursor.rowcount
        self.lastrowid = cursor.lastrowid


class _Cursor:
    """As much of a cursor as SQLAlchemy uses."""

    __slots__ = ("_connection", "_outcome", "arraysize")

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._outcome: _Outcome | None = None
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Self:
        """Run a statement and fetch its rows."""
        self._outcome = await self._connection.run(lambda raw: _Outcome(raw.execute(sql, parameters)))
        return self

    async def executemany(self, sql: str, parameters: Sequence[Sequence[Any]]) -> Self:
        """Run a statement for each of the parameters."""
        self._outcome = await self._connection.run(lambda raw: _Outcome(raw.executemany(sql, parameters)))
        return self

    async def fetchall(self) -> list[Any]:
        """The rows, which are here already."""
        return self._outcome.rows if self._outcome else []

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def description(self) -> Any:  # noqa: ANN401 - as PEP 249 has it
        return self._outcome and self._outcome.description

    @property
    def rowcount(self) -> int:
        return self._outcome.rowcount if self._outcome else -1

    @property
    def lastrowid(self) -> int | None:
        return self._outcome.lastrowid if self._outcome else None
