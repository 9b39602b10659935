"""Two versions of a text, line by line: what was removed, what was added, and what stays the same around it.

Every line has its sign before it, and the counts stand in words above, so that nothing depends on colour.
Our own words stand outside the boxes, where no text can pretend to be one of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.words import say, say_many
from bot.slack.arguments import Drawn
from bot.slack.literal import block, counted, in_line, plain, section
from bot.slack.text import weight

AROUND: Final = 2
"""Lines that stay the same, shown before and after a change."""
MOST_COMPARED: Final = 1_000
"""Lines of either side that are compared with each other; of more, all count as removed and added. It takes
the square of it, and a form waits for it."""
MOST_LINES: Final = 40
"""Lines that are shown, changed or not."""
LONGEST_LINE: Final = 400
_BOX: Final = 130
"""What the JSON around a box, and the words above it, weighs."""
ADDED, REMOVED, SAME = "+ ", "- ", "  "


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its sign."""

    sign: str
    text: str


def lines_of(before: str | None, after: str | None) -> list[Line]:
    """All lines of both, in order; those that stay the same once. None has none."""
    old, new = ([] if text is None else text.split("\n") for text in (before, after))
    front = _common(old, new)
    back = _common(old[front:][::-1], new[front:][::-1])
    middle = _middle(old[front : len(old) - back], new[front : len(new) - back])
    tail = old[len(old) - back :]
    return [
        *(Line(SAME, text) for text in old[:front]),
        *middle,
        *(Line(SAME, text) for text in tail),
    ]


def in_words(lines: Sequence[Line]) -> str:
    """How much was changed: `1 line removed (-), 2 lines added (+)`."""
    removed = sum(line.sign == REMOVED for line in lines)
    added = sum(line.sign == ADDED for line in lines)
    parts = []
    if removed:
        parts.append(say_many("{count:,} line removed (-)", "{count:,} lines removed (-)", removed))
    if added:
        parts.append(say_many("{count:,} line added (+)", "{count:,} lines added (+)", added))
    return say(", ").join(parts)


def difference(before: str | None, after: str | None, room: int) -> Drawn:
    """The changed lines with a little around them, within about this much room; what is cut is counted."""
    lines = lines_of(before, after)
    elements: list[RichTextElement] = []
    left, shown, cut, last = room, 0, False, 0
    for start, end in _hunks(lines):
        fits = _fitting(lines[start:end], left - _BOX, MOST_LINES - shown)
        if not fits:
            break
        if start > last:
            elements.append(_aside(_same(start - last)))
        drawn = [_drawn(line) for line in lines[start : start + fits]]
        cut = cut or any(shorter for _, shorter in drawn)
        text = "\n".join(words for words, _ in drawn)
        elements.append(block(text))
        left, shown, last = left - weight(text) - _BOX, shown + fits, start + fits
        if fits < end - start:
            break
    if rest := in_words(lines[last:]):
        elements.append(_aside(say("… {changes} more, View all shows both …", changes=rest)))
    elif last < len(lines):
        elements.append(_aside(_same(len(lines) - last)))
    return Drawn(elements=elements, cut=cut or bool(rest))


def _middle(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    if max(len(old), len(new)) > MOST_COMPARED:
        yield from (Line(REMOVED, text) for text in old)
        yield from (Line(ADDED, text) for text in new)
        return
    for tag, from_, to, other, until in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (Line(SAME, text) for text in old[from_:to])
        else:
            yield from (Line(REMOVED, text) for text in old[from_:to])
            yield from (Line(ADDED, text) for text in new[other:until])


def _hunks(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The changes with what is around them; those that touch are one."""
    changed = [at for at, line in enumerate(lines) if line.sign != SAME]
    start = end = -1
    for at in changed:
        if end >= 0 and at - AROUND > end:
            yield start, end
            start = -1
        start = max(at - AROUND, 0) if start < 0 else start
        end = min(at + AROUND + 1, len(lines))
    if end >= 0:
        yield start, end


def _fitting(lines: Sequence[Line], room: int, most: int) -> int:
    """How many of the first lines fit."""
    used = 0
    for count, line in enumerate(lines):
        used += weight(_drawn(line)[0]) + 2
        if used > room or count >= most:
            return count
    return len(lines)


def _drawn(line: Line) -> tuple[str, bool]:
    """The line with its sign; blanks at its end are seen, since they may be all that was changed."""
    kept = line.text.rstrip(" \t")
    words, cut = in_line(kept, LONGEST_LINE)
    return f"{line.sign}{words}{counted(line.text[len(kept) :])}", cut


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many first lines are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _same(lines: int) -> str:
    return say_many("… {count:,} line the same …", "… {count:,} lines the same …", lines)


def _aside(words: str) -> RichTextElement:
    return section(plain(words, italic=True))
