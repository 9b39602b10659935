"""Messages and views as a whole."""

import json
from collections.abc import Iterator

from bot.sandbox.blocks.layout import BLOCKS, ON_SURFACE
from bot.sandbox.blocks.objects import plain_text
from bot.sandbox.blocks.problem import Problem
from bot.sandbox.blocks.rules import Shape, boolean, length, problem, string, typed
from bot.sandbox.records import Json

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
MESSAGE_TEXT = 40_000
BLOCKS_TEXT = 13_200
"""What all blocks of a message may measure as JSON; measured by others on the real Slack, not documented."""
MARKDOWN_TEXT = 12_000
VIEW_BYTES = 250_000


def submit_for_inputs(view: Json, pointer: str) -> Iterator[Problem]:
    """A modal with input blocks has to have a submit button."""
    if view.get("submit") is None and any(block["type"] == "input" for block in view["blocks"]):
        yield problem(pointer, "missing required field: submit, as there are input blocks")


VIEW_FIELDS = {
    "callback_id": string(255, least=0),
    "private_metadata": string(3000, least=0),
    "external_id": string(255, least=0),
}
MODAL = Shape(
    required={"title": plain_text(24), "blocks": lambda value, pointer: _blocks(value, pointer, "modal")},
    optional={
        **VIEW_FIELDS,
        "submit": plain_text(24),
        "close": plain_text(24),
        "clear_on_close": boolean,
        "notify_on_close": boolean,
        "submit_disabled": boolean,
    },
    checks=(submit_for_inputs,),
)
HOME = Shape(
    required={"blocks": lambda value, pointer: _blocks(value, pointer, "home")}, optional=VIEW_FIELDS
)
VIEW = typed({"modal": MODAL, "home": HOME}, "a view")


def check_message(blocks: list[Json] | None, text: str) -> list[Problem]:
    """Everything that Slack would refuse about a message; [] when it is fine."""
    problems: list[Problem] = []
    if not text.strip() and not blocks:
        problems.append(Problem(pointer="/text", sentence="there is no text", code="no_text"))
    if length(text) > MESSAGE_TEXT:
        sentence = f"must be less than {MESSAGE_TEXT + 1} characters"
        problems.append(Problem(pointer="/text", sentence=sentence, code="msg_too_long"))
    if blocks:
        problems += _blocks(blocks, "/blocks", "message")
        size = length(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")))
        if size > BLOCKS_TEXT:
            sentence = f"all blocks together measure {size}, more than {BLOCKS_TEXT}"
            problems.append(Problem(pointer="/blocks", sentence=sentence, code="msg_blocks_too_long"))
    return problems


def check_view(view: Json) -> list[Problem]:
    """Everything that Slack would refuse about a modal or Home view; [] when it is fine."""
    problems = list(VIEW(view, "/view"))
    size = len(json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode())
    if size > VIEW_BYTES:
        sentence = f"the view measures {size} bytes, more than {VIEW_BYTES}"
        problems.insert(0, Problem(pointer="/view", sentence=sentence, code="view_too_large"))
    return problems


def _blocks(value: object, pointer: str, surface: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield problem(pointer, "must be a list")
        return
    most = MESSAGE_BLOCKS if surface == "message" else VIEW_BLOCKS
    if len(value) > most:
        yield problem(pointer, f"no more than {most} items allowed [{len(value)} given]")
    rule = typed({name: BLOCKS[name] for name in ON_SURFACE[surface]}, f"a block of a {surface}")
    for place, block in enumerate(value):
        yield from rule(block, f"{pointer}/{place}")
    blocks = [block for block in value if isinstance(block, dict)]
    yield from _distinct_block_ids(blocks, pointer, set())
    if surface == "message":
        yield from _whole_message(blocks, pointer)


def _distinct_block_ids(blocks: list[Json], pointer: str, seen: set[str]) -> Iterator[Problem]:
    for place, block in enumerate(blocks):
        children = block.get("child_blocks")
        if isinstance(children, list):
            inner = [child for child in children if isinstance(child, dict)]
            yield from _distinct_block_ids(inner, f"{pointer}/{place}/child_blocks", seen)
        block_id = block.get("block_id")
        # Slack ignores the ids of markdown blocks; empty ids count as equal ones
        if not isinstance(block_id, str) or block.get("type") == "markdown":
            continue
        if block_id in seen:
            yield problem(f"{pointer}/{place}/block_id", f"`block_id` {block_id!r} already exists")
        seen.add(block_id)


def _whole_message(blocks: list[Json], pointer: str) -> Iterator[Problem]:
    markdown = sum(length(str(block.get("text"))) for block in blocks if block.get("type") == "markdown")
    if markdown > MARKDOWN_TEXT:
        yield problem(pointer, f"markdown blocks hold more than {MARKDOWN_TEXT} characters together")
    if sum(block.get("type") == "table" for block in blocks) > 1:
        yield problem(pointer, "only one table is allowed in a message")
    kinds = [block.get("type") for block in blocks]
    if "plan" in kinds and "task_card" in kinds:
        yield problem(pointer, "a message has a plan or task cards of their own, not both")
    for place, block in enumerate(blocks):
        if block.get("type") == "task_card" and block.get("status") == "pending":
            yield problem(f"{pointer}/{place}/status", "only a task of a plan may be pending")
