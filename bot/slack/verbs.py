"""What a button means: the `action_id`s, the `callback_id`s and what each button carries as its value."""

from typing import Final

from bot.approvals.ids import ActionId

APPROVE: Final = "approve"
APPROVE_UNREAD: Final = "approve_unread"
"""Approve on a drawing that does not show the whole call: asks once more whoever has not opened it."""
EDIT: Final = "edit"
REJECT: Final = "reject"
RESPOND: Final = "respond"
CHANGE: Final = "change"
"""These six carry the action's id, and which edition of it was shown."""

IT_RAN: Final = "it_ran"
RUN_AGAIN: Final = "run_again"
RUN_AGAIN_UNREAD: Final = "run_again_unread"
"""Run again on a drawing that does not show the whole call; as `APPROVE_UNREAD`."""
SKIP: Final = "skip"
"""About a call that may have run; these three carry the action's id too."""

APPROVE_EVERY: Final = "approve_every"
REJECT_EVERY: Final = "reject_every"
"""About all open calls of a card that one press may decide; these two carry the id of an approval on it."""

LETS_RUN: Final = frozenset({APPROVE, APPROVE_UNREAD, RUN_AGAIN, RUN_AGAIN_UNREAD})
"""What lets a call run."""

VIEW_ALL: Final = "view_all"
"""Carries the action's id."""
VIEW_EVERY: Final = "view_every"
"""`View all` of a whole approval; carries the approval's id."""
NEXT: Final = "next"
PREVIOUS: Final = "previous"
"""Turn a page inside `View all`; the view's `private_metadata` says of what."""

TOOL: Final = "tool"
"""The choice of a tool in an edit form; carries its place among those that an edit may end at."""

STOP: Final = "stop"
"""Carries the conversation's id."""
ASK_AGAIN: Final = "ask_again"
"""Carries the id of the action whose approval is remembered."""
STOP_OWN: Final = "stop_own"
"""Stops what the person asked for, in a private list of it; carries the conversation's id."""
REJECT_ALL: Final = "reject_all_with"
"""Rejects what was open when a message came, with it as the reason; carries the id of its notice."""
RETRY: Final = "retry"
"""Carries the post's id."""
FEEDBACK: Final = "feedback"
"""Carries `up` or `down`, a colon, and the id of the answer's post."""
OPEN: Final = "open"
"""A link; Slack tells it as a click, and there is nothing to do."""

ASK_ABOUT: Final = "ask_about"
"""The message shortcut "Ask the agent about this", and its form."""
ASK_FORM: Final = "ask_form"
UNREAD_FORM: Final = "unread_form"
EDIT_FORM: Final = "edit_form"
REJECT_FORM: Final = "reject_form"
RESPOND_FORM: Final = "respond_form"
RAN_FORM: Final = "ran_form"
APPROVE_EVERY_FORM: Final = "approve_every_form"
REJECT_EVERY_FORM: Final = "reject_every_form"
PLAIN_VIEW: Final = "plain_view"
"""A view without a form: `View all`, a sentence."""


def value_of(action: ActionId, edition: str) -> str:
    """What a button about an action carries; the id alone as long as nobody has edited it."""
    return f"{action}:{edition}" if edition else action


def read_value(value: str) -> tuple[ActionId, str]:
    """The action and the edition of it that a button was drawn for."""
    action, _, edition = value.partition(":")
    return ActionId(action), edition
