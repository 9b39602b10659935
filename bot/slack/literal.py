"""Untrusted text as `rich_text`, which Slack shows letter by letter: no mention, link or format comes alive.

What is too long is shown by its beginning and its end, with our own words between them, outside the
literal part, so that no text can pretend that something was left out of it, or that nothing was.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

from slack_sdk.models.blocks import (
    RichTextElement,
    RichTextElementParts,
    RichTextPreformattedElement,
    RichTextQuoteElement,
    RichTextSectionElement,
)

from bot.approvals.ids import ChannelId, UserId
from bot.approvals.times import utc
from bot.approvals.words import AND, parts, say
from bot.slack.text import border, is_user_id, visible, weight

LONGEST_TEXT: Final = 2_800
"""Characters in one text element; Slack's limit for text objects is 3,000."""
MOST_LINES: Final = 24
"""Lines of one argument that a card shows; more is no longer read, it is scrolled past."""
LEAST: Final = 24
"""Below this a beginning and an end say nothing."""
_BLANKS: Final = re.compile(r"[^\S\n]{9,}")
_DEEPEST_INDENT: Final = 40
_LINES: Final = re.compile(r"\n(?:[^\S\n]*\n){8,}")
_MARKS: Final = {" ": "·", "\t": "⇥", "\n": "↵"}
_IN_LINE: Final = {"\n": "⏎", "\t": "⇥", "⏎": "⟨U+23CE⟩", "⇥": "⟨U+21E5⟩"}
_NOT_IN_LINE: Final = re.compile("⟨⇥\u00d7|[\n\t⏎⇥]")


def shown(text: str) -> str:
    """The text with nothing hidden: `visible`, and long runs of blanks or of empty lines as counts.

    Reversible, as `visible` is. Blanks count as `·`, tabs as `⇥`, others by their code. A line of counts with
    `↵` among them stands for that many line ends and blanks, its own two line ends included.
    """
    squeezed = _BLANKS.sub(_unless_indenting, visible(text))
    return _LINES.sub(lambda run: f"\n{counted(run[0])}\n", squeezed)


def in_one_line(text: str) -> str:
    """The same in one line, line ends as `⏎` and tabs as `⇥`."""
    return _NOT_IN_LINE.sub(lambda found: _IN_LINE.get(found[0], found[0]), shown(text))


def _unless_indenting(run: re.Match[str]) -> str:
    """A run of blanks as counts, unless it is a line's indentation."""
    indents = run.start() == 0 or run.string[run.start() - 1] == "\n"
    is_indent = indents and len(run[0]) <= _DEEPEST_INDENT and not run[0].strip(" ")
    return run[0] if is_indent else counted(run[0])


def counted(blanks: str) -> str:
    """Blanks as counts of each: `⟨·x3⟩`. Nobody else can write it, see `visible`."""
    runs = ((blank, sum(1 for _ in same)) for blank, same in groupby(blanks))
    return "".join(f"⟨{_MARKS.get(blank) or f'U+{ord(blank):04X}'}\u00d7{length}⟩" for blank, length in runs)


def plain(text: str, *, bold: bool = False, italic: bool = False, code: bool = False) -> RichTextElement:
    """A piece of text in a section; not empty."""
    marks = {name: True for name, on in (("bold", bold), ("italic", italic), ("code", code)) if on}
    return RichTextElementParts.Text(text=text, style=marks or None)


def worded(
    message: str, /, *, bold: bool = False, italic: bool = False, **values: object
) -> Sequence[RichTextElement]:
    """A sentence of ours in the language that is spoken, with strings, numbers and elements in it.

    Bold and italic hold for its words alone, not for the elements.
    """
    return list(_elements(parts(message, **values), bold=bold, italic=italic))


def enumerated(told: Sequence[Sequence[RichTextElement]], last: str = AND) -> Sequence[RichTextElement]:
    """What `words.listed` does, of elements: `a, b and c`; empty for nothing."""
    if len(told) < 2:  # noqa: PLR2004 - nothing to join
        return [element for one in told for element in one]
    return worded(last, before=in_between(told[:-1]), last=told[-1])


def in_between(told: Sequence[Sequence[RichTextElement]]) -> Sequence[RichTextElement]:
    """`a, b, c`."""
    parts = [part for one in told for part in (plain(say(", ")), *one)]
    return parts[1:]


def _elements(pieces: Iterable[object], *, bold: bool, italic: bool) -> Iterator[RichTextElement]:
    for piece in pieces:
        match piece:
            case str():
                yield plain(piece, bold=bold, italic=italic)
            case RichTextElement():
                yield piece
            case _ if isinstance(piece, Sequence):
                yield from _elements(piece, bold=bold, italic=italic)
            case _:
                raise TypeError(f"{type(piece).__name__} cannot stand in a sentence")


def person(user: UserId) -> RichTextElement:
    """A person, as a mention; only ours come alive."""
    return RichTextElementParts.User(user_id=user) if is_user_id(user) else plain(shown(user) or "?")


def channel(id: ChannelId) -> RichTextElement:
    """A channel by its name, which leads there; whoever may not see it sees that it is a private one."""
    return RichTextElementParts.Channel(channel_id=id)


def date(at: datetime) -> RichTextElement:
    """A time, in the reader's own zone."""
    return RichTextElementParts.Date(
        timestamp=int(at.timestamp()), format="{date_short_pretty}, {time}", fallback=utc(at)
    )


def section(*elements: RichTextElement) -> RichTextElement:
    """A line or lines."""
    return RichTextSectionElement(elements=list(elements))


def block(text: str) -> RichTextElement:
    """Literal text in a box of its own; not empty."""
    return RichTextPreformattedElement(elements=[plain(part) for part in pieces(text)])


def quote(text: str) -> RichTextElement:
    """Somebody's words, indented; not empty."""
    return RichTextQuoteElement(elements=[plain(part) for part in pieces(text)])


def pieces(text: str, limit: int = LONGEST_TEXT) -> list[str]:
    """The text in pieces of at most `limit` characters, cut at ends of lines where there are some."""
    parts: list[str] = []
    start = 0
    while len(text) - start > limit:
        line = text.rfind("\n", start + limit // 2, start + limit) + 1
        end = line or border(text, start + limit)
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]] if text[start:] else parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """As much of a text as there is room for, ready to be shown."""

    head: str
    tail: str = ""
    left_out: int = 0
    """Characters of the text between head and tail."""


def excerpt(text: str, room: int, lines: int = 1_000) -> Excerpt:
    """All of the text, or two thirds of the room and lines for its beginning and one third for its end."""
    room = max(room, LEAST)
    if len(text) <= room and text.count("\n") < lines and weight(whole := shown(text)) <= room:
        return Excerpt(head=whole)
    first = _first_lines(_fitting(text, room * 2 // 3), lines * 2 // 3)
    last = _last_lines(_fitting_end(text[len(first) :], room - room * 2 // 3), lines // 3)
    left_out = len(text) - len(first) - len(last)
    if not left_out:  # a cut can cost more than it saves, when it goes through what is shown as a count
        return Excerpt(head=shown(text))
    return Excerpt(head=shown(first), tail=shown(last), left_out=left_out)


def boxed(text: str, room: int) -> tuple[list[RichTextElement], bool]:
    """A text in boxes, within about this much room, and whether something was left out."""
    part = excerpt(text, room, MOST_LINES)
    if not part.left_out:
        return [block(part.head)], False
    told = say("… {count:,} characters left out here, View all shows them …", count=part.left_out)
    boxes = [block(part.head)] if part.head else []
    return [*boxes, section(plain(told, italic=True)), *([block(part.tail)] if part.tail else [])], True


def quoted(part: Excerpt) -> list[RichTextElement]:
    """Somebody's words, indented; that something is left out stands outside of them, where only we write."""
    ends = [quote(end) for end in (part.head, part.tail) if end]
    if not part.left_out:
        return ends
    told = say("… {count:,} characters left out here …", count=part.left_out)
    return [*ends[: bool(part.head)], section(plain(told, italic=True)), *ends[bool(part.head) :]]


def in_line(text: str, room: int, measure: Callable[[str], int] = weight) -> tuple[str, bool]:
    """A text for the middle of a line, within this much room, and whether something was left out."""
    one = in_one_line(text)
    if measure(one) <= room:
        return one, False
    first = _fitting(text, max(room, LEAST) - measure("…"), in_one_line, measure)
    return f"{in_one_line(first)}…", True


def beginning(text: str, most: int) -> str:
    """The text, or so many of its characters and `…`; where blanks are counted, nothing else may tell."""
    return text if len(text) <= most else f"{text[:most]}…"


def _first_lines(text: str, lines: int) -> str:
    """At most so many lines; a last one that is cut is left out, if others are there."""
    kept = text.split("\n")[:lines]
    whole = kept if len(kept) < text.count("\n") + 1 else kept[:-1]
    return "\n".join(whole) + "\n" if whole else text


def _last_lines(text: str, lines: int) -> str:
    """At most so many lines; a first one that is cut is left out, if others are there."""
    kept = text.split("\n")[-lines:]
    whole = kept if len(kept) < text.count("\n") + 1 else kept[1:]
    return "\n".join(whole) if any(whole) else text


def _fitting(
    text: str, room: int, form: Callable[[str], str] = shown, measure: Callable[[str], int] = weight
) -> str:
    """The longest beginning that, once shown, has no more than this."""
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(form(text[:middle])) <= room else (low, middle - 1)
    return text[: border(text, low)] if low else ""


def _fitting_end(text: str, room: int) -> str:
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if weight(shown(text[-middle:])) <= room else (low, middle - 1)
    return text[border(text, len(text) - low) :] if low else ""
