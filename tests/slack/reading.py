"""What a person reads: blocks as plain lines, so that a test can say what a card looks like."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from slack_sdk.models.blocks import RichTextElement

from bot.slack.message import Blocks


def readable(blocks: Blocks) -> str:
    """The blocks as text: buttons in brackets, boxes behind bars, quotes behind `>`."""
    return "\n".join(line for block in blocks for line in _block(block))


def _block(block: dict[str, Any]) -> Iterator[str]:  # noqa: C901, PLR0912 - a case per block
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
        case {"type": "context_actions", "elements": [element]}:
            halves = (element["positive_button"], element["negative_button"])
            yield " ".join(f"[{each['text']['text']}]" for each in halves)
        case {"type": "plan", "title": title, "tasks": tasks}:
            yield f"# {title}"
            for task in tasks:
                yield f"[{task['status']}] {task['title']}"
                for name in ("details", "output"):
                    yield from (f"  {name}: {line}" for line in _block(task.get(name, {})))
        case {"type": "input", "label": {"text": label}}:
            yield f"{label}: ___"
        case {"type": "table", "rows": rows}:
            yield from (" | ".join(cell["text"] for cell in row) for row in rows)
        case {"type": "rich_text", "elements": elements}:
            for each in elements:
                if each["type"] == "rich_text_list":
                    items = ("".join(map(_piece, item["elements"])) for item in each["elements"])
                    yield from (f"• {item}" for item in items)
                    continue
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
        case {"type": "channel", "channel_id": channel}:
            return f"#{channel}"
        case {"type": "date", "fallback": fallback}:
            return str(fallback)
        case {"type": "link", "url": url}:
            assert "text" not in piece, "a link always shows its address"
            return f"<{url}>"
    raise AssertionError(piece)


def marked(elements: Iterable[RichTextElement]) -> list[str]:
    """The parts of rich text with their styles: `**bold**`, `__italic__`, and code in backticks."""
    return [_marked(element.to_dict()) for element in elements]


def _marked(part: dict[str, Any]) -> str:
    mark = {"rich_text_section": "", "rich_text_preformatted": "| ", "rich_text_quote": "> "}[part["type"]]
    return mark + "".join(_styled(piece) for piece in part["elements"])


def _styled(piece: dict[str, Any]) -> str:
    style = piece.get("style", {})
    assert set(style.values()) <= {True}
    words = _piece({**piece, "style": {name: True for name in style if name == "code"}})
    signs = [sign for name, sign in (("bold", "**"), ("italic", "__")) if name in style]
    return "".join([*signs, words, *reversed(signs)])


GROUP = r"⟨(?:[·⇥↵]|U\+[0-9A-F]{4,6})\u00d7[0-9]+⟩"
COUNT = re.compile("⟨([·⇥↵]|U\\+[0-9A-F]{4,6})\u00d7([0-9]+)⟩")
BLANKS = {"·": " ", "⇥": "\t", "↵": "\n"}


def original(shown: str) -> str:
    """What was there before it was made visible: written by the notation's description, not by its code."""

    def undone(found: re.Match[str]) -> str:
        if found["lines"]:
            return COUNT.sub(counted, found["lines"].strip("\n"))
        return COUNT.sub(counted, found[0]) if COUNT.fullmatch(found[0]) else chr(int(found[0][3:-1], 16))

    def counted(found: re.Match[str]) -> str:
        blank = BLANKS.get(found[1]) or chr(int(found[1].removeprefix("U+"), 16))
        return blank * int(found[2])

    lines = rf"(?P<lines>\n(?:{GROUP})*⟨↵\u00d7[0-9]+⟩(?:{GROUP})*\n)"
    return re.sub(rf"{lines}|{GROUP}|⟨U\+[0-9A-F]{{4,6}}⟩", undone, shown)


def original_of_line(shown: str) -> str:
    """The same for what was put into one line."""
    return original(re.sub("(?<!⟨)⇥|⇥(?!\u00d7)", "\t", shown.replace("⏎", "\n")))


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


def links(part: object) -> Iterator[dict[str, Any]]:
    """Every link that would be alive in rich text."""
    match part:
        case dict():
            if part.get("type") == "link":
                yield part
            for inner in part.values():
                yield from links(inner)
        case list():
            for inner in part:
                yield from links(inner)
