"""The card: one message that shows an approval in any of its states. A drawing of rows, nothing else.

A card has to fit into one Slack message, whatever the agent asks for. So it is drawn with plenty of room
first, and again with less, until it fits; what is left out is counted and is one click away.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
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
    SectionBlock,
    TableBlock,
)

from bot.approvals.approval import Action, Approval, State
from bot.approvals.ids import UserId
from bot.approvals.words import say, say_many
from bot.slack import buttons, doubts, pointing, rendered, verbs, votes
from bot.slack.arguments import Drawn, are_long, need_of_doubts, need_of_shapes, shares
from bot.slack.asking import asks, decides
from bot.slack.crowds import decided, ended, next_rows, waiting
from bot.slack.doubts import is_doubt
from bot.slack.headlines import headline, sentence, why_withdrawn
from bot.slack.literal import plain, section
from bot.slack.message import Blocks, Message, as_json, size
from bot.slack.naming import in_a_sentence, named_block
from bot.slack.not_asked import ask_again, will_be_remembered
from bot.slack.outcomes import edited, need, outcome
from bot.slack.requests import number_of, request
from bot.slack.text import weight

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
    (9_000, 8),
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
_ROWS: Final = ((7_000, 14), (6_000, 12), (5_500, 10), (5_000, 8), (5_000, 7), (4_500, 6))
"""The same for calls of one tool, of which each is a row."""


def card(
    approval: Approval, *, requester: UserId, behind: int = 0, plainly: bool = False, agent: str = ""
) -> Message:
    """The approval as a message: within Slack's limits, readable, with the buttons that are allowed now.

    `behind` is how many requests wait for their turn, which the last open card of a conversation tells.
    `plainly`: without a table block, which not every Slack takes. `agent` is who asks, of several.
    """
    named = named_block(agent, f"{approval.version}.agent")
    drawings = (
        _framed(approval, requester, [*named, *middle, *_queue(approval, behind)], crowded=crowded)
        for middle, crowded in _middles(approval, tables=not plainly)
    )
    blocks = next(blocks for blocks in drawings if size(blocks) <= LARGEST and len(blocks) <= MOST_BLOCKS)
    return Message(text=sentence(approval, requester) + in_a_sentence(agent), blocks=blocks)


def _middles(approval: Approval, *, tables: bool) -> Iterator[tuple[list[Block], bool]]:
    """Drawings of the actions, each smaller than the one before, and whether some are not shown whole."""
    if len(approval.actions) <= MOST_WHOLE:
        for room in _ROOMS:
            yield _everyone(approval, room, tables=tables), False
    is_burst = approval.state is State.WAITING and len({each.tool for each in approval.actions}) == 1
    for room, whole in (*_ROWS, *_CROWDED) if is_burst else _CROWDED:
        yield _crowd(approval, room, whole, tables=tables), True


def _queue(approval: Approval, behind: int) -> list[Block]:
    if not behind or approval.state is not State.WAITING:
        return []
    told = say_many(
        "{count} more request of this conversation waits; it comes as these are decided.",
        "{count:,} more requests of this conversation wait; they come as these are decided.",
        behind,
    )
    return [
        ContextBlock(
            elements=[MarkdownTextObject(text=told, verbatim=True)], block_id=f"{approval.version}.queue"
        )
    ]


def _framed(approval: Approval, requester: UserId, middle: list[Block], *, crowded: bool) -> Blocks:
    stamp = approval.version
    top: list[Block] = [
        HeaderBlock(text=PlainTextObject(text=headline(approval), emoji=True), block_id=f"{stamp}.header"),
        asks(approval, requester),
        decides(approval),
    ]
    if approval.state is State.WITHDRAWN:
        top.append(ContextBlock(elements=[_why(approval)], block_id=f"{stamp}.why"))
    if is_doubt(approval) and approval.state is State.WAITING:
        top.append(ContextBlock(elements=[doubts.explanation()], block_id=f"{stamp}.doubt"))
    bottom = [*buttons.together([approval]), *([_view_every(approval)] if crowded else [])]
    if approval.state is State.WAITING:
        bottom.append(buttons.stop(approval.conversation))
    return as_json([*top, *middle, *buttons.row(bottom, f"{stamp}.all")])


def _why(approval: Approval) -> MarkdownTextObject:
    told = say("Nothing more can be decided here: {note}.", note=why_withdrawn(approval, 600))
    return MarkdownTextObject(text=told, verbatim=True)


def _view_every(approval: Approval) -> ButtonElement:
    return buttons.button(
        verbs.VIEW_EVERY, say("View all"), approval.id, about=say("actions of this request")
    )


def _everyone(approval: Approval, room: int, *, tables: bool) -> list[Block]:
    """Every action, whole."""
    rooms = shares([room for each in approval.actions for room in (_need(each), need(each))], room)
    drawn: list[Block] = []
    for number, action in enumerate(_described_once(approval.actions), 1):
        if number > 1 and len(approval.actions) <= MOST_DIVIDED:
            drawn.append(DividerBlock(block_id=f"{approval.version}.{number}.line"))
        asked, told = rooms[2 * number - 2 : 2 * number]
        drawn += _whole(approval, action, asked=asked, told=told, table=tables and not _has_table(drawn))
    return drawn


def _crowd(approval: Approval, room: int, whole: int, *, tables: bool) -> list[Block]:
    """The first open actions whole, the decided ones in a line each, the others counted."""
    if approval.state is not State.WAITING:
        return _texts(approval, ended(approval, room))
    drawn = _texts(approval, decided(approval, room))
    for action in _described_once(approval.open[:whole]):
        table = tables and not _has_table(drawn)
        drawn += _whole(approval, action, asked=room // whole // 2, told=0, table=table)
    if rest := approval.open[whole:]:
        if whole:
            drawn += _texts(approval, next_rows(approval, rest, room), "next")
        drawn.append(ContextBlock(elements=[waiting(rest)], block_id=f"{approval.version}.rest"))
    return drawn


def _has_table(blocks: Iterable[Block]) -> bool:
    """Slack takes one in a message."""
    return any(isinstance(each, TableBlock) for each in blocks)


def _described_once(actions: Iterable[Action]) -> Iterator[Action]:
    """The actions, without a description that stands on the card already for the same tool."""
    said: set[tuple[str, str]] = set()
    for action in actions:
        words = action.tool, action.description
        yield replace(action, description="") if words in said else action
        said.add(words)


def _whole(approval: Approval, action: Action, *, asked: int, told: int, table: bool = False) -> list[Block]:
    """One action: what is asked, what was decided, what can be done now; with room for both."""
    number = number_of(approval, action)
    stamp = f"{approval.version}.{number}"
    shown = action if action.outcome else action.asked
    drawn = request(shown, number, len(approval.actions), asked, table=table)
    elements, cut = drawn.below if drawn.table else drawn.elements, drawn.cut
    if action.outcome:
        decision = outcome(action, action.outcome, told, in_doubt=is_doubt(approval))
        elements, cut = [*elements, *decision.elements], cut or decision.cut
    elif approval.state is not State.WAITING:
        elements = [*elements, section(plain(say("Not decided."), italic=True)), *votes.given(action)]
    else:
        edit = edited(action, told)
        elements = [*elements, *edit.elements, *votes.so_far(action), *will_be_remembered(action)]
        cut = cut or edit.cut
    now = []
    if approval.state is State.WAITING:
        now = doubts.possible(approval, action, unread=drawn.unread)
        cut = cut or are_long(shown.arguments)
    if cut:
        now.append(buttons.view_all(action))
    if again := ask_again(action):
        now.append(again)
    return [*_asking(drawn, elements, stamp), *buttons.row(now, f"{stamp}.buttons")]


def _asking(drawn: Drawn, elements: list[RichTextElement], stamp: str) -> list[Block]:
    """What is asked and what came of it; in two where a table stands between."""
    if drawn.table is None:
        return [RichTextBlock(elements=elements, block_id=f"{stamp}.request")]
    drawn.table.block_id = f"{stamp}.table"
    above = RichTextBlock(elements=drawn.elements, block_id=f"{stamp}.request")
    below = [RichTextBlock(elements=elements, block_id=f"{stamp}.below")] if elements else []
    return [above, drawn.table, *below]


def elsewhere(approval: Approval, action: Action, room: int) -> list[Block]:
    """One open action as a card shows it, for where several approvals stand below each other."""
    blocks = _whole(approval, action, asked=room, told=room)
    for number, each in enumerate(blocks):
        each.block_id = f"{approval.version}.{action.id}.{number}"
    return blocks


def _texts(approval: Approval, texts: list[str], name: str = "lines") -> list[Block]:
    return [
        SectionBlock(
            text=MarkdownTextObject(text=text, verbatim=True), block_id=f"{approval.version}.{name}.{number}"
        )
        for number, text in enumerate(texts)
    ]


def _need(action: Action) -> int:
    """How much room a request could use, roughly."""
    arguments = action.arguments if action.outcome else action.asked.arguments
    rows = min(weight(json.dumps(dict(arguments))) + 240 * len(arguments), 20_000) + need_of_shapes(arguments)
    asked = rendered.need(action if action.outcome else action.asked) or rows
    pointed = pointing.need(action if action.outcome else action.asked)
    return 300 + min(weight(action.description), 900) + asked + need_of_doubts(arguments) + pointed
