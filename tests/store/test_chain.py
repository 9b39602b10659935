"""The chain by itself: what was written fits, and whatever is done to it afterwards shows."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from bot.store.chain import (
    GENESIS,
    NAMES,
    START,
    Broken,
    Checking,
    Fault,
    Link,
    Row,
    form,
    sealed,
)

said = st.text(st.characters(codec="utf-8"), max_size=20)
lines = st.fixed_dictionaries(dict.fromkeys(NAMES, st.none() | said))
records = st.lists(lines, min_size=1, max_size=8)


def chained(record: Sequence[dict[str, str | None]]) -> list[Row]:
    rows: list[Row] = []
    for seq, line in enumerate(record, 1):
        prev, written = rows[-1].hash if rows else GENESIS, form(line)
        rows.append(Row(seq=seq, prev=prev, hash=sealed(written, prev, seq), form=written))
    return rows


def fault_of(rows: Sequence[Row], mark: Link | None = None) -> Broken | None:
    checking = Checking(mark)
    return next((broken for row in rows if (broken := checking.take(row))), None) or checking.end()


@given(lines, st.integers(1, 2**53 - 1))
def test_the_hash_is_of_the_canonical_json_of_everything_in_the_row(
    line: dict[str, str | None], seq: int
) -> None:
    whole = form(line) + f'{GENESIS}","seq":{seq}}}'.encode()
    assert whole == rfc8785.dumps({**line, "prev": GENESIS, "seq": seq})


@given(records)
def test_what_was_written_fits(record: list[dict[str, str | None]]) -> None:
    rows = chained(record)
    assert fault_of(rows) is None
    assert fault_of(rows, Link(rows[-1].seq, rows[-1].hash)) is None
    assert fault_of([]) is None
    assert fault_of([], START) is None


@given(records, st.data())
def test_a_changed_row_is_found_where_it_is(record: list[dict[str, str | None]], data: st.DataObject) -> None:
    rows = chained(record)
    at = data.draw(st.integers(0, len(rows) - 1))
    name = data.draw(st.sampled_from(NAMES))
    other = data.draw(lines.filter(lambda line: line[name] != record[at][name]))
    rows[at] = replace(rows[at], form=form({**record[at], name: other[name]}))
    broken = fault_of(rows)
    assert broken is not None
    assert (broken.seq, broken.fault) == (at + 1, Fault.CHANGED)
    assert broken.sentence.startswith(f"Row {at + 1} was changed")


@given(records, st.data())
def test_a_row_that_was_taken_out_is_found(record: list[dict[str, str | None]], data: st.DataObject) -> None:
    rows = chained(record)
    at = data.draw(st.integers(0, len(rows) - 1))
    mark = Link(rows[-1].seq, rows[-1].hash)
    left = rows[:at] + rows[at + 1 :]
    broken = fault_of(left, mark)
    assert broken is not None
    last = at == len(rows) - 1
    assert (broken.seq, broken.fault) == (at + 1, Fault.CUT if last else Fault.MISSING)
    assert (fault_of(left) is None) == last  # without a mark nothing tells of rows behind the last
    if not last:
        numbered = [replace(row, seq=seq) for seq, row in enumerate(left, 1)]
        broken = fault_of(numbered)
        assert broken is not None
        assert (broken.seq, broken.fault) == (at + 1, Fault.MOVED)


@given(records.filter(lambda record: len(record) > 1), st.data())
def test_rows_that_changed_places_are_found(record: list[dict[str, str | None]], data: st.DataObject) -> None:
    rows = chained(record)
    one, two = sorted(data.draw(st.permutations(range(len(rows))))[:2])
    rows[one], rows[two] = replace(rows[two], seq=one + 1), replace(rows[one], seq=two + 1)
    broken = fault_of(rows)
    assert broken is not None
    assert (broken.seq, broken.fault) == (one + 1, Fault.MOVED)
    assert broken.sentence == f"Row {one + 1} holds what was written as row {two + 1}: rows were moved."


@given(records, lines, st.data())
def test_a_row_that_was_put_in_is_found(
    record: list[dict[str, str | None]], line: dict[str, str | None], data: st.DataObject
) -> None:
    rows = chained(record)
    at = data.draw(st.integers(0, len(rows) - 1))
    prev, written = rows[at].prev, form(line)
    # As well made as can be: it follows the row before it, and the rows after it have other numbers.
    fresh = Row(seq=at + 1, prev=prev, hash=sealed(written, prev, at + 1), form=written)
    moved = [replace(row, seq=row.seq + 1) for row in rows[at:]]
    broken = fault_of([*rows[:at], fresh, *moved])
    assert broken is not None
    assert (broken.seq, broken.fault) == (at + 2, Fault.MOVED)


@given(records, st.data())
def test_a_record_that_was_written_anew_shows_at_the_mark_and_nowhere_else(
    record: list[dict[str, str | None]], data: st.DataObject
) -> None:
    rows = chained(record)
    at = data.draw(st.integers(0, len(rows) - 1))
    other = data.draw(lines.filter(lambda line: line != record[at]))
    forged = chained([*record[:at], other, *record[at + 1 :]])
    assert fault_of(forged) is None
    broken = fault_of(forged, Link(rows[-1].seq, rows[-1].hash))
    assert broken is not None
    assert (broken.seq, broken.fault) == (len(rows), Fault.REWRITTEN)


def test_a_row_of_another_chain_is_found_behind_ours() -> None:
    ours, theirs = (chained([dict.fromkeys(NAMES, name), dict.fromkeys(NAMES)]) for name in ("a", "b"))
    broken = fault_of([ours[0], theirs[1]])
    assert broken is not None
    assert (broken.seq, broken.fault) == (2, Fault.UNLINKED)


def test_a_row_before_the_first_is_found() -> None:
    [row] = chained([dict.fromkeys(NAMES)])
    broken = fault_of([replace(row, seq=0)])
    assert broken is not None
    assert broken.sentence == "Row 0 was put before the first."


@pytest.mark.parametrize(
    "text", ["", "7", "7:", f"-1:{GENESIS}", f"1:{GENESIS[1:]}", f"x:{GENESIS}", "1:" + "g" * 64]
)
def test_what_is_no_mark_is_not_taken_for_one(text: str) -> None:
    with pytest.raises(ValueError, match="not a mark"):
        Link.parse(text)


def test_a_mark_is_read_as_it_is_written() -> None:
    mark = Link(12, "ab" * 32)
    assert Link.parse(f" {mark}\n") == mark
    assert Link.parse(str(START)) == START
