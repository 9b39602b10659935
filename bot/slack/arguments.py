"""The arguments of a tool call, drawn literally and within the room there is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from slack_sdk.models.blocks import RichTextElement, RichTextListElement, TableBlock

from bot.approvals.decision import Arguments, Json
from bot.approvals.masking import Masked
from bot.approvals.words import phrase, say, say_many
from bot.slack.literal import (
    MOST_LINES,
    beginning,
    block,
    boxed,
    in_line,
    in_one_line,
    plain,
    section,
    shown,
    worded,
)
from bot.slack.scripts import REACH, Suspicion, suspicions
from bot.slack.text import weight

LOOK_TWICE: Final = phrase(
    "⚠️ Look twice: letters here only look like those of another alphabet, View all shows which."
)
LEFT_OUT: Final = phrase("… {count:,} of {total:,} arguments left out here, View all shows them …")
SHORT: Final = 120
"""Characters of a value that still stands in a line with its name."""
MANY: Final = 12
"""More arguments than this are drawn as a list of lines."""
MOST_LISTED: Final = 40
"""Lines of such a list; of more arguments the first and the last are shown."""
LONG: Final = 800
"""Characters of all arguments together, from where on they are offered in full, cut or not."""
LARGEST_BOX: Final = 3_200
"""Characters of one argument that a card shows at most."""
_MOST_WARNINGS: Final = 3
_ROOM_FOR_WARNINGS: Final = 1_500
_ROW, _BOX, _LIST, _ITEM = 230, 480, 400, 120
"""What the JSON around a value weighs."""
ITEMS_LEFT_OUT: Final = phrase("… {left:,} of {all:,} items left out here, View all shows them …")
_CODE: Final = frozenset({"code", "command", "script", "sql", "statement"})
"""Words of a name behind which stands what is read letter by letter, however short it is."""
_SQL: Final = re.compile(
    r"(?:select\s.+\sfrom|insert\s+into|update\s.+\sset|delete\s+from|truncate\s+\S+|merge\s+into|with\s.+\sas"
    r"|(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:table|view|index|schema|database|user|role|function)"
    r"|grant\s.+\sto|revoke\s.+\sfrom)\s",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Something untrusted, drawn."""

    elements: list[RichTextElement]
    cut: bool = False
    """Whether any of it was left out."""
    unread: bool = False
    """Whether what was left out is a part of the arguments: of what runs."""
    table: TableBlock | None = None
    """A block that comes after the elements."""
    below: list[RichTextElement] = field(default_factory=list)
    """What comes after that block; nothing where there is none."""


def as_json_text(value: Json) -> str:
    """A value as JSON: on one line if that is short, else indented; letters as they are."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= SHORT or not isinstance(value, list | dict):
        return line
    deep = json.dumps(value, ensure_ascii=False, indent=2)
    if len(deep) <= 3 * len(line):
        return deep
    # so deeply nested that most of it would be indentation
    return line if len(line) <= LONG else json.dumps(value, ensure_ascii=False, indent=1)


def as_text(value: Json) -> str:
    """A value as people read it: a string as it is, unless that could be taken for something else."""
    if not isinstance(value, str) or _looks_like_json(value) or value != value.strip():
        return as_json_text(value) if not isinstance(value, str) or len(value) <= SHORT else value
    return value


def is_short(value: Json) -> bool:
    """Whether it fits in a line with its name."""
    text = as_text(value)
    return len(text) <= SHORT and "\n" not in text


def are_long(arguments: Arguments) -> bool:
    """Whether somebody may want to see them in a window of their own."""
    return sum(len(name) + len(as_text(value)) for name, value in arguments.items()) > LONG


def drawn(arguments: Arguments, room: int) -> Drawn:
    """All arguments, by name and in their order, in about this much room."""
    if not arguments:
        return Drawn(elements=[section(plain(say("No arguments."), italic=True))])
    items = list(arguments.items())
    needs = [_need(name, value) for name, value in items]
    if len(items) > MANY or (sum(needs) > room and len(items) * _BOX > room):
        return _listed(items, room)
    parts = [_one(*item, share) for item, share in zip(items, shares(needs, room), strict=True)]
    return Drawn(
        elements=[element for part in parts for element in part.elements],
        cut=any(part.cut for part in parts),
        unread=any(part.cut for part in parts),
    )


def need_of_shapes(arguments: Arguments) -> int:
    """How much more room lists and code could use than the same in a line."""
    lists = (len(one) for one in arguments.values() if isinstance(one, list) and are_items(one))
    code = sum(is_code(name, value) for name, value in arguments.items())
    return sum(_BOX + _ITEM * min(many, MOST_LINES) for many in lists) + _BOX * code


def doubts_about(arguments: Arguments, room: int) -> list[RichTextElement]:
    """A warning for each host, path or address that is not what it looks like; if there is room, else one."""
    found = suspicions(arguments, reach=max(room, REACH))
    if not found:
        return []
    if room < _ROOM_FOR_WARNINGS:
        return [section(plain(say(LOOK_TWICE), bold=True))]
    lines = [_warning(each) for each in found[:_MOST_WARNINGS]]
    if more := len(found) - len(lines):
        others = say_many("⚠️ … and at {count:,} more word.", "⚠️ … and at {count:,} more words.", more)
        lines.append(section(plain(others, bold=True)))
    return lines


def _warning(about: Suspicion) -> RichTextElement:
    word = plain(in_line(about.word, SHORT)[0], code=True)
    return section(*worded("⚠️ Look twice: ", bold=True), *worded("{word} {why}.", word=word, why=about.why))


def need_of_doubts(arguments: Arguments) -> int:
    """How much more room these warnings could use."""
    return _ROOM_FOR_WARNINGS if suspicions(arguments) else 0


def shares(needs: Sequence[int], room: int) -> list[int]:
    """The room, shared so that whoever needs little gets it and the others get equal parts of the rest."""
    given = [0] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda index: needs[index])
    for position, index in enumerate(waiting):
        given[index] = min(needs[index], room // (len(waiting) - position))
        room -= given[index]
    return given


def is_code(name: str, value: Json) -> bool:
    """Whether a text that would fit in a line stands in a box: SQL, and what the name calls code."""
    if not isinstance(value, str) or not value or as_text(value) != value:
        return False
    if isinstance(value, Masked) and value.whole:
        return False
    return bool(_SQL.match(f"{value[:LONG]} ")) or not _CODE.isdisjoint(re.split(r"[\W_]+", name.lower()))


def are_items(value: Json) -> bool:
    """Whether it is a list that is drawn as one: of texts and numbers that are short."""
    if not isinstance(value, list) or not value:
        return False
    return all(not isinstance(one, list | dict) and is_short(one) for one in value)


def _one(name: str, value: Json, room: int) -> Drawn:
    label, cut = in_line(name, SHORT)
    if isinstance(value, list) and are_items(value) and (items := _items(value, max(room - _BOX, SHORT))):
        return Drawn(elements=[_heading(label, _many(value)), *items.elements], cut=cut or items.cut)
    if is_code(name, value) and is_short(value):
        boxes, shorter = boxed(as_text(value), max(room - _BOX, SHORT))
        return Drawn(elements=[section(plain(label, bold=True), plain(":")), *boxes], cut=cut or shorter)
    if is_short(value):
        text, shorter = in_line(as_text(value), max(room - _ROW, SHORT // 2))
        ours = isinstance(value, Masked) and value.whole
        told = plain(text.removesuffix("…") or "…" if shorter else text, code=not ours, italic=ours)
        more = [*worded(" … cut here", italic=True)] if shorter else []
        row = section(plain(label or '""', bold=True), plain(": "), told, *more)
        return Drawn(elements=[row], cut=cut or shorter)
    text = as_text(value)
    boxes, shorter = boxed(text, max(room - _BOX, SHORT))
    heading = _heading(label, extent(text))
    return Drawn(elements=[heading, *boxes], cut=cut or shorter)


def _heading(label: str, extent: str) -> RichTextElement:
    return section(*worded("{name} ({extent}):", name=plain(label or '""', bold=True), extent=extent))


def extent(text: str) -> str:
    """How long a text is, in words."""
    length, lines = len(text), text.count("\n") + 1
    if lines == 1:
        return say_many("{count:,} character", "{count:,} characters", length)
    return say("{count:,} characters, {lines:,} lines", count=length, lines=lines)


def _many(items: Sequence[Json]) -> str:
    return say_many("{count:,} item", "{count:,} items", len(items))


def _items(items: Sequence[Json], room: int) -> Drawn | None:
    """An item a line; of too many the first and the last. None if there is not even room for one."""
    costs = [weight(in_one_line(as_text(one))) + _ITEM for one in items]
    if len(items) <= MOST_LINES and sum(costs) <= room:
        return Drawn(elements=[_bullets(items)])
    first = _fits(costs[: MOST_LINES * 2 // 3], room * 2 // 3)
    last = min(_fits(costs[: -MOST_LINES // 3 : -1], room // 3), len(items) - first - 1)
    if not first:
        return None
    told = say(ITEMS_LEFT_OUT, left=len(items) - first - last, all=len(items))
    tail = [_bullets(items[len(items) - last :])] if last > 0 else []
    return Drawn(elements=[_bullets(items[:first]), section(plain(told, italic=True)), *tail], cut=True)


def _bullets(items: Sequence[Json]) -> RichTextElement:
    lines = [section(_item(one)) for one in items]
    return RichTextListElement(style="bullet", elements=lines)


def _item(value: Json) -> RichTextElement:
    ours = isinstance(value, Masked) and value.whole
    return plain(in_one_line(as_text(value)), code=not ours, italic=ours)


def _fits(costs: Sequence[int], room: int) -> int:
    """How many of the first fit."""
    return next((count for count in range(len(costs)) if sum(costs[: count + 1]) > room), len(costs))


def _listed(items: Sequence[tuple[str, Json]], room: int) -> Drawn:
    """One line per argument; of too many the first and the last, and how many are between them."""
    parts = [_line(name, value) for name, value in items]
    lines = [line for line, _ in parts]
    cut = any(shorter for _, shorter in parts)
    room = max(room - _LIST, SHORT)
    if len(lines) <= MOST_LISTED and sum(weight(line) + 2 for line in lines) <= room:
        return Drawn(elements=[block("\n".join(lines))], cut=cut, unread=cut)
    first = _taken(lines[: MOST_LISTED * 2 // 3], room * 2 // 3) or 1
    last = min(_taken(lines[: -MOST_LISTED // 3 : -1], room // 3), len(lines) - first)
    if first + last == len(lines):
        return Drawn(elements=[block("\n".join(lines))], cut=cut, unread=cut)
    told = say(LEFT_OUT, count=len(lines) - first - last, total=len(lines))
    tail = [block("\n".join(lines[len(lines) - last :]))] if last else []
    return Drawn(
        elements=[block("\n".join(lines[:first])), section(plain(told, italic=True)), *tail],
        cut=True,
        unread=True,
    )


def _line(name: str, value: Json) -> tuple[str, bool]:
    label, cut = in_line(name, SHORT // 2)
    text, shorter = in_line(beginning(as_text(value), 4 * SHORT), SHORT)
    return f"{label}: {text}", cut or shorter or len(as_text(value)) > 4 * SHORT


def _taken(lines: Sequence[str], room: int) -> int:
    """How many of the first lines fit."""
    used = 0
    for count, line in enumerate(lines):
        used += weight(line) + 2
        if used > room:
            return count
    return len(lines)


def _need(name: str, value: Json) -> int:
    text = as_text(value)
    around = _ROW if is_short(value) and not is_code(name, value) else _BOX
    if isinstance(value, list) and are_items(value):
        around = _BOX + _ITEM * min(len(value), MOST_LINES)
    return around + min(weight(name), SHORT) + min(weight(shown(text[:LARGEST_BOX])), LARGEST_BOX)


def _looks_like_json(text: str) -> bool:
    """Whether the text without quotes could be taken for a number, `true`, a list or nothing at all."""
    if not text or text[0] in '"[{':
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
