"""An empty database with the bot's schema, copied: making one costs four times as much."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.store import open_store

_made: Final[list[bytes]] = []


async def furnished(path: Path) -> Path:
    """Put it there, unless there is a database already."""
    if not _made:
        with TemporaryDirectory() as folder:
            empty = Path(folder) / "empty.db"
            async with open_store(empty):
                pass
            _made.append(await asyncio.to_thread(empty.read_bytes))
    if not await asyncio.to_thread(path.exists):
        await asyncio.to_thread(path.write_bytes, _made[0])
    return path
