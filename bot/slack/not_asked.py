"""What a thread is told of calls about which nobody is asked again, and a list of what is remembered."""

import hashlib
from collections.abc import Sequence
from typing import Final

from slack_sdk.models.blocks import Block, ButtonElement, RichTextBlock, RichTextElement

from bot.approvals.action import Action, LetThrough, Remembered
from bot.approvals.approval import Approval
from bot.approvals.asking import Asking
from bot.approvals.ids import ActionId
from bot.approvals.taking_back import InForce
from bot.approvals.words import listed, phrase, say, say_many
from bot.slack import buttons, verbs
from bot.slack.arguments import Drawn, as_text
from bot.slack.literal import beginning, date, enumerated, in_between, in_line, person, plain, section, worded
from bot.slack.message import Blocks, Message, as_json, size
from bot.slack.requests import name
from bot.slack.text import clip, entities, moment
from bot.slack.votes import AND_MORE, MOST_NAMED, by_whom_in_words

LARGEST: Final = 12_000
"""Characters of JSON in one message; Slack fails near 13,200."""
_ROOMS: Final = ((10, 160), (10, 40), (5, 40), (2, 0))
"""Calls that are told one by one, and characters of the arguments of each; from generous to tight."""
_LONGEST: Final = 2_500
CODE: Final = 8
"""Hexadecimal digits by which a person calls an approval that is remembered; hardly ever a word."""
_REMEMBERED: Final = {
    Asking.ONCE: phrase(
        "Once approved and run, this call is not asked again in this conversation, as long as the "
        "arguments are the same."
    ),
    Asking.ONCE_PER_TOOL: phrase(
        "Once approved and run, this tool is not asked again in this conversation, whatever its arguments."
    ),
}


def not_asked(approval: Approval) -> Message:
    """A line for each call, as many as fit, and the way to be asked again."""
    told = [(action, because) for action in approval.actions if (because := _because(action))]
    drawings = (_drawn(approval, told, most, glance) for most, glance in _ROOMS)
    blocks = next(blocks for blocks in drawings if size(blocks) <= LARGEST)
    return Message(text=_sentence(told), blocks=blocks)


def _drawn(approval: Approval, told: Sequence[tuple[Action, Remembered]], most: int, glance: int) -> Blocks:
    """Each approval that is remembered with its calls, and a button below them."""
    sources: dict[ActionId, list[tuple[Action, Remembered]]] = {}
    for action, because in told[:most]:
        sources.setdefault(because.action, []).append((action, because))
    blocks: list[Block] = []
    for number, calls in enumerate(sources.values()):
        stamp = f"{approval.version}.{number}"
        lines = [_line(action, because, glance) for action, because in calls]
        again = ask_again(calls[0][0])
        blocks.append(RichTextBlock(elements=lines, block_id=f"{stamp}.told"))
        blocks += buttons.row([again] if again else [], f"{stamp}.again")
    if (more := len(told) - most) > 0:
        others = say_many("… and {count:,} more call.", "… and {count:,} more calls.", more)
        rest = section(plain(others, italic=True))
        blocks.append(RichTextBlock(elements=[rest], block_id=f"{approval.version}.rest"))
    return as_json(blocks)


def let_through(action: Action, outcome: LetThrough) -> Drawn:
    """On a card that asks about other calls: why nobody is asked about this one."""
    if outcome.because is None:
        lead = plain(say("↪️ Let through by the policy"), bold=True)
        told = worded("{let_through}, nobody is asked about {tool}", let_through=lead, tool=_tool(action))
        return Drawn(elements=[section(*told)])
    lead = plain(say("↪️ Not asked again in this conversation"), bold=True)
    told = worded("{not_asked}: {approved}", not_asked=lead, approved=_who_and_when(outcome.because))
    return Drawn(elements=[section(*told)])


def ask_again(action: Action) -> ButtonElement | None:
    """To have people asked from the next call on; None where nothing is remembered, or no more."""
    because = _because(action)
    if because is None or because.taken_back:
        return None
    about = say("about {tool}", tool=name(action))
    return buttons.button(verbs.ASK_AGAIN, say("Ask again"), because.action, about=about)


def will_be_remembered(action: Action) -> list[RichTextElement]:
    """What the approvers of an open call are told; nothing for an edit, which is never remembered."""
    if action.remembering is None or action.edition:
        return []
    return [section(plain(say(_REMEMBERED[action.remembering.asking]), italic=True))]


def in_words(found: InForce) -> str:
    """One that is remembered, for a list in mrkdwn, with how to take it back."""
    words = phrase("• {tool}, with the same arguments: approved by {people}, {at}.")
    if found.action.remembering and found.action.remembering.asking is Asking.ONCE_PER_TOOL:
        words = phrase("• {tool}, whatever its arguments: approved by {people}, {at}.")
    told = say(
        words,
        tool=entities(in_line(found.action.tool, 60)[0]),
        people=by_whom_in_words(found.action, found.decided),
        at=moment(found.decided.at),
    )
    again = say("`/agent forget {code}` has people asked again.", code=code(found))
    return f"{told} {again}"


def code(found: InForce) -> str:
    """How a person calls it."""
    return hashlib.sha256(found.action.id.encode()).hexdigest()[:CODE]


def _because(action: Action) -> Remembered | None:
    return action.outcome.because if isinstance(action.outcome, LetThrough) else None


def _line(action: Action, because: Remembered, glance: int) -> RichTextElement:
    told = ", ".join(f"{key}: {beginning(as_text(value), glance)}" for key, value in action.arguments.items())
    shown = [plain(" "), plain(in_line(told, glance)[0], code=True)] if glance and told.strip() else []
    call, approved = [_tool(action), *shown], _who_and_when(because)
    line = worded("↪️ Not asked again in this conversation: {call} {approved}", call=call, approved=approved)
    return section(*line)


def _who_and_when(because: Remembered) -> Sequence[RichTextElement]:
    named = [[person(id)] for id in because.by[:MOST_NAMED]]
    more = len(because.by) - MOST_NAMED
    people = worded(AND_MORE, before=in_between(named), count=more) if more > 0 else enumerated(named)
    if not because.taken_back:
        return worded("approved by {people}, {at}.", people=people, at=date(because.at))
    return worded(
        "approved by {people}, {at}. From now on it is asked again, says {who}.",
        people=people,
        at=date(because.at),
        who=person(because.taken_back),
    )


def _tool(action: Action) -> RichTextElement:
    return plain(name(action), bold=True, code=True)


def _sentence(told: Sequence[tuple[Action, Remembered]]) -> str:
    names = dict.fromkeys(entities(name(action)) for action, _ in told)
    sentence = say("Not asked again in this conversation: {tools}.", tools=listed([*names]))
    return clip(sentence, _LONGEST)
