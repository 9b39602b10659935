"""Where in a TOML file something stands; TOML's reader keeps no lines."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

_TABLE = re.compile(r"\s*\[{1,2}[\w.\- \"']+\]{1,2}\s*(#.*)?$")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*")


def place(text: str, loc: Sequence[str | int]) -> str:
    """`, line 7` for the key at this place in the file, if it is found."""
    lines = text.splitlines()
    start, parts, found = 0, list(loc), False
    while parts and (header := _header(lines, parts)) is not None:
        (start, parts), found = header, True
    end = next((n for n in range(start + 1, len(lines)) if _TABLE.match(lines[n])), len(lines))
    for at, part in enumerate(parts):
        for number in range(start, end):
            if re.match(rf"\s*\"?{re.escape(str(part))}\"?\s*=", lines[number]):
                return f", line {_entry(lines, number, parts[at + 1 :]) + 1}"
    return f", line {start + 1}" if found else ""


def _entry(lines: Sequence[str], key: int, rest: Sequence[str | int]) -> int:
    """The line of the n-th `{…}` in the list that the key on this line has; the key's own if it has none."""
    if not rest or not isinstance(rest[0], int):
        return key
    found = [number for number in range(key, len(lines)) for _ in _openings(lines[number])]
    return found[rest[0]] if rest[0] < len(found) else key


def _openings(line: str) -> Iterator[str]:
    """Every `{` that is in no text and in no comment."""
    yield from re.findall(r"\{", _TEXT.sub("", line))


def _header(lines: Sequence[str], parts: Sequence[str | int]) -> tuple[int, list[str | int]] | None:
    """The line of the longest `[table]`, or n-th `[[table]]`, that the place begins with, and the rest of it.

    Where a table has no line of its own, it begins with the first one of a table in it.
    """
    keys = [str(part) for part in takewhile(lambda part: isinstance(part, str), parts)]
    for length in range(len(keys), 0, -1):
        name, rest = ".".join(keys[:length]), parts[length:]
        if rest and isinstance(rest[0], int):
            found = _starting(lines, f"[[{name}]]")
            if rest[0] < len(found):
                return found[rest[0]], list(rest[1:])
        elif found := _starting(lines, f"[{name}]"):
            return found[0], list(rest)
    if len(parts) == len(keys) and len(keys) > 1:
        name = ".".join(keys)
        inside = [*_starting(lines, f"[{name}."), *_starting(lines, f"[[{name}.")]
        return (min(inside), []) if inside else None
    return None


def _starting(lines: Sequence[str], header: str) -> list[int]:
    return [n for n, line in enumerate(lines) if re.sub(r"[\s\"']", "", line).startswith(header)]
