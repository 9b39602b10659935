"""Blocks, one shape each."""

from collections.abc import Iterator, Mapping

from bot.sandbox.blocks.elements import (
    ELEMENTS,
    IN_ACTIONS,
    IN_CONTEXT,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    IN_SECTION,
)
from bot.sandbox.blocks.objects import ID, IMAGE, URL, any_text, plain_text
from bot.sandbox.blocks.problem import Problem
from bot.sandbox.blocks.rich_text import RICH_TEXT
from bot.sandbox.blocks.rules import (
    Rule,
    Shape,
    boolean,
    items,
    length,
    needs_one_of,
    one_of,
    problem,
    string,
    typed,
)
from bot.sandbox.records import Json

TABLE_TEXT_LIMIT = 10_000
BLOCK: Mapping[str, Rule] = {"block_id": string(255, least=0)}


def distinct_action_ids(value: Json, pointer: str) -> Iterator[Problem]:
    """No two elements of one block may have the same action_id."""
    seen: set[str] = set()
    elements = value.get("elements") or value.get("actions")
    # A key that the block does not have holds anything; that it is there is told by itself.
    for place, element in enumerate(elements if isinstance(elements, list) else []):
        action_id = element.get("action_id") if isinstance(element, dict) else None
        if not isinstance(action_id, str):
            continue
        if action_id in seen:
            sentence = f"`action_id` {action_id!r} already exists in this block"
            yield problem(f"{pointer}/elements/{place}/action_id", sentence)
        seen.add(action_id)


def distinct_task_ids(value: Json, pointer: str) -> Iterator[Problem]:
    """No two tasks of one plan may have the same task_id."""
    seen: set[str] = set()
    for place, task in enumerate(value.get("tasks") or []):
        if task["task_id"] in seen:
            yield problem(f"{pointer}/tasks/{place}/task_id", f"`task_id` {task['task_id']!r} already exists")
        seen.add(task["task_id"])


def table_text_fits(value: Json, pointer: str) -> Iterator[Problem]:
    """All cells of a table together hold at most 10,000 characters."""
    if sum(_text_length(cell) for row in value["rows"] for cell in row) > TABLE_TEXT_LIMIT:
        yield problem(f"{pointer}/rows", f"must hold no more than {TABLE_TEXT_LIMIT} characters")


def divider_or_collapsible(value: Json, pointer: str) -> Iterator[Problem]:
    """A container that collapses has no header divider; only one that collapses starts collapsed."""
    if value.get("is_collapsible") and value.get("has_header_divider"):
        yield problem(f"{pointer}/has_header_divider", "cannot be set when is_collapsible is true")
    if value.get("default_collapsed") and not value.get("is_collapsible"):
        yield problem(f"{pointer}/default_collapsed", "needs is_collapsible")


def _text_length(value: object) -> int:
    match value:
        case {"type": "rich_text" | "rich_text_section" | "rich_text_list", "elements": list(inner)}:
            return sum(_text_length(item) for item in inner)
        case {"elements": list(inner)}:
            return sum(_text_length(item) for item in inner)
        case {"text": str(text)}:
            return length(text)
        case _:
            return 0


def _number(value: object, pointer: str) -> Iterator[Problem]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield problem(pointer, "must be a number")


CELL = typed(
    {
        "raw_text": Shape(required={"text": string(TABLE_TEXT_LIMIT)}),
        "raw_number": Shape(required={"value": _number}, optional={"text": string(TABLE_TEXT_LIMIT)}),
        "rich_text": RICH_TEXT,
    },
    "a cell",
)
COLUMN = Shape(optional={"align": one_of("left", "center", "right"), "is_wrapped": boolean})
SOURCE = typed({"url": Shape(required={"url": URL, "text": string(3000)})}, "a source")
TASK = Shape(
    required={"task_id": ID, "title": string(3000)},
    optional={
        **BLOCK,
        "status": one_of("pending", "in_progress", "complete", "error"),
        "details": RICH_TEXT,
        "output": RICH_TEXT,
        "sources": items(SOURCE, 0, 100),
    },
)
CARD = Shape(
    optional={
        **BLOCK,
        "hero_image": typed({"image": IMAGE}, "an image"),
        "icon": typed({"image": IMAGE}, "an image"),
        "title": any_text(150),
        "subtitle": any_text(150),
        "body": any_text(200),
        "subtext": any_text(200),
        "actions": items(typed({"button": ELEMENTS["button"]}, "a button"), 1, 3),
    },
    checks=(needs_one_of("hero_image", "title", "actions", "body"), distinct_action_ids),
)

BLOCKS: dict[str, Rule] = {
    "section": Shape(
        optional={
            **BLOCK,
            "text": any_text(3000),
            "fields": items(any_text(2000), 1, 10),
            "accessory": typed(IN_SECTION, "an accessory"),
            "expand": boolean,
        },
        checks=(needs_one_of("text", "fields"),),
    ),
    "header": Shape(required={"text": plain_text(150)}, optional=BLOCK),
    "context": Shape(
        required={"elements": items(typed(IN_CONTEXT, "a context element"), 1, 10)}, optional=BLOCK
    ),
    "divider": Shape(optional=BLOCK),
    "actions": Shape(
        required={"elements": items(typed(IN_ACTIONS, "an element of actions"), 1, 25)},
        optional=BLOCK,
        checks=(distinct_action_ids,),
    ),
    "context_actions": Shape(
        required={"elements": items(typed(IN_CONTEXT_ACTIONS, "an element of context_actions"), 1, 5)},
        optional=BLOCK,
        checks=(distinct_action_ids,),
    ),
    "input": Shape(
        required={"label": plain_text(2000), "element": typed(IN_INPUT, "an input element")},
        optional={**BLOCK, "hint": plain_text(2000), "optional": boolean, "dispatch_action": boolean},
    ),
    "rich_text": RICH_TEXT,
    # its length is limited over all markdown blocks of a message together
    "markdown": Shape(required={"text": string(1_000_000)}, optional=BLOCK),
    "image": Shape(
        required={"alt_text": string(2000)},
        optional={
            **BLOCK,
            "image_url": URL,
            "title": plain_text(2000),
            "slack_file": Shape(optional={"id": ID, "url": URL}),
        },
        checks=(needs_one_of("image_url", "slack_file"),),
    ),
    "table": Shape(
        required={"rows": items(items(CELL, 1, 20), 1, 100)},
        optional={**BLOCK, "column_settings": items(COLUMN, 0, 20)},
        checks=(table_text_fits,),
    ),
    "task_card": TASK,
    "plan": Shape(
        required={"title": string(3000)},
        optional={**BLOCK, "tasks": items(typed({"task_card": TASK}, "a task"), 0, 50)},
        checks=(distinct_task_ids,),
    ),
    "alert": Shape(
        required={"text": any_text(200)},
        optional={**BLOCK, "level": one_of("default", "info", "warning", "error", "success")},
    ),
    "card": CARD,
    "carousel": Shape(required={"elements": items(typed({"card": CARD}, "a card"), 1, 10)}, optional=BLOCK),
}
CHILDREN = {name: rule for name, rule in BLOCKS.items() if name not in {"alert", "carousel"}}
BLOCKS["container"] = Shape(
    required={"child_blocks": items(typed(CHILDREN, "a block"), 1, 10)},
    optional={
        **BLOCK,
        "title": plain_text(150),
        "rich_text_title": RICH_TEXT,
        "subtitle": any_text(150),
        "icon": typed({"image": IMAGE}, "an image"),
        "width": one_of("narrow", "standard", "wide", "full"),
        "is_collapsible": boolean,
        "default_collapsed": boolean,
        "has_header_divider": boolean,
    },
    checks=(needs_one_of("title", "rich_text_title"), divider_or_collapsible),
)

ANYWHERE = frozenset(
    {"section", "header", "context", "divider", "actions", "input", "rich_text", "image", "card"}
)
ON_SURFACE = {
    "message": frozenset(BLOCKS) - {"alert"},
    "modal": ANYWHERE | {"alert"},
    "home": ANYWHERE | {"table", "carousel", "container"},
}
"""Which blocks each surface takes."""
