"""More actions than fit on one card: a line for each that is decided, a count for the rest."""

from typing import Final

from slack_sdk.models.blocks import MarkdownTextObject, RichTextElement

from bot.approvals.approval import Action, Approval
from bot.approvals.decision import PAST, Decision, Edit, Reject, Respond, kind_of
from bot.slack.arguments import as_text
from bot.slack.headlines import names
from bot.slack.literal import date, in_line, person, plain, section
from bot.slack.requests import name

_NAME: Final = 40
_LINE: Final = 330
"""What the JSON of one finished line weighs without what was asked and said."""
_MOST_LINES: Final = 60


def decided(approval: Approval, room: int) -> list[RichTextElement]:
    """While some are open: who decided what, a line each."""
    done = [pair for pair in enumerate(approval.actions, 1) if pair[1].outcome]
    if not done:
        return []
    most = _MOST_LINES if room > 0 else 20
    parts = [part for number, action in done[:most] for part in _short_line(number, action)]
    if len(done) > most:
        parts.append(plain(f"… and {len(done) - most:,} more decided.\n"))
    parts.append(plain("Change of a decision: under View all.", italic=True))
    return [section(*parts)]


def ended(approval: Approval, room: int) -> list[RichTextElement]:
    """When nothing is open any more: what was asked, who decided what and when, a line each."""
    most = _MOST_LINES if room > 0 else 20
    told = approval.actions[:most]
    spare = max((room - _LINE * len(told)) // max(len(told), 1), 0) // 2
    lines = [section(*_line(number, action, spare)) for number, action in enumerate(told, 1)]
    if more := len(approval.actions) - len(told):
        lines.append(section(plain(f"… and {more:,} more, View all shows them.", italic=True)))
    return lines


def waiting(rest: list[Action]) -> MarkdownTextObject:
    """Those that are not on the card yet."""
    text = (
        f"{len(rest):,} more wait: {names(rest)}. They move up as these are decided; "
        "View all shows and decides every one."
    )
    return MarkdownTextObject(text=text, verbatim=True)


def _short_line(number: int, action: Action) -> list[RichTextElement]:
    if not action.outcome:
        return []
    past = PAST[kind_of(action.outcome.decision)]
    return [plain(f"{number}. {name(action, _NAME)} {past} by "), person(action.outcome.by), plain("\n")]


def _line(number: int, action: Action, spare: int) -> list[RichTextElement]:
    label = plain(f"{number}. {name(action, _NAME)}", bold=spare > _NAME)
    asked = _glance(
        ", ".join(f"{key}: {as_text(value)[:200]}" for key, value in action.arguments.items()), spare
    )
    if not action.outcome:
        return [label, *asked, plain(" not decided")]
    past = PAST[kind_of(action.outcome.decision)]
    said = _glance(_said(action.outcome.decision), spare)
    when = [plain(", "), date(action.outcome.at)]
    return [label, *asked, plain(f" {past} by "), person(action.outcome.by), *when, *said]


def _glance(text: str, room: int) -> list[RichTextElement]:
    if not text or room < _NAME:
        return []
    return [plain(" "), plain(in_line(text[:400], room)[0], code=True)]


def _said(decision: Decision) -> str:
    match decision:
        case Reject(reason=text) | Respond(message=text):
            return text
        case Edit(arguments=arguments):
            return ", ".join(f"{key}: {as_text(value)[:200]}" for key, value in arguments.items())
        case _:
            return ""
