"""Rows: the only package that knows SQLAlchemy. `open_store` is the way in."""

from bot.store.database import RowsStore, open_store, reading_store, upgrade
from bot.store.errors import CannotOpen, StoreUnavailable
from bot.store.transaction import RowsTransaction

__all__ = [
    "CannotOpen",
    "RowsStore",
    "RowsTransaction",
    "StoreUnavailable",
    "open_store",
    "reading_store",
    "upgrade",
]
