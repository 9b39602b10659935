"""What the store says no with: sentences for people, and which of SQLite's errors they stand for."""

import sqlite3
from collections.abc import Mapping
from typing import Final


class CannotOpen(Exception):  # noqa: N818 - a sentence for whoever starts the bot
    """The database cannot be used as it is; the sentence says what to do. Nothing was changed."""


class OldSchema(CannotOpen):
    """The database was written by an older version; opening it for writing brings it up to date."""


class StoreUnavailable(Exception):  # noqa: N818 - a state of the disk, expected to pass
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


def sentence_for(error: BaseException | None) -> str | None:
    """The sentence for an error of the disk or of its locks; None if the error is a bug of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    # The low byte is the primary code; the rest says more than a person needs.
    return _SENTENCES.get(code & 0xFF) if isinstance(code, int) else None
