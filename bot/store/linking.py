"""Puts lines behind the end of the record's chain, which the database itself finds: one statement for a line.

On SQLite a transaction that writes has the file to itself. On Postgres, where several replicas write, the
function that finds the end locks the chain first, until the transaction ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.chain import GENESIS, form

_INTO: Final = "INSERT INTO audit (seq, prev, hash, kind, at, conversation, approval, action, actor, detail) "
_APPEND_ON_SQLITE: Final = text(
    f"{_INTO} SELECT next.seq, next.prev, audit_hash(:form, next.prev, next.seq), "  # noqa: S608 - a constant
    ":kind, :at, :conversation, :approval, :action, :actor, :detail FROM "
    f"(SELECT coalesce(last.seq, 0) + 1 AS seq, coalesce(last.hash, '{GENESIS}') AS prev FROM (SELECT 1) "
    "LEFT JOIN (SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1) AS last) AS next"
)
_APPEND_ON_POSTGRES: Final = text(
    f"{_INTO} SELECT next.seq, next.prev, next.hash, "  # noqa: S608 - a constant
    ":kind, :at, :conversation, :approval, :action, :actor, CAST(:detail AS bytea) "
    "FROM audit_next(CAST(:form AS bytea)) AS next"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the record, ready to be written."""

    values: Mapping[str, Any]

    @classmethod
    def of(cls, texts: Mapping[str, str | None]) -> Self:
        """The line with these texts, which are what the database is to have, by column."""
        detail = (texts["detail"] or "").encode("utf-8", "surrogatepass")
        return cls({**texts, "detail": detail, "form": form(texts)})


async def put(connection: AsyncConnection, lines: Sequence[Line]) -> None:
    """Write these lines, in this order, in the connection's transaction."""
    on_sqlite = connection.dialect.name == "sqlite"
    statement = _APPEND_ON_SQLITE if on_sqlite else _APPEND_ON_POSTGRES
    await connection.execute(statement, [line.values for line in lines])
