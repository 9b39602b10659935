"""Where records rest: a SQLite file, or nowhere at all."""

import asyncio
import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol

import aiosqlite

from bot.sandbox.records import KINDS, Record

Change = tuple[str, str, Record | None]
"""Kind, key, and the record as it is now; `None` when it is gone."""


LOCK_PATIENCE = 1.0
"""Seconds to wait for a sandbox that is just closing the file."""


class WorkspaceFileError(sqlite3.Error):
    """The data folder cannot be used; the sentence says why."""


class Storage(Protocol):
    """Keeps records. `write` returns when the changes would survive a kill -9."""

    async def open(self) -> list[Record]:
        """Everything that was kept, in the order in which it was first written."""

    async def write(self, changes: Iterable[Change]) -> None:
        """All of the changes or none."""

    async def close(self) -> None:
        """Let go of the file."""


class Nowhere:
    """The storage of a workspace that lives in memory."""

    async def open(self) -> list[Record]:
        """Nothing was kept."""
        return []

    async def write(self, changes: Iterable[Change]) -> None:
        """Keep nothing."""

    async def close(self) -> None:
        """Nothing is open."""


class SqliteFile:
    """`slack.db` in the data folder: one table, one JSON document a row, write-ahead log."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db: aiosqlite.Connection | None = None
        self._transaction = asyncio.Lock()

    async def open(self) -> list[Record]:
        """Read everything; makes the folder and the table when they are not there.

        Raises WorkspaceFileError when another sandbox has the folder or the file is none of ours.
        """
        try:
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            return await self._open(self._folder / "slack.db")
        except (OSError, sqlite3.Error, TypeError, KeyError, ValueError) as error:
            await self.close()
            if "locked" in str(error):
                raise WorkspaceFileError(f"Another sandbox is using the folder {self._folder}.") from error
            sentence = f"The workspace in the folder {self._folder} cannot be read: {error}."
            raise WorkspaceFileError(sentence) from error

    async def _open(self, file: Path) -> list[Record]:
        db = self._db = await aiosqlite.connect(file, isolation_level=None, timeout=LOCK_PATIENCE)
        # One sandbox per folder: the lock is held until the file is closed, or the process dies.
        await db.execute("PRAGMA locking_mode=EXCLUSIVE")
        await db.execute("PRAGMA journal_mode=WAL")
        # NORMAL loses nothing when the process dies, only when the machine does.
        await db.execute("PRAGMA synchronous=NORMAL")
        await db.execute(
            "CREATE TABLE IF NOT EXISTS record (kind TEXT, key TEXT, body TEXT, PRIMARY KEY (kind, key))"
        )
        async with db.execute("SELECT kind, body FROM record ORDER BY rowid") as rows:
            return [_record(kind, body) async for kind, body in rows]

    async def write(self, changes: Iterable[Change]) -> None:
        """One transaction for all of them; a caller who is cancelled does not leave it half open."""
        await asyncio.shield(self._write(list(changes)))

    async def _write(self, changes: list[Change]) -> None:
        if self._db is None:
            raise RuntimeError("the workspace file is not open")
        gone = [(kind, key) for kind, key, record in changes if record is None]
        kept = [(kind, key, json.dumps(_plain(record))) for kind, key, record in changes if record]
        async with self._transaction:
            await self._db.execute("BEGIN IMMEDIATE")
            await self._db.executemany("DELETE FROM record WHERE kind = ? AND key = ?", gone)
            await self._db.executemany(
                "INSERT INTO record VALUES (?, ?, ?) "
                "ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
                kept,
            )
            await self._db.execute("COMMIT")

    async def close(self) -> None:
        """Close the file; a later `open` goes on with it."""
        if self._db is not None:
            await self._db.close()
            self._db = None


def _plain(record: Record) -> Mapping[str, object]:
    return {item.name: getattr(record, item.name) for item in fields(record)}


def _record(kind: str, body: str) -> Record:
    values: dict[str, Any] = json.loads(body)
    for name in ("members", "users", "teams"):
        if values.get(name) is not None:
            values[name] = tuple(values[name])
    return KINDS[kind](**values)
