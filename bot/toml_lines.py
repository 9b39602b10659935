"""Where in a TOML file something stands; TOML's reader keeps no lines."""

import re
from collections.abc import Iterator, Sequence

_TABLE = re.compile(r"\s*\[{1,2}[\w.\- ]+\]{1,2}\s*(#.*)?$")
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
    """The line of the `[table]` or the n-th `[[table]]` that the place begins with, and the rest of it."""
    if len(parts) > 1 and isinstance(parts[1], int):
        found = [n for n, line in enumerate(lines) if line.strip().startswith(f"[[{parts[0]}]]")]
        return (found[parts[1]], list(parts[2:])) if parts[1] < len(found) else None
    found = [n for n, line in enumerate(lines) if line.strip().startswith(f"[{parts[0]}]")]
    return (found[0], list(parts[1:])) if found else None
