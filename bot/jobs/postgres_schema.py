"""The tables of procrastinate, which brings them but neither looks whether they are there nor updates them.

The version is pinned to one minor release in `pyproject.toml`; a step to the next one adds its files here.
"""

from procrastinate.schema import SchemaManager
from psycopg import AsyncConnection, sql


async def make_tables(url: str) -> None:
    """Make the tables if they are missing, all or none. One process at a time."""
    async with await AsyncConnection.connect(url, connect_timeout=5) as connection, connection.transaction():
        there = await (await connection.execute("SELECT to_regclass('procrastinate_jobs')")).fetchone()
        if there is None or there[0] is None:
            await connection.execute(sql.SQL(SchemaManager.get_schema()))
