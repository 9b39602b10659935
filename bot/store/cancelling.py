"""Work that is not cut off: whoever waits for it is cancelled after it, not in the middle of it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Finish this even if the caller is cancelled meanwhile, and only then be cancelled.

    A commit that is cut off is neither known to be written nor known to be lost.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # looked at, so that asyncio does not report it a second time
        raise cancelled
    return task.result()
