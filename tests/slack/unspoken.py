"""What the bot says without asking for the language: `python -m tests.slack.unspoken [NAME…]`.

Everything is drawn in a language in which each sentence of ours stands in brackets. What stands outside of
them and is written somewhere in the bot is English in every language.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import Any, Final

from bot.approvals.words import spoken
from tests.slack.states import MESSAGES, VIEWS, drawn

ROOT: Final = Path(__file__).parent.parent.parent / "bot"
WORDS: Final = frozenset({"text", "alt_text", "accessibility_label", "fallback"})
"""The keys of a message or view whose strings people read or hear."""


class Bracketed(NullTranslations):
    """The language."""

    def gettext(self, message: str) -> str:
        """The message in brackets."""
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The one that fits, in brackets."""
        return f"⟦{super().ngettext(msgid1, msgid2, n)}⟧"


def outside(text: str) -> Iterator[str]:
    """What stands outside of all brackets."""
    depth, piece = 0, ""
    for character in text:
        if character == "⟦":
            depth += 1
        elif character == "⟧":
            depth -= 1
        elif depth == 0:
            piece += character
            continue
        yield piece
        piece = ""
    yield piece


def unspoken(name: str) -> list[str]:
    """The words of this state that are ours and the same in every language."""
    with spoken(Bracketed()):
        state = drawn(name)
    pieces = (piece.strip() for text in _read(state) for piece in outside(text))
    return sorted({piece for piece in pieces if re.search("[A-Za-z]{2}", piece) and piece in _written()})


def _read(node: object) -> Iterator[str]:
    match node:
        case dict():
            for key, value in node.items():
                if isinstance(value, str) and key in WORDS:
                    yield value
                else:
                    yield from _read(value)
        case list():
            for value in node:
                yield from _read(value)
        case _:
            return


@cache
def _written() -> frozenset[str]:
    """Every string that stands in the rooms that speak to people, and each part of one with values in it."""
    strings: set[str] = set()
    for path in [*(ROOT / "slack").glob("*.py"), *(ROOT / "approvals").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value.strip())
    return frozenset(strings)


def main(names: list[str]) -> None:
    """Print them by state."""
    every: dict[str, Any] = {**MESSAGES, **VIEWS}
    for name in names or every:
        if found := unspoken(name):
            sys.stdout.write(f"{name}: {found}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
