from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import RowsStore, open_store
from tests.postgres import a_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture(params=["sqlite", "postgres"])
async def where(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[str | Path]:
    """A database of either kind, with nothing in it."""
    if request.param == "sqlite":
        yield path
        return
    async with a_database() as url:
        yield url


@pytest.fixture
async def store(where: str | Path) -> AsyncIterator[RowsStore]:
    async with open_store(where) as store:
        yield store


@pytest.fixture
async def file_store(path: Path) -> AsyncIterator[RowsStore]:
    async with open_store(path) as store:
        yield store
