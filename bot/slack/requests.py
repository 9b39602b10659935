"""One action request, drawn: the tool, its description and its arguments."""

from dataclasses import replace
from typing import Final

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.approval import Action, Approval
from bot.approvals.masking import without_repetition
from bot.approvals.thread import UNDESCRIBED
from bot.approvals.together import is_dangerous
from bot.approvals.words import phrase, say
from bot.slack.arguments import Drawn, as_text, doubts_about, drawn
from bot.slack.literal import LEAST, beginning, excerpt, in_line, plain, quoted, section
from bot.slack.pointing import points_at
from bot.slack.rendered import note, presented

DANGEROUS: Final = phrase("⚠️ Marked as dangerous")
DIGEST: Final = 8
"""Characters of the digest that people compare."""
LONGEST_NAME: Final = 80
TIGHT: Final = 500
"""With less room than this the arguments stand in one line."""
_DESCRIPTION: Final = 900
_GLANCE: Final = 120
"""What the JSON around that line weighs."""
_DEFAULT_PREFIX: Final = "Tool execution requires approval"
"""LangChain's own opening, which says nothing that the card does not say."""


def name(action: Action, room: int = LONGEST_NAME) -> str:
    """The tool's name, literal, for one line."""
    return in_line(action.tool, room)[0] or '""'


def description(action: Action) -> str:
    """The description without what LangChain puts around it: its opening, and the call once more."""
    told = without_repetition(action).removeprefix(_DEFAULT_PREFIX).strip()
    return say(UNDESCRIBED) if told == UNDESCRIBED else told


def number_of(approval: Approval, action: Action) -> int:
    """The action's number in its approval, from 1."""
    return [each.id for each in approval.actions].index(action.id) + 1


def title(action: Action, number: int, total: int) -> RichTextElement:
    """Which action it is."""
    which = say("{number} of {total}", number=number, total=total)
    place = [plain(f"{which}  ")] if total > 1 else []
    digest = say("digest {digest}", digest=in_line(action.digest[:DIGEST], 4 * DIGEST)[0])
    mark = [plain(f"\n{say(DANGEROUS)}", bold=True)] if is_dangerous(action) else []
    return section(
        *place, plain(name(action), bold=True, code=True), plain(f"  {digest}", italic=True), *mark
    )


def request(action: Action, number: int, total: int, room: int, *, table: bool = False) -> Drawn:
    """What is asked, within about this much room; with a table block only where there may be one."""
    if room < TIGHT:
        return _glance(action, number, total, room)
    parts = [title(action, number, total)]
    words = description(action)
    part = excerpt(words, min(max(room // 3, 120), _DESCRIPTION) if action.arguments else room)
    if words:
        parts += [section(plain(_label(action), italic=True)), *quoted(part)]
    what = _what(action, room - len(part.head) - len(part.tail), table=table, described=bool(words))
    warned, pointed = doubts_about(action.arguments, room), points_at(action, room)
    below = [*pointed.elements, *warned]
    return Drawn(
        elements=[*parts, *what.elements, *([] if what.table else below)],
        cut=bool(part.left_out) or what.cut or pointed.cut or bool(warned),
        unread=what.unread or pointed.unread,
        table=what.table,
        below=[*what.below, *below] if what.table else [],
    )


def _what(action: Action, room: int, *, table: bool, described: bool) -> Drawn:
    """The arguments, or the parts that the tool shows them by."""
    if told := presented(action, room, table=table):
        return Drawn(elements=told.above, cut=True, unread=not told.whole, table=told.table, below=told.below)
    why = note(action.briefing.rendered, drawn=False)
    if not action.arguments and described:
        return Drawn(elements=why)
    arguments = drawn(action.arguments, room)
    return replace(arguments, elements=[*why, *arguments.elements], cut=arguments.cut or bool(why))


def _glance(action: Action, number: int, total: int, room: int) -> Drawn:
    """The arguments in one line, as far as they go; of the description nothing."""
    parts, words, pointed = [title(action, number, total)], description(action), points_at(action, room)
    told = (
        ", ".join(f"{key}: {beginning(as_text(value), TIGHT)}" for key, value in action.arguments.items())
        or words
    )
    if told:
        line, cut = in_line(beginning(told, 2 * TIGHT), max(room - _GLANCE, LEAST))
        cut = (
            cut
            or len(told) > 2 * TIGHT
            or any(len(as_text(value)) > TIGHT for value in action.arguments.values())
        )
        warned = doubts_about(action.arguments, room)
        return Drawn(
            elements=[*parts, section(plain(line, code=True)), *pointed.elements, *warned],
            cut=cut or bool(words) or pointed.cut or bool(warned),
            unread=cut or pointed.unread,
        )
    parts.append(section(plain(say("No arguments."), italic=True)))
    return Drawn(elements=[*parts, *pointed.elements], cut=pointed.cut, unread=pointed.unread)


def _label(action: Action) -> str:
    if not action.arguments and "respond" in action.allowed:
        return say("The agent asks:")
    return say("The agent says:")
