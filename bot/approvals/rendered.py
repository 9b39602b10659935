"""What a tool told when people were asked: how its call is to be shown, in parts. Pure.

They are words about a call and never the call itself: the digest covers the arguments, which are one click
away. So they are small, and where one of them is not as it has to be, the ordinary rows are drawn.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, Self, TypeAlias, assert_never

from bot.approvals.decision import Arguments, Json
from bot.approvals.parts import Code, Fields, Link, Part, Scalar, Table, Text, Unfit, as_text, fit, texts_of
from bot.approvals.sayings import from_json, reworded, saying, to_json
from bot.approvals.words import phrase

MOST_PARTS: Final = 8
LARGEST: Final = 5_000
"""Characters of all parts together: a card has about 9,000 for everything."""
Words: TypeAlias = Callable[[str, str], str]
"""What becomes of a text; given with the name that it stands under, if it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a tool told when people were asked."""

    parts: tuple[Part, ...] = ()
    """Fit to be drawn; every value in them is a text."""
    problem: str = ""
    """Why there are none, in words that go on after `because`; empty if there are."""

    def to_json(self) -> dict[str, Json]:
        """As a JSON object, for a row."""
        return {"problem": to_json(self.problem)} if self.problem else {"parts": [*map(_to_json, self.parts)]}

    @classmethod
    def from_json(cls, told: Json) -> Self | None:
        """What `to_json` wrote; None if it is nothing of the kind."""
        match told:
            case {"problem": kept} if problem := from_json(kept):
                return cls(problem=problem)
            case {"parts": list(parts)} if parts:
                return cls(parts=tuple(map(_from_json, parts)))
            case _:
                return None

    def reworded(self, words: Words) -> Self:
        """With each text put through `words`; an address in which it changes anything is only told."""
        parts = tuple(_reworded(part, words) for part in self.parts)
        return type(self)(parts=parts, problem=reworded(self.problem, partial(words, "")))


class Presents(Protocol):
    """What tools say of how their calls are to be shown."""

    def renders(self, tool: str) -> bool:
        """Whether the tool says it."""

    async def rendered(self, tool: str, arguments: Arguments, *, within: float) -> Rendered | None:
        """The parts, or why there are none within so many seconds; None if the tool never says it."""


TOO_MANY: Final = phrase("`render` gave {count} parts, and 1 to {most} can be shown")


def as_parts(told: object) -> Rendered:
    """What a team's function gave, as parts that can be drawn, or why it is none."""
    many = told if isinstance(told, list | tuple) else [told]
    if not 0 < len(many) <= MOST_PARTS:
        return Rendered(problem=saying(TOO_MANY, count=len(many), most=MOST_PARTS))
    try:
        parts = tuple(map(fit, many))
    except Unfit as unfit:
        return Rendered(problem=unfit.args[0])
    texts = [text for part in parts for text in texts_of(part)]
    if sum(map(len, texts)) > LARGEST:
        return Rendered(problem=saying("`render` gave more than {most:,} characters", most=LARGEST))
    if any("\ud800" <= letter <= "\udfff" for text in texts for letter in text):
        return Rendered(problem=saying("`render` gave half a character"))
    return Rendered(parts=parts)


def _reworded(part: Part, words: Words) -> Part:
    match part:
        case Text(text):
            return Text(words("", text))
        case Code(text):
            return Code(words("", text))
        case Fields(fields):
            return Fields(_reworded_fields(fields, words))
        case Link(label, url):
            told = words("", url)
            return Link(words("", label), url) if told == url else Text(f"{words('', label)}: {told}")
        case Table(columns, rows):
            told_rows = (
                tuple(words(name, as_text(cell)) for name, cell in zip(columns, row, strict=True))
                for row in rows
            )
            return Table(tuple(words("", name) for name in columns), tuple(told_rows))
        case _:
            assert_never(part)


def _reworded_fields(fields: Mapping[str, Scalar], words: Words) -> dict[str, Scalar]:
    told: dict[str, Scalar] = {}
    for name, value in fields.items():
        label = words("", name)
        while label in told:  # nothing disappears because it looks the same
            label = f"{label}'"
        told[label] = words(name, as_text(value))
    return told


def _to_json(part: Part) -> Json:
    match part:
        case Text(text):
            return {"text": text}
        case Code(text):
            return {"code": text}
        case Fields(fields):
            return {"fields": [[name, as_text(value)] for name, value in fields.items()]}
        case Link(label, url):
            return {"link": url, "label": label}
        case Table(columns, rows):
            return {"table": [[*map(as_text, row)] for row in (columns, *rows)]}
        case _:
            assert_never(part)


def _from_json(told: Json) -> Part:
    match told:
        case {"code": str(text)}:
            return Code(text)
        case {"fields": list(pairs)}:
            return Fields({str(pair[0]): str(pair[1]) for pair in pairs if isinstance(pair, list)})
        case {"link": str(url), "label": str(label)}:
            return Link(label, url)
        case {"table": [list(columns), *rows]}:
            told_rows = tuple(tuple(map(str, row)) for row in rows if isinstance(row, list))
            return Table(tuple(map(str, columns)), told_rows)
        case {"text": str(text)}:
            return Text(text)
        case _:
            return Text("?")


def shown_texts(parts: Iterable[Part]) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The texts that stand there by themselves, and the values by their names."""
    texts = {part.text for part in parts if isinstance(part, Text | Code)}
    rows = {
        (name, as_text(value))
        for part in parts
        if isinstance(part, Fields)
        for name, value in part.fields.items()
    }
    return frozenset(texts), frozenset(rows)
