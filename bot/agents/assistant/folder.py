"""Files inside one folder, and nothing outside it, whatever the path says or becomes meanwhile.

Every step of a path is opened by itself, relative to the directory opened before it and without
following links, so there is no moment between looking and using that a moved file could slip into.
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

READ_LIMIT: Final = 200_000
"""Bytes of a file that are read at most."""
HASH_LIMIT: Final = 200_000_000
"""Bytes of a file that are hashed: of more it takes longer than a tool may be held up for it."""
NO_FILE: Final = "no such file"
LIST_LIMIT: Final = 500
"""Entries that are listed at most."""
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# NONBLOCK: a pipe or a device must not hold the opening until it is found out to be one.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Refusal(Exception):  # noqa: N818 - an answer to the model, not a fault
    """The path or the file is not one that may be used; the text is one sentence."""


class NoDirectory(Refusal):
    """A directory on the way does not exist."""


class Folder:
    """One folder of files. All methods block; all raise `Refusal` with a sentence."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def listing(self, path: str = ".") -> list[str]:
        """Everything under the path, as `name (size)`, `name/` and `name (a link, not followed)`."""
        parts = _parts(path, may_be_root=True)
        with self._opened_root() as root, _directory(root, parts, path) as directory:
            return list(_entries(directory, "", depth=0))[: LIST_LIMIT + 1]

    def read(self, path: str) -> str:
        """The text of a file of at most `READ_LIMIT` bytes."""
        *parents, name = _parts(path)
        with self._opened_root() as root, _directory(root, parents, path) as directory:
            data = _bytes_of(directory, name, path)
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise Refusal(f"{path} is not a text file ({len(data)} bytes).") from None

    def fingerprint(self, path: str) -> str:
        """What tells the file from any other at this place: its SHA-256, or that there is no such file.

        Of a file with more than `HASH_LIMIT` bytes it is its size and when it was last changed in any way.
        """
        *parents, name = _parts(path)
        try:
            with self._opened_root() as root, _directory(root, parents, path) as directory:
                if _regular(directory, name, path) is None:
                    return NO_FILE
                with os.fdopen(_opened(directory, name, path), "rb") as file:
                    found = os.fstat(file.fileno())
                    if found.st_size > HASH_LIMIT:
                        return f"{found.st_size} bytes, inode {found.st_ino}, changed {found.st_ctime_ns}"
                    return f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
        except NoDirectory:
            return NO_FILE

    def write(self, path: str, content: str, *, append: bool = False) -> bool:
        """Put the text into the file, all or nothing; True if there was no such file before."""
        *parents, name = _parts(path)
        data = content.encode(errors="surrogatepass")
        with self._opened_root() as root, _directory(root, parents, path, make=True) as directory:
            before = _regular(directory, name, path)
            if append and before:
                data = _bytes_of(directory, name, path) + data
            _replace(directory, name, data, mode=stat.S_IMODE(before.st_mode) if before else 0o600)
        return before is None

    def delete(self, path: str) -> None:
        """Remove a file."""
        *parents, name = _parts(path)
        with self._opened_root() as root, _directory(root, parents, path) as directory:
            if _regular(directory, name, path) is None:
                raise Refusal(f"There is no file {path}.")
            os.unlink(name, dir_fd=directory)

    @contextmanager
    def _opened_root(self) -> Iterator[int]:
        self.root.mkdir(parents=True, exist_ok=True)
        root = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield root
        finally:
            os.close(root)


def _parts(path: str, *, may_be_root: bool = False) -> list[str]:
    if not path.strip() or "\0" in path:
        raise Refusal("The path is empty or not a path.")
    if path.startswith("/"):
        raise Refusal(f"{path} is an absolute path; only files inside the folder can be used.")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refusal(f"{path} leads out of the folder; only files inside it can be used.")
    if not parts and not may_be_root:
        raise Refusal(f"{path} is the folder itself, not a file.")
    if not may_be_root and path.endswith("/"):
        raise Refusal(f"{path} names a directory, not a file.")
    return parts


@contextmanager
def _directory(root: int, parts: list[str], path: str, *, make: bool = False) -> Iterator[int]:
    directory = os.dup(root)
    try:
        for part in parts:
            deeper = _step(directory, part, path, make=make)
            os.close(directory)
            directory = deeper
        yield directory
    finally:
        os.close(directory)


def _step(directory: int, part: str, path: str, *, make: bool) -> int:
    try:
        if make:
            _make(directory, part)
        return os.open(part, _DIRECTORY, dir_fd=directory)
    except FileNotFoundError:
        raise NoDirectory(f"There is no {path}.") from None
    except OSError as error:
        raise Refusal(
            f"{path} goes through {part}, which is a link or no directory ({error.strerror})."
        ) from None


def _make(directory: int, part: str) -> None:
    try:
        os.mkdir(part, 0o700, dir_fd=directory)
    except FileExistsError:
        return


def _regular(directory: int, name: str, path: str) -> os.stat_result | None:
    """The file's status, None if there is none; `Refusal` for anything but a plain file."""
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refusal(f"{path} cannot be used: {error.strerror}.") from None
    _check(found, path)
    return found


def _check(found: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise Refusal(f"{path} is a symbolic link, which may lead out of the folder; it is not followed.")
    if stat.S_ISDIR(found.st_mode):
        raise Refusal(f"{path} is a directory, not a file.")
    if not stat.S_ISREG(found.st_mode):
        raise Refusal(f"{path} is a device, pipe or socket, not a file.")
    if found.st_nlink > 1:
        raise Refusal(f"{path} has a second name (a hard link), which may be outside the folder.")


def _bytes_of(directory: int, name: str, path: str) -> bytes:
    _regular(directory, name, path)
    with os.fdopen(_opened(directory, name, path), "rb") as file:
        found = os.fstat(file.fileno())
        if found.st_size > READ_LIMIT:
            raise Refusal(f"{path} has {found.st_size} bytes; at most {READ_LIMIT} are read.")
        return file.read(READ_LIMIT)


def _opened(directory: int, name: str, path: str) -> int:
    try:
        opened = os.open(name, _FILE, dir_fd=directory)
    except FileNotFoundError:
        raise Refusal(f"There is no file {path}.") from None
    except OSError as error:
        raise Refusal(f"{path} cannot be opened: {error.strerror}.") from None
    try:
        _check(os.fstat(opened), path)
    except Refusal:
        os.close(opened)
        raise
    return opened


def _replace(directory: int, name: str, data: bytes, *, mode: int) -> None:
    """A new file takes the name when it is complete; what stood there is never written into."""
    fresh = f".{secrets.token_hex(8)}.part"
    opened = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=directory)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(opened)
        os.rename(fresh, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError as error:
        os.unlink(fresh, dir_fd=directory)
        raise Refusal(f"{name} cannot be written: {error.strerror}.") from None


def _entries(directory: int, prefix: str, *, depth: int) -> Iterator[str]:
    if depth > 8:  # noqa: PLR2004 - deep enough for people
        yield f"{prefix}… (deeper directories are not listed)"
        return
    for name in sorted(os.listdir(directory)):
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode):
            yield f"{prefix}{name}/"
            inner = os.open(name, _DIRECTORY, dir_fd=directory)
            try:
                yield from _entries(inner, f"{prefix}{name}/", depth=depth + 1)
            finally:
                os.close(inner)
        elif stat.S_ISREG(found.st_mode):
            yield f"{prefix}{name} ({found.st_size} bytes)"
        else:
            kind = "a link, not followed" if stat.S_ISLNK(found.st_mode) else "not a file"
            yield f"{prefix}{name} ({kind})"
