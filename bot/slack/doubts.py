"""The card of a call that may have run already: its words, its three buttons and its form. Pure."""

from collections.abc import Mapping
from typing import Final, assert_never

from slack_sdk.models.blocks import ButtonElement, InputBlock, MarkdownTextObject, RichTextBlock
from slack_sdk.models.views import View as SlackView

from bot.approvals.approval import Action, Approval, Decided, LetThrough, Shape, State
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond
from bot.approvals.ids import UserId
from bot.approvals.together import is_dangerous
from bot.approvals.words import phrase, say
from bot.slack import buttons, glance, verbs
from bot.slack.edits import typed
from bot.slack.inputs import literal, text_input
from bot.slack.literal import in_line, plain, section, worded
from bot.slack.message import View
from bot.slack.place import Place
from bot.slack.requests import name
from bot.slack.text import entities, mention

OPEN: Final = phrase("❓ May have run already")
EXPLANATION: Final = phrase(
    "The bot was cut off while this call was under way, so nobody knows whether it ran. "
    "Please look, and then say."
)
SAYS: Final = phrase("{decided}, says {people}, {at}")
"""Who said what about a call that may have run, and when."""
_RESULT: Final = "response"
_LONGEST: Final = 3_000


def is_doubt(approval: Approval) -> bool:
    """Whether it asks about a call that may have run."""
    return approval.shape is Shape.IN_DOUBT


def decisions(approval: Approval, action: Action, *, unread: bool = False) -> list[ButtonElement]:
    """The decisions that an open action takes; `unread` as `buttons.decisions` has it."""
    if not is_doubt(approval):
        return buttons.decisions(action, unread=unread)
    about = say("({call})", call=glance.in_words(action.asked))
    again = verbs.RUN_AGAIN_UNREAD if unread else verbs.RUN_AGAIN
    taken = [
        buttons.button(verbs.IT_RAN, say("It ran"), action.id, about=about),
        buttons.button(again, say("Run again"), action.id, about=about),
        buttons.button(verbs.SKIP, say("Skip"), action.id, about=about),
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
            return say("☑️ It ran")
        case Approve() | Edit():
            return say("🔁 Run again")
        case Reject():
            return say("⏭️ Skipped")
        case _:
            assert_never(decision)


def headline(approval: Approval) -> str | None:
    """A few words, in plain text; None where those of every other approval fit."""
    (action,) = approval.actions
    if approval.state is State.WAITING:
        return say(OPEN)
    if approval.state is State.WITHDRAWN or not isinstance(action.outcome, Decided):
        return None
    return word(action.outcome.decision)


def sentence(approval: Approval, requester: UserId) -> str | None:
    """A whole sentence, escaped; None where that of every other approval fits."""
    (action,) = approval.actions
    about = {"tool": entities(in_line(action.tool, 60)[0]), "who": mention(requester)}
    if approval.state is State.WAITING:
        return say("{tool} may have run already, asked by {who}. Did it?", **about)
    if approval.state is State.WITHDRAWN or not isinstance(action.outcome, Decided):
        return None
    about |= {"decided": word(action.outcome.decision), "by": mention(action.outcome.by)}
    return say("{tool} may have run already, asked by {who}. {decided}, says {by}.", **about)


def explanation() -> MarkdownTextObject:
    """What happened, and what is wanted."""
    return MarkdownTextObject(text=say(EXPLANATION), verbatim=True)


def ran_form(approval: Approval, action: Action) -> View:
    """Asks what the call returned; it may have returned nothing."""
    told = worded("{tool} did run. The agent gets what it returned.", tool=plain(name(action), code=True))
    result = InputBlock(
        block_id=_RESULT,
        label=literal(say("Response")),
        hint=literal(say("What it returned, as far as you know. Nothing runs.")),
        element=text_input(multiline=True, longest=_LONGEST),
        optional=True,
    )
    view = SlackView(
        type="modal",
        callback_id=verbs.RAN_FORM,
        title=literal(say("It ran")),
        submit=literal(say("Send")),
        close=literal(say("Cancel")),
        blocks=[RichTextBlock(elements=[section(*told)], block_id="asked"), result],
        private_metadata=str(Place(action=action.id, approval=approval.id)),
    )
    return dict(view.to_dict())


def read_result(values: Mapping[str, object]) -> str:
    """What it returned; empty if nothing was typed."""
    try:
        return (typed(values, _RESULT) or "").strip()
    except (ValueError, TypeError):
        return ""
