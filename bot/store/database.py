"""Opening the store, and its two kinds of transaction."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as QueueTimeout
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.approvals import tenure
from bot.connections import ALONE, Connections
from bot.private_file import make_private
from bot.store import postgres
from bot.store.cancelling import to_the_end
from bot.store.errors import CannotOpen, OldSchema, StoreUnavailable, sentence_for
from bot.store.location import postgres_url, sqlite_path
from bot.store.lock import held
from bot.store.schema import migrate, revision, revisions
from bot.store.sqlite import migrating_engine, reading_engine, writing_engine
from bot.store.transaction import Recorded, RowsTransaction


class RowsStore:
    """`Store` over a writing engine and a reading one."""

    def __init__(
        self,
        *,
        writer: AsyncEngine,
        readers: AsyncEngine,
        recorded: Recorded | None = None,
        locking: bool = False,
    ) -> None:
        """`locking` where there are several writers at once: what a transaction reads, it has to itself."""
        self._recorded = recorded
        self._locking = locking
        self._writer = writer
        self._readers = readers

    @asynccontextmanager
    async def write(self) -> AsyncIterator[RowsTransaction]:
        """A transaction; commits when the block ends, rolls back when it raises.

        `StoreUnavailable` if it could not be written; then nothing of it was, and `on_commit` calls none.
        `Lost` in background work that another process has taken over.
        """
        with _disk_errors_as_sentences():
            async with self._writer.connect() as connection:
                await connection.begin()
                rows = RowsTransaction(connection, self._recorded, locking=self._locking)
                try:
                    await tenure.confirm(rows)
                    yield rows
                except BaseException:
                    await connection.rollback()
                    raise
                await to_the_end(rows.commit())

    @asynccontextmanager
    async def read(self) -> AsyncIterator[RowsTransaction]:
        """A consistent view that writes nothing and waits for no writer."""
        with _disk_errors_as_sentences():
            async with self._readers.connect() as connection, connection.begin():
                yield RowsTransaction(connection)


@asynccontextmanager
async def open_store(
    where: str | Path, *, recorded: Recorded | None = None, connections: Connections = ALONE
) -> AsyncIterator[RowsStore]:
    """The store in this database: `sqlite:///bot.db`, a path, or `postgresql://…`; at the present schema.

    `recorded` is told about every line of the record, once it is on disk; `connections` are Postgres's.

    A SQLite file is created if there is none, readable by its owner alone, and brought to the present schema.
    One process at a time has it: a lock beside the file is held until the block ends. A Postgres database
    belongs to any number of processes; `upgrade` is what makes its schema. `CannotOpen` says in a sentence
    why the database cannot be used.
    """
    url = postgres_url(where)
    opening = _on_sqlite(where, recorded) if url is None else _on_postgres(url, recorded, connections)
    async with opening as store:
        yield store


@asynccontextmanager
async def _on_sqlite(where: str | Path, recorded: Recorded | None) -> AsyncIterator[RowsStore]:
    with ExitStack() as held_files:
        # Files, a lock, and Alembic, which reads its revisions from disk: nothing of it on the event loop.
        path = await to_the_end(asyncio.to_thread(_take, where, held_files))
        writer, readers = writing_engine(path), reading_engine(path)
        try:
            # Connected now, so that no click waits for it or can be cancelled in the middle of it.
            async with writer.connect(), readers.connect():
                pass
            yield RowsStore(writer=writer, readers=readers, recorded=recorded)
        finally:
            await readers.dispose()
            await writer.dispose()


@asynccontextmanager
async def _on_postgres(
    url: URL, recorded: Recorded | None, connections: Connections = ALONE
) -> AsyncIterator[RowsStore]:
    writer = postgres.writing_engine(url, connections)
    readers = postgres.reading_engine(url, connections)
    try:
        await _check_schema(readers)
        yield RowsStore(writer=writer, readers=readers, recorded=recorded, locking=True)
    finally:
        await readers.dispose()
        await writer.dispose()


@asynccontextmanager
async def reading_store(where: str | Path) -> AsyncIterator[RowsStore]:
    """The store in this database for looking only, also while a bot has it open; nothing is changed.

    `CannotOpen` says in a sentence that there is none, or that its schema is not the present one.
    """
    url = postgres_url(where)
    readers = reading_engine(_existing(where)) if url is None else postgres.reading_engine(url)
    try:
        await _check_schema(readers)
        # A writer that cannot write: there is one kind of store, and this one refuses in a sentence.
        yield RowsStore(writer=readers, readers=readers)
    finally:
        await readers.dispose()


@asynccontextmanager
async def beside(where: str | Path) -> AsyncIterator[RowsStore]:
    """The store in this database beside the bot that may have it open, for owing that bot some work.

    `CannotOpen` says in a sentence that there is none, or that its schema is not the present one.
    """
    if (url := postgres_url(where)) is not None:
        async with _on_postgres(url, None) as store:
            yield store
        return
    path = _existing(where)
    writer, readers = writing_engine(path), reading_engine(path)
    try:
        await _check_schema(readers)
        yield RowsStore(writer=writer, readers=readers)
    finally:
        await readers.dispose()
        await writer.dispose()


def _existing(where: str | Path) -> Path:
    path = sqlite_path(where)
    if not path.exists():
        raise CannotOpen(f"There is no database at {path} yet; BOT_DATABASE_URL says where to look.")
    return path


async def _check_schema(readers: AsyncEngine) -> None:
    known = await asyncio.to_thread(revisions)
    with _unreadable_as_cannot_open():
        async with readers.connect() as connection:
            present = await connection.run_sync(revision)
    if present is None or present in known[1:]:
        run = "run" if readers.dialect.name == "postgresql" else "start the bot or run"
        raise OldSchema(
            f"The database has {f'schema {present}' if present else 'no schema'} and this version has "
            f"{known[0]}; {run} `python -m bot db upgrade`."
        )
    if present != known[0]:
        raise CannotOpen(f"The database has schema {present}, which a newer version of the bot wrote.")


async def upgrade(where: str | Path, *others: Callable[[str], Awaitable[None]]) -> None:
    """Bring the rows to the present schema; safe to run twice, and on Postgres from several places at once.

    On Postgres, `others` who keep something in the same database (their own files have it on SQLite) are
    called with its URL, as libpq takes it, while nobody else upgrades.
    """
    url = postgres_url(where)
    if url is None:
        async with _on_sqlite(where, None):
            return
    with _unreadable_as_cannot_open():
        async with postgres.sole_upgrader(url):
            await to_the_end(asyncio.to_thread(postgres.migrate_rows, url))
            for other in others:
                await other(url.render_as_string(hide_password=False))


def _take(where: str | Path, held_files: ExitStack) -> Path:
    path = sqlite_path(where)
    try:
        make_private(path)
    except OSError as error:
        raise CannotOpen(f"The database {path} cannot be opened: {error.strerror}.") from error
    held_files.enter_context(held(path))
    engine = migrating_engine(path)
    try:
        with _unreadable_as_cannot_open(), engine.begin() as connection:
            migrate(connection)
    finally:
        engine.dispose()
    return path


@contextmanager
def _unreadable_as_cannot_open() -> Iterator[None]:
    try:
        with _disk_errors_as_sentences():
            yield
    except StoreUnavailable as error:
        raise CannotOpen(f"The database cannot be opened. {error}") from error


@contextmanager
def _disk_errors_as_sentences() -> Iterator[None]:
    try:
        yield
    except QueueTimeout as error:
        raise StoreUnavailable("Too many writers wait for the database; nothing was written.") from error
    except Exception as error:
        # A driver's own error as well: the job engine writes through the same connection.
        sentence = sentence_for(error.orig if isinstance(error, DBAPIError) else error)
        if sentence is None:
            raise
        raise StoreUnavailable(sentence) from error
