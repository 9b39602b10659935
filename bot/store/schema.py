"""Bringing a database to the present schema, by Alembic and without its command line."""

from importlib import resources
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from bot.store.errors import CannotOpen

_MIGRATIONS: Final = resources.files("bot.store") / "migrations"


def revisions() -> list[str]:
    """The revisions that this version knows, the present one first."""
    return [script.revision for script in _scripts().walk_revisions()]


def revision(connection: Connection) -> str | None:
    """The revision that this database has; None if it has no schema."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate(connection: Connection) -> str:
    """Upgrade in the caller's transaction, so that a half-made schema cannot be; returns the revision.

    Does nothing when the schema is current. `CannotOpen` if a newer version of the bot wrote it.
    """
    head, present = _scripts().get_current_head(), revision(connection)
    if present != head:
        try:
            command.upgrade(_config(connection), "head")
        except CommandError as error:
            raise CannotOpen(
                f"The database has schema {present}, which this version does not know; "
                "it was written by a newer one. Use that, or a copy from before."
            ) from error
    return str(head)


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config(None))


def _config(connection: Connection | None) -> Config:
    config = Config(attributes={"connection": connection})
    # The value passes through a parser that takes % for the start of a reference.
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config
