"""A long Markdown text in parts that fit into one message each."""

import json
import re
from typing import Final

from bot.slack.markdown import fence_after, marks_of
from bot.slack.text import border, units

LIMIT: Final = 11_000
"""Characters of one message; Slack takes 12,000 over all markdown blocks, and 1,200 more for the others."""
HEAVIEST: Final = 12_000
"""Of its JSON form; Slack takes near 13,200 over all blocks of a message."""
_LONGEST_FENCE: Final = 60
_HEAD: Final = 2
"""Lines of a table's head: the names of its columns, and how they are aligned."""
_DELIMITER: Final = re.compile(r"\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?")
_PIECE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def split(markdown: str, limit: int = LIMIT) -> list[str]:
    """The Markdown in parts of at most `limit` characters (at least 400), counted in UTF-16.

    Cut between paragraphs where that is possible, else between lines, words or characters. A code block
    that is cut is closed and opened again, and a table that is cut goes on below its head. Nothing is lost
    and the order is kept.
    """
    half = limit // 2 - _LONGEST_FENCE - 1  # two of a long line fit, with a code block around them
    pieces = [piece for line in _PIECE.findall(markdown) for piece in _short(line, half)]
    parts: list[str] = []
    start, fence = 0, ""
    while start < len(pieces):
        opened = _reopened(fence) or _head(pieces, start, limit // 4)
        end, after = _reach(pieces, start, fence, limit - units(opened) - _LONGEST_FENCE - 1)
        text = "".join(pieces[start:end])
        parts.append(opened + text + (_closing(text, after) if end < len(pieces) else ""))
        start, fence = end, after
    return [part for part in parts if part.strip()]


def in_messages(markdown: str) -> list[str]:
    """The Markdown in parts that weigh no more than a message takes, whatever stands in them.

    Line ends, quotation marks and backslashes, of which code is full, count twice where a message is JSON.
    """
    limit = LIMIT
    while max(map(_weight, parts := split(markdown, limit)), default=0) > HEAVIEST and limit > LIMIT // 2:
        limit = max(limit * 3 // 4, LIMIT // 2)
    return parts


def _weight(part: str) -> int:
    return units(json.dumps(part, ensure_ascii=False)) - 2


def _head(pieces: list[str], start: int, room: int) -> str:
    """The head of the table that is cut before this piece; empty if there is none."""
    first = start
    while first > 0 and _is_row(pieces[first - 1]):
        first -= 1
    if (
        start - first < _HEAD
        or not _is_row(pieces[start])
        or not _DELIMITER.fullmatch(pieces[first + 1].strip())
    ):
        return ""
    head = "".join(pieces[first : first + _HEAD])
    return head if units(head) <= room else ""


def _is_row(piece: str) -> bool:
    return "|" in piece and bool(piece.strip()) and piece.endswith("\n")


def _reach(pieces: list[str], start: int, fence: str, room: int) -> tuple[int, str]:
    """How far a part goes that begins here, and the code block that is open at its end."""
    end, used, paragraph = start, 0, 0
    while end < len(pieces) and (used := used + units(pieces[end])) <= room:
        if end == 0 or pieces[end - 1].endswith("\n"):
            fence = fence_after(pieces[end].removesuffix("\n"), fence)
        end += 1
        if not fence and pieces[end - 1] == "\n":
            paragraph = end
    if end < len(pieces) and paragraph > start + (end - start) // 2:
        return paragraph, ""
    return end, fence


def _reopened(fence: str) -> str:
    if not fence:
        return ""
    return f"{fence if len(fence) <= _LONGEST_FENCE else marks_of(fence)}\n"


def _closing(text: str, fence: str) -> str:
    if not fence:
        return ""
    return f"{'' if text.endswith(chr(10)) else chr(10)}{marks_of(fence)}"


def _short(line: str, limit: int) -> list[str]:
    """The line in pieces of at most this many characters, cut after a blank where there is one."""
    pieces: list[str] = []
    while units(line) > limit:
        most = border(line, limit // 2 if units(line[:limit]) > limit else limit)
        end = line.rfind(" ", most // 2, most) + 1 or most
        pieces.append(line[:end])
        line = line[end:]
    return [*pieces, line]
