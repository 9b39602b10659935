"""The parts that a tool shows its call by, drawn. All of it is as untrusted as the arguments are.

What does not fit is not drawn in pieces: then the arguments are, and *View all* has the parts.
"""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from slack_sdk.models.blocks import (
    RawTextObject,
    RichTextElement,
    RichTextElementParts,
    RichTextQuoteElement,
    TableBlock,
)

from bot.approvals.action import Action
from bot.approvals.parts import Code, Fields, Link, Part, Scalar, Table, Text
from bot.approvals.parts import as_text as of_scalar
from bot.approvals.rendered import Rendered, shown_texts
from bot.approvals.sayings import uttered
from bot.approvals.words import phrase, say
from bot.slack.arguments import as_text
from bot.slack.literal import block, boxed, in_line, in_one_line, pieces, plain, quote, section, shown

LEAD: Final = phrase("As the tool itself shows it; View all has the arguments:")
WHOLE_LEAD: Final = phrase("As the tool itself shows it:")
TOO_LARGE: Final = phrase(
    "The tool has a presentation of its own that is too large for here; View all has it."
)
FAILED: Final = phrase(
    "The tool's own presentation cannot be shown, because {problem}. So the arguments stand as they are."
)
NO_ROOM: Final = 10_000_000
"""More characters than any parts have: nothing is left out."""
_LEAST_BOX: Final = 480
"""With less room than this a beginning and an end of code say nothing."""
_AROUND: Final = 240
"""What the JSON around a box weighs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """The parts, drawn: what comes before a table block, the block if there is one, and what comes after."""

    above: list[RichTextElement]
    table: TableBlock | None = None
    below: list[RichTextElement]
    whole: bool
    """Whether every argument stands there to the last character."""


def presented(action: Action, room: int, *, table: bool) -> Presented | None:
    """The parts within this much room; None where there are none or they do not fit.

    `table`: whether the message may still have a table block; a table is drawn with letters otherwise.
    """
    parts = _parts_of(action)
    codes = [part for part in parts if isinstance(part, Code)]
    block_of = next((part for part in parts if isinstance(part, Table)), None) if table else None
    rest = room - sum(_weight(part, as_block=part is block_of) for part in parts if part not in codes)
    if not parts or rest < _LEAST_BOX * len(codes):
        return None
    each = rest // max(len(codes), 1) - _AROUND
    above, below = [section(plain(say(LEAD), italic=True))], list[RichTextElement]()
    cut, found = False, None
    for part in parts:
        if part is block_of:
            found = _table(block_of)
            continue
        drawn, shorter = _part(part, each)
        (above if found is None else below).extend(drawn)
        cut = cut or shorter
    return Presented(above=above, table=found, below=below, whole=not cut and shows_all(action))


def note(rendered: Rendered | None, *, drawn: bool) -> list[RichTextElement]:
    """Why the tool's own presentation is not there, in a line; nothing if it is, or if there is none."""
    if rendered is None or drawn:
        return []
    if not rendered.problem:
        return [section(plain(say(TOO_LARGE), italic=True))]
    problem = in_line(uttered(rendered.problem), 2 * _LEAST_BOX)[0] or "?"
    return [section(plain(say(FAILED, problem=problem), italic=True))]


def need(action: Action) -> int:
    """How much room the parts could use, roughly; 0 if there are none."""
    return sum(_weight(part, as_block=False) + _AROUND for part in _parts_of(action))


def whole(rendered: Rendered | None) -> list[RichTextElement]:
    """All of the parts, however long they are, without a table block."""
    if rendered is None:
        return []
    if rendered.problem:
        return note(rendered, drawn=False)
    return [
        section(plain(say(WHOLE_LEAD), italic=True)),
        *(element for part in rendered.parts for element in _part(part, NO_ROOM, every_line=True)[0]),
    ]


def shows_all(action: Action) -> bool:
    """Whether every argument stands there whole: a field of its name, or a text, that is its value."""
    texts, rows = shown_texts(_parts_of(action))
    return all(
        (name, as_text(value)) in rows or (isinstance(value, str) and value in texts)
        for name, value in action.arguments.items()
    )


def _part(part: Part, room: int, *, every_line: bool = False) -> tuple[list[RichTextElement], bool]:
    match part:
        case Text(text):
            return [quote(piece) for piece in pieces(shown(text))], False
        case Code(text):
            return (_box(shown(text)), False) if every_line else boxed(text, room)
        case Fields(fields):
            return _fields(fields), False
        case Link(label, url):
            return [_quoted(_name(label), RichTextElementParts.Link(url=url))], False
        case Table():
            return _box(_aligned(part)), False
        case _:
            assert_never(part)


def _box(text: str) -> list[RichTextElement]:
    return [block(piece) for piece in pieces(text)]


def _fields(fields: Mapping[str, Scalar]) -> list[RichTextElement]:
    rows = ([_name(name), plain(_cell(value)), plain("\n")] for name, value in fields.items())
    return [_quoted(*[piece for row in rows for piece in row][:-1])]


def _name(text: str) -> RichTextElement:
    return plain(f"{_cell(text)}: ", bold=True)


def _quoted(*elements: RichTextElement) -> RichTextElement:
    """Behind a bar, like everything that is not ours."""
    return RichTextQuoteElement(elements=list(elements))


def _table(table: Table) -> TableBlock:
    rows = [[RawTextObject(text=_cell(cell)) for cell in row] for row in (table.columns, *table.rows)]
    return TableBlock(rows=rows)


def _aligned(table: Table) -> str:
    """The columns side by side, in letters that are all as wide."""
    rows = [[_cell(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(_padded, row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _cell(value: Scalar) -> str:
    """One line, and nothing that cannot be seen; an empty one is told as such."""
    text = of_scalar(value)
    return in_one_line(text if text and text == text.strip() else json.dumps(text, ensure_ascii=False))


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _parts_of(action: Action) -> tuple[Part, ...]:
    return action.briefing.rendered.parts if action.briefing.rendered else ()


def _weight(part: Part, *, as_block: bool) -> int:
    if as_block and isinstance(part, Table):
        return len(json.dumps(_table(part).to_dict()))
    return len(json.dumps([element.to_dict() for element in _part(part, NO_ROOM)[0]]))
