from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import open_store
from tests.approvals.fakes import WatchedStore
from tests.store.empty import furnished


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[WatchedStore]:
    async with open_store(await furnished(tmp_path / "bot.db")) as rows:
        yield WatchedStore(rows)
