"""The fields of an edit form and what is typed into them, at the borders."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.decision import Arguments, Json
from bot.slack.edits import DEEPEST, FieldErrors, errors_by_block, read_edit, typed
from bot.slack.fields import LONGEST_INITIAL, MOST_INPUTS, Field, as_typed, fields
from bot.slack.inputs import NONE, input_block, text_input
from bot.slack.schemas import Schema
from tests.slack.samples import action


def field(value: Json, schema: Schema | None = None, name: str = "x", **hidden: str) -> Field:
    asked = action(arguments={name: value}, schema={"properties": {name: schema}} if schema else None)
    [made] = fields(asked, hidden)
    return made


def hint(value: Json, schema: Schema | None = None, **hidden: str) -> str:
    drawn = input_block(field(value, schema, **hidden)).to_dict()
    return str(drawn.get("hint", {}).get("text", ""))


@pytest.mark.parametrize(
    ("name", "value", "is_long"),
    [
        ("x", "a" * 80, False),
        ("x", "a" * 81, True),
        ("x", "a\nb", True),
        ("x", "", False),
        ("Body", "", True),
        ("sql", "", True),
        ("sqlite", "", False),
        ("x", [], True),
        ("x", 1, False),
    ],
)
def test_a_field_has_several_lines_where_its_text_its_name_or_its_kind_needs_them(
    name: str,
    value: Json,
    is_long: bool,  # noqa: FBT001 - a table
) -> None:
    assert field(value, name=name).is_long is is_long


@pytest.mark.parametrize(
    ("value", "schema", "kind"),
    [
        (1, {"type": "integer"}, "INTEGER"),
        (True, {"type": "integer"}, "JSON"),
        ("1", {"type": "integer"}, "JSON"),
        (1.5, {"type": "number"}, "NUMBER"),
        (1, {"type": "number"}, "NUMBER"),
        (True, {"type": "number"}, "JSON"),
        (float("inf"), {"type": "number"}, "JSON"),
        ("1", {"type": "number"}, "JSON"),
        ("2026-01-31", {"type": "string", "format": "date"}, "DATE"),
        ("20260131", {"type": "string", "format": "date"}, "JSON"),
        ("today", {"type": "string", "format": "date"}, "JSON"),
        (7, {"type": "string", "format": "date"}, "JSON"),
        (1, {"type": "boolean"}, "JSON"),
        ("a", {"enum": ["a", 1]}, "CHOICE"),
        (True, {"enum": ["a", 1]}, "JSON"),
        (None, {"type": "integer"}, "INTEGER"),
        ([1], {"type": "array"}, "JSON"),
    ],
)
def test_a_value_that_is_not_what_its_schema_says_is_shown_as_json(
    value: Json, schema: Schema, kind: str
) -> None:
    assert field(value, schema).kind.name == kind


def test_only_an_empty_text_may_be_sent_empty_where_a_value_is_needed() -> None:
    values: list[Json] = ["", "a", 0, []]
    assert [field(value).may_be_empty for value in values] == [True, False, False, False]


@pytest.mark.parametrize(
    ("length", "kept"),
    [
        (LONGEST_INITIAL, ""),
        (LONGEST_INITIAL + 1, "3,001 characters are too many for a form"),
    ],
)
def test_what_is_longer_than_3000_characters_stays_as_it_is(length: int, kept: str) -> None:
    assert field("a" * length).kept == kept


def test_the_91st_input_and_what_does_not_fit_beside_the_others_stay_as_they_are() -> None:
    many = fields(action(arguments={f"a{number}": number for number in range(MOST_INPUTS + 1)}))
    assert [one.kept for one in many] == [""] * 90 + ["the form is full"]
    large = fields(action(arguments={f"a{number}": "x" * 3_000 for number in range(61)}))
    assert [one.kept for one in large] == [""] * 60 + ["the form is full"]


def test_json_is_written_with_letters_as_they_are_and_tight_if_it_gets_too_long() -> None:
    assert as_typed({"ä": ["ö"]}) == '{\n  "ä": [\n    "ö"\n  ]\n}'
    assert as_typed(["ü" * 2_992]) == f'[\n  "{"ü" * 2_992}"\n]'
    assert as_typed(["ü" * 2_993]) == f'["{"ü" * 2_993}"]'


def test_an_input_is_known_by_its_place_its_tool_and_whether_it_is_masked() -> None:
    asked = action(arguments={"a": 1, "b": 2})
    assert [one.block_id for one in fields(asked)] == ["argument.0", "argument.1"]
    ids = [one.block_id for one in fields(asked, {"b": "(masked)"}, "other")]
    assert ids == ["argument.other.0", "argument.other.1.masked"]


@pytest.mark.parametrize(
    ("value", "schema", "told"),
    [
        ("a", None, "Before: a"),
        ("a", {"type": "string", "description": " Why \u202e. "}, "Why ⟨U+202E⟩. Before: a"),
        ("a\u202e", None, "Holds invisible characters: a⟨U+202E⟩ Before: a⟨U+202E⟩"),
        ([1], None, "Written as JSON. Before: [1]"),
        ("a\nb", None, ""),
        ("\u202e" + "x" * 600, None, f"Holds invisible characters: ⟨U+202E⟩{'x' * 476}…"),
    ],
)
def test_below_a_field_stands_what_helps_to_fill_it_in(value: Json, schema: Schema, told: str) -> None:
    assert hint(value, schema) == told


def test_below_a_masked_field_stands_that_it_may_stay_empty() -> None:
    assert hint("secret", x="(masked)") == "Now (masked). Left empty, it stays as it is."
    assert hint("secret", x="y" * 501) == f"Now {'y' * 494}…. Left empty, it stays as it is."


def test_a_choice_has_an_option_for_nothing_only_where_it_may_be_left() -> None:
    def options(schema: Schema, **hidden: str) -> tuple[list[str], str]:
        element = input_block(field("x" * 75, schema, **hidden)).to_dict()["element"]
        texts = [one["text"]["text"] for one in element["options"]]
        return texts, element.get("initial_option", {}).get("value", "")

    wide = {"enum": ["x" * 75]}
    needed = action(arguments={"x": None}, schema={"properties": {"x": wide}, "required": ["x"]})
    [none] = fields(needed)
    drawn = input_block(none).to_dict()["element"]
    assert [one["text"]["text"] for one in drawn["options"]] == ["x" * 75]
    assert "initial_option" not in drawn
    assert options(wide) == (["x" * 75, "(no value)"], "0")
    assert options(wide, x="(masked)") == (["x" * 75, "(as it is)"], NONE)


def test_a_text_field_has_one_line_and_no_limit_unless_it_is_told() -> None:
    assert text_input().to_dict() == {"type": "plain_text_input", "action_id": "value", "multiline": False}


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"type": "plain_text_input", "value": "a"}, "a"),
        ({"type": "plain_text_input", "value": ""}, None),
        ({"type": "plain_text_input", "value": None}, None),
        ({"type": "static_select", "selected_option": {"value": "1"}}, "1"),
        ({"type": "radio_buttons", "selected_option": {"value": "1"}}, "1"),
        ({"type": "radio_buttons", "selected_option": {"value": NONE}}, None),
        ({"type": "static_select", "selected_option": None, "value": "odd"}, None),
        ({"type": "radio_buttons", "selected_option": None, "value": "odd"}, None),
        ({"type": "datepicker", "selected_date": "2026-01-31"}, "2026-01-31"),
        ({"type": "datepicker", "selected_date": None}, None),
        ({"type": "something"}, None),
    ],
)
def test_what_an_input_holds_is_read_as_slack_sends_it(state: dict[str, object], told: str | None) -> None:
    assert typed({"block": {"value": state}}, "block") == told


@pytest.mark.parametrize("block", [None, 7, {}, {"value": None}, {"other": {"value": "a"}}])
def test_an_input_that_is_not_there_or_odd_is_an_error(block: object) -> None:
    with pytest.raises(ValueError, match=r"^not there$"):
        typed({"block": block}, "block")
    with pytest.raises(TypeError, match=r"^not a text$"):
        typed({"block": {"value": {"value": 7}}}, "block")


def read(arguments: Arguments, schema: Schema | None, **state: object) -> object:
    values = {block.replace("_", "."): one for block, one in state.items()}
    read = read_edit(action(arguments=arguments, schema=schema), values)
    return read.by_block if isinstance(read, FieldErrors) else read


def text(value: object) -> dict[str, object]:
    return {"value": {"type": "plain_text_input", "value": value}}


def test_what_cannot_be_read_is_asked_for_again_at_its_field() -> None:
    told = {"argument.0": "This could not be read; please type it again."}
    assert read({"a": "x"}, None, argument_0=7) == told
    assert read({"a": "x"}, None, argument_0=text(7)) == told


def test_ends_of_lines_that_a_browser_makes_of_others_are_no_edit() -> None:
    assert read({"a": "x\ny"}, None, argument_0=text("x\r\ny")) == {"a": "x\ny"}


def test_a_needed_argument_that_was_not_given_and_stays_empty_is_asked_for() -> None:
    schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "string"}}}
    needed = {**schema, "required": ["a"]}
    assert read({}, needed, argument_0=text("")) == {"argument.0": "This needs a value."}
    assert read({}, {**schema, "required": ["b"]}, argument_1=text("")) == {"b": ""}
    assert read({}, schema, argument_0=text("")) == {}


def test_json_may_be_nested_two_hundred_levels_deep() -> None:
    def deep(levels: int, around: tuple[str, str]) -> object:
        written = around[0] * levels + "1" + around[1] * levels
        return read({"a": []}, None, argument_0=text(written))

    for around in (("[", "]"), ('{"k":', "}")):
        assert isinstance(deep(DEEPEST, around), dict)
        assert deep(DEEPEST, around) != {"argument.0": "This is nested more than 200 levels deep."}
        assert deep(DEEPEST + 1, around) == {"argument.0": "This is nested more than 200 levels deep."}


def test_an_error_finds_its_input_under_another_tool_too() -> None:
    asked = action(arguments={"a": 1})
    assert errors_by_block(asked, {"a": "No."}) == {"argument.0": "No."}
    assert errors_by_block(asked, {"a": "No."}, {}, "other") == {"argument.other.0": "No."}
    assert errors_by_block(asked, {"a": "No."}, {"a": "(masked)"}) == {"argument.0.masked": "No."}


def test_a_kind_that_nobody_knows_is_an_error_and_not_an_empty_input() -> None:
    odd: Any = "a kind of tomorrow"
    made = field("a", {"type": "string"})
    made = replace(made, expected=replace(made.expected, kind=odd), value=None)
    with pytest.raises(AssertionError, match=odd):
        input_block(made)
