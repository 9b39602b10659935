"""`View all`: every argument in full, on as many pages as it takes, with the buttons of what is open."""

from collections.abc import Iterable, Iterator
from typing import Final

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ContextBlock,
    DividerBlock,
    RichTextBlock,
    RichTextElement,
)
from slack_sdk.models.views import View as SlackView

from bot.approvals.approval import Action, Approval, Decided, State
from bot.approvals.decision import Arguments, Edit, Json
from bot.approvals.masking import Masked
from bot.approvals.words import say
from bot.slack import buttons, doubts, rendered, verbs, votes
from bot.slack.arguments import as_json_text, doubts_about, extent
from bot.slack.doubts import is_doubt
from bot.slack.inputs import literal
from bot.slack.literal import block, in_line, pieces, plain, quote, section, shown, worded
from bot.slack.message import View, as_json, size
from bot.slack.outcomes import edited, outcome
from bot.slack.place import Place
from bot.slack.pointing import points_at
from bot.slack.requests import description, number_of, title

LARGEST_PAGE: Final = 90_000
"""Characters of JSON on one page; a view takes 250 kB."""
MOST_BLOCKS: Final = 70
"""Blocks on one page; a view takes 100."""
PER_BLOCK: Final = 40
WHOLE: Final = 10_000_000
"""Characters: more than arguments have."""
LONGEST_LABEL: Final = 1_000
_OUTCOME: Final = 20_000
_FIRST: Final = {verbs.APPROVE: verbs.APPROVE_UNREAD, verbs.RUN_AGAIN: verbs.RUN_AGAIN_UNREAD}
"""What asks whoever has not seen the whole, in place of what does not."""


def view_all(approval: Approval, action: Action | None, page: int = 0) -> View:
    """One action in full, or the whole approval if it is None. A page beyond the last shows the last."""
    pages = _pages(_content(approval, [action] if action else list(approval.actions)))
    page = min(max(page, 0), len(pages) - 1)
    top: list[Block] = [_title(approval, action), *_now(approval, action)] if action and page else []
    if action is None:
        top = [*buttons.row(buttons.together([approval]), "together")]
    blocks = [*top, *pages[page], *_turning(page, len(pages))]
    if len(pages) > 1:
        _ask_first(blocks)
    for number, each in enumerate(blocks):
        each.block_id = f"{approval.version}.{page}.{number}"
    place = Place(action=action.id if action else None, approval=approval.id, page=page)
    view = SlackView(
        type="modal",
        callback_id=verbs.PLAIN_VIEW,
        title=literal(say("View all")),
        close=literal(say("Close")),
        blocks=blocks,
        private_metadata=str(place),
    )
    return dict(view.to_dict())


def shows_the_end(view: View) -> bool:
    """Whether it is the last page, to which nobody comes but by the others."""
    elements = (element for each in view["blocks"] for element in each.get("elements", ()))
    return all(element.get("action_id") != verbs.NEXT for element in elements)


def _ask_first(blocks: Iterable[Block]) -> None:
    """Who has not turned all pages has not seen the whole: Approve asks once more."""
    for each in blocks:
        for element in each.elements if isinstance(each, ActionsBlock) else ():
            if isinstance(element, ButtonElement) and element.action_id in _FIRST:
                element.action_id = _FIRST[element.action_id]


def _content(approval: Approval, actions: list[Action]) -> Iterator[Block]:
    """Everything there is to see, in blocks that are small enough for any page."""
    for position, action in enumerate(actions):
        if position:
            yield DividerBlock()
        yield _title(approval, action)
        yield from _now(approval, action)
        if words := description(action):
            yield _rich(section(plain(say("The agent says:"), italic=True)))
            yield from (_rich(quote(part)) for part in pieces(shown(words)))
        shown_now = action if action.outcome else action.asked
        yield from _arguments(shown_now.arguments)
        if pointed := points_at(shown_now, LARGEST_PAGE).elements:
            yield _rich(*pointed)
        yield from (_rich(element) for element in rendered.whole(shown_now.briefing.rendered))
        if action.outcome:
            yield _rich(*outcome(action, action.outcome, _OUTCOME, in_doubt=is_doubt(approval)).elements)
        elif told := [*edited(action, _OUTCOME).elements, *votes.so_far(action)]:
            yield _rich(*told)
        match action.decided:
            case Decided(decision=Edit(arguments=arguments)):
                yield _rich(section(plain(say("The arguments after the edit:"), italic=True)))
                yield from _arguments(arguments)


def _arguments(arguments: Arguments) -> Iterator[Block]:
    if warned := doubts_about(arguments, room=WHOLE):
        yield _rich(*warned)
    if not arguments:
        yield _rich(section(plain(say("No arguments."), italic=True)))
    for argument, value in arguments.items():
        text = value if isinstance(value, str) else as_json_text(value)
        label, cut = in_line(argument, LONGEST_LABEL)
        label = label or '""'
        if cut:
            yield _rich(section(plain(say("The whole name of the next one:"), italic=True)))
            yield from (_rich(block(part)) for part in pieces(shown(argument)) if part.strip())
        name = plain(label, bold=True)
        yield _rich(section(*worded("{name} ({extent}):", name=name, extent=_extent(value, text))))
        if not shown(text).strip():
            yield _rich(block(shown(as_json_text(value))))
        yield from (_rich(block(part)) for part in pieces(shown(text)) if part.strip())


def _extent(value: Json, text: str) -> str:
    """What kind of value it is, and how long, where that says anything."""
    match value:
        case Masked(whole=True):
            return say("masked")
        case bool():
            return say("true or false")
        case int() | float():
            return say("number")
        case None:
            return say("nothing")
        case str():
            return say("{kind}, {extent}", kind=say("text"), extent=extent(text))
        case _:
            return say("{kind}, {extent}", kind="JSON", extent=extent(text))


def _title(approval: Approval, action: Action) -> Block:
    return _rich(
        title(action if action.outcome else action.asked, number_of(approval, action), len(approval.actions))
    )


def _now(approval: Approval, action: Action) -> list[ActionsBlock]:
    """What can be done about the action now."""
    if approval.state is not State.WAITING:
        return []
    return buttons.row(doubts.possible(approval, action), "now")


def _pages(content: Iterable[Block]) -> list[list[Block]]:
    pages: list[list[Block]] = [[]]
    used = 0
    for each in content:
        weight = size(as_json([each])) + PER_BLOCK
        if pages[-1] and (used + weight > LARGEST_PAGE or len(pages[-1]) >= MOST_BLOCKS):
            pages.append([])
            used = 0
        pages[-1].append(each)
        used += weight
    return pages


def _turning(page: int, pages: int) -> list[Block]:
    """Which page it is, and the way to the others."""
    if pages == 1:
        return []
    turns = []
    if page > 0:
        turns.append(buttons.button(verbs.PREVIOUS, say("Previous"), str(page - 1), about=say("page")))
    if page < pages - 1:
        turns.append(buttons.button(verbs.NEXT, say("Next"), str(page + 1), about=say("page")))
    told = ContextBlock(elements=[literal(say("Page {page} of {pages}", page=page + 1, pages=pages))])
    return [told, *buttons.row(turns, "turn")]


def _rich(*elements: RichTextElement) -> RichTextBlock:
    return RichTextBlock(elements=list(elements))
