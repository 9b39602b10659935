"""Column types that keep a Python value exactly, on SQLite as on Postgres."""

import json
from datetime import UTC, datetime

from sqlalchemy import LargeBinary, String
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from bot.approvals.sayings import Saying, from_json, to_json

# What UTF-8 cannot say (lone surrogates) and what Postgres refuses in text (0x00) may stand in anything that
# a model or a client wrote. Bytes keep it, and the encoding of everything else is plain UTF-8.
_ENCODING, _ERRORS = "utf-8", "surrogatepass"
_SAYING = b"\xff"


def utc_text(moment: datetime) -> str:
    """The moment as ISO 8601 text in UTC, to the microsecond; `ValueError` if it has no zone."""
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError(f"a time without a zone cannot be kept: {moment!r}")
    return (moment.astimezone(UTC) if offset else moment).isoformat(timespec="microseconds")


def name_text(value: str | None) -> str | None:
    """The text that a `Name` is kept as."""
    if value is None or (value.isascii() and "\0" not in value):
        return value
    return value.encode(_ENCODING, "backslashreplace").decode().replace("\0", "\\x00")


class Name(TypeDecorator[str]):
    """An id, or a word of ours.

    A name comes from outside too (the value of a forged button). What a database refuses in text is
    escaped: such a name is found nowhere, and the record shows it readably, but nothing fails.
    """

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """As the database takes it."""
        return name_text(value)


class Prose(TypeDecorator[str]):
    """Free text, kept to the last code point."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 - SQLAlchemy's
        """As the database takes it."""
        return None if value is None else value.encode(_ENCODING, _ERRORS)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """As it was."""
        return None if value is None else value.decode(_ENCODING, _ERRORS)


class Words(Prose):
    """Free text, or a sentence of ours that is said when it is read, told apart by a byte of no UTF-8."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        """As the database takes it."""
        if not isinstance(value, Saying):
            return super().process_bind_param(value, dialect)
        return _SAYING + json.dumps(to_json(value)).encode()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        """As it was."""
        if value is None or not value.startswith(_SAYING):
            return super().process_result_value(value, dialect)
        return from_json(json.loads(value.removeprefix(_SAYING)))


class Moment(TypeDecorator[datetime]):
    """A time in UTC to the microsecond, as ISO 8601 text of one width, so that it sorts and reads."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """As the database takes it; `ValueError` for a time without a zone."""
        return None if value is None else utc_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's
        """As it was."""
        return None if value is None else datetime.fromisoformat(value)
