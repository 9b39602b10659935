"""The contract: nothing that is owed dies with the process."""

import asyncio
from pathlib import Path

import pytest

from bot.approvals.ports import Work
from tests.command_line import PYTHON
from tests.jobs.lab import Ran
from tests.jobs.labs import LABS, removed

PLACES = 8
JOBS = [f"{number:03}" for number in range(60)]


def key_of(id: str) -> str:
    return f"k{int(id) % 12}"


async def work_until_killed(name: str, folder: Path, *, ends: int) -> list[tuple[str, str]]:
    """What a worker said before it was killed in the middle of its work."""
    worker = await asyncio.create_subprocess_exec(
        *PYTHON, "-m", "tests.jobs.worker", name, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert worker.stdout is not None
    said: list[str] = []
    while sum(line.startswith("end") for line in said) < ends:
        line = (await worker.stdout.readline()).decode()
        assert line, "the worker ended by itself"
        said.append(line)
    worker.kill()
    said += (await worker.stdout.read()).decode().splitlines()
    await worker.wait()
    return [(verb, id) for verb, id in (line.split() for line in said)]


@pytest.mark.parametrize("name", sorted(LABS))
async def test_after_a_kill_everything_owed_is_done_in_order(name: str, tmp_path: Path) -> None:
    async with LABS[name](tmp_path) as lab, lab.begin() as tx:
        engine = lab.engine({})
        for id in JOBS:
            await engine.owe(tx, Work(id, "work", key=key_of(id)))

    first = await work_until_killed(name, tmp_path, ends=15)
    second = await work_until_killed(name, tmp_path, ends=10)

    ran = Ran()
    async with LABS[name](tmp_path) as lab:
        engine = lab.engine({"work": ran})
        await engine.start()
        ended = [id for verb, id in first + second if verb == "end"]
        left = set(JOBS) - set(ended)
        while not left <= set(ran.ended):
            await ran.done(len(ran.ended) + 1)
        await engine.stop(5)

    begun = [id for verb, id in first + second if verb == "begin"] + ran.ids
    assert set(begun) == set(JOBS)
    # What was done and not yet settled when the kill came is done again: at most one job for each place.
    assert len(begun) - len(JOBS) <= 2 * PLACES
    for key in {key_of(id) for id in JOBS}:
        of_key = [id for id in begun if key_of(id) == key]
        assert of_key == sorted(of_key)


@pytest.mark.parametrize("name", sorted(LABS))
async def test_what_a_failing_test_leaves_at_work_is_stopped(name: str, tmp_path: Path) -> None:
    async with LABS[name](tmp_path) as lab:
        await lab.engine({}).start()
        assert len(asyncio.all_tasks()) > 1
    assert asyncio.all_tasks() == {asyncio.current_task()}
    await removed(tmp_path)
