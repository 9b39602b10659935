import asyncio
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import CannotOpen, open_store, upgrade
from tests.store.samples import THREAD, conversation

HOLDER = """
import asyncio, sys
from bot.store import open_store
async def main():
    async with open_store(sys.argv[1]):
        print("open", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {file.name: oct(stat.S_IMODE(file.stat().st_mode)) for file in folder.iterdir()}


def written(path: Path) -> bytes:
    path.write_bytes(b"my thesis " * 1000)
    return read(path)


def read(path: Path) -> bytes:
    return path.read_bytes()


def open_to_others(path: Path) -> None:
    path.chmod(0o644)


@pytest.mark.usefixtures("no_umask")
async def test_everything_beside_the_database_is_its_owners_alone(path: Path) -> None:
    async with open_store(path) as store:
        async with store.write() as tx:
            await tx.conversations.add(conversation())
        assert modes(path.parent) == dict.fromkeys(
            ("bot.db", "bot.db-wal", "bot.db-shm", "bot.db.lock"), "0o600"
        )


async def test_a_database_that_others_could_read_is_taken_back(path: Path) -> None:
    await upgrade(path)
    open_to_others(path)
    await upgrade(path)
    assert modes(path.parent)["bot.db"] == "0o600"


async def test_a_url_and_a_path_lead_to_the_same_rows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    async with open_store("sqlite:///bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation())
    for where in (f"sqlite:///{path}", path, str(path), "bot.db"):
        async with open_store(where) as store, store.read() as tx:
            assert await tx.conversations.get(THREAD)


async def test_a_path_may_hold_blanks_and_percent_signs(tmp_path: Path) -> None:
    folder = tmp_path / "50% of it"
    folder.mkdir()
    await upgrade(folder / "a b%20c.db")
    assert (folder / "a b%20c.db").exists()


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("postgresql://bot@localhost", "names no database"),
        ("postgresql://nobody@localhost:1/bot", "The database cannot be reached"),
        ("mysql://localhost/bot", "A mysql database is not supported"),
        ("sqlite://", "has to be a file"),
        ("sqlite:///:memory:", "has to be a file"),
        ("sqlite:///bot.db?mode=ro", "nothing else"),
        ("sqlite://bot.db", "three slashes"),
        ("://", "cannot be read"),
        ("no/such/folder/bot.db", "The folder no/such/folder for the database does not exist"),
        ("/", "is a folder"),
        ("/tmp", "is a folder"),  # noqa: S108 - nothing is written there
        ("", "has to be a file"),
    ],
)
async def test_what_cannot_be_a_database_is_refused_in_a_sentence(where: str, sentence: str) -> None:
    with pytest.raises(CannotOpen, match=sentence):
        async with open_store(where):
            pytest.fail("it was opened")


async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    before = written(path)
    with pytest.raises(CannotOpen, match="not a SQLite database"):
        await upgrade(path)
    assert read(path) == before


async def test_a_database_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    await upgrade(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(CannotOpen, match=r"9999.*newer"):
        await upgrade(path)


async def test_upgrading_twice_and_opening_again_keeps_the_rows(path: Path) -> None:
    async with open_store(path) as store, store.write() as tx:
        await tx.conversations.add(conversation())
    await upgrade(path)
    await upgrade(path)
    async with open_store(path) as store, store.read() as tx:
        assert await tx.conversations.get(THREAD)


async def test_a_migration_that_fails_half_way_leaves_nothing(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE posts (mine TEXT)")
    connection.close()
    with pytest.raises(Exception, match="posts already exists"):
        await upgrade(path)
    with sqlite3.connect(path) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    assert tables == [("posts",)]


async def test_a_second_opening_is_refused_until_the_first_is_closed(path: Path, tmp_path: Path) -> None:
    other_name = tmp_path / "link.db"
    other_name.symlink_to(path)
    async with open_store(path):
        for where in (path, other_name):
            with pytest.raises(CannotOpen, match=rf"Another process \({os.getpid()}\) is using"):
                await upgrade(where)
    await upgrade(other_name)


async def test_another_process_is_refused_and_its_death_gives_the_database_back(path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, str(path), stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"open\n"
    with pytest.raises(CannotOpen, match=rf"\({holder.pid}\)"):
        await upgrade(path)
    holder.kill()
    await holder.wait()
    await holder.stdout.read()
    await upgrade(path)


async def test_a_closed_store_leaves_one_file_with_everything(path: Path) -> None:
    async with open_store(path) as store, store.write() as tx:
        await tx.conversations.add(conversation())
    assert sorted(modes(path.parent)) == ["bot.db", "bot.db.lock"]
