"""The fields of an edit form: one per argument, in the order of the arguments, then what the schema adds.

A field is known by its place in that order, so the form that is drawn and the form that is read are the same
as long as the action is, and an argument's name may be anything.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, TypeAlias

from bot.approvals.approval import Action
from bot.approvals.decision import Json
from bot.approvals.words import say
from bot.slack.schemas import Expected, Kind, expected, kind_of_value, properties, required
from bot.slack.text import units, weight

LONGEST_INITIAL: Final = 3_000
"""Characters that an input can start with."""
MOST_INPUTS: Final = 90
"""Inputs in one form; a view takes 100 blocks."""
LARGEST_FORM: Final = 180_000
"""Characters of all initial values together; a view takes 250 kB."""
_LONG: Final = 80
_LONG_BY_NAME: Final = frozenset(
    {"body", "code", "content", "message", "prompt", "query", "script", "sql", "text"}
)
_UNTYPABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that do not survive an input field; a carriage return is one of them."""
Hidden: TypeAlias = Mapping[str, str]
"""What is told in place of the arguments that nobody is shown, by name."""
_NOTHING_HIDDEN: Final[Hidden] = {}
_PLAIN_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument as a form shows it."""

    index: int
    name: str
    expected: Expected
    required: bool
    present: bool
    """Whether the agent gave this argument."""
    value: Json = None
    kept: str = ""
    """Why it cannot be edited here; empty if it can."""
    masked: str = ""
    """What is told in place of a value that nobody is shown; empty for any other."""
    prefix: str = ""
    """Tells it from the fields of a form for another tool."""

    @property
    def block_id(self) -> str:
        """Where its input is in the form.

        One that starts empty is told from one that does not: read as the other, it would lose its value.
        """
        of = f"{self.prefix}." if self.prefix else ""
        return f"argument.{of}{self.index}{'.masked' if self.masked else ''}"

    @property
    def kind(self) -> Kind:
        """How it is typed in: as the schema says, or as JSON if its value is not what the schema says."""
        return self.expected.kind if _fits(self.value, self.expected) else Kind.JSON

    @property
    def may_be_empty(self) -> bool:
        """Whether the form can be sent without it."""
        if self.masked or not self.required or self.expected.nullable:
            return True
        return self.kind is Kind.TEXT and self.value == ""

    @property
    def initial(self) -> str:
        """What stands in the input at first; nothing for null, for what is absent, and for what is masked."""
        match self.kind:
            case _ if self.masked:
                return ""
            case _ if self.value is None and (not self.present or self.expected.nullable):
                return ""
            case Kind.TEXT | Kind.DATE:
                return str(self.value)
            case Kind.CHOICE:
                return str(_place(self.value, self.expected.choices))
            case _:
                return as_typed(self.value)

    @property
    def is_long(self) -> bool:
        """Whether it needs several lines."""
        if self.kind is Kind.JSON:
            return True
        by_name = self.name.lower() in _LONG_BY_NAME
        return self.expected.is_long or by_name or "\n" in self.initial or len(self.initial) > _LONG

    @property
    def is_plain_number(self) -> bool:
        """Whether a number field can hold it; huge numbers and exponents go into a text field."""
        return not self.initial or _PLAIN_NUMBER.fullmatch(self.initial) is not None


def fields(action: Action, hidden: Hidden = _NOTHING_HIDDEN, prefix: str = "") -> tuple[Field, ...]:
    """All fields of an action's edit form."""
    known, needed = properties(action.schema), required(action.schema)
    names = [*action.arguments, *(name for name in known if name not in action.arguments)]
    room, inputs = LARGEST_FORM, 0
    made: list[Field] = []
    for index, name in enumerate(names):
        field = _field(action, index, name, known, needed)
        field = replace(field, masked=hidden.get(name, ""), prefix=prefix)
        why = _kept(field, room, inputs)
        if not why:
            room, inputs = room - weight(field.initial), inputs + 1
        made.append(replace(field, kept=why))
    return tuple(made)


def as_typed(value: Json) -> str:
    """A value as JSON that a person can edit."""
    wide = json.dumps(value, ensure_ascii=False, indent=2)
    return wide if units(wide) <= LONGEST_INITIAL else json.dumps(value, ensure_ascii=False)


def _field(
    action: Action, index: int, name: str, known: Mapping[str, Mapping[str, Json]], needed: frozenset[str]
) -> Field:
    value = action.arguments.get(name)
    present = name in action.arguments
    if name in known:
        wanted = expected(known[name], action.schema or {})
    else:
        wanted = Expected(kind=kind_of_value(value))
    is_required = name in needed or (present and name not in known)
    return Field(index=index, name=name, expected=wanted, required=is_required, present=present, value=value)


def _kept(field: Field, room: int, inputs: int) -> str:
    if units(field.initial) > LONGEST_INITIAL:
        return say("{count:,} characters are too many for a form", count=units(field.initial))
    if _UNTYPABLE.search(field.initial):
        return say("it holds characters that nobody can type")
    if inputs >= MOST_INPUTS or weight(field.initial) > room:
        return say("the form is full")
    return ""


def _fits(value: Json, wanted: Expected) -> bool:
    """Whether a value can be shown as what the schema says; nothing at all always can."""
    if value is None:
        return True
    match wanted.kind:
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case Kind.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        case Kind.BOOLEAN:
            return isinstance(value, bool)
        case Kind.CHOICE:
            return _place(value, wanted.choices) is not None
        case Kind.DATE:
            return isinstance(value, str) and _is_date(value)
        case Kind.JSON:
            return True


def _place(value: Json, choices: tuple[Json, ...]) -> int | None:
    same = (place for place, choice in enumerate(choices) if type(choice) is type(value) and choice == value)
    return next(same, None)


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
