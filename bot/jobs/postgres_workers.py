"""Who works on the jobs, as their workers said themselves."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_ANYBODY: Final = text(
    "SELECT EXISTS (SELECT FROM procrastinate_workers "
    "WHERE last_heartbeat > now() - make_interval(secs => :seconds))"
)


async def anybody_works(connection: AsyncConnection, *, lease: float) -> bool:
    """Whether a process said within the last `lease` seconds that it lives."""
    return bool((await connection.execute(_ANYBODY, {"seconds": lease})).scalar_one())
