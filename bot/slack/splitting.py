"""A long Markdown text in parts that fit into one message each."""

import re
from typing import Final

from bot.slack.markdown import fence_after, marks_of
from bot.slack.text import border

LIMIT: Final = 11_500
"""Characters of one message; Slack takes 12,000 over all markdown blocks."""
_LONGEST_FENCE: Final = 60
_PIECE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def split(markdown: str, limit: int = LIMIT) -> list[str]:
    """The Markdown in parts of at most `limit` characters (at least 400), counted in UTF-16.

    Cut between paragraphs where that is possible, else between lines, words or characters. A code block
    that is cut is closed and opened again. Nothing is lost and the order is kept.
    """
    pieces = [piece for line in _PIECE.findall(markdown) for piece in _short(line, limit // 2)]
    parts: list[str] = []
    start, fence = 0, ""
    while start < len(pieces):
        end, after = _reach(pieces, start, fence, limit - 2 * (_LONGEST_FENCE + 1))
        text = "".join(pieces[start:end])
        parts.append(
            _reopened(fence) + text + _closing(text, after) if end < len(pieces) else _reopened(fence) + text
        )
        start, fence = end, after
    return [part for part in parts if part.strip()]


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


def units(text: str) -> int:
    """Length in UTF-16, the larger of the two ways in which Slack may count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
