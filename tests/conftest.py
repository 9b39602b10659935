"""What tests of several rooms share."""

from collections.abc import AsyncIterator

import pytest_asyncio
from hypothesis import settings
from playwright.async_api import Browser

from tests.browser import chromium

settings.register_profile("on a busy machine", deadline=None)
settings.load_profile("on a busy machine")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for a module, whose tests run in the module's own loop."""
    async with chromium() as browser:
        yield browser
