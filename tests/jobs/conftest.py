from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.jobs.lab import Lab
from tests.jobs.labs import LABS, removed


@pytest.fixture(params=sorted(LABS))
async def lab(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Lab]:
    async with LABS[request.param](tmp_path) as lab:
        yield lab
    await removed(tmp_path)
