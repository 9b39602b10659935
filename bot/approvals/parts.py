"""The parts by which a tool can show a call: plain data, small, and shown letter by letter. Pure.

They are for teams, who import them from `bot.render`. What is wrong with one is said in words.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Final, TypeAlias, assert_never
from urllib.parse import urlsplit

from bot.approvals.sayings import saying
from bot.approvals.words import phrase

MOST_FIELDS: Final = 10
MOST_ROWS, MOST_COLUMNS = 20, 6
LONGEST_TEXT: Final = 2_000
"""Characters of a text or of code."""
LONGEST_FIELD: Final = 200
"""Characters of a name, a value, a label or a cell."""
LONGEST_ADDRESS: Final = 500
_IN_HOST: Final = frozenset(ascii_letters + digits + ".-")
_IN_ADDRESS: Final = frozenset(ascii_letters + digits + "-._~:/?#[]@!$&'()*+,;=%")

Scalar: TypeAlias = str | int | float | bool | None
"""What stands in a field or a cell; what is no text is shown as JSON has it."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words, shown letter by letter; not empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Text in a box, with its lines; not empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Fields:
    """Rows of a name and a value."""

    fields: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Link:
    """An address, always shown whole, with `label` before it."""

    label: str
    url: str
    """`https://` or `http://`, and a host that is written in ASCII, without a user's name."""


@dataclass(frozen=True, slots=True)
class Table:
    """A heading for each column, and rows of as many cells."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Scalar]]


Part: TypeAlias = Text | Code | Fields | Link | Table


NO_PART: Final = phrase("`render` gave something else than Text, Code, Fields, Link and Table, or an odd one")


class Unfit(Exception):  # noqa: N818 - as the errors of this room are named
    """A part that cannot be drawn; its words say why."""


def texts_of(part: Part) -> Iterator[str]:
    """Every text of it; of what was made fit."""
    match part:
        case Text(text) | Code(text):
            yield text
        case Fields(fields):
            yield from (as_text(one) for pair in fields.items() for one in pair)
        case Link(label, url):
            yield from (label, url)
        case Table(columns, rows):
            yield from (as_text(cell) for row in (columns, *rows) for cell in row)
        case _:
            assert_never(part)


def as_text(value: Scalar) -> str:
    """A value of a field or a cell as it is shown."""
    return value if isinstance(value, str) else json.dumps(value)


def is_address(url: str) -> bool:
    """Whether it leads where it says: a plain host, no name or password before it, nothing invisible."""
    try:
        split = urlsplit(url)
        host, _ = split.hostname or "", split.port
    except ValueError:
        return False
    return (
        url.startswith(("https://", "http://"))
        and bool(host)
        and _IN_HOST.issuperset(host)
        and "@" not in split.netloc
        and _IN_ADDRESS.issuperset(url)
    )


def fit(part: object) -> Part:
    """The part with texts alone in it; `Unfit` if it cannot be drawn."""
    match part:
        case Text(str(text)):
            return Text(_short(text, LONGEST_TEXT))
        case Code(str(text)):
            return Code(_short(text, LONGEST_TEXT))
        case Fields(dict(fields)) if 0 < len(fields) <= MOST_FIELDS:
            return Fields(
                {_short(_name(name), LONGEST_FIELD): _cell(value) for name, value in fields.items()}
            )
        case Link(str(label), str(url)):
            if not is_address(_short(url, LONGEST_ADDRESS)):
                raise Unfit(saying("an address is not plain http or https"))
            return Link(_short(label, LONGEST_FIELD), str(url))
        case Table(list() | tuple() as columns, list() | tuple() as rows):
            return _fit_table(columns, rows)
        case _:
            raise Unfit(saying(NO_PART))


def _fit_table(columns: Sequence[object], rows: Sequence[object]) -> Table:
    if not (0 < len(columns) <= MOST_COLUMNS and 0 < len(rows) <= MOST_ROWS):
        raise Unfit(
            saying(
                "a table has 1 to {most_columns} columns and 1 to {most_rows} rows, "
                "and this one {columns} and {rows}",
                most_columns=MOST_COLUMNS,
                most_rows=MOST_ROWS,
                columns=len(columns),
                rows=len(rows),
            )
        )
    cells: list[tuple[str, ...]] = []
    for row in rows:
        if not isinstance(row, list | tuple) or len(row) != len(columns):
            raise Unfit(saying("a row of a table has not as many cells as there are columns"))
        cells.append(tuple(map(_cell, row)))
    return Table(tuple(_short(_name(one), LONGEST_FIELD) for one in columns), tuple(cells))


def _name(told: object) -> str:
    if not isinstance(told, str):
        raise Unfit(saying("a name or a heading is no text"))
    return told


def _cell(told: object) -> str:
    if not isinstance(told, str | int | float | bool | None):
        raise Unfit(saying("a value is neither text nor number, true, false or nothing"))
    if isinstance(told, int) and told.bit_length() > 8 * LONGEST_FIELD:
        raise Unfit(saying("a number is too long"))
    text = str(as_text(told))
    return _short(text, LONGEST_FIELD) if text else ""


def _short(text: str, most: int) -> str:
    """The text as a plain `str`, whatever it was made by."""
    if len(text) > most:
        raise Unfit(saying("one text has more than {most:,} characters", most=most))
    if not text.strip():
        raise Unfit(saying("a text is empty"))
    return "".join(text)
