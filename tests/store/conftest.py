from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import RowsStore, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[RowsStore]:
    async with open_store(path) as store:
        yield store
