"""What a bot asks its database in a conversation's life is found by indexes, however much there is.

The statements are those that were really said, and the databases themselves explain how they go about it.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import AsyncConnection

from bot import reports
from bot.seen_policy import SeenPolicy
from bot.store.database import reading_store
from tests.bench.waiting import POLICY
from tests.postgres import a_database
from tests.system.house import a_house

Said = dict[str, Any]
"""Parameters by statement."""

ENDS_AT_ONCE = ("INSERT INTO audit", "SELECT alembic_version")
"""Reads a table from its end, and of it the first row alone; a table of one row."""


@contextmanager
def overheard() -> Iterator[Said]:
    """What is said to any database while the block lasts."""
    said: Said = {}

    def hear(_: object, __: object, statement: str, parameters: Any, *___: object) -> None:  # noqa: ANN401 - SQLAlchemy's call
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
            said[statement] = parameters[0] if isinstance(parameters, list) else parameters

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield said
    finally:
        event.remove(Engine, "before_cursor_execute", hear)


async def scans(connection: AsyncConnection, said: Said) -> list[str]:
    """The statements, each with its plan, that would look through a whole table."""
    on_postgres = connection.dialect.name == "postgresql"
    if on_postgres:
        # The tables are small here; this leaves a scan to those statements alone that no index can serve.
        await connection.exec_driver_sql("SET enable_seqscan = off")
    found = []
    for statement, parameters in said.items():
        if statement.startswith(ENDS_AT_ONCE):
            continue
        explain = "EXPLAIN (FORMAT JSON)" if on_postgres else "EXPLAIN QUERY PLAN"
        rows = (await connection.exec_driver_sql(f"{explain} {statement}", parameters)).all()
        plan = [node for row in rows for node in (_nodes(row[0][0]["Plan"]) if on_postgres else [row.detail])]
        if any(map(_scans, plan)):
            found.append(f"{statement}\n{plan}")
    return found


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    inner = plan.get("Plans", [])
    yield {name: value for name, value in plan.items() if name != "Plans"}
    for one in inner:
        yield from _nodes(one)


def _scans(node: dict[str, Any] | str) -> bool:
    if isinstance(node, str):
        if " AUTOMATIC " in node:  # an index that is made for this one statement, by a scan
            return True
        return node.startswith("SCAN ") and not node.startswith(("SCAN CONSTANT ROW", "SCAN ("))
    return bool(node["Node Type"] == "Seq Scan")


@asynccontextmanager
async def _place(kind: str) -> AsyncIterator[str | None]:
    if kind == "sqlite":
        yield None
        return
    async with a_database() as url:
        yield url


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_no_statement_of_a_conversation_looks_through_a_table(kind: str, tmp_path: Path) -> None:
    async with _place(kind) as url:
        with overheard() as said:
            async with a_house(tmp_path, policy=POLICY, database=url) as house:
                await house.asks([("transfer", {"amount": 1.0, "to": "bob"})])
                await house.bob.opens_home("transfer")
                await house.bob.press(await house.card(), "Approve")
                await house.bob.home("Nothing waits for you.")
                await house.answer("transfer done")
                await house.alice.say("#general", "/agent pending")
        async with reading_store(url or tmp_path / "bot.db") as store:
            with overheard() as asked:
                await reports.pending(store, SeenPolicy())
            async with store.read() as tx:
                connection = tx.connection
                assert isinstance(connection, AsyncConnection)
                assert len(said | asked) > 30
                assert await scans(connection, said | asked) == []
