"""`audit` and `audit verify`, as processes, beside a bot that has the database open."""

import asyncio
import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.approvals.ids import ActionId, ApprovalId
from bot.approvals.ports import Event
from bot.store import RowsStore, open_store
from tests.command_line import CommandLine
from tests.postgres import a_database
from tests.store.samples import BOB, NOON, THREAD, conversation

ASKED = ApprovalId("p1")


def about(kind: str, action: str = "a1", **detail: str) -> Event:
    return Event(
        kind=kind,
        at=NOON,
        conversation=THREAD,
        approval=ASKED,
        action=ActionId(action),
        actor=BOB,
        detail={"digest": "d" * 64, "tool": "pay", **detail},
    )


FILED = Event(
    kind="filed",
    at=NOON,
    conversation=THREAD,
    approval=ASKED,
    detail={"actions": [{"id": "a1", "tool": "pay", "digest": "d" * 64, "message": "m", "call": "c"}]},
)
SHOWN = Event(
    kind="shown", at=NOON, conversation=THREAD, approval=ASKED, detail={"actions": {"a1": "d" * 64}}
)


@pytest.fixture(params=["sqlite", "postgres"])
async def where(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'bot.db'}"
        return
    async with a_database() as url:
        yield url


@pytest.fixture
async def bot(where: str) -> AsyncIterator[RowsStore]:
    """Has the database open, as the bot does while it runs."""
    async with open_store(where) as store:
        async with store.write() as tx:
            await tx.conversations.add(conversation())
            await tx.record.append(FILED, SHOWN, about("decided", decision="approve"))
        yield store


@pytest.fixture
def command(tmp_path: Path, where: str, bot: RowsStore) -> CommandLine:  # noqa: ARG001 - it runs meanwhile
    return CommandLine(folder=tmp_path, env={"BOT_DATABASE_URL": where})


async def test_verify_says_that_the_record_is_intact_and_gives_a_mark_to_keep(
    bot: RowsStore, command: CommandLine
) -> None:
    ended = await command.run("audit", "verify")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("The record is intact, 3 rows. Its mark: 3:")
    mark = ended.out.split()[-1]
    async with bot.write() as tx:
        await tx.record.append(about("executing"))
    ended = await command.run("audit", "verify", "--head", mark)
    assert ended.code == 0
    assert ended.out.startswith("The record is intact, 4 rows.")
    later = ended.out.split()[-1].replace("4:", "5:")
    ended = await command.run("audit", "verify", "--head", later)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == (
        "The record is not intact. The end was cut off, row 5: the mark is of row 5 and the last row is 4.\n"
    )


async def test_a_line_has_stable_keys_and_its_place_in_the_chain(command: CommandLine) -> None:
    ended = await command.run("audit", "--thread", THREAD)
    assert (ended.code, ended.err) == (0, "")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["kind"] for line in lines] == ["filed", "shown", "decided"]
    assert [*lines[2]] == [
        *("seq", "at", "kind", "conversation", "approval", "action", "actor", "detail", "prev", "hash")
    ]
    assert lines[2]["at"] == "2026-01-02T12:00:00.123456+00:00"
    assert (lines[2]["seq"], lines[2]["prev"]) == (3, lines[1]["hash"])
    assert lines[0]["prev"] == "0" * 64


async def judge(trace: str, folder: Path) -> int:
    """What `agentack check` exits with."""
    (folder / "trace.jsonl").write_text(trace)
    check = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "agentack", "check", str(folder / "trace.jsonl")),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await check.wait()


async def test_agentack_takes_the_trace_and_judges_it(
    bot: RowsStore, command: CommandLine, tmp_path: Path
) -> None:
    async def exit_code(*args: str) -> int:
        ended = await command.run("audit", "--format", "agentack", *args)
        assert (ended.code, ended.err) == (0, "")
        return await judge(ended.out, tmp_path)

    assert await exit_code() == 3  # it has not run yet, so the trace is incomplete
    async with bot.write() as tx:
        await tx.record.append(about("executing"), about("executed", outcome="result"))
    assert await exit_code() == 0
    assert await exit_code("--thread", THREAD) == 0
    async with bot.write() as tx:
        await tx.record.append(about("executing"))
    assert await exit_code() == 1


async def test_a_record_that_was_changed_is_not_intact(tmp_path: Path) -> None:
    command = CommandLine(folder=tmp_path)
    async with open_store(tmp_path / "bot.db") as store, store.write() as tx:
        await tx.record.append(FILED, SHOWN)
    with closing(sqlite3.connect(tmp_path / "bot.db")) as file, file:
        file.execute("DROP TRIGGER audit_refuses_update")
        file.execute("UPDATE audit SET kind = 'hidden' WHERE seq = 2")
    ended = await command.run("audit", "verify")
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == (
        "The record is not intact. Row 2 was changed after it was written: "
        "its hash is not that of its content.\n"
    )


@pytest.mark.parametrize("head", ["7", "x:y", "1:" + "0" * 63])
async def test_what_is_no_mark_is_said_to_be_none(tmp_path: Path, head: str) -> None:
    ended = await CommandLine(folder=tmp_path).run("audit", "verify", "--head", head)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"--head takes a mark as `audit verify` prints it, SEQ:HASH, not '{head}'.\n"


@pytest.mark.parametrize("args", [["audit"], ["audit", "verify"], ["audit", "--format", "agentack"]])
async def test_what_cannot_be_looked_at_is_neither_intact_nor_not(tmp_path: Path, args: list[str]) -> None:
    ended = await CommandLine(folder=tmp_path).run(*args)
    assert (ended.code, ended.out) == (2, "")
    assert "There is no database" in ended.err


async def test_a_reader_that_has_enough_ends_it_quietly(tmp_path: Path) -> None:
    async with open_store(tmp_path / "bot.db") as store, store.write() as tx:
        await tx.record.append(*[FILED] * 3_000)
    shell = f"{sys.executable} -m bot audit | head -n 1"
    process = await asyncio.create_subprocess_shell(
        shell, cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert (len(out.splitlines()), err) == (1, b"")
