"""A call at a glance: the tool, and the one or two arguments that tell what it is about. Literal, short."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.action import Action
from bot.approvals.decision import Arguments, Json
from bot.approvals.masking import Masked
from bot.approvals.words import say
from bot.slack.arguments import as_text
from bot.slack.literal import in_line, plain
from bot.slack.text import breadth, code, entities

TELLING: Final = (
    "path", "file", "file_path", "filename", "question", "url", "host", "server", "database", "table",
    "repository", "repo", "branch", "environment", "env", "service", "namespace", "account", "customer",
    "to", "recipient", "recipients", "channel", "user", "user_id", "name", "id", "subject", "title",
    "amount", "statement", "sql", "query", "command",
)  # fmt: skip
"""Names of arguments that say what a call is done to, the most telling first."""
MOST_TOLD: Final = 2
"""Arguments of one call that are told."""
_VALUE: Final = 48
"""Columns of a value at most."""
_NAME: Final = 24
_LOOKED_AT: Final = 400
"""Characters of a value that are looked at."""


class Told(NamedTuple):
    """One argument: its name, where its value alone would not say enough, and its value."""

    name: str
    value: str
    ours: bool
    """Whether the value is our own words, because nothing of the real one can be seen."""
    is_plain: bool
    """Whether it can stand among words of ours: it names something, or it is a number."""


def told(action: Action, room: int = _VALUE) -> tuple[Told, ...]:
    """What is told of a call's arguments, each within so many columns."""
    arguments = action.arguments
    names = _chosen(arguments)
    alone = len(names) == 1 and (len(arguments) == 1 or names[0].lower() in TELLING)
    return tuple(
        _told("" if alone else name, arguments[name], room, is_named=name.lower() in TELLING)
        for name in names
    )


def in_words(action: Action, room: int = _VALUE) -> str:
    """The tool with what is told of its arguments, on one line; not escaped.

    Words have no boxes that would keep the agent's apart from ours. So of arguments that hold anything at
    all, nothing is told here.
    """
    told_here = (one for one in told(action, room) if one.is_plain)
    parts = (f"{one.name}: {one.value}" if one.name else one.value for one in told_here)
    return " ".join([tool_of(action), say(", ").join(parts)]).strip()


def drawn(action: Action) -> Iterator[RichTextElement]:
    """The same as pieces of a line."""
    yield plain(tool_of(action), bold=True, code=True)
    for number, one in enumerate(told(action)):
        yield plain(say(", ") if number else " ")
        if one.name:
            yield plain(f"{one.name}: ")
        yield plain(one.value, italic=True) if one.ours else plain(one.value, code=True)


def marked_up(action: Action) -> str:
    """The same in mrkdwn, escaped; what is the agent's stands in boxes."""
    values = (f"{entities(one.name)}: {_boxed(one)}" if one.name else _boxed(one) for one in told(action))
    return f"*{entities(tool_of(action))}* {say(', ').join(values)}".strip()


def _boxed(one: Told) -> str:
    return entities(one.value) if one.ours else code(one.value)


def tool_of(action: Action) -> str:
    """The tool's name for the middle of a sentence; not escaped."""
    return in_line(action.tool, 60)[0] or '""'


def _chosen(arguments: Arguments) -> list[str]:
    """The names, in the order of the arguments: those that tell most, else the first that are short."""
    known = sorted((name for name in arguments if name.lower() in TELLING), key=_rank)
    shown = [name for name in known if not _is_hidden(arguments[name])] or known
    short = [name for name in arguments if _is_short(arguments[name])]
    picked = (shown or short or list(arguments)[:1])[:MOST_TOLD]
    return [name for name in arguments if name in picked]


def _rank(name: str) -> int:
    return TELLING.index(name.lower())


def _is_hidden(value: Json) -> bool:
    return isinstance(value, Masked) and value.whole


def _is_short(value: Json) -> bool:
    is_word = isinstance(value, str) and len(value) <= _VALUE and "\n" not in value and not _is_hidden(value)
    return is_word or (isinstance(value, int | float) and not isinstance(value, bool))


def _told(name: str, value: Json, room: int, *, is_named: bool) -> Told:
    label = _short(name, _NAME) if name else ""
    ours = _is_hidden(value)
    text = as_text(value) if ours else _short(as_text(value), room)  # half a mask says nothing
    return Told(label, text, ours=ours, is_plain=ours or is_named or not isinstance(value, str))


def _short(text: str, room: int) -> str:
    line, cut = in_line(text[:_LOOKED_AT], room, breadth)
    return (line if cut or len(text) <= _LOOKED_AT else f"{line}…") or '""'
