# ruff: noqa: E501 - one row is one rule
from typing import Any

import pytest

from bot.sandbox import check_message, check_view
from tests.sandbox.raw_app import button, card, field, modal, option

Json = dict[str, Any]


def text(length: int, kind: str = "plain_text") -> Json:
    return {"type": kind, "text": "x" * length}


def section(**more: object) -> Json:
    return {"type": "section", "text": text(3), **more}


def actions(*elements: Json, **more: object) -> Json:
    return {"type": "actions", "elements": list(elements), **more}


def preformatted(length: int) -> Json:
    piece = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x" * length}]}
    return {"type": "rich_text", "elements": [piece]}


def select(**more: object) -> Json:
    return {"type": "static_select", "action_id": "a", "options": [option("a"), option("b")], **more}


CONFIRM = {"title": text(100), "text": text(300), "confirm": text(30), "deny": text(30), "style": "danger"}
CELL = {"type": "raw_text", "text": "x"}

GOOD: list[Json] = [
    section(text=text(3000), accessory=button("x" * 75, value="x" * 2000)),
    section(fields=[text(2000)] * 10) | {"text": None},
    {"type": "header", "text": text(150)},
    {"type": "context", "elements": [text(1, "mrkdwn") | {"verbatim": True}] * 10},
    {"type": "divider"},
    actions(*[button("x", f"a{n}") for n in range(25)]),
    actions({**button("x"), "style": "danger", "confirm": CONFIRM}),
    actions(select(initial_option=option("b"), placeholder=text(150))),
    actions({"type": "overflow", "action_id": "o", "options": [option("a")] * 5}),
    field("l", {"type": "multi_static_select", "options": [option("a")], "initial_options": [option("a")]}),
    field("l", {"type": "datepicker", "initial_date": "2026-01-31"}, hint=text(2000), optional=True),
    field("l", {"type": "number_input", "is_decimal_allowed": True, "min_value": "-1.5"}),
    preformatted(9000),
    {"type": "markdown", "text": "x" * 12_000},
    {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "a"},
    {"type": "table", "rows": [[CELL] * 20] * 100, "column_settings": [{"align": "right"}]},
    {
        "type": "plan",
        "title": "p",
        "tasks": [{"type": "task_card", "task_id": "1", "title": "t", "status": "pending"}],
    },
    {"type": "task_card", "task_id": "1", "title": "t", "status": "complete", "output": preformatted(5)},
    {"type": "card", "title": text(150), "body": text(200, "mrkdwn"), "actions": [button("x")]},
    {"type": "container", "title": text(150), "child_blocks": [section()] * 10, "is_collapsible": True},
    {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "f",
                "positive_button": {"text": text(75), "value": "1"},
                "negative_button": {"text": text(75), "value": "0"},
            }
        ],
    },
]


@pytest.mark.parametrize("block", GOOD, ids=lambda block: str(block["type"]))
def test_a_block_within_every_limit_is_taken(block: Json) -> None:
    # the table and the card with every option are large; their size is another rule
    problems = [problem for problem in check_message([block], "") if problem.code != "msg_blocks_too_long"]
    assert problems == []


BAD: list[tuple[str, Json, str]] = [
    ("section text 3001", section(text=text(3001)), "/blocks/0/text/text"),
    ("empty text", section(text=text(0)), "/blocks/0/text/text"),
    ("section without text or fields", {"type": "section"}, "/blocks/0"),
    ("field 2001", section(fields=[text(2001)]), "/blocks/0/fields/0/text"),
    ("eleven fields", section(fields=[text(1)] * 11), "/blocks/0/fields"),
    ("header 151", {"type": "header", "text": text(151)}, "/blocks/0/text/text"),
    ("header in mrkdwn", {"type": "header", "text": text(5, "mrkdwn")}, "/blocks/0/text"),
    ("emoji flag on mrkdwn", section(text=text(5, "mrkdwn") | {"emoji": True}), "/blocks/0/text"),
    ("eleven context elements", {"type": "context", "elements": [text(1)] * 11}, "/blocks/0/elements"),
    ("button in context", {"type": "context", "elements": [button("x")]}, "/blocks/0/elements/0"),
    ("26 actions", actions(*[button("x", f"a{n}") for n in range(26)]), "/blocks/0/elements"),
    ("no actions", actions(), "/blocks/0/elements"),
    ("button label 76", actions(button("x" * 76)), "/blocks/0/elements/0/text/text"),
    ("button value 2001", actions(button("x", value="x" * 2001)), "/blocks/0/elements/0/value"),
    ("button style", actions({**button("x"), "style": "default"}), "/blocks/0/elements/0/style"),
    ("action_id 256", actions(button("x", "a" * 256)), "/blocks/0/elements/0/action_id"),
    ("same action_id twice", actions(button("x"), button("y")), "/blocks/0/elements/1/action_id"),
    ("block_id 256", section(block_id="b" * 256), "/blocks/0/block_id"),
    ("confirm title 101", actions({**button("x"), "confirm": {**CONFIRM, "title": text(101)}}), "/blocks/0/elements/0/confirm/title/text"),
    ("confirm deny 31", actions({**button("x"), "confirm": {**CONFIRM, "deny": text(31)}}), "/blocks/0/elements/0/confirm/deny/text"),
    ("option text 76", actions(select(options=[option("x" * 76)])), "/blocks/0/elements/0/options/0/text/text"),
    ("option value 151", actions(select(options=[option("a") | {"value": "x" * 151}])), "/blocks/0/elements/0/options/0/value"),
    ("101 options", actions(select(options=[option("a")] * 101)), "/blocks/0/elements/0/options"),
    ("select without options", actions({"type": "static_select", "action_id": "a"}), "/blocks/0/elements/0"),
    ("foreign initial option", actions(select(initial_option=option("z"))), "/blocks/0/elements/0/initial_option"),
    ("six in overflow", actions({"type": "overflow", "options": [option("a")] * 6}), "/blocks/0/elements/0/options"),
    ("eleven checkboxes", actions({"type": "checkboxes", "options": [option("a")] * 11}), "/blocks/0/elements/0/options"),
    ("text input in actions", actions({"type": "plain_text_input"}), "/blocks/0/elements/0"),
    ("button as input", field("l", button("x")), "/blocks/0/element"),
    ("label 2001", field("x" * 2001, {"type": "plain_text_input"}) | {"block_id": "b"}, "/blocks/0/label/text"),
    ("initial value 3001", field("l", {"type": "plain_text_input", "initial_value": "x" * 3001}), "/blocks/0/element/initial_value"),
    ("initial value above max", field("l", {"type": "plain_text_input", "initial_value": "xxx", "max_length": 2}), "/blocks/0/element/initial_value"),
    ("number without decimal flag", field("l", {"type": "number_input"}), "/blocks/0/element"),
    ("number that is none", field("l", {"type": "number_input", "is_decimal_allowed": True, "initial_value": "x"}), "/blocks/0/element/initial_value"),
    ("date that is none", field("l", {"type": "datepicker", "initial_date": "31.1.2026"}), "/blocks/0/element/initial_date"),
    ("unknown block", {"type": "poem"}, "/blocks/0"),
    ("unknown element", actions({"type": "dial"}), "/blocks/0/elements/0"),
    ("unknown field in a block", section(colour="red"), "/blocks/0"),
    ("unknown field in an element", actions({**button("x"), "size": 3}), "/blocks/0/elements/0"),
    ("alert in a message", {"type": "alert", "text": text(5)}, "/blocks/0"),
    ("markdown 12001", {"type": "markdown", "text": "x" * 12_001}, "/blocks"),
    ("empty rich text", {"type": "rich_text", "elements": []}, "/blocks/0/elements"),
    ("empty text in rich text", preformatted(0), "/blocks/0/elements/0/elements/0/text"),
    ("table of 21 columns", {"type": "table", "rows": [[CELL] * 21]}, "/blocks/0/rows/0"),
    ("table of 101 rows", {"type": "table", "rows": [[CELL]] * 101}, "/blocks/0/rows"),
    ("table of 10001 characters", {"type": "table", "rows": [[{"type": "raw_text", "text": "x" * 5001}] * 2]}, "/blocks/0/rows"),
    ("lone pending task", {"type": "task_card", "task_id": "1", "title": "t", "status": "pending"}, "/blocks/0/status"),
    ("card with four buttons", {"type": "card", "actions": [button("x", str(n)) for n in range(4)]}, "/blocks/0/actions"),
    ("collapsible with divider", {"type": "container", "title": text(1), "child_blocks": [section()], "is_collapsible": True, "has_header_divider": True}, "/blocks/0/has_header_divider"),
    ("image without alt text", {"type": "image", "image_url": "https://example.com/a.png"}, "/blocks/0"),
    ("emoji count twice", section(text={"type": "plain_text", "text": "😀" * 1501}), "/blocks/0/text/text"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "pointer"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_block_beyond_a_limit_is_refused_at_its_place(block: Json, pointer: str) -> None:
    problems = check_message([block], "text")
    assert [problem.pointer for problem in problems if problem.code == "invalid_blocks"] == [pointer]


def test_a_message_takes_fifty_blocks_and_not_one_more() -> None:
    assert check_message([{"type": "divider"}] * 50, "") == []
    assert [problem.pointer for problem in check_message([{"type": "divider"}] * 51, "")] == ["/blocks"]


def test_all_blocks_of_a_message_together_have_a_size() -> None:
    assert check_message([preformatted(13_000)], "") == []
    assert [problem.code for problem in check_message([preformatted(13_100)] * 2, "")] == [
        "msg_blocks_too_long"
    ]


def test_markdown_blocks_share_their_limit() -> None:
    [problem] = check_message([{"type": "markdown", "text": "x" * 6001}] * 2, "")
    assert (problem.code, problem.pointer) == ("invalid_blocks", "/blocks")


def test_a_message_takes_one_table() -> None:
    assert len(check_message([{"type": "table", "rows": [[CELL]]}] * 2, "")) == 1


def test_block_ids_are_distinct_even_when_empty_or_inside_a_container() -> None:
    assert len(check_message([section(block_id="a"), section(block_id="a")], "")) == 1
    assert len(check_message([section(block_id=""), section(block_id="")], "")) == 1
    inside = {"type": "container", "title": text(1), "child_blocks": [section(block_id="a")]}
    assert len(check_message([section(block_id="a"), inside], "")) == 1


def test_a_message_needs_a_text_or_blocks() -> None:
    assert [problem.code for problem in check_message(None, " ")] == ["no_text"]
    assert [problem.code for problem in check_message([], "")] == ["no_text"]
    assert check_message(card("Approve"), "") == []
    assert [problem.code for problem in check_message(None, "x" * 40_001)] == ["msg_too_long"]


@pytest.mark.parametrize(
    ("view", "pointer"),
    [
        (modal(title=text(25)), "/view/title/text"),
        (modal(submit=text(25)), "/view/submit/text"),
        (modal(close=text(25)), "/view/close/text"),
        (modal(submit=None), "/view"),
        (modal(private_metadata="x" * 3001), "/view/private_metadata"),
        (modal(external_id="x" * 256), "/view/external_id"),
        (modal({"type": "markdown", "text": "x"}), "/view/blocks/0"),
        (modal({"type": "plan", "title": "x"}), "/view/blocks/0"),
        (modal(*[{"type": "divider"}] * 101), "/view/blocks"),
        (modal(field("a", {"type": "plain_text_input"}), section(block_id="a")), "/view/blocks/1/block_id"),
        (modal(colour="red"), "/view"),
        ({"type": "home", "blocks": [{"type": "alert", "text": text(3)}]}, "/view/blocks/0"),
        ({"type": "home", "blocks": [], "title": text(3)}, "/view"),
        ({"type": "poster", "blocks": []}, "/view"),
    ],
)
def test_a_view_beyond_a_limit_is_refused_at_its_place(view: Json, pointer: str) -> None:
    assert [problem.pointer for problem in check_view(view)] == [pointer]


def test_a_modal_takes_an_alert_and_a_hundred_blocks() -> None:
    alert = {"type": "alert", "text": text(200), "level": "warning"}
    assert check_view(modal(alert, *[{"type": "divider"}] * 99, submit=None)) == []


def test_a_view_of_more_than_250_kilobytes_is_too_large() -> None:
    view = modal(*[section(text=text(3000)) for _ in range(90)], submit=None)
    assert check_view(view)[0].code == "view_too_large"
