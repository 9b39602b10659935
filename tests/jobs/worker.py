"""A process that works on jobs until it is killed, and says on standard output what it begins and ends."""

import asyncio
import os
import sys
from pathlib import Path

from bot.jobs import Job
from tests.jobs.labs import LABS


def say(line: str) -> None:
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


async def work(job: Job) -> None:
    say(f"begin {job.id}")
    await asyncio.to_thread(os.sync)
    say(f"end {job.id}")


async def main(name: str, folder: str) -> None:
    async with LABS[name](Path(folder)) as lab:
        engine = lab.engine({"work": work})
        await engine.start()
        say("ready -")
        await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
