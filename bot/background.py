"""Tasks that run beside everything else, and how they end."""

import asyncio

import structlog

from bot.approvals.recovery import EVERY, Recovery

log = structlog.get_logger()


async def sweeping(recovery: Recovery) -> None:
    """Sweep every few minutes until cancelled; a database that is away is swept the next time."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await recovery.sweep()
        except Exception as error:  # noqa: BLE001 - whatever it was, there is a next time
            log.warning("sweep_failed", error=type(error).__name__)


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel it and wait until it is gone."""
    task.cancel()
    await asyncio.wait((task,))
