"""Where in a TOML file something stands; TOML's reader keeps no lines."""

import re
from collections.abc import Sequence


def place(text: str, loc: Sequence[str | int]) -> str:
    """`, line 7` for the key at this place in the file, if it is found."""
    lines = text.splitlines()
    start, parts = 0, list(loc)
    while parts and (header := _header(lines, parts)) is not None:
        start, parts = header
    for part in parts:
        for number in range(start, len(lines)):
            if re.match(rf"\s*\"?{re.escape(str(part))}\"?\s*=", lines[number]):
                return f", line {number + 1}"
    return f", line {start + 1}" if start else ""


def _header(lines: Sequence[str], parts: Sequence[str | int]) -> tuple[int, list[str | int]] | None:
    """The line of the `[table]` or the n-th `[[table]]` that the place begins with, and the rest of it."""
    if len(parts) > 1 and isinstance(parts[1], int):
        found = [n for n, line in enumerate(lines) if line.strip().startswith(f"[[{parts[0]}]]")]
        return (found[parts[1]], list(parts[2:])) if parts[1] < len(found) else None
    found = [n for n, line in enumerate(lines) if line.strip().startswith(f"[{parts[0]}]")]
    return (found[0], list(parts[1:])) if found else None
