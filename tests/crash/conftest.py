"""The fork server, one for each module; and what does not hold is told with its values in every module."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

pytest.register_assert_rewrite("tests.crash.invariants", "tests.crash.scene")

from tests.crash.forge import Forge, a_forge  # noqa: E402 - after what is said of it


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def forge() -> AsyncIterator[Forge]:
    """Processes that cost a fork."""
    async with a_forge() as forge:
        yield forge
