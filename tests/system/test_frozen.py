"""A replica that is frozen past its lease, as by SIGSTOP, and wakes up: it changes nothing of what went on.

While it stands still, the other one takes its work over. Where a tool call was in its hands, nobody knows
whether it ran, and people are asked.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.sandbox import text_of
from tests.system.house import is_answer
from tests.system.replica import Freeze
from tests.system.street import Street, a_street, asks_about

LEASE = "3"
CALL = ("transfer", {"amount": 1, "to": "old"})

ROWS = {
    "conversations": "id = %s",
    "messages": "conversation = %s",
    "approvals": "conversation = %s",
    "actions": "approval IN (SELECT id FROM approvals WHERE conversation = %s)",
    "executions": "conversation = %s",
    "posts": "conversation = %s",
    "audit": "conversation = %s",
    "checkpoints": "thread_id = %s",
    "checkpoint_blobs": "thread_id = %s",
    "checkpoint_writes": "thread_id = %s",
}
"""Everything that is kept of a conversation, by table."""


async def kept(street: Street, conversation: str) -> dict[str, Sequence[Any]]:
    async with await psycopg.AsyncConnection.connect(street.database, autocommit=True) as connection:
        return {
            table: sorted(
                await (
                    await connection.execute(f"SELECT * FROM {table} WHERE {where}", [conversation])  # noqa: S608 - the table above
                ).fetchall(),
                key=repr,
            )
            for table, where in ROWS.items()
        }


async def only_conversation(street: Street) -> str:
    async with await psycopg.AsyncConnection.connect(street.database, autocommit=True) as connection:
        [(id,)] = await (await connection.execute("SELECT id FROM conversations")).fetchall()
        return str(id)


async def frozen(street: Street, point: Freeze) -> int:
    """The process that stands still, once one does: it says so and then stops itself."""
    async with asyncio.timeout(40):
        while True:
            for replica in street.replicas:
                pid = replica.process.pid
                if (street.folder / f"frozen-{point}-{pid}").exists():
                    return pid
            await asyncio.sleep(0.01)


def shown(messages: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["ts"], text_of(one)) for one in messages]


@pytest.mark.parametrize(
    ("point", "word"),
    [(Freeze.INTENT, "Run again"), (Freeze.EFFECT, "Skip"), (Freeze.MODEL, ""), (Freeze.POST, "")],
)
async def test_a_frozen_replica_that_wakes_up_changes_nothing(
    tmp_path: Path, point: Freeze, word: str
) -> None:
    async with a_street(tmp_path, TEST_LEASE=LEASE) as street:
        await street.asks([CALL])
        card = await street.bob.sees(asks_about("old"), channel="#general", timeout=20)
        await street.at_rest()
        (tmp_path / point).touch()
        await street.press(card)
        pid = await frozen(street, point)
        its_port = street.both.ports[[one.process.pid for one in street.replicas].index(pid)]
        [other] = [one.process.pid for one in street.replicas if one.process.pid != pid]
        street.both.ports.remove(its_port)

        if word:  # it may have run: people are asked, and it is not simply run again
            [doubt] = await street.cards(1, word=word)
            assert street.started() == []
            await street.press(doubt, word)
        await street.bob.sees(is_answer, channel="#general", timeout=30)
        await street.at_rest()
        ran_before = street.runs()
        assert {run.pid for run in ran_before} <= {pid, other}
        conversation = await only_conversation(street)
        rows, messages = await kept(street, conversation), shown(await street.bob.messages("#general"))

        os.kill(pid, signal.SIGCONT)
        await goes_on_alone(street, its_port)
        assert await kept(street, conversation) == rows
        now = [one for one in await street.bob.messages("#general") if one["ts"] <= messages[-1][0]]
        assert shown(now) == messages
        late = [run for run in street.runs() if run.thread == "old"][len(ran_before) :]
        if point is Freeze.EFFECT:
            # It stood inside the tool, which nobody can call back; that is what people were asked about.
            assert [(run.what, run.pid) for run in late] == [("start", pid), ("end", pid)]
        else:
            assert late == []
        assert street.started().count("old/1") == 1


async def goes_on_alone(street: Street, port: int) -> None:
    """The one that woke up works, from the first word to the answer."""
    answers = len([one for one in await street.bob.messages("#general") if is_answer(one)])
    street.both.ports[:] = [port]
    await street.asks([("transfer", {"amount": 1, "to": "new"})])
    card = await street.bob.sees(asks_about("new"), channel="#general", timeout=30)
    await street.press(card)
    await street.answers(answers + 1)
    await street.at_rest()
