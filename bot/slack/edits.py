"""Reading an edit form: what was typed, in the schema's types, or a sentence at the field."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, NoReturn, assert_never

from bot.approvals.approval import Action
from bot.approvals.borrowed import borrowed
from bot.approvals.decision import Arguments, Json
from bot.approvals.words import say
from bot.slack.fields import Field, Hidden, fields
from bot.slack.inputs import FALSE, NONE, TRUE, VALUE
from bot.slack.schemas import Kind

DEEPEST: Final = 200
"""Levels of nesting in typed JSON; far below what would exhaust the stack of whoever reads it next."""
_LONGEST_SENTENCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class FieldErrors:
    """What is wrong in a form: a sentence by `block_id`, as `response_action: errors` takes it."""

    by_block: Mapping[str, str]


class _WrongError(ValueError):
    """The sentence for the field."""


_ABSENT: Final = object()
_NOTHING_HIDDEN: Final[Hidden] = {}


def read_edit(
    action: Action, values: Mapping[str, object], hidden: Hidden = _NOTHING_HIDDEN, prefix: str = ""
) -> Arguments | FieldErrors:
    """The arguments as the form leaves them; `hidden` and `prefix` as the form was drawn with.

    A field that was not touched keeps its value exactly, type and digits included, and so does one that is
    masked and was left empty; the order of the arguments stays. A field that was emptied becomes null or
    absent, as the schema allows.
    """
    read: dict[str, Json] = {}
    errors: dict[str, str] = {}
    for field in fields(action, hidden, prefix):
        try:
            value = _value(field, values)
        except _WrongError as wrong:
            errors[field.block_id] = str(wrong)[:_LONGEST_SENTENCE]
        else:
            if value is not _ABSENT:
                read[field.name] = value  # type: ignore[assignment]  # not the mark, so it is an argument
    return FieldErrors(errors) if errors else read


def errors_by_block(
    action: Action, problems: Mapping[str, str], hidden: Hidden = _NOTHING_HIDDEN, prefix: str = ""
) -> dict[str, str]:
    """Sentences by argument as sentences by input; what has no input is told at the first one.

    Empty if the form has no input at all.
    """
    inputs = [field for field in fields(action, hidden, prefix) if not field.kept]
    by_name = {field.name: field.block_id for field in inputs}
    told: dict[str, str] = {}
    for name, sentence in problems.items():
        block = by_name.get(name)
        if block is None and inputs:
            block, sentence = inputs[0].block_id, f"{name}: {sentence}" if name else sentence  # noqa: PLW2901 - told elsewhere
        if block is not None:
            told[block] = f"{told[block]} {sentence}" if block in told else sentence
    return {block: sentence[:_LONGEST_SENTENCE] for block, sentence in told.items()}


def typed(values: Mapping[str, object], block_id: str) -> str | None:
    """What an input holds, as text; None if it is empty. `ValueError` if it is not there or odd."""
    block = values.get(block_id)
    match block.get(VALUE) if isinstance(block, Mapping) else None:
        case {"type": "static_select" | "radio_buttons", "selected_option": {"value": text}}:
            told = None if text == NONE else text
        case {"type": "static_select" | "radio_buttons"}:
            told = None
        case {"type": "datepicker", "selected_date": told}:
            pass
        case {"value": told}:
            pass
        case Mapping():
            told = None
        case _:
            raise ValueError("not there")
    if not isinstance(told, str | None):
        raise TypeError("not a text")
    return told or None


def _value(field: Field, values: Mapping[str, object]) -> object:
    """The field's new value, or the mark for none."""
    before = field.value if field.present else _ABSENT
    if field.kept or field.block_id not in values:
        return before
    try:
        text = typed(values, field.block_id)
    except (ValueError, TypeError):
        _wrong(say("This could not be read; please type it again."))
    if (text or "").replace("\r\n", "\n") == field.initial:
        return before if field.present or not field.required else _empty(field)
    return _empty(field) if text is None else _parsed(field, text)


def _empty(field: Field) -> object:
    if field.expected.nullable:
        return None
    if not field.required:
        return _ABSENT
    return "" if field.kind is Kind.TEXT else _wrong(say("This needs a value."))


def _parsed(field: Field, text: str) -> Json:
    match field.kind:
        case Kind.TEXT:
            return text
        case Kind.INTEGER:
            return _integer(text)
        case Kind.NUMBER:
            return _number(text)
        case Kind.BOOLEAN:
            return text == TRUE if text in (TRUE, FALSE) else _wrong(say("Please choose one."))
        case Kind.CHOICE:
            return _choice(field, text)
        case Kind.DATE:
            return _date(text)
        case Kind.JSON:
            return _json(text)
        case _:
            assert_never(field.kind)


def _integer(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        _wrong(say("This needs a whole number."))


def _number(text: str) -> int | float:
    """An integer stays one: it may be larger than a float is exact."""
    try:
        return int(text.strip())
    except ValueError:
        pass
    try:
        number = float(text.strip())
    except ValueError:
        _wrong(say("This needs a number."))
    return number if math.isfinite(number) else _wrong(say("This needs a number that is not infinite."))


def _choice(field: Field, text: str) -> Json:
    choices = field.expected.choices
    known = {str(place): choice for place, choice in enumerate(choices)}
    return known[text] if text in known else _wrong(say("Please choose one."))


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        _wrong(say("This needs a date, such as 2026-01-31."))


def _json(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        _wrong(
            say(
                "This is not JSON: {problem} at line {line}, column {column}.",
                problem=borrowed(error.msg),
                line=error.lineno,
                column=error.colno,
            )
        )
    except _WrongError:
        raise
    except (ValueError, RecursionError):
        _wrong(say("This is not JSON that can be used: a number is too large, or it is nested too deeply."))
    if _depth(value) > DEEPEST:
        _wrong(say("This is nested more than {count} levels deep.", count=DEEPEST))
    return value


def _depth(value: Json) -> int:
    level, depth = [value], 0
    while level := [
        inner
        for part in level
        if isinstance(part, list | dict)
        for inner in (part.values() if isinstance(part, dict) else part)
    ]:
        depth += 1
    return depth


def _constant(name: str) -> NoReturn:
    _wrong(say("This is not JSON: {name} is not a number.", name=name))


def _wrong(sentence: str) -> NoReturn:
    raise _WrongError(sentence)
