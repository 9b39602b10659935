import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import ClauseElement, Connection, NullPool, create_engine
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.selectable import SelectBase

from bot.jobs import table as jobs_table
from bot.store import tables, upgrade
from tests.postgres import a_database


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_migrations_make_the_tables_that_the_code_uses(kind: str, path: Path) -> None:
    async with AsyncExitStack() as stack:
        where = (
            f"sqlite:///{path}"
            if kind == "sqlite"
            else await stack.enter_async_context(a_database(empty=True))
        )
        await upgrade(where)
        await asyncio.to_thread(compare, where.replace("postgresql:", "postgresql+psycopg:"))


def compare(url: str) -> None:
    engine = create_engine(url, poolclass=NullPool)

    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        # Alembic takes several, whatever its annotation says.
        both = [tables.metadata, jobs_table.metadata]
        return list(compare_metadata(context, both))  # type: ignore[arg-type]

    with engine.connect() as connection:
        assert differences(connection) == []
        connection.exec_driver_sql("ALTER TABLE posts DROP COLUMN problem")
        connection.exec_driver_sql("DROP INDEX ix_jobs_key_seq")
        assert len(differences(connection)) == 2
    engine.dispose()


def statements() -> Iterator[tuple[str, ClauseElement]]:
    rooms = [
        f"bot.store.{name}"
        for name in ("approvals", "conversations", "executions", "homes", "posts", "record")
    ]
    for room in (*rooms, "bot.jobs.table"):
        module: ModuleType = import_module(room)
        for name, value in vars(module).items():
            if isinstance(value, (SelectBase, UpdateBase)):
                yield f"{room}.{name}", value


@pytest.mark.parametrize(("name", "statement"), list(statements()))
def test_every_statement_can_be_said_to_postgres(name: str, statement: ClauseElement) -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    assert str(statement.compile(dialect=dialect)), name
