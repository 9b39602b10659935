"""Whatever JSON comes, the checks answer with problems and never raise."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.sandbox import check_message, check_view
from bot.sandbox.blocks.elements import ELEMENTS
from bot.sandbox.blocks.layout import BLOCKS
from bot.sandbox.blocks.rich_text import PIECES

Json = dict[str, Any]

NAMES = [
    "accessory", "action_id", "actions", "block_id", "child_blocks", "confirm", "element", "elements",
    "fields", "initial_option", "initial_options", "initial_value", "label", "option_groups", "options",
    "rows", "style", "submit", "tasks", "text", "title", "type", "value",
]  # fmt: skip
TYPES = [
    *BLOCKS,
    *ELEMENTS,
    *PIECES,
    "plain_text",
    "mrkdwn",
    "raw_text",
    "modal",
    "home",
    "rich_text_section",
]
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(TYPES)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=25,
)
OBJECTS = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    st.sampled_from(TYPES) | VALUES,
    st.dictionaries(
        st.sampled_from(NAMES), VALUES | st.builds(lambda kind: {"type": kind}, st.sampled_from(TYPES))
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(OBJECTS, max_size=4), st.text(max_size=3))
def test_any_blocks_are_judged(blocks: list[Json], text: str) -> None:
    for problem in check_message(blocks, text):
        assert problem.pointer.startswith("/")
        assert problem.sentence


@settings(max_examples=100, deadline=None)
@given(OBJECTS, st.lists(OBJECTS, max_size=3))
@example({}, [{"type": "card", "elements": True}])
@example({}, [{"type": "card", "elements": {"type": "section"}}])
@example({}, [{"type": "card", "elements": ["x", {"action_id": []}]}])
def test_any_view_is_judged(view: Json, blocks: list[Json]) -> None:
    for candidate in (
        view,
        {"type": "modal", "blocks": blocks, "title": view},
        {"type": "home", "blocks": blocks},
    ):
        assert all(problem.pointer.startswith("/view") for problem in check_view(candidate))
