"""Where threads are kept: LangGraph's SQLite saver on a connection and a file that are ours."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

BUSY_SECONDS: Final = 30
"""How long a write waits for another writer of the file."""
_OWNER_ONLY: Final = 0o600


def strict_serde() -> JsonPlusSerializer:
    """Loads data and LangChain's own types only; the default would call what a row names."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@asynccontextmanager
async def sqlite_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """The saver on this file, ready to use. Only the file's owner can read it, from its first byte on."""
    await asyncio.to_thread(_owner_only, path)
    async with aiosqlite.connect(path, timeout=BUSY_SECONDS) as connection:
        await connection.execute("PRAGMA journal_mode=WAL")
        # A decision is on disk before its tool starts, so every commit reaches the disk.
        await connection.execute("PRAGMA synchronous=FULL")
        saver = AsyncSqliteSaver(connection, serde=strict_serde())
        await saver.setup()
        yield saver


def _owner_only(path: Path) -> None:
    """SQLite gives `-wal` and `-shm` the mode of the file; those left by an older start are set too."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY))
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        if file.exists():
            file.chmod(_OWNER_ONLY)
