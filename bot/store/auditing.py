"""Reading the record from end to end, a page at a time, while others write to it.

Its rows never change, so every page is a short reading of its own: nothing is held open meanwhile, and no
more than a page is in memory.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy import bindparam, select, text

from bot.approvals.ids import ConversationId
from bot.approvals.ports import Event
from bot.store import chain
from bot.store.chain import NAMES, Broken, Checking, Link
from bot.store.database import RowsStore
from bot.store.rows import event_of
from bot.store.tables import audit

PAGE: Final = 2_000
"""Rows that are read at once."""

_LINES: Final = select(audit).where(audit.c.seq > bindparam("after")).order_by(audit.c.seq).limit(PAGE)
_LINES_OF: Final = _LINES.where(audit.c.conversation == bindparam("wanted"))

_NAMES: Final = ("prev", "hash", *NAMES)
# SQLite keeps anything in any column; a text that is none would end the reading of its whole page.
_TYPES: Final = " || ' ' || ".join(f"typeof({name})" for name in _NAMES)
_RAW_ON_SQLITE: Final = text(
    f"SELECT seq, {', '.join(f'CAST({name} AS BLOB) AS {name}' for name in _NAMES)}, {_TYPES} AS types "  # noqa: S608 - names of ours
    f"FROM audit WHERE seq > :after ORDER BY seq LIMIT {PAGE}"
)
_RAW_ON_POSTGRES: Final = text(
    f"SELECT seq, {', '.join(_NAMES)} FROM audit WHERE seq > :after ORDER BY seq LIMIT {PAGE}"  # noqa: S608 - names of ours
)
_NEEDED: Final = {"prev": "text", "hash": "text", "at": "text", "kind": "text", "detail": "blob"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A line of the record with its place in the chain."""

    link: Link
    prev: str
    event: Event


async def recorded(store: RowsStore, conversation: ConversationId | None = None) -> AsyncIterator[Recorded]:
    """The lines, oldest first; of one conversation, or all."""
    statement = _LINES if conversation is None else _LINES_OF
    wanted = {} if conversation is None else {"wanted": conversation}
    after = 0
    while True:
        async with store.read() as tx:
            rows = (await tx.connection.execute(statement, {"after": after, **wanted})).all()
        for row in rows:
            yield Recorded(Link(row.seq, row.hash), row.prev, event_of(row))
        if len(rows) < PAGE:
            return
        after = rows[-1].seq


async def verified(store: RowsStore, mark: Link | None = None) -> Broken | Link:
    """The end of the chain if every row fits and the mark's is there; else the first that does not."""
    checking = Checking(mark)
    async for row in _rows(store):
        if broken := checking.take(row):
            return broken
    return checking.end() or checking.head


async def _rows(store: RowsStore) -> AsyncIterator[chain.Row]:
    after = -(2**63)
    while True:
        async with store.read() as tx:
            on_sqlite = tx.connection.dialect.name == "sqlite"
            statement = _RAW_ON_SQLITE if on_sqlite else _RAW_ON_POSTGRES
            rows = (await tx.connection.execute(statement, {"after": after})).all()
        for row in rows:
            yield _row(row, on_sqlite=on_sqlite)
        if len(rows) < PAGE:
            return
        after = rows[-1].seq


def _row(row: SqlRow[Any], *, on_sqlite: bool) -> chain.Row:
    """The row as the chain sees it."""
    found: Any = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    try:
        texts = {name: _text(found[name], strictly=name != "detail") for name in _NAMES}
    except UnicodeDecodeError:
        texts = {}
    if not texts or (on_sqlite and not _are_as_written(row.types)):
        return chain.Row(seq=row.seq, prev="", hash="", form=None)
    prev, hash = texts.pop("prev"), texts.pop("hash")
    return chain.Row(seq=row.seq, prev=prev or "", hash=hash or "", form=chain.form(texts))


def _are_as_written(types: str) -> bool:
    """Whether each column holds the kind of value that the bot puts there."""
    kinds = dict(zip(_NAMES, types.split(), strict=True))
    return all(kind in {_NEEDED.get(name, "text"), _NEEDED.get(name, "null")} for name, kind in kinds.items())


def _text(value: str | bytes | None, *, strictly: bool) -> str | None:
    if isinstance(value, str) or value is None:
        return value
    return bytes(value).decode("utf-8", "strict" if strictly else "surrogatepass")
