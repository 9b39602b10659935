"""How a command runs as a process: until it ends or is told to, its mistakes as sentences."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

from rich.console import Console

from bot.agents.errors import BadAgent
from bot.errors import CannotStart
from bot.meant import UnknownThread
from bot.policy_file import BadPolicy
from bot.settings import BadSettings, load_env_file
from bot.store.errors import CannotOpen, StoreUnavailable

Outcome = TypeVar("Outcome")

BAD_INPUT: Final = 2
MISTAKES: Final = (
    BadSettings,
    BadPolicy,
    BadAgent,
    CannotStart,
    CannotOpen,
    StoreUnavailable,
    UnknownThread,
)
"""What a person can mend; each is a sentence. Anything else is a bug and keeps its traceback."""

err = Console(stderr=True, highlight=False, soft_wrap=True)


def run(command: Callable[[], Awaitable[Outcome]]) -> Outcome | None:
    """Run until it ends, or until Ctrl-C or SIGTERM; None if told. A second time ends it at once."""

    async def to_the_end() -> Outcome | None:
        load_env_file()
        task = asyncio.ensure_future(command())
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, task.cancel)
        with suppress(asyncio.CancelledError):
            return await task
        return None

    with _mistakes_told():
        return asyncio.run(to_the_end())


async def until_told() -> None:
    """Wait for Ctrl-C or SIGTERM, which cancel the command wherever it is."""
    await asyncio.Event().wait()


@contextmanager
def _mistakes_told() -> Iterator[None]:
    try:
        yield
    except MISTAKES as mistake:
        err.print(str(mistake), markup=False)
        raise SystemExit(BAD_INPUT) from None
