"""Scenes that are played in a process of their own and killed there, on either kind of database."""

import asyncio
import signal
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path

import pytest
import pytest_asyncio

from tests.crash.forge import Forge
from tests.postgres import a_database


@pytest_asyncio.fixture(loop_scope="module", params=["sqlite", "postgres"], name="tmp_path")
async def either_database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Path]:
    """A folder whose database is of either kind."""
    if request.param == "sqlite":
        yield tmp_path
        return
    async with a_database() as url:
        (tmp_path / "database").write_text(url)
        yield tmp_path


async def killed(forge: Forge, module: str, folder: Path, scene: str, *arguments: str) -> None:
    """Play the module's `scene(folder, *arguments)` in a process that is expected to be killed."""
    forked = await forge.fork(f"{__name__}:acted", module, scene, str(folder), *arguments)
    assert await forked.ended == -signal.SIGKILL


def acted(_: object, module: str, scene: str, folder: str, *arguments: str) -> None:
    """In the process: play it."""
    asyncio.run(getattr(import_module(module), scene)(Path(folder), *arguments))
