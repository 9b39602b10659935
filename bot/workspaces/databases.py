"""A database for each workspace: rows, jobs, checkpoints and the record of one are in no other's."""

from sqlalchemy import URL

from bot.starting import upgrade_database
from bot.store.errors import CannotOpen
from bot.store.location import postgres_url, workspace_database


async def prepare(where: str, team: str) -> None:
    """Have the workspace's database made, if it is not there, and at the present schema.

    SQLite does it by itself. `CannotOpen` says in a sentence why it cannot be.
    """
    own = workspace_database(where, team)
    if (url := postgres_url(where)) is None or (mine := postgres_url(own)) is None:
        return
    await _made(url, mine.database or "")
    await upgrade_database(own)


async def _made(url: URL, name: str) -> None:
    from psycopg import AsyncConnection, errors, sql

    async with await AsyncConnection.connect(
        url.render_as_string(hide_password=False), autocommit=True, connect_timeout=5
    ) as connection:
        asking = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
        if await asking.fetchone():
            return
        try:
            await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except (errors.DuplicateDatabase, errors.UniqueViolation):
            pass  # another replica was first
        except errors.InsufficientPrivilege:
            raise CannotOpen(
                f"The database {name} is not there, and this user may not make it: create it, or let the "
                "user create databases."
            ) from None
