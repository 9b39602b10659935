"""The house that most system tests live in."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.postgres import a_database
from tests.system import agents
from tests.system.house import House, a_house


@pytest.fixture(autouse=True)
def _nothing_has_run_yet() -> Iterator[None]:
    agents.RUNS.clear()
    agents.FAIL.clear()
    agents.WORDS.clear()
    agents.WAITING[0] = agents.Waiting()
    yield
    agents.FAIL.clear()


@pytest.fixture
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        on_postgres = getattr(request, "param", "sqlite") == "postgres"
        database = await stack.enter_async_context(a_database()) if on_postgres else None
        yield await stack.enter_async_context(a_house(tmp_path, database=database))
