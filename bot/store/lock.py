"""One process per SQLite file: an exclusive lock beside it, which a dead process gives back by itself."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.store.errors import CannotOpen


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Hold the lock of this database, or raise `CannotOpen`.

    The file stays when the lock goes: removed, two processes could hold locks on two files of one name.
    """
    descriptor = os.open(lock_path(database), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 20).decode(errors="replace").strip()
            raise CannotOpen(
                f"Another process{f' ({holder})' if holder else ''} is using {database}; "
                "stop it first, or give this one a database of its own."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def lock_path(database: Path) -> Path:
    """Where the lock of a database is; the same for every name that leads to the same file."""
    database = database.resolve()
    return database.with_name(f"{database.name}.lock")


def in_use(database: Path) -> bool:
    """Whether a process holds the lock of this database."""
    try:
        descriptor = os.open(lock_path(database), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # Shared, so that two who only look never take each other for a bot.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
