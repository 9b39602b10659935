"""More actions than fit on one card: a line for each that is decided, a count for the rest.

Fifty people and times fit into one message as mrkdwn only, so here, and nowhere else on a card, the tool's
name and a glance at the arguments are escaped markup instead of rich text.
"""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from slack_sdk.models.blocks import MarkdownTextObject

from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough
from bot.approvals.decision import Arguments, Decision, Edit, Reject, Respond, kind_of
from bot.approvals.words import phrase, say
from bot.slack.arguments import as_text
from bot.slack.headlines import DECIDED, names, tool_names
from bot.slack.literal import LEAST, beginning, in_line
from bot.slack.text import code, moment
from bot.slack.votes import by_whom_in_words

TO_CHANGE: Final = phrase("_To change a decision of yours: View all._")

LONGEST: Final = 2_800
"""Characters in one text; Slack takes 3,000."""
_NAME: Final = 64
_GLANCE: Final = 80
_ROW: Final = 40
"""What a line weighs at least that tells the arguments alone."""
_LINE: Final = 130
"""What a line weighs without what was asked and said."""


def decided(approval: Approval, room: int) -> list[str]:
    """While some are open: who decided what and when, in texts of whole lines."""
    done = [pair for pair in enumerate(approval.actions, 1) if pair[1].outcome]
    if not done:
        return []
    can_change = any(action.id not in approval.closed for _, action in done)
    return _texts([*_lines(done, room), *([say(TO_CHANGE)] if can_change else [])])


def next_rows(approval: Approval, rest: Sequence[Action], room: int) -> list[str]:
    """Of a burst of one tool the calls that have no buttons yet: a line for each, if there is room."""
    if len({action.tool for action in approval.actions}) > 1 or len(rest) > room // _ROW:
        return []
    nothing = f" {say('No arguments.')}"
    numbers = {action.id: number for number, action in enumerate(approval.actions, 1)}
    spare = min(room // len(rest) - _ROW + LEAST, _GLANCE)
    return _texts(
        f"{numbers[action.id]}.{_glance(_listed(action.asked.arguments), spare) or nothing}"
        for action in rest
    )


def ended(approval: Approval, room: int) -> list[str]:
    """When nothing is open any more: what was asked, who decided what and when, in texts of whole lines."""
    return _texts(_lines(list(enumerate(approval.actions, 1)), room))


def waiting(rest: Sequence[Action]) -> MarkdownTextObject:
    """Those that are not on the card yet."""
    is_burst = len({action.tool for action in rest}) == 1
    text = say(
        "{count:,} more wait: {tools}. They move up as these are decided; "
        "View all shows and decides every one.",
        count=len(rest),
        tools=tool_names([rest[0].tool]) if is_burst else names(rest),
    )
    return MarkdownTextObject(text=text, verbatim=True)


def _lines(actions: Sequence[tuple[int, Action]], room: int) -> list[str]:
    most = max(room // _LINE, 10)
    told = actions[:most]
    spare = min(max(room // len(told) - _LINE, 0) // 2, _GLANCE)
    lines = [_line(number, action, spare) for number, action in told]
    if more := len(actions) - len(told):
        lines.append(say("… and {count:,} more, View all shows them.", count=more))
    return lines


def _line(number: int, action: Action, spare: int) -> str:
    asked = _glance(_listed(action.arguments), spare)
    call = f"{number}. {_code(action.tool, _NAME)}{asked}"
    match action.outcome:
        case None:
            return say("{call} not decided", call=call)
        case Decided(decision=decision, at=at) as made:
            past, who = say(DECIDED[kind_of(decision)]), by_whom_in_words(action, made)
            told = say("{call} {approved} by {who}, {at}", call=call, approved=past, who=who, at=moment(at))
            return f"{told}{_glance(_said(decision), spare)}"
        case Expired(at=at):
            return say("{call} expired {at}", call=call, at=moment(at))
        case LetThrough() as through:
            return f"{call} {through}"
        case _:
            assert_never(action.outcome)


def _glance(text: str, room: int) -> str:
    return f" {_code(beginning(text, _GLANCE * 2), room)}" if text and room >= LEAST else ""


def _code(text: str, room: int) -> str:
    return code(in_line(text.replace("`", "\u02cb"), room)[0])


def _said(decision: Decision) -> str:
    match decision:
        case Reject(reason=text) | Respond(message=text):
            return text
        case Edit(arguments=arguments, tool=tool):
            return f"{tool}: {_listed(arguments)}" if tool else _listed(arguments)
        case _:
            return ""


def _listed(arguments: Arguments) -> str:
    return ", ".join(
        f"{beginning(key, _GLANCE)}: {beginning(as_text(value), _GLANCE)}" for key, value in arguments.items()
    )


def _texts(lines: Iterable[str]) -> list[str]:
    """The lines, joined up to what one text holds."""
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + 1 + len(line) <= LONGEST:
            texts[-1] = f"{texts[-1]}\n{line}"
        else:
            texts.append(line)
    return texts
