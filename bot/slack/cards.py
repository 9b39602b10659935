"""The card: one message that shows an approval in any of its states. A drawing of rows, nothing else.

A card has to fit into one Slack message, whatever the agent asks for. So it is drawn with plenty of room
first, and again with less, until it fits; what is left out is counted and is one click away.
"""

import json
from collections.abc import Iterator
from typing import Final

from slack_sdk.models.blocks import (
    Block,
    ButtonElement,
    ContextBlock,
    DividerBlock,
    HeaderBlock,
    MarkdownTextObject,
    PlainTextObject,
    RichTextBlock,
    RichTextElement,
)

from bot.approvals.approval import Action, Approval, State
from bot.approvals.ids import UserId
from bot.slack import buttons, verbs
from bot.slack.arguments import are_long, shares
from bot.slack.crowds import decided, ended, waiting
from bot.slack.headlines import headline, sentence
from bot.slack.literal import plain, section
from bot.slack.message import Blocks, Message, as_json, size
from bot.slack.outcomes import outcome
from bot.slack.requests import request
from bot.slack.text import clip, escape, mention, moment, weight

LARGEST: Final = 12_000
"""Characters of JSON in one card; Slack fails near 13,200."""
MOST_BLOCKS: Final = 50
MOST_DIVIDED: Final = 6
"""More actions than this have no line between them."""
MOST_WHOLE: Final = 12
"""Actions that are all drawn whole; of more, the open ones move up as others are decided."""
_ROOMS: Final = (9_600, 7_500, 5_500, 4_000, 2_500, 1_200)
"""Characters for all that is untrusted, from generous to tight, when every action is drawn whole."""
_CROWDED: Final = (
    (6_000, 8),
    (5_000, 6),
    (4_000, 6),
    (4_000, 4),
    (2_500, 3),
    (1_200, 2),
    (600, 1),
    (0, 1),
    (0, 0),
)
"""Where not all are: characters for all that is untrusted, and how many open actions are drawn whole."""


def card(approval: Approval, *, requester: UserId) -> Message:
    """The approval as a message: within Slack's limits, readable, with the buttons that are allowed now."""
    drawings = (
        _framed(approval, requester, middle, crowded=crowded) for middle, crowded in _middles(approval)
    )
    blocks = next(blocks for blocks in drawings if size(blocks) <= LARGEST and len(blocks) <= MOST_BLOCKS)
    return Message(text=sentence(approval, requester), blocks=blocks)


def _middles(approval: Approval) -> Iterator[tuple[list[Block], bool]]:
    """Drawings of the actions, each smaller than the one before, and whether some are not shown whole."""
    if len(approval.actions) <= MOST_WHOLE:
        for room in _ROOMS:
            yield _everyone(approval, room), False
    for room, whole in _CROWDED:
        yield _crowd(approval, room, whole), True


def _framed(approval: Approval, requester: UserId, middle: list[Block], *, crowded: bool) -> Blocks:
    stamp = approval.version
    top: list[Block] = [
        HeaderBlock(text=PlainTextObject(text=headline(approval), emoji=True), block_id=f"{stamp}.header"),
        ContextBlock(elements=[_asked(approval, requester)], block_id=f"{stamp}.asked"),
    ]
    if approval.state is State.WITHDRAWN:
        top.append(ContextBlock(elements=[_why(approval)], block_id=f"{stamp}.why"))
    bottom = [_view_every(approval)] if crowded else []
    if approval.state is State.WAITING:
        bottom.append(buttons.stop(approval.conversation))
    return as_json([*top, *middle, *buttons.row(bottom, f"{stamp}.all")])


def _asked(approval: Approval, requester: UserId) -> MarkdownTextObject:
    text = f"Asked by {mention(requester)}, {moment(approval.asked_at)}"
    return MarkdownTextObject(text=text, verbatim=True)


def _why(approval: Approval) -> MarkdownTextObject:
    note = clip(escape(approval.note or "the agent no longer waits for it"), 600)
    return MarkdownTextObject(text=f"Nothing more can be decided here: {note}", verbatim=True)


def _view_every(approval: Approval) -> ButtonElement:
    return buttons.button(verbs.VIEW_EVERY, "View all", approval.id, about="actions of this request")


def _everyone(approval: Approval, room: int) -> list[Block]:
    """Every action, whole."""
    rooms = shares([_need(action) for action in approval.actions], room)
    drawn: list[Block] = []
    for number, (action, share) in enumerate(zip(approval.actions, rooms, strict=True), 1):
        if number > 1 and len(approval.actions) <= MOST_DIVIDED:
            drawn.append(DividerBlock(block_id=f"{approval.version}.{number}.line"))
        drawn += _whole(approval, action, number, share)
    return drawn


def _crowd(approval: Approval, room: int, whole: int) -> list[Block]:
    """The first open actions whole, the decided ones in a line each, the others counted."""
    if approval.state is not State.WAITING:
        return _texts(approval, ended(approval, room))
    numbered = list(enumerate(approval.actions, 1))
    open_ones = [(number, action) for number, action in numbered if action.outcome is None]
    drawn = _texts(approval, decided(approval, room))
    for number, action in open_ones[:whole]:
        drawn += _whole(approval, action, number, room // max(whole, 1) // 2)
    if rest := [action for _, action in open_ones[whole:]]:
        drawn.append(ContextBlock(elements=[waiting(rest)], block_id=f"{approval.version}.rest"))
    return drawn


def _whole(approval: Approval, action: Action, number: int, room: int) -> list[Block]:
    """One action: what is asked, what was decided, what can be done now."""
    stamp = f"{approval.version}.{number}"
    asked = request(action, number, len(approval.actions), room if action.outcome is None else room * 2 // 3)
    elements, cut = asked.elements, asked.cut
    if action.outcome:
        told = outcome(action, action.outcome, room // 3)
        elements, cut = [*elements, *told.elements], cut or told.cut
    elif approval.state is not State.WAITING:
        elements = [*elements, section(plain("Not decided.", italic=True))]
    now = []
    if approval.state is State.WAITING:
        now = [buttons.change(action)] if action.outcome else buttons.decisions(action)
        cut = cut or are_long(action.arguments)
    if cut:
        now.append(buttons.view_all(action))
    return [
        RichTextBlock(elements=elements, block_id=f"{stamp}.request"),
        *buttons.row(now, f"{stamp}.buttons"),
    ]


def _texts(approval: Approval, elements: list[RichTextElement]) -> list[Block]:
    return [RichTextBlock(elements=elements, block_id=f"{approval.version}.lines")] if elements else []


def _need(action: Action) -> int:
    """How much room an action could use, roughly; what is decided needs more."""
    asked = min(weight(json.dumps(dict(action.arguments))) + 240 * len(action.arguments), 20_000)
    told = 1_500 if action.outcome else 0
    return 300 + min(weight(action.description), 900) + asked + told
