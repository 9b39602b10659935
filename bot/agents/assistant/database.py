"""The SQLite database in the folder. Whether a statement only reads is for SQLite to say.

SQLite compiles a statement and asks an authorizer about everything in it: tables, functions, pragmas,
attached files. A statement is a read when it compiles on a connection that cannot write, asks for reading
and for nothing else. (VACUUM asks for nothing at all.) No look at the words of the statement is involved.
"""

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from bot.agents.assistant.folder import Folder, Refusal

FILE: Final = "data.db"
SECONDS: Final = 10
"""How long one statement may run."""
LARGEST: Final = 10_000_000
"""Bytes of one value or row."""
ROWS: Final = 200
"""Rows of a result that are told."""

_Authorizer: TypeAlias = Callable[..., int]
_READS: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_HARMLESS_PRAGMAS: Final = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"}
)
_NEVER: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_NO_FUNCTIONS: Final = frozenset({"load_extension", "fts3_tokenizer"})


class Database:
    """`data.db` in a folder. All methods block."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def only_reads(self, statement: str) -> bool:
        """Whether SQLite takes the statement, now, as one that changes nothing. In doubt: no."""
        asked: set[int] = set()

        def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
            asked.add(action)
            return _read_only(action, first, second)

        try:
            with self._reading(authorize) as connection:
                # EXPLAIN compiles without running; a second statement behind it is refused by sqlite3.
                connection.execute(f"EXPLAIN {statement}").close()
        except (sqlite3.Error, sqlite3.Warning, Refusal, OSError, ValueError):
            return False
        return not asked.isdisjoint({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_PRAGMA})

    def execute(self, statement: str) -> tuple[list[str], list[tuple[object, ...]], int]:
        """Column names, rows and the count of changed rows. What only reads runs where nothing can write."""
        opened = self._reading(_read_only) if self.only_reads(statement) else self._writing()
        try:
            with opened as connection:
                cursor = connection.execute(statement)
                rows = cursor.fetchmany(ROWS + 1)
                connection.commit()
                return [column[0] for column in cursor.description or ()], rows, cursor.rowcount
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise Refusal(f"SQLite refuses the statement: {_reason(error)}.") from None

    @contextlib.contextmanager
    def _reading(self, authorizer: _Authorizer) -> Iterator[sqlite3.Connection]:
        exists = self._plain_file()
        target = f"{self._uri()}?mode=ro" if exists else ":memory:"
        with contextlib.closing(sqlite3.connect(target, uri=exists, timeout=SECONDS)) as connection:
            connection.execute("PRAGMA query_only=ON").close()
            yield _bounded(connection, authorizer)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._plain_file()
        with contextlib.closing(sqlite3.connect(self._uri(), uri=True, timeout=SECONDS)) as connection:
            yield _bounded(connection, _inside_only)

    def _uri(self) -> str:
        self._folder.root.mkdir(parents=True, exist_ok=True)
        return (self._folder.root.resolve() / FILE).as_uri()

    def _plain_file(self) -> bool:
        """Whether there is a database; `Refusal` for anything but a plain file of its own."""
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal"):
            path = self._folder.root / name
            if not os.path.lexists(path):
                continue
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise Refusal(f"{name} is a link or not a file, so it is not used.")
        return os.path.lexists(self._folder.root / FILE)


def _bounded(connection: sqlite3.Connection, authorizer: _Authorizer) -> sqlite3.Connection:
    until = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
    connection.set_authorizer(authorizer)
    return connection


def _read_only(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    allowed = (
        action in _READS
        or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _NO_FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _HARMLESS_PRAGMAS)
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _inside_only(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    denied = (
        action in _NEVER
        or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _NO_FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and (first or "").lower() not in _HARMLESS_PRAGMAS)
    )
    return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK


def _reason(error: Exception) -> str:
    if str(error) == "interrupted":
        return f"it took longer than {SECONDS} seconds"
    return str(error).rstrip(".")
