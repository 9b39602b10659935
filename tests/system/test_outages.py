"""The database is away while people click and agents run: an honest error or a late success, nothing else.

On SQLite another process holds the file's lock; on Postgres the server is stopped and started. The bot is
never restarted: what was owed is done afterwards, and nothing twice.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.sandbox import Person, buttons, text_of
from tests.postgres import Server, a_server
from tests.system.agents import RUNS, WAITING
from tests.system.house import House, a_house, decisions, is_answer

AGENT = "tests.system.steady:careful"
ACK = 3.0
"""Seconds after which Slack tells a person that their click failed."""
SLACK = 10.0
"""What a loaded machine may add."""

_HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))  # a process of its own that holds the lock that long; nothing else in it
connection.execute("ROLLBACK")
print("free", flush=True)
"""


@asynccontextmanager
async def locked(file: Path, seconds: float) -> AsyncIterator[asyncio.Task[bytes]]:
    """Another process has the file to itself for so long; the task is done when it is free again."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLD, str(file), str(seconds), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    free = asyncio.create_task(process.stdout.readline())
    try:
        yield free
    finally:
        assert await free == b"free\n"
        await process.wait()


async def until_taken(person: Person, card: dict[str, Any], word: str = "Approve") -> list[float]:
    """Press until Slack says that it worked, as people do; how long they waited for each failure."""
    waited: list[float] = []
    while True:
        begun = time.monotonic()
        answer = await person.press(card, word, stale=True)
        took = time.monotonic() - begun
        assert took < ACK + SLACK, "Slack says after 3 seconds how it went"
        if answer["ok"]:
            return waited
        assert answer["warning"], "a failure is shown"
        waited.append(took)


def asks_about(words: str) -> Any:  # noqa: ANN401 - what `sees` takes
    return lambda message: decisions(message) != [] and words in text_of(message)


async def prepared(house: House) -> dict[str, Any]:
    """Two calls run and do not end yet, one that people let run and a free one; a card waits for a click."""
    await house.asks([("hold", {"name": "held"})], [("transfer", {"amount": 2.0, "to": "after"})])
    await house.bob.press(await house.card(asks_about("held")), "Approve")
    await house.asks([("wait", {"name": "free"})], [("transfer", {"amount": 3.0, "to": "later"})])
    async with asyncio.timeout(60):
        while len(RUNS) < 2:  # noqa: ASYNC110 - said by two tools
            await asyncio.sleep(0.01)
    await house.asks([("transfer", {"amount": 1.0, "to": "carol"})])
    return await house.card(asks_about("carol"))


async def everything_came_to_its_end(house: House) -> None:
    await house.answer('"to": "carol"', timeout=30)
    for name in ("after", "later"):
        assert await until_taken(house.bob, await house.card(asks_about(name), timeout=30)) == []
        await house.answer(f'"to": "{name}"', timeout=30)
    done = Counter(str(arguments.get("to") or arguments["name"]) for _, arguments in RUNS)
    assert done == {"held": 1, "free": 1, "carol": 1, "after": 1, "later": 1}
    messages = await house.bob.messages("#general")
    assert sum(is_answer(one) for one in messages) == 3
    assert not any("Retry" in buttons(one) for one in messages), "nobody has to mend it"


@pytest.mark.parametrize("seconds", [1, 4, 10])
async def test_a_file_that_somebody_else_locks_is_an_honest_error_and_nothing_is_lost(
    tmp_path: Path, seconds: float
) -> None:
    async with a_house(tmp_path, agent=AGENT) as house:
        card = await prepared(house)
        async with locked(tmp_path / "bot.db", seconds) as free:
            WAITING[0].may_end.set()  # its result, the next step and a card are to be written now
            failures = await until_taken(house.bob, card)
            assert free.done() or not failures
        assert bool(failures) == (seconds > ACK)
        await everything_came_to_its_end(house)


async def test_what_people_ask_while_the_file_is_locked_is_refused_or_answered(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=AGENT) as house:
        asked = []
        async with locked(tmp_path / "bot.db", 4):
            for number in range(2):
                script = f'/agent [[["transfer", {{"amount": 1, "to": "person-{number}"}}]]]'
                answer = await house.alice.say("#general", script)
                asked.append((f"person-{number}", answer["ok"]))
            said = await house.alice.say("#general", f"<@{house.bot.identity.bot_user}> hello there")
        for name, heard in asked:
            if heard:
                await house.card(asks_about(name), timeout=20)
        await house.answer("heard hello there", thread=said["ts"], timeout=20)
        cards = [one for one in await house.bob.messages("#general") if decisions(one) != []]
        assert len(cards) <= len(asked)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_server_that_is_away_for_three_seconds_is_an_honest_error_and_nothing_is_lost(
    tmp_path: Path, mode: str
) -> None:
    async with (
        a_server() as server,
        a_house(tmp_path, agent=AGENT, database=server.url) as house,
    ):
        card = await prepared(house)
        await server.stop(mode)
        stopped = time.monotonic()
        WAITING[0].may_end.set()
        answer = await house.bob.press(card, "Approve", stale=True)  # until Slack gives up, after 3 s
        assert not answer["ok"]
        assert answer["warning"]
        assert time.monotonic() - stopped > ACK - 0.5
        await server.start()
        await until_taken(house.bob, card)
        await everything_came_to_its_end(house)
        await is_listening(server)


async def is_listening(server: Server) -> None:
    """The engine hears again what other replicas owe."""
    async with (
        asyncio.timeout(60),
        await psycopg.AsyncConnection.connect(server.url, autocommit=True) as connection,
    ):
        while True:
            found = await connection.execute("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
            if await found.fetchone():
                return


async def test_a_server_that_restarts_again_and_again_in_a_crowd_loses_nobody(tmp_path: Path) -> None:
    people = [f"person-{number:02}" for number in range(12)]
    async with (
        a_server() as server,
        a_house(tmp_path, agent="tests.system.agents:bank", database=server.url) as house,
    ):
        await asyncio.gather(
            *(house.asks([("transfer", {"amount": 1.0, "to": to})]) for to in people),
        )
        cards = await asyncio.gather(*(house.card(asks_about(to), timeout=30) for to in people))
        clicks = [asyncio.create_task(until_taken(house.bob, card)) for card in cards]
        for mode in ("immediate", "fast", "immediate"):
            await server.stop(mode)
            await server.start()
        await asyncio.gather(*clicks)
        doubts: set[str] = set()
        async with asyncio.timeout(60):
            while True:
                messages = await house.bob.messages("#general")
                for one in messages:
                    if "Skip" in buttons(one) and one["ts"] not in doubts:
                        doubts.add(one["ts"])
                        await until_taken(house.bob, one, "Skip")
                answers = [one for one in messages if is_answer(one)]
                if len(answers) == len(people):
                    break
                await asyncio.sleep(0.1)
        assert len({one["thread_ts"] for one in answers}) == len(people)
        assert max(Counter(str(arguments["to"]) for _, arguments in RUNS).values()) == 1
        assert {str(arguments["to"]) for _, arguments in RUNS} == set(people)
