"""Database files that nobody but their owner can read, made so without ever opening one that exists.

A process that closes any descriptor of a file gives up all locks that it has on this file. SQLite's own are
among them, by which other processes see that the database is in use: without them, the next one that only has
a look deletes, when it leaves, the log with what was just committed.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_OWNER_ONLY: Final = 0o600
_OTHERS: Final = 0o077


def make_private(path: Path) -> None:
    """Create the file for its owner alone, or take others' rights away from an existing one.

    SQLite gives `-wal` and `-shm` the rights of the database file when it makes them; those that an older
    start left are seen to as well. `OSError` if it cannot be used.
    """
    path = path.resolve()
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY))
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with suppress(FileNotFoundError):
            if stat.S_IMODE(file.stat().st_mode) & _OTHERS:
                file.chmod(_OWNER_ONLY)
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
