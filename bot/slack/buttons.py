"""The buttons, and only those that an action takes."""

from collections.abc import Sequence
from typing import Final

from slack_sdk.models.blocks import (
    ActionsBlock,
    ButtonElement,
    ConfirmObject,
    PlainTextObject,
)

from bot.approvals.approval import Action, Approval
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import ConversationId
from bot.approvals.together import covered, has_enough, is_dangerous
from bot.approvals.words import phrase, say
from bot.slack import glance, verbs
from bot.slack.text import within

_DECISIONS: Final = (
    (DecisionKind.APPROVE, verbs.APPROVE, phrase("Approve"), "primary"),
    (DecisionKind.EDIT, verbs.EDIT, phrase("Edit"), None),
    (DecisionKind.RESPOND, verbs.RESPOND, phrase("Respond"), None),
    (DecisionKind.REJECT, verbs.REJECT, phrase("Reject"), "danger"),
)

_TOGETHER: Final = (
    (DecisionKind.APPROVE, verbs.APPROVE_EVERY, phrase("Approve all")),
    (DecisionKind.REJECT, verbs.REJECT_EVERY, phrase("Reject all")),
)

LONGEST_HEARD: Final = 75
"""Characters of what is heard of a button; Slack takes no more."""
LONGEST_CALL: Final = 200
"""Characters of a call that is asked about once more; Slack takes 300 in all."""
DANGEROUS: Final = phrase("Run {call}? This is marked as dangerous.")
"""Asked once more before a call that the policy marks runs."""
SURE, NOT_SURE = phrase("Run it"), phrase("Cancel")


def button(verb: str, label: str, value: str, *, about: str = "", style: str | None = None) -> ButtonElement:
    """One button; `about` completes the label for those who hear it instead of seeing it.

    Both are visible already, and in the language that is spoken.
    """
    heard = say("{button} {about}", button=label, about=about) if about else label
    return ButtonElement(
        text=PlainTextObject(text=label, emoji=True),
        action_id=verb,
        value=value,
        style=style,
        accessibility_label=within(heard, LONGEST_HEARD),
    )


def decisions(action: Action, *, unread: bool = False) -> list[ButtonElement]:
    """The decisions that an open action takes; each says which edition of it was shown.

    `unread` where the arguments are not shown as a whole: then Approve asks whoever has not opened them.
    """
    value, about = verbs.value_of(action.id, action.edition), glance.in_words(action.asked)
    heard = {DecisionKind.RESPOND: say("to {call}", call=about)}
    taken = [
        button(_first(verb) if unread else verb, say(label), value, about=heard.get(kind, about), style=style)
        for kind, verb, label, style in _DECISIONS
        if kind in action.takes
    ]
    return asking_once_more(taken, action) if is_dangerous(action) else taken


def asking_once_more(taken: Sequence[ButtonElement], action: Action) -> list[ButtonElement]:
    """The same, where the call is dangerous: what lets it run is not the first to press, and asks again."""
    running = [one for one in taken if one.action_id in verbs.LETS_RUN]
    for one in running:
        one.style = None
        one.confirm = _once_more(action)
    return [*(one for one in taken if one not in running), *running]


def _once_more(action: Action) -> ConfirmObject:
    call = within(glance.in_words(action.asked), LONGEST_CALL)
    return ConfirmObject(
        title=say("Run it?"),
        text=PlainTextObject(text=say(DANGEROUS, call=call), emoji=False),
        confirm=say(SURE),
        deny=say(NOT_SURE),
        style="danger",
    )


def together(approvals: Sequence[Approval]) -> list[ButtonElement]:
    """To decide with one press what is open on this card, as far as the policy has it."""
    return [
        button(verb, say(label), approvals[0].id, about=_open(len(covered(approvals, kind))))
        for kind, verb, label in _TOGETHER
        if has_enough(approvals, kind)
    ]


def _open(calls: int) -> str:
    return say("{count:,} open calls", count=calls)


def _first(verb: str) -> str:
    return verbs.APPROVE_UNREAD if verb == verbs.APPROVE else verb


def change(action: Action) -> ButtonElement:
    """To take back one's own decision."""
    return button(
        verbs.CHANGE,
        say("Change"),
        action.id,
        about=say("your decision about {tool}", tool=glance.in_words(action.asked)),
    )


def view_all(action: Action) -> ButtonElement:
    """To see one action's arguments in full."""
    return button(
        verbs.VIEW_ALL,
        say("View all"),
        action.id,
        about=say("arguments of {tool}", tool=glance.in_words(action.asked)),
    )


def stop(conversation: ConversationId) -> ButtonElement:
    """To stop the conversation; asks once more."""
    asked = ConfirmObject(
        title=say("Stop the agent?"),
        text=PlainTextObject(text=say("What still waits here is withdrawn, and none of it runs.")),
        confirm=say("Stop"),
        deny=say("Go on"),
        style="danger",
    )
    element = button(verbs.STOP, say("Stop"), conversation, about=say("the agent"))
    element.confirm = asked
    return element


def link(verb: str, label: str, url: str, *, about: str) -> ButtonElement:
    """A button that opens an address; `about` as for any. Slack tells it as a click too."""
    element = button(verb, label, "", about=about)
    element.url, element.value = url, None
    return element


def row(elements: list[ButtonElement], block_id: str) -> list[ActionsBlock]:
    """The buttons side by side; nothing if there are none."""
    return [ActionsBlock(elements=list(elements), block_id=block_id)] if elements else []
