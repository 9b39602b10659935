"""The card of a call that may have run already: its words, its three buttons and its form. Pure."""

from collections.abc import Mapping
from typing import Final, assert_never

from slack_sdk.models.blocks import ButtonElement, InputBlock, MarkdownTextObject, RichTextBlock
from slack_sdk.models.views import View as SlackView

from bot.approvals.approval import Action, Approval, Decided, LetThrough, Shape, State
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond
from bot.approvals.ids import UserId
from bot.approvals.together import is_dangerous
from bot.slack import buttons, glance, verbs
from bot.slack.edits import typed
from bot.slack.inputs import literal, text_input
from bot.slack.literal import in_line, plain, section
from bot.slack.message import View
from bot.slack.place import Place
from bot.slack.requests import name
from bot.slack.text import entities, mention

OPEN: Final = "❓ May have run already"
EXPLANATION: Final = (
    "The bot was cut off while this call was under way, so nobody knows whether it ran. "
    "Please look, and then say."
)
_RESULT: Final = "response"
_LONGEST: Final = 3_000


def is_doubt(approval: Approval) -> bool:
    """Whether it asks about a call that may have run."""
    return approval.shape is Shape.IN_DOUBT


def decisions(approval: Approval, action: Action, *, unread: bool = False) -> list[ButtonElement]:
    """The decisions that an open action takes; `unread` as `buttons.decisions` has it."""
    if not is_doubt(approval):
        return buttons.decisions(action, unread=unread)
    about = f"about {glance.tool_of(action)}"
    again = verbs.RUN_AGAIN_UNREAD if unread else verbs.RUN_AGAIN
    taken = [
        buttons.button(verbs.IT_RAN, "It ran", action.id, about=about),
        buttons.button(again, "Run again", action.id, about=about),
        buttons.button(verbs.SKIP, "Skip", action.id, about=about),
    ]
    return buttons.asking_once_more(taken, action) if is_dangerous(action) else taken


def possible(approval: Approval, action: Action, *, unread: bool = False) -> list[ButtonElement]:
    """All that can be done about an action of an approval that waits: decide, and change one's own vote."""
    if isinstance(action.outcome, LetThrough) or action.id in approval.closed:
        return []
    now = [] if action.outcome else decisions(approval, action, unread=unread)
    return [*now, buttons.change(action)] if action.outcome or action.votes else now


def word(decision: Decision) -> str:
    """What was decided, in a word; emoji and word say the same."""
    match decision:
        case Respond():
            return "☑️ It ran"
        case Approve() | Edit():
            return "🔁 Run again"
        case Reject():
            return "⏭️ Skipped"
        case _:
            assert_never(decision)


def headline(approval: Approval) -> str | None:
    """A few words, in plain text; None where those of every other approval fit."""
    (action,) = approval.actions
    if approval.state is State.WAITING:
        return OPEN
    if approval.state is State.WITHDRAWN or not isinstance(action.outcome, Decided):
        return None
    return word(action.outcome.decision)


def sentence(approval: Approval, requester: UserId) -> str | None:
    """A whole sentence, escaped; None where that of every other approval fits."""
    (action,) = approval.actions
    tool, asked = entities(in_line(action.tool, 60)[0]), f"asked by {mention(requester)}"
    if approval.state is State.WAITING:
        return f"{tool} may have run already, {asked}. Did it?"
    if approval.state is State.WITHDRAWN or not isinstance(action.outcome, Decided):
        return None
    said = word(action.outcome.decision)
    return f"{tool} may have run already, {asked}. {said}, says {mention(action.outcome.by)}."


def explanation() -> MarkdownTextObject:
    """What happened, and what is wanted."""
    return MarkdownTextObject(text=EXPLANATION, verbatim=True)


def ran_form(approval: Approval, action: Action) -> View:
    """Asks what the call returned; it may have returned nothing."""
    told = section(plain(name(action), code=True), plain(" did run. The agent gets what it returned."))
    result = InputBlock(
        block_id=_RESULT,
        label=literal("Response"),
        hint=literal("What it returned, as far as you know. Nothing runs."),
        element=text_input(multiline=True, longest=_LONGEST),
        optional=True,
    )
    view = SlackView(
        type="modal",
        callback_id=verbs.RAN_FORM,
        title=literal("It ran"),
        submit=literal("Send"),
        close=literal("Cancel"),
        blocks=[RichTextBlock(elements=[told], block_id="asked"), result],
        private_metadata=str(Place(action=action.id, approval=approval.id)),
    )
    return dict(view.to_dict())


def read_result(values: Mapping[str, object]) -> str:
    """What it returned; empty if nothing was typed."""
    try:
        return (typed(values, _RESULT) or "").strip()
    except (ValueError, TypeError):
        return ""
