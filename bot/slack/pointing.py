"""What the arguments of a call point at, drawn in our own part of the card: a line for each of it."""

from typing import Final

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.approval import Action
from bot.approvals.sayings import uttered
from bot.approvals.words import phrase, say
from bot.slack.arguments import Drawn
from bot.slack.literal import in_line, plain, section, worded

_LABEL: Final = phrase("Points at:")
_NEED: Final = 420
"""What the JSON around a line weighs."""
_LEAST: Final = 24


def points_at(action: Action, room: int) -> Drawn:
    """Everything that it points at, or why that is not known; what does not fit is not read yet."""
    referents = action.referents
    if referents is None:
        return Drawn(elements=[])
    if referents.problem:
        return Drawn(elements=[_unknown(uttered(referents.problem), room)])
    if not referents.texts:
        return Drawn(elements=[section(_label(), plain(say("nothing"), italic=True))])
    each = max((room // len(referents.texts) - _NEED) // 2, _LEAST)
    lines, cut = [], False
    for name, text in referents.texts.items():
        (what, shorter), (found, cropped) = in_line(name, each), in_line(text, each)
        lines.append(_line(what, found))
        cut = cut or shorter or cropped
    return Drawn(elements=lines, cut=cut, unread=cut)


def need(action: Action) -> int:
    """How much room that could use, roughly; nothing if there is nothing."""
    referents = action.referents
    if referents is None:
        return 0
    texts = [text for pair in referents.texts.items() for text in pair]
    return _NEED * max(len(referents.texts), 1) + 2 * sum(map(len, [*texts, uttered(referents.problem)]))


def _label() -> RichTextElement:
    return plain(f"{say(_LABEL)} ", italic=True)


def _line(name: str, text: str) -> RichTextElement:
    return section(
        _label(),
        plain(name or '""', code=True),
        plain(" → "),
        plain(text or '""', code=True),
    )


def _unknown(problem: str, room: int) -> RichTextElement:
    told = worded(
        "⚠️ What this points at could not be looked up: {problem}. "
        "So it cannot be approved as it is; the agent can ask again.",
        italic=True,
        problem=plain(in_line(problem.rstrip(". "), max(room - _NEED, _LEAST))[0] or "?", code=True),
    )
    return section(*told)
