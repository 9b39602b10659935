"""The kill matrix: 14 points, 4 decisions, 1 or 3 calls, SQLite or Postgres; kill -9 in a real process.

    python -m pytest tests/crash/test_matrix.py                            all 224 cells
    KILL_MATRIX=effect-edit python -m pytest tests/crash/test_matrix.py    those with this in their names

What each point means stands in `points`, what is checked after each cell in `invariants`.
"""

import asyncio
import os
from pathlib import Path

import pytest

from tests.crash.forge import Forge
from tests.crash.points import Cell, Point, matrix
from tests.crash.scene import play
from tests.postgres import a_database

WANTED = os.environ.get("KILL_MATRIX", "")
CELLS = [cell for cell in matrix() if WANTED in str(cell)]
AT_A_TIME = 2


async def played(cell: Cell, forge: Forge, folder: Path) -> None:
    try:
        if cell.database == "sqlite":
            await play(cell, forge, folder, f"sqlite:///{folder / 'bot.db'}")
        else:
            async with a_database() as database:
                await play(cell, forge, folder, database)
    except Exception as error:
        error.add_note(f"in the cell {cell}")
        raise


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.timeout(600)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("point", list(dict.fromkeys(cell.point for cell in CELLS)))
async def test_killed_anywhere_nothing_is_lost_and_nothing_runs_twice(
    point: Point, forge: Forge, tmp_path: Path
) -> None:
    places = asyncio.Semaphore(AT_A_TIME)

    async def in_turn(cell: Cell) -> None:
        async with places:
            await played(cell, forge, folders[cell])

    cells = [cell for cell in CELLS if cell.point is point]
    folders = {cell: _made(tmp_path / str(cell)) for cell in cells}
    ended = await asyncio.gather(*map(in_turn, cells), return_exceptions=True)
    failed = [error for error in ended if isinstance(error, Exception)]
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {len(cells)} cells", failed)
