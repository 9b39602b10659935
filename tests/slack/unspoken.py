"""What the bot says without asking for the language: `python -m tests.slack.unspoken [NAME…]`.

Everything is drawn in a language in which the letters of each sentence of ours are `~`. What still is words
then, and is written somewhere in the bot, is English in every language.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import Final

from bot.approvals.words import spoken
from tests.slack.test_golden import STATES, drawn

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


class Blotted(NullTranslations):
    """A language in which no letter of ours can be read; as long as English, so that the same fits."""

    def gettext(self, message: str) -> str:
        """The message without its letters, but with its places."""
        return re.sub(r"\{[^{}]*\}|[^\W\d_]", lambda found: found[0] if found[0][0] == "{" else "~", message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The one that fits, likewise."""
        return self.gettext(super().ngettext(msgid1, msgid2, n))


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
    with spoken(Blotted()):
        state = drawn(name)
    return unsaid(state)


def unsaid(node: object) -> list[str]:
    """The same of what was drawn or told in that language; what stands as code is never ours."""
    texts = {*_read(node)}
    pieces = {_bare(piece) for text in texts for piece in text.split("~")}
    words = {piece for piece in pieces if re.search("[A-Za-z]{2}", piece) and piece in _written()}
    filled = {found[0] for text in texts for form in _filled_in() if (found := form.search(text))}
    return sorted(words | filled)


def _bare(piece: str) -> str:
    """Without the signs, blanks and numbers around it."""
    return re.sub(r"^[\W\d_]+|[\W\d_]+$", "", piece)


def _read(node: object) -> Iterator[str]:
    match node:
        case str():
            yield node
        case {"style": {"code": True}}:
            return
        case dict():
            for key, value in node.items():
                if isinstance(value, str) and key in WORDS:
                    yield value
                elif not isinstance(value, str):
                    yield from _read(value)
        case list():
            for value in node:
                yield from _read(value)
        case _:
            return


def _nodes() -> Iterator[ast.AST]:
    """All that is written in the rooms that speak to people."""
    for room in ("slack", "approvals", "agents"):
        for path in (ROOT / room).glob("*.py"):
            yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@cache
def _written() -> frozenset[str]:
    """Every string that stands there."""
    strings = (node.value for node in _nodes() if isinstance(node, ast.Constant))
    return frozenset(_bare(each) for each in strings if isinstance(each, str))


@cache
def _filled_in() -> tuple[re.Pattern[str], ...]:
    """Every f-string with two words of its own: what it becomes, whatever is filled in."""
    forms: list[re.Pattern[str]] = []
    for node in _nodes():
        if isinstance(node, ast.JoinedStr):
            parts = [each.value if isinstance(each, ast.Constant) else None for each in node.values]
            own = " ".join(str(part or "") for part in parts)
            if len(re.findall("[A-Za-z]{2,}", re.sub(r"\{[^}]*\}", "", own))) > 1:
                form = "".join(".{0,200}?" if part is None else re.escape(str(part)) for part in parts)
                forms.append(re.compile(form, re.DOTALL))
    return tuple(forms)


def main(names: list[str]) -> None:
    """Print them by state."""
    for name in names or STATES:
        if found := unspoken(name):
            sys.stdout.write(f"{name}: {found}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
