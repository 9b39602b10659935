"""What a JSON schema says about one argument, as far as a form can make use of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final, TypeAlias

from bot.approvals.decision import Json

Schema: TypeAlias = Mapping[str, Any]


class Kind(Enum):
    """How an argument is typed in."""

    TEXT = auto()
    INTEGER = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    CHOICE = auto()
    DATE = auto()
    JSON = auto()
    """Lists, objects, unions, and whatever does not fit its own schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What an argument may be."""

    kind: Kind
    nullable: bool = False
    choices: tuple[Json, ...] = ()
    description: str = ""
    is_long: bool = False
    """Whether the schema speaks of a longer text."""


_BY_TYPE: Final = {
    "string": Kind.TEXT,
    "integer": Kind.INTEGER,
    "number": Kind.NUMBER,
    "boolean": Kind.BOOLEAN,
}
MOST_CHOICES: Final = 100
LONGEST_CHOICE: Final = 75
_LONG: Final = 200
_MOST_REFERENCES: Final = 16


def expected(schema: Schema, root: Schema) -> Expected:
    """What a property's schema asks for; `root` holds the definitions that it refers to."""
    outer = _resolved(schema, root)
    options = [_resolved(option, root) for option in _alternatives(outer)]
    real = [option for option in options if not _is_null(option)]
    kind, choices = _together(real)
    first: Schema = real[0] if real else {}
    return Expected(
        kind=kind,
        nullable=len(real) < len(options) or None in choices,
        choices=tuple(choice for choice in choices if choice is not None),
        description=_text(outer, "description"),
        is_long=_text(first, "format") in ("multiline", "textarea", "markdown")
        or bool(_text(first, "contentMediaType"))
        or _is_over(first.get("maxLength"))
        or _is_over(first.get("minLength")),
    )


def kind_of_value(value: Json) -> Kind:
    """How a value is typed in that nothing is known about."""
    match value:
        case bool():
            return Kind.BOOLEAN
        case str():
            return Kind.TEXT
        case int():
            return Kind.INTEGER
        case float():
            return Kind.NUMBER
        case _:
            return Kind.JSON


def properties(schema: Schema | None) -> Mapping[str, Schema]:
    """The arguments that a schema knows, by name and in its order."""
    known = (schema or {}).get("properties")
    if not isinstance(known, Mapping):
        return {}
    return {name: part if isinstance(part, Mapping) else {} for name, part in known.items()}


def required(schema: Schema | None) -> frozenset[str]:
    """The arguments that a schema cannot do without."""
    names = (schema or {}).get("required")
    return (
        frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()
    )


def _together(options: list[Schema]) -> tuple[Kind, tuple[Json, ...]]:
    """One kind for all alternatives, and the values to choose from if it is a choice."""
    if options and all("enum" in option or "const" in option for option in options):
        choices = tuple(choice for option in options for choice in _choices(option))
        return (Kind.CHOICE, choices) if _can_be_chosen(choices) else (Kind.JSON, ())
    kinds = {_kind(option) for option in options}
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER, ()
    return (kinds.pop() if len(kinds) == 1 else Kind.JSON), ()


def _kind(option: Schema) -> Kind:
    if option.get("type") == "string" and option.get("format") == "date":
        return Kind.DATE
    named = option.get("type")
    return _BY_TYPE.get(named, Kind.JSON) if isinstance(named, str) and "enum" not in option else Kind.JSON


def _choices(option: Schema) -> list[Json]:
    if "const" in option:
        return [option["const"]]
    choices = option["enum"]
    return choices if isinstance(choices, list) else []


def _can_be_chosen(choices: tuple[Json, ...]) -> bool:
    real = [choice for choice in choices if choice is not None]
    return 0 < len(real) < MOST_CHOICES and all(
        isinstance(choice, str | int | float) and 0 < len(str(choice)) <= LONGEST_CHOICE for choice in real
    )


def _alternatives(schema: Schema) -> list[Schema]:
    for name in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(name), list) and options:
            return [option if isinstance(option, Mapping) else {} for option in options]
    if isinstance(types := schema.get("type"), list):
        return [{**schema, "type": named} for named in types]
    return [schema]


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema with its reference followed; its own words win over those it refers to."""
    for _ in range(_MOST_REFERENCES):
        inner = schema.get("allOf")
        if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], Mapping):
            schema = {**inner[0], **{name: part for name, part in schema.items() if name != "allOf"}}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        target = _found(reference, root)
        schema = {**target, **{name: part for name, part in schema.items() if name != "$ref"}}
    return {}


def _found(reference: str, root: Schema) -> Schema:
    part: object = root
    for step in reference.removeprefix("#/").split("/"):
        part = part.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(part, Mapping) else None
    return part if isinstance(part, Mapping) else {}


def _is_null(option: Schema) -> bool:
    return (
        option.get("type") == "null"
        or option.get("enum") == [None]
        or ("const" in option and option["const"] is None)
    )


def _is_over(length: object) -> bool:
    return isinstance(length, int) and length > _LONG


def _text(schema: Schema, name: str) -> str:
    text = schema.get(name)
    return text if isinstance(text, str) else ""
