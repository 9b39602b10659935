"""An edit form may turn a call into another tool, where the policy names it: what it leads to."""

import hashlib
from collections.abc import Mapping
from typing import Final

from slack_sdk.models.blocks import InputBlock, Option, StaticSelectElement

from bot.approvals.action import Action
from bot.approvals.approval import Approval
from bot.approvals.errors import NotAllowed
from bot.approvals.masking import Masking
from bot.approvals.refusing import CANNOT_BECOME
from bot.approvals.words import phrase, say
from bot.slack import verbs
from bot.slack.fields import Hidden
from bot.slack.inputs import literal
from bot.slack.literal import in_one_line
from bot.slack.text import within

BLOCK: Final = "tool"
OTHER_FIELDS: Final = phrase(
    "The arguments below are another tool's. Please look at this one's, and send it then."
)
"""What a form is told that was sent before it was redrawn for the tool that was chosen."""
_LONGEST: Final = 75


def tools(action: Action) -> list[str]:
    """The tools that an edit may end at: the call's own first."""
    return [action.tool, *action.targets]


def as_edited(action: Action, tool: str) -> Action:
    """The action as a form for this tool begins; `NotAllowed` if an edit may not end there."""
    if tool == action.asked.tool:
        return action.asked
    if tool not in tools(action):
        raise NotAllowed(say(CANNOT_BECOME, tool=action.tool, other=tool))
    return action.turned(tool)


def hidden_in(masking: Masking, about: Approval, action: Action, tool: str) -> Hidden:
    """What is masked in that form, as on the card: what is secret for the tool that it came from stays so."""
    return masking.hidden(as_edited(action, tool), action.tool, action.asked.tool, about=[about])


def prefix(action: Action, tool: str) -> str:
    """Tells the fields of one tool from another's: Slack keeps what was typed where the ids are equal."""
    return (
        ""
        if tool == action.asked.tool
        else hashlib.sha256(tool.encode(errors="backslashreplace")).hexdigest()[:8]
    )


def choice(action: Action, tool: str) -> list[InputBlock]:
    """The choice of a tool, which redraws the form; nothing where there is none."""
    if not action.targets:
        return []
    options = [
        Option(value=str(place), text=literal(within(in_one_line(name), _LONGEST) or '""'))
        for place, name in enumerate(tools(action))
    ]
    element = StaticSelectElement(
        action_id=verbs.TOOL, options=options, initial_option=options[tools(action).index(tool)]
    )
    return [InputBlock(block_id=BLOCK, label=literal(say("Tool")), element=element, dispatch_action=True)]


def chosen(action: Action, value: str) -> str:
    """The tool that an option stands for; `NotAllowed` for one that is none."""
    known = {str(place): name for place, name in enumerate(tools(action))}
    if value not in known:
        raise NotAllowed(say("This tool is not among those that it can be turned into; nothing was done."))
    return known[value]


def selected(values: Mapping[str, object]) -> str | None:
    """The option that a form was sent with; None if it has no choice."""
    match values.get(BLOCK):
        case {verbs.TOOL: {"selected_option": {"value": str(value)}}}:
            return value
        case _:
            return None
