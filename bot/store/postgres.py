"""Engines on Postgres, and the one process at a time that brings its schema up to date."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from sqlalchemy import URL, NullPool, create_engine, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.connections import ALONE, Connections
from bot.store.errors import CannotOpen
from bot.store.schema import migrate

LOCK_SECONDS: Final = 2
"""How long a statement waits for another transaction's row; well inside the 3 s that Slack gives an ack."""

IDLE_SECONDS: Final = 10
"""How long a transaction may do nothing. A process that is frozen in one would keep its rows from all others
until it wakes up; ours end in milliseconds."""

QUEUE_SECONDS: Final = 10.0
"""How long a transaction waits for a connection."""

CONNECT_SECONDS: Final = 5

UPGRADE_SECONDS: Final = 120.0
"""How long an upgrade waits for another one that is under way."""

# Any number, as long as all versions of the bot use the same one.
_TRY_LOCK: Final = text("SELECT pg_try_advisory_lock(12099150290945)")


def writing_engine(url: URL, connections: Connections = ALONE) -> AsyncEngine:
    """READ COMMITTED: what two transactions both want is settled by row locks, versions and unique keys."""
    return _engine(url, most=connections.writers, kept=connections.kept, isolation="READ COMMITTED")


def reading_engine(url: URL, connections: Connections = ALONE) -> AsyncEngine:
    """Connections that cannot write, each transaction on one snapshot."""
    engine = _engine(url, most=connections.readers, kept=connections.kept, isolation="REPEATABLE READ")
    return engine.execution_options(postgresql_readonly=True)


def _engine(url: URL, *, most: int, isolation: str, kept: int | None = None) -> AsyncEngine:
    kept = most if kept is None else kept
    try:
        return create_async_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_size=kept,
            max_overflow=most - kept,
            pool_timeout=QUEUE_SECONDS,
            pool_pre_ping=True,  # a connection that died with its server is replaced, not handed out
            isolation_level=isolation,
            hide_parameters=True,
            connect_args=_arguments(),
        )
    except ModuleNotFoundError as error:
        raise CannotOpen(
            "Postgres needs more packages: pip install 'slack-approval-bot[postgres]'."
        ) from error


def _arguments() -> dict[str, object]:
    return {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "approval-bot",
        "options": f"-c lock_timeout={LOCK_SECONDS}s -c idle_in_transaction_session_timeout={IDLE_SECONDS}s",
    }


@asynccontextmanager
async def sole_upgrader(url: URL) -> AsyncIterator[None]:
    """Hold the lock of whoever upgrades this database; `CannotOpen` if another one holds it for too long.

    The lock is asked for again and again and not waited for inside the server: an open statement would be
    an open snapshot, and an index that is made beside running work waits for every one of those.
    """
    engine = _engine(url, most=1, isolation="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            try:
                async with asyncio.timeout(UPGRADE_SECONDS):
                    # The other one is in another process, where no event of ours is set.
                    while not (await connection.execute(_TRY_LOCK)).scalar_one():  # noqa: ASYNC110 - see above
                        await asyncio.sleep(0.1)
            except TimeoutError as error:
                raise CannotOpen("Another process has been upgrading the database for too long.") from error
            yield
    finally:
        await engine.dispose()  # and with the session goes its lock


def migrate_rows(url: URL) -> None:
    """Bring the rows' tables to the present schema, in one transaction; to be used in a thread."""
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args=_arguments()
    )
    try:
        with engine.begin() as connection:
            migrate(connection)
    finally:
        engine.dispose()
