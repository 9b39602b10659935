"""Pieces of a sentence: what is in quotes or in a fence, and names of files. Pure."""

import re
from typing import Final

_OPENING: Final = "\"'`“"
_CLOSING: Final = "\"'`”"
_FENCE: Final = re.compile(r"```[\w-]*\n?(.*?)\n?```", re.DOTALL)
_NAME: Final = re.compile(
    r"\s*((?:(?:,|and\b|&)\s*)*)(?:the\s+|file\s+)*(?:[\"'`“]([^\"'`”\n]+)[\"'`”]|([^\s\"'`“”,;:]+))\s*",
    re.IGNORECASE,
)
_NO_NAMES: Final = frozenset({"the", "of", "file", "files", "it", "me", "all"})


def content(told: str) -> str:
    """The text to write, out of its fence or quotes; between quotes a backslash with n is a line break."""
    if fence := _FENCE.fullmatch(told.strip()):
        return f"{fence[1]}\n"
    bare = unquoted(told)
    return bare.replace("\\n", "\n") if bare != told.strip() else bare


def unquoted(told: str) -> str:
    """The text without the quotes or the fence that stand around all of it."""
    text = told.strip()
    if fence := _FENCE.fullmatch(text):
        return fence[1].strip()
    if len(text) > 1 and text[0] in _OPENING and text[-1] in _CLOSING:
        return text[1:-1]
    return text


def names(told: str) -> list[str]:
    """File names, with commas or "and" between them; none if there is anything else."""
    found: list[str] = []
    position = 0
    while position < len(told):
        item = _NAME.match(told, position)
        if not item or bool(item[1].strip()) != bool(found):
            return []
        name = item[2] or item[3]
        if name.lower() in _NO_NAMES:
            return []
        found.append(name)
        position = item.end()
    return found
