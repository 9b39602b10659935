"""How many connections one of several bots takes of a server: few, and more only while much happens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import psycopg
from sqlalchemy import text

from bot.connections import ALONE, ONE_OF_SEVERAL, Connections
from bot.engines import engine_at, saver_at
from bot.jobs.port import JobEngine
from bot.store import RowsStore, open_store
from tests.postgres import a_database

AT_ONCE = 16
HOLD = "SELECT pg_sleep(0.03)"
STORE, JOBS, CHECKPOINTS = "approval-bot", "approval-bot jobs", "approval-bot checkpoints"


async def counted(url: str) -> dict[str, int]:
    here = "FROM pg_stat_activity WHERE datname = current_database()"
    async with await psycopg.AsyncConnection.connect(url, application_name="counts") as connection:
        found = await (
            await connection.execute(f"SELECT application_name, count(*) {here} GROUP BY 1")
        ).fetchall()
    return {name: count for name, count in found if name != "counts"}


@asynccontextmanager
async def serving(url: str, store: RowsStore, connections: Connections) -> AsyncIterator[JobEngine]:
    async def never(*_: object) -> None:
        raise AssertionError

    engine = engine_at(url, store, {}, never, connections)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop(5)


async def burst(url: str, connections: Connections, *, left: dict[str, int]) -> int:
    """Much of everything at once, until this is `left`; the most of the store's that were seen."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(url, connections=connections))
        saver: Any = await stack.enter_async_context(saver_at(url, connections))
        jobs: Any = await stack.enter_async_context(serving(url, store, connections))

        async def writes() -> None:
            async with store.write() as tx:
                await tx.connection.execute(text(HOLD))

        async def reads() -> None:
            async with store.read() as tx:
                await tx.connection.execute(text(HOLD))

        async def keeps() -> None:
            async with saver.conn.connection() as connection:
                await connection.execute(HOLD)

        async def hands_out() -> None:
            await jobs._doorbell.execute_query_one_async(HOLD)

        doing = asyncio.gather(*(do() for _ in range(AT_ONCE) for do in (writes, reads, keeps, hands_out)))
        most = 0
        while not doing.done():
            most = max(most, (await counted(url)).get(STORE, 0))
        await doing
        async with asyncio.timeout(20):
            while await counted(url) != left:
                pass
    return most


async def test_a_bot_beside_others_has_nine_connections_at_the_most_and_lets_them_go() -> None:
    async with a_database() as url:
        assert await burst(url, ONE_OF_SEVERAL, left={STORE: 2, JOBS: 2, CHECKPOINTS: 2}) <= 5


async def test_a_bot_that_is_alone_has_twenty_one_and_keeps_them() -> None:
    async with a_database() as url:
        assert await burst(url, ALONE, left={STORE: 12, JOBS: 5, CHECKPOINTS: 4}) <= 12
