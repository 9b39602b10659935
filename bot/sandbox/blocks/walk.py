"""Walking through blocks: the elements in them, and the ids that Slack adds."""

import secrets
from collections.abc import Iterator

from bot.sandbox.records import Json


def with_ids(blocks: list[Json]) -> list[Json]:
    """The blocks with an id in every block and interactive element that came without, as Slack adds them."""
    return [_with_ids(block) for block in blocks]


def elements_of(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Every element that a person can use, with its block, from the top down."""
    for block in blocks:
        for element in _elements(block):
            if "action_id" in element:
                yield block, element
        yield from elements_of(block.get("child_blocks", []))
        if block["type"] == "carousel":
            yield from elements_of(block.get("elements", []))


def _elements(block: Json) -> list[Json]:
    match block["type"]:
        case "actions" | "context_actions":
            return list(block.get("elements", []))
        case "section":
            return [block["accessory"]] if "accessory" in block else []
        case "input":
            return [block["element"]]
        case "card":
            return list(block.get("actions", []))
        case _:
            return []


NOT_INTERACTIVE = frozenset({"image"})


def _with_ids(block: Json) -> Json:
    filled = {**block, "block_id": block.get("block_id") or secrets.token_urlsafe(4)}
    for name in ("accessory", "element"):
        if name in filled:
            filled[name] = _with_action_id(filled[name])
    if block["type"] in {"actions", "context_actions"}:
        filled["elements"] = [_with_action_id(element) for element in block["elements"]]
    if block["type"] == "card" and "actions" in block:
        filled["actions"] = [_with_action_id(element) for element in block["actions"]]
    if block["type"] == "container":
        filled["child_blocks"] = with_ids(block["child_blocks"])
    if block["type"] == "carousel":
        filled["elements"] = with_ids(block["elements"])
    return filled


def _with_action_id(element: Json) -> Json:
    if element["type"] in NOT_INTERACTIVE:
        return element
    return {**element, "action_id": element.get("action_id") or secrets.token_urlsafe(4)}
