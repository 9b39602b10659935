"""That no `state` of an installation is taken twice; what is not known here was not taken yet."""

import hashlib
from datetime import datetime

from sqlalchemy import MetaData
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too

from bot.store.database import RowsStore
from bot.store.installation_tables import states_table


class UsedStates:
    """The states that came back from Slack, by digest, each until it would have expired anyway.

    Only what was taken is written, so that opening the install page, which anybody may, writes nothing.
    """

    def __init__(self, store: RowsStore) -> None:
        self._store = store
        self._table = states_table(MetaData())

    async def take(self, state: str, *, now: datetime, expires_at: datetime) -> bool:
        """Whether it is taken now, for the first time."""
        digest = hashlib.sha256(state.encode()).hexdigest()
        taking = (
            insert(self._table)
            .values(digest=digest, expires_at=expires_at)
            .on_conflict_do_nothing(index_elements=["digest"])
            .execution_options(preserve_rowcount=True)
        )
        async with self._store.write() as tx:
            await tx.connection.execute(self._table.delete().where(self._table.c.expires_at < now))
            return (await tx.connection.execute(taking)).rowcount == 1
