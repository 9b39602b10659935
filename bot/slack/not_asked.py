"""What a thread is told of calls about which nobody is asked again, and a list of what is remembered."""

import hashlib
from typing import Final

from slack_sdk.models.blocks import ButtonElement, RichTextBlock, RichTextElement

from bot.approvals.action import Action, LetThrough, Remembered
from bot.approvals.approval import Approval
from bot.approvals.asked_again import InForce
from bot.approvals.asking import Asking
from bot.slack import buttons, verbs
from bot.slack.arguments import Drawn, as_text
from bot.slack.literal import date, in_line, person, plain, section
from bot.slack.message import Message, as_json
from bot.slack.requests import name
from bot.slack.text import escape, mention, moment
from bot.slack.votes import MOST_NAMED

MOST: Final = 10
"""Calls that are told one by one."""
CODE: Final = 8
"""Hexadecimal digits by which a person calls an approval that is remembered; hardly ever a word."""
_GLANCE: Final = 160
_REMEMBERED: Final = {
    Asking.ONCE: "Once approved and run, this call is not asked again in this conversation, as long as the "
    "arguments are the same.",
    Asking.ONCE_PER_TOOL: "Once approved and run, this tool is not asked again in this conversation, "
    "whatever its arguments.",
}


def not_asked(approval: Approval) -> Message:
    """A line for each call, and the way to be asked again."""
    told = [(action, because) for action in approval.actions if (because := _because(action))]
    lines = [_line(action, because) for action, because in told[:MOST]]
    if more := len(told) - len(lines):
        lines.append(section(plain(f"… and {more:,} more calls.", italic=True)))
    blocks = [RichTextBlock(elements=lines, block_id=f"{approval.version}.told")]
    again = {because.action: ask_again(action) for action, because in told[:MOST]}
    row = buttons.row([one for one in again.values() if one], f"{approval.version}.again")
    return Message(text=_sentence(told), blocks=as_json([*blocks, *row]))


def let_through(action: Action, outcome: LetThrough) -> Drawn:
    """On a card that asks about other calls: why nobody is asked about this one."""
    if outcome.because is None:
        told = plain("↪️ Let through by the policy", bold=True)
        return Drawn(elements=[section(told, plain(", nobody is asked about "), _tool(action))])
    lead = plain("↪️ Not asked again in this conversation", bold=True)
    return Drawn(elements=[section(lead, plain(": "), *_who_and_when(outcome.because))])


def ask_again(action: Action) -> ButtonElement | None:
    """To have people asked from the next call on; None where nothing is remembered, or no more."""
    because = _because(action)
    if because is None or because.taken_back:
        return None
    about = f"about {action.tool}"
    return buttons.button(verbs.ASK_AGAIN, "Ask again", because.action, about=about)


def will_be_remembered(action: Action) -> list[RichTextElement]:
    """What the approvers of an open call are told; nothing for an edit, which is never remembered."""
    if action.remembering is None or action.edition:
        return []
    return [section(plain(_REMEMBERED[action.remembering.asking], italic=True))]


def in_words(found: InForce) -> str:
    """One that is remembered, for a list in mrkdwn, with how to take it back."""
    tool = escape(in_line(found.action.tool, 60)[0])
    what = "with the same arguments"
    if found.action.remembering and found.action.remembering.asking is Asking.ONCE_PER_TOOL:
        what = "whatever its arguments"
    by = ", ".join(mention(vote.by) for vote in found.action.votes[:MOST_NAMED]) or mention(found.decided.by)
    told = f"• {tool}, {what}: approved by {by}, {moment(found.decided.at)}."
    return f"{told} `/agent forget {code(found)}` has people asked again."


def code(found: InForce) -> str:
    """How a person calls it."""
    return hashlib.sha256(found.action.id.encode()).hexdigest()[:CODE]


def _because(action: Action) -> Remembered | None:
    return action.outcome.because if isinstance(action.outcome, LetThrough) else None


def _line(action: Action, because: Remembered) -> RichTextElement:
    told = ", ".join(f"{key}: {as_text(value)[:_GLANCE]}" for key, value in action.arguments.items())
    shown = [plain(" "), plain(in_line(told, _GLANCE)[0], code=True)] if told.strip() else []
    lead = plain("↪️ Not asked again in this conversation: ")
    return section(lead, _tool(action), *shown, plain(" "), *_who_and_when(because))


def _who_and_when(because: Remembered) -> list[RichTextElement]:
    people = [part for id in because.by[:MOST_NAMED] for part in (plain(", "), person(id))][1:]
    more = len(because.by) - MOST_NAMED
    told = [plain("approved by "), *people, *([plain(f" and {more} more")] if more > 0 else [])]
    told += [plain(", "), date(because.at)]
    if because.taken_back:
        told += [plain(". From now on it is asked again, says "), person(because.taken_back)]
    return [*told, plain(".")]


def _tool(action: Action) -> RichTextElement:
    return plain(name(action), bold=True, code=True)


def _sentence(told: list[tuple[Action, Remembered]]) -> str:
    names = list(dict.fromkeys(escape(name(action)) for action, _ in told))[:MOST]
    return f"Not asked again in this conversation: {', '.join(names)}"
