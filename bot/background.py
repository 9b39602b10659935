"""Tasks that run beside everything else, and how they end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import structlog

from bot.approvals.ids import ConversationId
from bot.approvals.recovery import EVERY
from bot.jobs.port import Handler, Job

log = structlog.get_logger()


@asynccontextmanager
async def sweeping(*sweeps: Callable[[], Awaitable[int]]) -> AsyncIterator[None]:
    """Sweep now, and every few minutes until the block ends."""
    for sweep in sweeps:
        await sweep()
    task = asyncio.create_task(_again_and_again(sweeps), name="sweep")
    try:
        yield
    finally:
        await ended(task)


async def _again_and_again(sweeps: Sequence[Callable[[], Awaitable[int]]]) -> None:
    """A database that is away is swept the next time."""
    while True:
        await asyncio.sleep(EVERY)
        for sweep in sweeps:
            try:
                await sweep()
            except Exception as error:  # noqa: BLE001 - whatever it was, there is a next time
                log.warning("sweep_failed", error=type(error).__name__)


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel it and wait until it is gone."""
    task.cancel()
    await asyncio.wait((task,))


def of_conversation(do: Callable[[ConversationId], Awaitable[None]]) -> Handler:
    """Does this for the conversation that a job names."""

    async def handle(job: Job) -> None:
        await do(ConversationId(job.payload["conversation"]))

    return handle
