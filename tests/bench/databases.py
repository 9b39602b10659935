"""A database of either kind, for as long as a benchmark lasts; Postgres as it comes, with its syncs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.postgres import a_server

KINDS: Final = ("SQLite", "Postgres")


@asynccontextmanager
async def a_database(kind: str, folder: Path) -> AsyncIterator[str]:
    """The URL of a database of this kind; a file in the folder, or one on a server of its own."""
    if kind == "SQLite":
        yield f"sqlite:///{folder / 'bot.db'}"
        return
    async with a_server() as server:
        yield server.url
