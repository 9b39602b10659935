"""Small rules about JSON values, put together into the shapes of blocks and elements.

A rule takes a value and its JSON pointer and yields what is wrong. Lengths count UTF-16 units: Slack does not
say what it counts, and this is the larger number.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.sandbox.blocks.problem import Problem
from bot.sandbox.records import Json

Rule = Callable[[object, str], Iterator[Problem]]
Check = Callable[[Json, str], Iterator[Problem]]


def length(text: str) -> int:
    """The number of UTF-16 units of a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def problem(pointer: str, sentence: str) -> Problem:
    """Something that is wrong with a block."""
    return Problem(pointer=pointer, sentence=sentence)


def string(most: int, *, least: int = 1, pattern: str | None = None) -> Rule:
    """A string of `least` to `most` characters, perhaps of a given form."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield problem(pointer, "must be a string")
        elif length(value) > most:
            yield problem(pointer, f"must be less than {most + 1} characters")
        elif len(value) < least:
            yield problem(pointer, f"must be more than {least - 1} characters")
        elif pattern is not None and not re.fullmatch(pattern, value):
            yield problem(pointer, f"must look like {pattern}")

    return check


def boolean(value: object, pointer: str) -> Iterator[Problem]:
    """True or false."""
    if not isinstance(value, bool):
        yield problem(pointer, "must be a boolean")


def whole(least: int, most: int) -> Rule:
    """A whole number between two others, both included."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield problem(pointer, "must be an integer")
        elif not least <= value <= most:
            yield problem(pointer, f"must be between {least} and {most}")

    return check


def one_of(*values: str) -> Rule:
    """One of these words."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if value not in values:
            yield problem(pointer, f"must be one of {', '.join(values)}")

    return check


def items(rule: Rule, least: int, most: int) -> Rule:
    """A list of `least` to `most` values that each obey the rule."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield problem(pointer, "must be a list")
            return
        if len(value) > most:
            yield problem(pointer, f"no more than {most} items allowed [{len(value)} given]")
        if len(value) < least:
            yield problem(pointer, f"no fewer than {least} items allowed")
        for place, item in enumerate(value):
            yield from rule(item, f"{pointer}/{place}")

    return check


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object: its required and optional fields, and what holds between them; others are refused."""

    required: Mapping[str, Rule] = field(default_factory=dict)
    optional: Mapping[str, Rule] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()

    def __call__(self, value: object, pointer: str) -> Iterator[Problem]:
        """Yield what is wrong with the object."""
        if not isinstance(value, dict):
            yield problem(pointer, "must be an object")
            return
        known = {"type": _anything, **self.optional, **self.required}
        broken = False
        for name in self.required:
            if value.get(name) is None:
                broken = True
                yield problem(pointer, f"missing required field: {name}")
        for name, inner in value.items():
            if name not in known:
                yield problem(pointer, f"invalid additional property: {name}")
            elif inner is not None:
                for found in known[name](inner, f"{pointer}/{name}"):
                    broken = True
                    yield found
        if not broken:
            for check in self.checks:
                yield from check(value, pointer)


def typed(shapes: Mapping[str, Rule], what: str) -> Rule:
    """An object whose `type` says which of the shapes it has; other types are refused."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield problem(pointer, "must be an object")
            return
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in shapes:
            yield problem(pointer, f"unsupported type: {kind} is not {what} here")
        else:
            yield from shapes[kind](value, pointer)

    return check


def needs_one_of(*names: str) -> Check:
    """At least one of these fields has to be there."""

    def check(value: Json, pointer: str) -> Iterator[Problem]:
        if all(value.get(name) is None for name in names):
            yield problem(pointer, f"must have one of {', '.join(names)}")

    return check


def _anything(value: object, pointer: str) -> Iterator[Problem]:
    del value, pointer
    yield from ()
