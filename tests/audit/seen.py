"""What people saw of an action, read back out of the blocks that Slack was given, without our help."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Json = dict[str, Any]
UNREADABLE = ("⟨", "…", "⏎", "⇥", "(masked")
"""What stands in a text that is not the argument itself: left out, masked, made visible."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One action on a card."""

    id: str
    tool: str
    prefix: str
    """The first characters of the digest, as printed."""
    arguments: Json | None
    """None if the card does not show them to the last character."""


def seen_first(calls: Iterable[Any]) -> dict[str, Seen]:
    """By action, what the first card that showed it said."""
    found: dict[str, Seen] = {}
    for call in calls:
        if call.method in {"chat.postMessage", "chat.update"} and call.outcome == "ok":
            for seen in _on(call.arguments.get("blocks") or []):
                found.setdefault(seen.id, seen)
    return found


def _on(blocks: list[Json]) -> Iterator[Seen]:
    for block, below in pairwise(blocks):
        ids = {one.get("value") for one in below.get("elements", []) if one.get("action_id") != "stop"}
        title = _title(block)
        if title and below["type"] == "actions" and len(ids) == 1:
            tool, prefix = title
            yield Seen(
                id=str(ids.pop()), tool=tool, prefix=prefix, arguments=_arguments(block["elements"][1:])
            )


def _title(block: Json) -> tuple[str, str] | None:
    if block["type"] != "rich_text" or not block["elements"]:
        return None
    parts = block["elements"][0]["elements"]
    tool = next((one["text"] for one in parts if one.get("style") == {"bold": True, "code": True}), "")
    printed = next((one["text"] for one in parts if one.get("text", "").startswith("  digest ")), "")
    return (tool, printed.removeprefix("  digest ")) if printed else None


def _arguments(elements: list[Json]) -> Json | None:
    """The arguments, or None if one of them does not stand there as it is."""
    told: Json = {}
    name: str | None = None
    for element in elements:
        parts = element["elements"]
        if element["type"] == "rich_text_list":
            parts = [one for item in parts for one in item["elements"]]
        texts = [one.get("text", "") for one in parts]
        style = parts[0].get("style")
        if style == {"italic": True} and ("left out here" in texts[0] or "tool itself shows" in texts[0]):
            return None
        ours = style == {"italic": True} and element["type"] == "rich_text_section"
        if element["type"] == "rich_text_quote" or ours or "Look twice" in texts[0]:
            continue  # the agent's words, and ours
        if any(mark in text for text in texts for mark in UNREADABLE):
            return None
        if style == {"bold": True}:
            name = texts[0]
            told[name] = _value(texts[2]) if len(parts) == 3 else ""
        elif element["type"] == "rich_text_list" and name is not None:
            told[name] = [*map(_value, texts)]
        elif element["type"] == "rich_text_preformatted" and name is not None:
            told[name] = _value("".join(texts))
        else:
            return None  # all in one line, or in a list
    return told


def _value(text: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(text)
    except ValueError:
        return text
