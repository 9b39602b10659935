"""The hash chain of the record: each row carries the hash of the one before it. Pure.

A row's hash is the SHA-256 of the RFC 8785 form of one flat JSON object: the row's texts as the database has
them, `prev`, which is the hash of the row before, and `seq`, which is the row's number. The first row's
`prev` is `GENESIS`. So a row that is changed, taken out, put in or moved no longer fits, unless every row
after it is written anew; that, and a tail that is cut off, shows when the chain is compared with a mark that
somebody kept elsewhere.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

NAMES: Final = ("action", "actor", "approval", "at", "conversation", "detail", "kind")
"""The texts that a row's hash covers."""

GENESIS: Final = "0" * 64
"""What comes before the first row."""

NEARBY: Final = 1_000
"""How far from its place a row that was moved is looked for."""

_MARK: Final = re.compile(r"(?P<seq>[0-9]{1,18}):(?P<hash>[0-9a-f]{64})")

# Of an object of texts and nulls this is the RFC 8785 form, made five times as fast; a test compares.
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the chain: a row's number and its hash. As text, `SEQ:HASH`, it is a mark."""

    seq: int
    hash: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The mark that this text is; `ValueError` if it is none."""
        found = _MARK.fullmatch(text.strip().lower())
        if found is None:
            raise ValueError("not a mark")
        return cls(int(found["seq"]), found["hash"])

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"


START: Final = Link(0, GENESIS)
"""The end of an empty chain."""


def form(texts: Mapping[str, str | None]) -> bytes:
    """The bytes that are hashed, as far as they do not depend on the row's place."""
    covered = {name: texts[name] for name in NAMES}
    # `prev` and `seq` sort after all of them. A lone surrogate, which RFC 8785 cannot say, keeps its bytes.
    return f'{_encode(covered)[:-1]},"prev":"'.encode("utf-8", "surrogatepass")


def sealed(form: bytes, prev: str, seq: int) -> str:
    """The hash of a row with this form, at this place."""
    return hashlib.sha256(b'%b%b","seq":%d}' % (form, prev.encode(), seq)).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row as it is found."""

    seq: int
    prev: str
    hash: str
    form: bytes | None
    """None if what is there cannot be read as what the bot writes."""


class Fault(StrEnum):
    """What can be wrong with a row."""

    CHANGED = "changed"
    MOVED = "moved"
    MISSING = "missing"
    UNLINKED = "unlinked"
    REWRITTEN = "rewritten"
    CUT = "cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The first row that does not fit."""

    seq: int
    fault: Fault
    sentence: str


class Checking:
    """Looks at the rows one after the other, and holds no more than the last."""

    __slots__ = ("_mark", "head")

    def __init__(self, mark: Link | None = None) -> None:
        """With a `mark`, the chain has to have that very row."""
        self._mark = mark
        self.head = START

    def take(self, row: Row) -> Broken | None:
        """What is wrong with the next row; None if it fits."""
        broken = self._number(row) or _content(row) or self._order(row) or self._marked(row)
        if broken is None:
            self.head = Link(row.seq, row.hash)
        return broken

    def end(self) -> Broken | None:
        """There is no row after the last that was taken."""
        mark, last = self._mark, self.head.seq
        if mark is None or mark.seq <= last:
            return None
        lost = f"row {mark.seq}" if mark.seq == last + 1 else f"rows {last + 1} to {mark.seq}"
        sentence = f"The end was cut off, {lost}: the mark is of row {mark.seq} and the last row is {last}."
        return Broken(seq=last + 1, fault=Fault.CUT, sentence=sentence)

    def _number(self, row: Row) -> Broken | None:
        wanted = self.head.seq + 1
        if row.seq == wanted:
            return None
        sentence = f"Row {wanted} is missing: after row {self.head.seq} comes row {row.seq}."
        if row.seq < wanted:
            sentence = f"Row {row.seq} was put before the first."
        return Broken(seq=min(row.seq, wanted), fault=Fault.MISSING, sentence=sentence)

    def _order(self, row: Row) -> Broken | None:
        if row.prev == self.head.hash:
            return None
        sentence = (
            f"Row {row.seq} was not written after what is row {self.head.seq} now: that one was written "
            "anew, or this one was put in."
        )
        return Broken(seq=row.seq, fault=Fault.UNLINKED, sentence=sentence)

    def _marked(self, row: Row) -> Broken | None:
        if self._mark is None or row.seq != self._mark.seq or row.hash == self._mark.hash:
            return None
        sentence = f"Row {row.seq} is not the one of the mark: it, or one before it, was written anew."
        return Broken(seq=row.seq, fault=Fault.REWRITTEN, sentence=sentence)


def _content(row: Row) -> Broken | None:
    if row.form is None:
        sentence = f"Row {row.seq} was changed: what it holds is nothing that the bot writes."
        return Broken(seq=row.seq, fault=Fault.CHANGED, sentence=sentence)
    if sealed(row.form, row.prev, row.seq) == row.hash:
        return None
    if (origin := _origin(row, row.form)) is not None:
        sentence = f"Row {row.seq} holds what was written as row {origin}: rows were moved."
        return Broken(seq=row.seq, fault=Fault.MOVED, sentence=sentence)
    sentence = f"Row {row.seq} was changed after it was written: its hash is not that of its content."
    return Broken(seq=row.seq, fault=Fault.CHANGED, sentence=sentence)


def _origin(row: Row, form: bytes) -> int | None:
    """The number that this row was written with, if it was one nearby."""
    near = range(max(row.seq - NEARBY, 1), row.seq + NEARBY + 1)
    return next((seq for seq in near if sealed(form, row.prev, seq) == row.hash), None)
