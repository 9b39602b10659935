"""Approve all and Reject all: the form that lists every call that is covered, and what is read of it. Pure.

Which calls were listed, and what each of them was, goes with the form as opaque ids and digests: what is sent
decides those and no others. Of a call that is not shown whole, only whoever has opened it approves it here.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from slack_sdk.models.blocks import Block, ContextBlock, InputBlock, RichTextBlock
from slack_sdk.models.views import View as SlackView

from bot.approvals.action import EDITION
from bot.approvals.approval import Action, Approval
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import ActionId, ApprovalId
from bot.approvals.places import Spot
from bot.approvals.together import Covered, Left, Listed, Pair, Together, common_reasons, listed
from bot.approvals.words import phrase, say, say_many
from bot.slack import buttons, choices, verbs
from bot.slack.arguments import Drawn, as_text
from bot.slack.forms import LONGEST_ANSWER, REASON
from bot.slack.inputs import literal, text_input
from bot.slack.literal import plain, section
from bot.slack.message import View
from bot.slack.place import stamped
from bot.slack.requests import number_of, request
from bot.slack.text import mention

MOST_LISTED: Final = 40
"""Calls in one form: their ids and digests have to fit into the 3,000 characters that go with it."""
MOST_BLOCKS: Final = 96
"""Blocks for calls; a view takes 100, and the question, what is beyond, and two inputs are others."""
_BLOCKS: Final = 3
"""Those of a call that is not shown whole; of any other it is one."""
ROOM: Final = 80_000
"""Characters for all that is untrusted; a view takes 250 kB."""
MOST_ROOM: Final = 6_000
"""Characters for one call."""

KINDS: Final = {verbs.APPROVE_EVERY: DecisionKind.APPROVE, verbs.REJECT_EVERY: DecisionKind.REJECT}

TITLES: Final = {DecisionKind.APPROVE: phrase("Approve all"), DecisionKind.REJECT: phrase("Reject all")}
ASKED: Final = {
    DecisionKind.APPROVE: phrase("Approve {these}? What runs is what is listed here."),
    DecisionKind.REJECT: phrase("Reject {these}? None of what is listed here will run."),
}
NONE_LISTED: Final = phrase("None of these can be approved together, since none is shown whole.")
READ: Final = phrase(
    "The next one is not shown whole here. You have opened the whole of it, so it is among those."
)
UNREAD: Final = phrase(
    "Left out, the next one: its {size:,} characters are not shown whole here, and you have not opened "
    "them. Open them with View all, close this, and press Approve all again."
)
CUT_REJECTED: Final = phrase("The next one is not shown whole here: {size:,} characters in all.")
MORE: Final = phrase("{count:,} more can be decided like this; press {button} again for them.")
NOT_LISTED: Final = phrase("This form is not known here any more, so nothing was done. Please open it again.")
_DECIDED: Final = {
    DecisionKind.APPROVE: phrase("{count:,} approved"),
    DecisionKind.REJECT: phrase("{count:,} rejected"),
}
_MOST_TOLD: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A form, and what it lists."""

    view: View
    listed: tuple[Listed, ...]
    shown: int
    """How many of the first calls stand in it, those among them that are left out."""
    cut: bool
    """Whether a call is in it that is not shown whole."""


def sheet(covered: Covered, kind: DecisionKind, opened: Collection[ActionId]) -> Sheet:
    """The form about these calls, as people see them; `opened` are those that the person has opened whole."""
    room = min(ROOM // min(len(covered.calls), MOST_LISTED), MOST_ROOM)
    drawn = _fitting([(pair, _drawn(pair, room)) for pair in covered.calls[:MOST_LISTED]])
    first = [pair for pair, _ in drawn]
    left = [
        action.id
        for (_, action), how in drawn
        if how.unread and kind is DecisionKind.APPROVE and action.id not in opened
    ]
    those = tuple(listed(action) for _, action in first if action.id not in left)
    blocks: list[Block] = [
        RichTextBlock(elements=[section(plain(_asked(kind, len(those))))], block_id="asked")
    ]
    for number, (pair, how) in enumerate(drawn):
        blocks += _call(pair[1], how, number, kind, is_left=pair[1].id in left)
    blocks += _beyond(covered, len(first), kind)
    if kind is DecisionKind.REJECT:
        ready = common_reasons([action for _, action in first])
        blocks += [*([choices.reason_input(ready)] if ready else []), _reason()]
    cut = any(how.unread for _, how in drawn)
    return Sheet(view=_view(kind, blocks, bool(those)), listed=those, shown=len(first), cut=cut)


def _fitting(drawn: Sequence[tuple[Pair, Drawn]]) -> Sequence[tuple[Pair, Drawn]]:
    """As many of the first as a view takes."""
    used = accumulate(_BLOCKS if how.unread else 1 for _, how in drawn)
    return [one for one, blocks in zip(drawn, used, strict=True) if blocks <= MOST_BLOCKS]


def carrying(sheet: Sheet, spot: Spot) -> View:
    """The form, with what it lists and where the card stands."""
    view = stamped(sheet.view, spot)
    told = json.loads(view["private_metadata"]) | {"listed": {one.id: one.bound for one in sheet.listed}}
    return {**view, "private_metadata": json.dumps(told, separators=(",", ":"))}


def read(metadata: str) -> tuple[Listed, ...]:
    """What the form listed; nothing if it is no such form."""
    try:
        told = json.loads(metadata)
    except (ValueError, RecursionError):
        return ()
    those = told.get("listed") if isinstance(told, dict) else None
    if not isinstance(those, dict) or not 0 < len(those) <= MOST_LISTED:
        return ()
    if not all(isinstance(bound, str) and len(bound) == EDITION for bound in those.values()):
        return ()
    return tuple(Listed(id=ActionId(id), bound=bound) for id, bound in those.items())


def result(kind: DecisionKind, became: Together) -> str:
    """What became of those that were listed, in mrkdwn; the people in it are mentioned."""
    decided = say(_DECIDED[kind], count=became.decided)
    if became.waiting:
        decided = say_many(
            "{decided} ({count:,} still needs others)",
            "{decided} ({count:,} still need others)",
            became.waiting,
            decided=decided,
        )
    parts = [decided]
    told: dict[str, int] = {}
    for one in became.left:
        told[_why(one)] = told.get(_why(one), 0) + 1
    for why, count in [*told.items()][:_MOST_TOLD]:
        parts.append(say_many("{count:,} was {why}", "{count:,} were {why}", count, why=why))
    if more := sum([*told.values()][_MOST_TOLD:]):
        parts.append(say("{count:,} more were not decided for other reasons", count=more))
    return say("{sentence}.", sentence=say(", ").join(parts).rstrip("."))


def result_view(sentence: View, kind: DecisionKind) -> View:
    """A view with the sentence, under the form's own title."""
    return {**sentence, "title": literal(say(TITLES[kind])).to_dict()}


def _why(left: Left) -> str:
    if left.by:
        return say("decided by {who} meanwhile", who=mention(left.by))
    return say("left as it is: {why}", why=left.why.rstrip("."))


def _drawn(pair: Pair, room: int) -> Drawn:
    approval, action = pair
    return request(action.asked, number_of(approval, action), len(approval.actions), room)


def _asked(kind: DecisionKind, count: int) -> str:
    if not count:
        return say(NONE_LISTED)
    return say(ASKED[kind], these=say_many("this call", "these {count:,} calls", count))


def _call(action: Action, drawn: Drawn, number: int, kind: DecisionKind, *, is_left: bool) -> list[Block]:
    blocks: list[Block] = [RichTextBlock(elements=drawn.elements, block_id=f"{number}.call")]
    if not drawn.unread:
        return blocks
    size = sum(len(as_text(value)) for value in action.asked.arguments.values())
    if kind is DecisionKind.REJECT:
        words = say(CUT_REJECTED, size=size)
    else:
        words = say(UNREAD, size=size) if is_left else say(READ)
    note = ContextBlock(elements=[literal(words)], block_id=f"{number}.cut")
    return [note, *blocks, *buttons.row([buttons.view_all(action)], f"{number}.view")]


def _beyond(covered: Covered, shown: int, kind: DecisionKind) -> list[Block]:
    """What is open on the card and not in the form."""
    lines = []
    if more := len(covered.calls) - shown:
        lines.append(say(MORE, count=more, button=say(TITLES[kind])))
    if others := covered.others:
        told = say_many(
            "{count:,} more open call on this card is not covered, and decided on its own.",
            "{count:,} more open calls on this card are not covered, and decided on their own.",
            others,
        )
        lines.append(told)
    return [ContextBlock(elements=[literal(" ".join(lines))], block_id="beyond")] if lines else []


def _reason() -> InputBlock:
    return InputBlock(
        block_id=REASON,
        label=literal(say("Reason")),
        hint=literal(say("The agent is told, about each of them. You may leave it empty.")),
        element=text_input(multiline=True, longest=LONGEST_ANSWER),
        optional=True,
    )


def _view(kind: DecisionKind, blocks: Sequence[Block], can_send: bool) -> View:  # noqa: FBT001 - whether there is a button
    form = verbs.APPROVE_EVERY_FORM if kind is DecisionKind.APPROVE else verbs.REJECT_EVERY_FORM
    view = SlackView(
        type="modal",
        callback_id=form if can_send else verbs.PLAIN_VIEW,
        title=literal(say(TITLES[kind])),
        submit=literal(say(TITLES[kind])) if can_send else None,
        close=literal(say("Cancel") if can_send else say("Close")),
        blocks=list(blocks),
        private_metadata="{}",
    )
    return dict(view.to_dict())


def masked(covered: Covered, hide: Mapping[ApprovalId, Approval]) -> Covered:
    """The same calls as people see them."""
    calls = tuple(
        (hide[approval.id], hide[approval.id].action(action.id)) for approval, action in covered.calls
    )
    return Covered(calls=calls, others=covered.others)
