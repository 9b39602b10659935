"""Who has installed the bot: slack_sdk's installation store on our own tables, with every token encrypted."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, cast

from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.installation_store.sqlalchemy import (
    AsyncSQLAlchemyInstallationStore,
    SQLAlchemyInstallationStore,
)
from sqlalchemy import ColumnElement, MetaData, Table, and_, or_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.store.database import RowsStore
from bot.store.installation_tables import bots_table, installations_table
from bot.store.sealing import Seals


class _Connections:
    """As much of an engine as slack_sdk uses, on the store's own two kinds of transaction.

    A connection of its own would be a second writer beside the one that SQLite has.
    """

    def __init__(self, store: RowsStore) -> None:
        self._store = store

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """To write."""
        async with self._store.write() as tx:
            yield tx.connection

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[AsyncConnection]:
        """To read."""
        async with self._store.read() as tx:
            yield tx.connection


class Installations(AsyncSQLAlchemyInstallationStore):
    """The installations of one app. A workspace, or an organisation, has one at a time: the last.

    The bot's tokens are in its own table alone, so that there are no two answers to which of them count.
    Raises `StoreUnavailable`, and `CannotUnseal` for what was encrypted with a key that is not there.
    """

    def __init__(self, store: RowsStore, client_id: str, seals: Seals) -> None:
        # Not the class's own: that would make its own tables, which have no room for what is encrypted.
        metadata = MetaData()
        self.client_id = client_id
        self.bots = bots_table(metadata, seals)
        self.installations = installations_table(metadata, seals)
        self.metadata = metadata
        self.engine = cast("AsyncEngine", _Connections(store))
        self._logger = logging.getLogger(__name__)

    async def async_save(self, installation: Installation) -> None:
        """Put it in the place of the one that was there, all of it or nothing."""
        whole = self._row(installation.to_dict())
        async with self.engine.begin() as connection:
            where = and_(
                self._there(self.installations, installation),
                self.installations.c.user_id == installation.user_id,
            )
            await connection.execute(self.installations.delete().where(where))
            without = whole | {"bot_token": None, "bot_refresh_token": None}
            await connection.execute(self.installations.insert(), without)
            if installation.bot_token:
                await self._save_bot(connection, installation.to_bot())

    async def async_save_bot(self, bot: Bot) -> None:
        """Put the bot in the place of the one that was there."""
        async with self.engine.begin() as connection:
            await self._save_bot(connection, bot)

    async def everywhere(self) -> list[Bot]:
        """The bots of all workspaces and organisations, the first that came first."""
        query = self.bots.select().where(self.bots.c.client_id == self.client_id).order_by(self.bots.c.id)
        async with self.engine.connect() as connection:
            found = (await connection.execute(query)).mappings().all()
        return [SQLAlchemyInstallationStore.build_bot_entity(row) for row in found]

    async def take_to_renew(self, bot: Bot, *, now: datetime, until: datetime) -> bool:
        """Whether its tokens are to be renewed by whoever asks, and by nobody else until then."""
        mine = self.bots.c
        is_free = or_(mine.renewing_until.is_(None), mine.renewing_until < now)
        taking = self.bots.update().where(self._this(bot), is_free).values(renewing_until=until)
        async with self.engine.begin() as connection:
            return (await connection.execute(taking)).rowcount == 1

    async def put_renewed(self, bot: Bot) -> bool:
        """Keep the tokens that came for it; False if it was installed anew, or uninstalled, since then."""
        values = {
            "bot_token": bot.bot_token,
            "bot_refresh_token": bot.bot_refresh_token,
            "bot_token_expires_at": _instant(bot.bot_token_expires_at),
            "renewing_until": None,
        }
        async with self.engine.begin() as connection:
            done = await connection.execute(self.bots.update().where(self._this(bot)).values(values))
        return done.rowcount == 1

    async def give_back(self, bot: Bot) -> None:
        """Let others renew its tokens, since Slack gave none."""
        giving = self.bots.update().where(self._this(bot)).values(renewing_until=None)
        async with self.engine.begin() as connection:
            await connection.execute(giving)

    async def forget(self, bot: Bot) -> bool:
        """Delete the tokens of this installation, and of the people who made it, unless a new one came."""
        async with self.engine.begin() as connection:
            gone = (await connection.execute(self.bots.delete().where(self._this(bot)))).rowcount == 1
            if gone:
                there = self._there(self.installations, bot)
                await connection.execute(self.installations.delete().where(there))
        return gone

    async def seal_anew(self) -> None:
        """Encrypt everything with the first key, so that the others can be taken away."""
        async with self.engine.begin() as connection:
            for table in (self.bots, self.installations):
                for row in (await connection.execute(table.select())).mappings().all():
                    await connection.execute(table.update().where(table.c.id == row["id"]).values(**row))

    async def _save_bot(self, connection: AsyncConnection, bot: Bot) -> None:
        await connection.execute(self.bots.delete().where(self._there(self.bots, bot)))
        await connection.execute(self.bots.insert(), self._row(bot.to_dict()))

    def _row(self, values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "client_id": self.client_id}

    def _there(self, table: Table, one: Installation | Bot) -> ColumnElement[bool]:
        """The rows of the same workspace, or of the same organisation for one that is for all of it."""
        return and_(
            table.c.client_id == self.client_id,
            table.c.enterprise_id == one.enterprise_id,
            table.c.team_id == one.team_id,
        )

    def _this(self, bot: Bot) -> ColumnElement[bool]:
        """The row of this very installation."""
        return and_(self._there(self.bots, bot), self.bots.c.installed_at == _instant(bot.installed_at))


def place_of(one: Installation | Bot) -> str:
    """The workspace that it is for, or the organisation if it is for all of it."""
    return one.team_id or one.enterprise_id or ""


def _instant(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC)
