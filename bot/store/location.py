"""Where the database is, from a URL as the settings have it or from a path."""

from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot.store.errors import CannotOpen


def sqlite_path(where: str | Path) -> Path:
    """The file that `sqlite:///bot.db` (or a bare path) names; `CannotOpen` for anything else."""
    if isinstance(where, Path) or "://" not in where:
        return _in_a_folder(Path(where))
    try:
        url = make_url(where)
    except ArgumentError as error:
        raise CannotOpen("The database URL cannot be read; write it as sqlite:///bot.db.") from error
    match url.get_backend_name():
        case "sqlite":
            pass
        case "postgresql" | "postgres":
            raise CannotOpen("Postgres is not supported by this version yet; use sqlite:///bot.db.")
        case other:
            raise CannotOpen(f"A {other} database is not supported; use sqlite:///bot.db.")
    if url.host or url.query:
        raise CannotOpen("A SQLite URL has three slashes and a path, and nothing else: sqlite:///bot.db.")
    return _in_a_folder(Path(url.database or ""))


def _in_a_folder(path: Path) -> Path:
    if str(path) in {".", ":memory:"}:
        raise CannotOpen("The database has to be a file, or nothing would outlive the process.")
    if path.is_dir():
        raise CannotOpen(f"{path} is a folder; name a file for the database.")
    if not path.parent.is_dir():
        raise CannotOpen(f"The folder {path.parent} for the database does not exist; create it first.")
    return path
