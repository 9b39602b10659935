"""What tests of several rooms share."""

import gc
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from hypothesis import settings
from playwright.async_api import Browser

from tests.browser import chromium

settings.register_profile("on a busy machine", deadline=None)
settings.load_profile("on a busy machine")

FIRST: Final = (
    *("crash/test_matrix", "test_cli_operator", "system/test_replicas", "approvals/test_crashes"),
    *("system/test_crowd", "system/test_race", "test_cli", "crash", "system"),
    *("jobs", "sandbox", "workspaces", "store", "agents", "audit", "hazards"),
)
"""Files and rooms that take long, the longest first; what is not named follows."""
HERE: Final = Path(__file__).parent


def _turn(item: pytest.Item) -> int:
    place = item.path.relative_to(HERE).as_posix()
    return next((turn for turn, first in enumerate(FIRST) if place.startswith(first)), len(FIRST))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """What several workers and a run in the background need."""
    # Otherwise pytest-xdist starts the files with few tests last, and those are the long ones.
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    # What a shell starts in the background ignores Ctrl-C, and so would each bot that a test interrupts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Several workers take files in this order, so that none ends the run alone with a long one."""
    items.sort(key=_turn)


def pytest_collection_finish() -> None:
    """Half a million objects of modules and tests stay for the whole run; no collection looks at them."""
    gc.collect()
    gc.freeze()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for a module, whose tests run in the module's own loop."""
    async with chromium() as browser:
        yield browser
