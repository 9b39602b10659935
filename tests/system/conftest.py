"""The house that most system tests live in."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.system import agents
from tests.system.house import House, a_house


@pytest.fixture(autouse=True)
def _nothing_has_run_yet() -> Iterator[None]:
    agents.RUNS.clear()
    agents.FAIL.clear()
    agents.WORDS.clear()
    agents.SLOW.clear()
    yield
    agents.FAIL.clear()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path) as house:
        yield house
