"""What a person reads: blocks as plain lines, so that a test can say what a card looks like."""

from collections.abc import Iterator
from typing import Any

from bot.slack.message import Blocks


def readable(blocks: Blocks) -> str:
    """The blocks as text: buttons in brackets, boxes behind bars, quotes behind `>`."""
    return "\n".join(line for block in blocks for line in _block(block))


def _block(block: dict[str, Any]) -> Iterator[str]:
    match block:
        case {"type": "header", "text": {"text": text}}:
            yield f"# {text}"
        case {"type": "context", "elements": elements}:
            yield from (f"({each['text']})" for each in elements)
        case {"type": "section" | "markdown", "text": text}:
            yield text["text"] if isinstance(text, dict) else text
        case {"type": "divider"}:
            yield "---"
        case {"type": "actions", "elements": elements}:
            yield " ".join(f"[{each['text']['text']}]" for each in elements)
        case {"type": "input", "label": {"text": label}}:
            yield f"{label}: ___"
        case {"type": "rich_text", "elements": elements}:
            for each in elements:
                words = "".join(_piece(piece) for piece in each["elements"])
                mark = {"rich_text_preformatted": "| ", "rich_text_quote": "> "}.get(each["type"], "")
                yield from (f"{mark}{line}" for line in words.split("\n"))


def _piece(piece: dict[str, Any]) -> str:
    match piece:
        case {"type": "text", "text": text, "style": {"code": True}}:
            return f"`{text}`"
        case {"type": "text", "text": text}:
            return str(text)
        case {"type": "user", "user_id": user}:
            return f"@{user}"
        case {"type": "date", "fallback": fallback}:
            return str(fallback)
    raise AssertionError(piece)


def texts(part: object) -> Iterator[tuple[str, str]]:
    """Every text in a message or view that Slack would parse, with the kind of text it is."""
    match part:
        case {"type": ("mrkdwn" | "markdown") as kind, "text": str(text)}:
            yield kind, text
        case dict():
            for inner in part.values():
                yield from texts(inner)
        case list():
            for inner in part:
                yield from texts(inner)
