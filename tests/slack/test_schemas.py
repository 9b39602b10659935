"""What a form makes of a JSON schema, case by case, and what it leaves to JSON."""

from typing import Any

import pytest

from bot.approvals.decision import Json
from bot.slack.schemas import (
    LONGEST_CHOICE,
    MOST_CHOICES,
    Expected,
    Kind,
    Schema,
    expected,
    kind_of_value,
    properties,
    required,
)

TEXT, JSON = Expected(kind=Kind.TEXT), Expected(kind=Kind.JSON)
LONG = Expected(kind=Kind.TEXT, is_long=True)
INTEGER = Expected(kind=Kind.INTEGER)
AN_INTEGER_OR_NOTHING = Expected(kind=Kind.INTEGER, nullable=True)
ROOT: Schema = {
    "$defs": {
        "word": {"type": "string", "description": "A word."},
        "again": {"$ref": "#/$defs/word"},
        "of/a~kind": {"type": "integer"},
        "loop": {"$ref": "#/$defs/loop"},
        "odd": [1, 2],
    }
}


def choice(*choices: Json, nullable: bool = False) -> Expected:
    return Expected(kind=Kind.CHOICE, choices=choices, nullable=nullable)


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string"}, TEXT),
        ({"type": "integer"}, INTEGER),
        ({"type": "number"}, Expected(kind=Kind.NUMBER)),
        ({"type": "boolean"}, Expected(kind=Kind.BOOLEAN)),
        ({"type": "string", "format": "date"}, Expected(kind=Kind.DATE)),
        ({"type": "integer", "format": "date"}, INTEGER),
        ({"type": "array"}, JSON),
        ({"type": "object"}, JSON),
        ({"type": 7}, JSON),
        ({}, JSON),
        ({"type": "null"}, Expected(kind=Kind.JSON, nullable=True)),
        ({"type": "string", "description": "Why."}, Expected(kind=Kind.TEXT, description="Why.")),
        ({"type": "string", "description": 7}, TEXT),
    ],
)
def test_a_type_has_its_field(schema: Schema, wanted: Expected) -> None:
    assert expected(schema, {}) == wanted


@pytest.mark.parametrize(
    ("said", "is_long"),
    [
        ({"format": "multiline"}, True),
        ({"format": "textarea"}, True),
        ({"format": "markdown"}, True),
        ({"format": "email"}, False),
        ({"contentMediaType": "text/html"}, True),
        ({"contentMediaType": 7}, False),
        ({"maxLength": 201}, True),
        ({"maxLength": 200}, False),
        ({"maxLength": "many"}, False),
        ({"minLength": 201}, True),
        ({"minLength": 200}, False),
    ],
)
def test_a_text_that_may_be_longer_than_200_or_is_markup_takes_several_lines(
    said: Schema,
    is_long: bool,  # noqa: FBT001 - a table
) -> None:
    assert expected({"type": "string", **said}, {}) == (LONG if is_long else TEXT)


def test_the_first_alternative_that_is_not_null_says_how_long() -> None:
    options = [{"type": "null"}, {"type": "string", "maxLength": 201}, {"type": "string"}]
    assert expected({"anyOf": options}, {}) == Expected(kind=Kind.TEXT, nullable=True, is_long=True)


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"enum": ["a", 1, 0.5]}, choice("a", 1, 0.5)),
        ({"type": "string", "enum": ["a"]}, choice("a")),
        ({"const": "a"}, choice("a")),
        ({"enum": ["a", None]}, choice("a", nullable=True)),
        ({"enum": [None]}, Expected(kind=Kind.JSON, nullable=True)),
        ({"const": None}, Expected(kind=Kind.JSON, nullable=True)),
        ({"enum": []}, JSON),
        ({"enum": "abc"}, JSON),
        ({"type": "string", "enum": "abc"}, JSON),
        ({"enum": ["a", ["b"]]}, JSON),
        ({"enum": ["a", ""]}, JSON),
        ({"enum": ["x" * LONGEST_CHOICE]}, choice("x" * LONGEST_CHOICE)),
        ({"enum": ["x" * (LONGEST_CHOICE + 1)]}, JSON),
        ({"enum": list(range(MOST_CHOICES - 1))}, choice(*range(MOST_CHOICES - 1))),
        ({"enum": list(range(MOST_CHOICES))}, JSON),
        ({"anyOf": [{"const": "a"}, {"enum": ["b", "c"]}]}, choice("a", "b", "c")),
        ({"oneOf": [{"const": "a"}, {"type": "null"}]}, choice("a", nullable=True)),
        ({"anyOf": [{"const": "a"}, {"type": "string"}]}, JSON),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string"}]}, JSON),
        ({"anyOf": [{"type": "string", "const": "a"}, {"type": "string"}]}, TEXT),
    ],
)
def test_up_to_99_short_values_are_a_choice_and_anything_else_is_json(
    schema: Schema, wanted: Expected
) -> None:
    assert expected(schema, {}) == wanted


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, AN_INTEGER_OR_NOTHING),
        ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, AN_INTEGER_OR_NOTHING),
        ({"oneOf": [{"type": "integer"}, {"enum": [None]}]}, AN_INTEGER_OR_NOTHING),
        ({"oneOf": [{"type": "integer"}, {"const": None}]}, AN_INTEGER_OR_NOTHING),
        ({"type": ["integer", "null"]}, AN_INTEGER_OR_NOTHING),
        ({"type": ["integer", "number"]}, Expected(kind=Kind.NUMBER)),
        ({"type": ["integer", "string"]}, JSON),
        ({"anyOf": [{"type": "integer"}, "odd"]}, JSON),
        ({"anyOf": [], "oneOf": [{"type": "integer"}]}, INTEGER),
        ({"anyOf": "odd", "type": "integer"}, INTEGER),
    ],
)
def test_of_several_types_there_is_one_field_if_one_fits_all(schema: Schema, wanted: Expected) -> None:
    assert expected(schema, {}) == wanted


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"$ref": "#/$defs/word"}, Expected(kind=Kind.TEXT, description="A word.")),
        ({"$ref": "#/$defs/again"}, Expected(kind=Kind.TEXT, description="A word.")),
        ({"$ref": "#/$defs/word", "description": "Mine."}, Expected(kind=Kind.TEXT, description="Mine.")),
        ({"$ref": "#/$defs/of~1a~0kind"}, INTEGER),
        ({"$ref": "#/$defs/nowhere"}, JSON),
        ({"$ref": "#/$defs/nowhere/else"}, JSON),
        ({"$ref": "#/$defs/odd"}, JSON),
        ({"$ref": "#/$defs/odd/0"}, JSON),
        ({"$ref": "#/$defs/loop"}, JSON),
        ({"$ref": 7, "type": "integer"}, INTEGER),
        ({"allOf": [{"$ref": "#/$defs/word"}]}, Expected(kind=Kind.TEXT, description="A word.")),
        (
            {"allOf": [{"$ref": "#/$defs/word"}], "description": "Mine."},
            Expected(kind=Kind.TEXT, description="Mine."),
        ),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, JSON),
        ({"allOf": [{"type": "string"}, {"type": "integer"}], "type": "integer"}, INTEGER),
        ({"allOf": ["odd"], "type": "integer"}, INTEGER),
        ({"allOf": "a", "type": "integer"}, INTEGER),
        ({"allOf": [], "type": "integer"}, INTEGER),
        (
            {"anyOf": [{"$ref": "#/$defs/word"}, {"type": "null"}]},
            Expected(kind=Kind.TEXT, nullable=True),
        ),
    ],
)
def test_a_reference_is_followed_and_its_own_words_win(schema: Schema, wanted: Expected) -> None:
    assert expected(schema, ROOT) == wanted


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, Kind.BOOLEAN),
        ("a", Kind.TEXT),
        (1, Kind.INTEGER),
        (0.5, Kind.NUMBER),
        (None, Kind.JSON),
        ([], Kind.JSON),
    ],
)
def test_without_a_schema_the_value_says_how_it_is_typed(value: Json, kind: Kind) -> None:
    assert kind_of_value(value) is kind


def test_what_a_schema_knows_and_needs_is_read_past_whatever_is_odd() -> None:
    odd: Any = {"properties": {"a": {"type": "string"}, "b": 7}, "required": ["a", 7]}
    assert (properties(odd), required(odd)) == ({"a": {"type": "string"}, "b": {}}, frozenset({"a"}))
    for none in (None, {}, {"properties": [], "required": "a"}):
        assert (properties(none), required(none)) == ({}, frozenset())
