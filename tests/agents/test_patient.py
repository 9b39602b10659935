"""Checkpoints while the database is away: what cannot be written now is written a moment later."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointMetadata, empty_checkpoint

from bot.agents import savers
from bot.agents.savers import postgres_saver, sqlite_saver
from bot.approvals import tenure
from bot.approvals.errors import Lost
from bot.approvals.ports import Transaction
from tests.postgres import a_database, a_server

PLACE: RunnableConfig = {"configurable": {"thread_id": "thread-1", "checkpoint_ns": ""}}


@pytest.fixture(params=["sqlite", "postgres"])
async def saver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    async with AsyncExitStack() as stack:
        if request.param == "sqlite":
            yield await stack.enter_async_context(sqlite_saver(tmp_path / "bot.db"))
            return
        url = await stack.enter_async_context(a_database())
        yield await stack.enter_async_context(postgres_saver(url))


async def written(saver: BaseCheckpointSaver[Any]) -> RunnableConfig:
    place = await saver.aput(PLACE, empty_checkpoint(), CheckpointMetadata(source="input"), {})
    await saver.aput_writes(place, [("messages", "done")], "task-1")
    return place


async def writes(saver: BaseCheckpointSaver[Any], place: RunnableConfig) -> list[tuple[str, str, Any]]:
    found = await saver.aget_tuple(place)
    assert found is not None
    return list(found.pending_writes or [])


class Watched(savers._PatientSqliteSaver):
    """Says when a statement has failed."""

    failed: asyncio.Event

    async def clear(self) -> None:
        await super().clear()
        self.failed.set()


async def test_a_file_that_is_locked_for_longer_than_a_statement_waits_is_written_when_it_is_free(
    tmp_path: Path,
) -> None:
    async with aiosqlite.connect(tmp_path / "bot.db", timeout=0.05) as connection:
        await connection.execute("PRAGMA journal_mode=WAL")
        saver = Watched(connection)
        saver.failed = asyncio.Event()
        await saver.setup()
        other = sqlite3.connect(tmp_path / "bot.db", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        writing = asyncio.create_task(written(saver))
        async with asyncio.timeout(60):
            await saver.failed.wait()
        # What somebody else writes meanwhile must not keep the saver from its file for good.
        other.execute("INSERT INTO checkpoints (thread_id, checkpoint_id) VALUES ('other', '1')")
        other.execute("COMMIT")
        async with asyncio.timeout(60):
            place = await writing
        assert await writes(saver, place) == [("task-1", "messages", "done")]
        other.close()


async def test_a_server_that_was_away_between_two_writes_is_written_to_when_it_is_back() -> None:
    async with a_server() as server, postgres_saver(server.url) as saver:
        await written(saver)
        await server.stop("fast")
        writing = asyncio.create_task(written(saver))
        await server.start()
        async with asyncio.timeout(30):
            place = await writing
        assert await writes(saver, place) == [("task-1", "messages", "done")]


async def test_what_is_no_passing_state_is_raised_at_once(tmp_path: Path) -> None:
    async with sqlite_saver(tmp_path / "bot.db") as saver:
        await saver.conn.execute("DROP TABLE writes")
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            await written(saver)


class Gone:
    """A job that others have taken over."""

    def check(self) -> None:
        raise Lost("gone")

    async def confirm(self, tx: Transaction) -> None:  # noqa: ARG002 - as the port has it
        self.check()

    async def confirm_with(self, cursor: Any) -> None:  # noqa: ANN401, ARG002 - as the port has it
        self.check()


class GoneMeanwhile(Gone):
    """It was taken over after this process had looked at the clock."""

    def check(self) -> None:
        pass

    async def confirm_with(self, cursor: Any) -> None:  # noqa: ANN401, ARG002 - as the port has it
        raise Lost("gone")


async def test_a_checkpoint_and_the_right_to_write_it_are_one_transaction() -> None:
    async with a_database() as url, postgres_saver(url) as saver:
        place = await written(saver)
        with tenure.under(GoneMeanwhile()):
            with pytest.raises(Lost):
                await written(saver)
            with pytest.raises(Lost):
                await saver.aput_writes(place, [("messages", "late")], "task-2")
        assert await writes(saver, place) == [("task-1", "messages", "done")]


async def test_work_that_others_have_taken_over_writes_no_checkpoint(saver: BaseCheckpointSaver[Any]) -> None:
    place = await written(saver)
    with tenure.under(Gone()):
        with pytest.raises(Lost):
            await written(saver)
        with pytest.raises(Lost):
            await saver.aput_writes(place, [("messages", "late")], "task-2")
    assert await writes(saver, place) == [("task-1", "messages", "done")]
