"""What the store says no with: sentences for people, and the errors of databases that they stand for."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from bot.approvals.errors import Unavailable


class CannotOpen(Exception):  # noqa: N818 - a sentence for whoever starts the bot
    """The database cannot be used as it is; the sentence says what to do. Nothing was changed."""


class OldSchema(CannotOpen):
    """The database was written by an older version; opening it for writing brings it up to date."""


class StoreUnavailable(Unavailable):
    """Rows can be neither read nor written just now. The transaction is gone as a whole; try again."""


_SENTENCES: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_BUSY: "The database is busy with another writer; nothing was written.",
    sqlite3.SQLITE_LOCKED: "The database is busy with another writer; nothing was written.",
    sqlite3.SQLITE_FULL: "The disk is full; nothing was written.",
    sqlite3.SQLITE_READONLY: "The database is read-only; nothing was written.",
    sqlite3.SQLITE_IOERR: "The disk reports an error; nothing is known to be written.",
    sqlite3.SQLITE_CANTOPEN: "The database file cannot be opened; nothing was written.",
    sqlite3.SQLITE_CORRUPT: "The database file is damaged; nothing was written.",
    sqlite3.SQLITE_NOTADB: "The database file is not a SQLite database; nothing was written.",
}


_OF_CODE: Final[Mapping[str, str]] = {
    "25006": "The database is read-only; nothing was written.",
    "25P03": "The transaction was left open for too long; nothing was written.",
    "40001": "The database is busy with another writer; nothing was written.",
    "40P01": "The database is busy with another writer; nothing was written.",
    "55P03": "The database is busy with another writer; nothing was written.",
    "57014": "The database took too long; nothing was written.",
    "53100": "The disk is full; nothing was written.",
    "53300": "The database has no free connection; nothing was written.",
}

_OF_CLASS: Final[Mapping[str, str]] = {
    "08": "The database cannot be reached; nothing is known to be written.",
    "53": "The database server is short of resources; nothing was written.",
    "57": "The database server is going down or coming up; nothing is known to be written.",
    "58": "The database server reports an error of its disk; nothing is known to be written.",
    "XX": "The database server reports an error of its own; nothing is known to be written.",
}


def sentence_for(error: BaseException | None) -> str | None:
    """The sentence for an error of the disk, the server or their locks; None if it is a bug of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(code, int):
        # The low byte is the primary code; the rest says more than a person needs.
        return _SENTENCES.get(code & 0xFF)
    if type(error).__module__.partition(".")[0] != "psycopg":
        return None
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return _OF_CODE.get(state) or _OF_CLASS.get(state[:2])
    # No answer of the server at all: the connection could not be made, or it is gone.
    return _OF_CLASS["08"] if type(error).__name__ in {"OperationalError", "ConnectionTimeout"} else None
