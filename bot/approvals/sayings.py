"""Words that rows keep: sentences of ours that are written once and read later, by each in their language.

Whoever writes one does not know who reads it. So the row keeps the message of the catalogues and what is
filled into it, and it is said when it is drawn. As a string it is English, which is what the record keeps.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self, TypeAlias

from bot.approvals.decision import Json
from bot.approvals.words import phrase, say, say_many

Value: TypeAlias = str | int | float
"""What is filled in; words of ours among them are sayings themselves."""

OR: Final = phrase("{before} or {last}")
"""Between two of a list, for `joined`, as `AND` is."""


class Saying(str):
    """A sentence of ours in English, with what it takes to say it in another language."""

    __slots__ = ("many", "message", "values")
    message: str
    many: str
    """The message for every `count` but one; empty where no number changes the words."""
    values: Mapping[str, Value]

    @classmethod
    def of(cls, message: str, values: Mapping[str, Value], many: str = "") -> Self:
        """The message, and what is filled into it by `str.format`."""
        chosen = many if many and values["count"] != 1 else message
        made = cls(chosen.format(**values) if values else chosen)
        made.message, made.many, made.values = message, many, values
        return made


def saying(message: str, /, **values: Value) -> Saying:
    """What `say` would say, for a row."""
    return Saying.of(message, values)


def saying_many(one: str, many: str, count: int, /, **values: Value) -> Saying:
    """What `say_many` would say, for a row."""
    return Saying.of(one, {"count": count, **values}, many)


def uttered(text: str) -> str:
    """What a row keeps, in the language that is spoken; words that are not ours as they are."""
    if not isinstance(text, Saying):
        return text
    values = {name: _uttered(value) for name, value in text.values.items()}
    if not text.many:
        return say(text.message, **values)
    return say_many(text.message, text.many, int(values.pop("count")), **values)


def joined(between: str, each: Sequence[str]) -> str:
    """All of them, with the message `between` any two; empty for none. In halves, so that none is deep."""
    if len(each) < 2:  # noqa: PLR2004 - nothing to join
        return each[0] if each else ""
    half = len(each) // 2
    return saying(between, before=joined(between, each[:half]), last=joined(between, each[half:]))


def reworded(text: str, change: Callable[[str], str]) -> str:
    """With something done to what is filled in; of what is no saying, to all of it."""
    if not isinstance(text, Saying):
        return change(text)
    values = text.values.items()
    changed = {name: reworded(one, change) if isinstance(one, str) else one for name, one in values}
    return Saying.of(text.message, changed, text.many)


def to_json(text: str) -> Json:
    """As JSON, for a row."""
    if not isinstance(text, Saying):
        return text
    values = text.values.items()
    filled = {name: to_json(one) if isinstance(one, str) else one for name, one in values}
    return {"say": text.message, "with": filled, **({"many": text.many} if text.many else {})}


def from_json(kept: Json) -> str:
    """What `to_json` made; empty for what it never makes."""
    match kept:
        case {"say": str(message), "with": dict(values), **more}:
            filled = {name: _value(one) for name, one in values.items()}
            return Saying.of(message, filled, str(more.get("many", "")))
        case str():
            return kept
        case _:
            return ""


def _uttered(value: Value) -> Value:
    return uttered(value) if isinstance(value, str) else value


def _value(kept: Json) -> Value:
    return kept if isinstance(kept, int | float) else from_json(kept)
