"""Where the database is, from a URL as the settings have it or from a path."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from bot.store.errors import CannotOpen

EXAMPLES = "sqlite:///bot.db or postgresql://user@host/database"


def postgres_url(where: str | Path) -> URL | None:
    """The address of a Postgres database, as libpq has it; None if it is a file that is named."""
    if isinstance(where, Path) or "://" not in where:
        return None
    url = _url(where)
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        return None
    if not url.database:
        raise CannotOpen("The database URL names no database; write it as postgresql://user@host/database.")
    # A driver that is named is ignored: there is one, and everything that is in the database goes through it.
    return url.set(drivername="postgresql")


def libpq_url(where: str | Path) -> str | None:
    """The same, as every Postgres library takes it; it may hold a password."""
    url = postgres_url(where)
    return None if url is None else url.render_as_string(hide_password=False)


def sqlite_path(where: str | Path) -> Path:
    """The file that `sqlite:///bot.db` (or a bare path) names; `CannotOpen` for anything else."""
    if isinstance(where, Path) or "://" not in where:
        return _in_a_folder(Path(where))
    url = _url(where)
    if url.get_backend_name() != "sqlite":
        raise CannotOpen(f"A {url.get_backend_name()} database is not supported; use {EXAMPLES}.")
    if url.host or url.query:
        raise CannotOpen("A SQLite URL has three slashes and a path, and nothing else: sqlite:///bot.db.")
    return _in_a_folder(Path(url.database or ""))


def workspace_database(where: str, team: str) -> str:
    """The database of one of several workspaces, beside the one that is named: `bot.db`, `bot-T0ONE.db`."""
    if (url := postgres_url(where)) is not None:
        return url.set(database=f"{url.database}_{team.lower()}").render_as_string(hide_password=False)
    path = sqlite_path(where)
    return f"sqlite:///{path.with_name(f'{path.stem}-{team}{path.suffix}')}"


def _url(where: str) -> URL:
    try:
        return make_url(where)
    except (ArgumentError, ValueError) as error:
        raise CannotOpen(f"The database URL cannot be read; write it as {EXAMPLES}.") from error


def _in_a_folder(path: Path) -> Path:
    if str(path) in {".", ":memory:"}:
        raise CannotOpen("The database has to be a file, or nothing would outlive the process.")
    if path.is_dir():
        raise CannotOpen(f"{path} is a folder; name a file for the database.")
    if not path.parent.is_dir():
        raise CannotOpen(f"The folder {path.parent} for the database does not exist; create it first.")
    return path
