"""A sandbox in a process of its own, for tests that kill it: DATA is its folder; prints its address."""

import asyncio
import signal
import sys

from bot.sandbox import Sandbox


async def main() -> None:
    async with Sandbox(data=sys.argv[1], retry_delays=(60.0,)) as slack:
        print(slack.page_url, flush=True)  # noqa: T201 - the parent reads it
        await asyncio.Event().wait()


# Whoever starts the tests in the background has it ignored, and a child inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)
asyncio.run(main())
