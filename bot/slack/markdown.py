"""The agent's Markdown on its way into Slack's `markdown` block, which parses Slack's own notation as well.

Outside of code `<` and `>` are written as entities, which Slack shows and does not read again. Inside of code
an entity would be shown as it is written, so there only what could come alive gets a blank after its `<`.
A mistake about what is code is harmless: either way nothing is alive.
"""

import re
from typing import Final
from urllib.parse import urlsplit

_FENCE: Final = re.compile(r" {0,3}(`{3,32}|~{3,32})(.*)", re.DOTALL)
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)")
_QUOTE: Final = re.compile(r"(?: {0,3}> ?)+")
_ALIVE: Final = re.compile(r"<(?=[!@#]|[A-Za-z][A-Za-z0-9+.-]*:(?!:))")
_BROADCAST: Final = re.compile(r"(?<![\w.])@(?=(?:channel|here|everyone|group)\b)", re.IGNORECASE)
_AUTOLINK: Final = re.compile(r"<((?:https?://|mailto:)[^\s<>|]+)>", re.IGNORECASE)
_LINK: Final = re.compile(
    r"!?\[([^\[\]\n]*)\]\([ \t]*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)"
)
_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?((?:[\w-]+\.)+[^\W\d_]{2,})(?![\w.])", re.IGNORECASE)
_LONGEST_LABEL: Final = 500
"""Characters of a label that is read for addresses; a longer one is no label."""
_FILES: Final = frozenset({"csv", "html", "js", "json", "log", "pdf", "png", "txt", "xml", "yaml", "yml"})
"""Endings of file names under which nobody can register an address."""
JOINT: Final = "\u200b"
"""No width, and no letter: what stands on both of its sides is not one word any more."""


def defuse(markdown: str) -> str:
    """The Markdown with the same look and without anything alive but plain links.

    Dead are mentions, channels, broadcasts and dates in Slack's notation, plain `@channel`, images, and links
    to anything but http, https and mailto. A link whose label names another address is written out.
    """
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        before, fence = fence, fence_after(line, fence)
        lines.append(_code(line) if before or fence else _prose(line))
    return "\n".join(lines)


def fence_after(line: str, fence: str) -> str:
    """The line that opened the code block that is open after this one; `fence` opened the one before it."""
    mark = _FENCE.fullmatch(line)
    if not mark:
        return fence
    if fence:
        marks = marks_of(fence)
        closes = mark[1][0] == marks[0] and len(mark[1]) >= len(marks) and not mark[2].strip()
        return "" if closes else fence
    return "" if mark[1][0] == "`" and "`" in mark[2] else line.strip()


def marks_of(fence: str) -> str:
    """The backticks or tildes of a line that opens a code block."""
    mark = _FENCE.fullmatch(fence)
    return mark[1] if mark else ""


def _code(text: str) -> str:
    return _BROADCAST.sub(f"@{JOINT}", _ALIVE.sub("< ", text))


def _prose(line: str) -> str:
    quote = _QUOTE.match(line)
    start = quote.end() if quote else 0
    told, done = line[:start], start
    for code in _CODE.finditer(line, start):
        told += _words(line[done : code.start()]) + _code(code[0])
        done = code.end()
    return told + _words(line[done:])


def _words(text: str) -> str:
    """Prose without code in it."""
    bare = _AUTOLINK.sub(r"\1", text)
    told, done = "", 0
    for link in _LINK.finditer(bare):
        told += _dead(bare[done : link.start()]) + _link(link[1], link[2])
        done = link.end()
    return told + _dead(bare[done:])


def _dead(text: str) -> str:
    """Text without links: what still looks like one, or like the address that one refers to, is broken up."""
    return _entities(text).replace("](", f"]{JOINT}(").replace("]:", f"]{JOINT}:")


def _entities(text: str) -> str:
    return _BROADCAST.sub(f"@{JOINT}", text.replace("<", "&lt;").replace(">", "&gt;"))


def _link(label: str, url: str) -> str:
    words = _entities(label)
    if _is_honest(label, url):
        return f"[{words or url}]({url})"
    return f"{words} ({_entities(url)})" if url else words


def _is_honest(label: str, url: str) -> bool:
    """Whether the link goes where its label lets one think, by a way that Slack may open."""
    if not re.match(r"(?:https?://|mailto:)[^\s]", url, re.IGNORECASE) or len(label) > _LONGEST_LABEL:
        return False
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().removeprefix("www.")
    except ValueError:
        return False
    if parts.scheme.lower() == "mailto":
        host = parts.path.rpartition("@")[2].lower()
    elif not host or parts.username is not None or not parts.netloc.isascii():
        return False
    named = (found[1].lower().removeprefix("www.") for found in _ADDRESS.finditer(label))
    return all(host == name or host.endswith(f".{name}") or _is_file(name) for name in named)


def _is_file(name: str) -> bool:
    return name.rpartition(".")[2] in _FILES


def undefused(markdown: str) -> str:
    """Roughly what it was before: for places that are escaped in their own way."""
    return markdown.replace(JOINT, "").replace("&lt;", "<").replace("&gt;", ">")
