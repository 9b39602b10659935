"""What tests of several rooms share."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser import chromium


def pytest_addoption(parser: pytest.Parser) -> None:
    """Long tests run a fixed part of what they could, unless they are told otherwise."""
    parser.addoption("--whole", action="store_true", help="run the long tests in full")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for a module, whose tests run in the module's own loop."""
    async with chromium() as browser:
        yield browser
