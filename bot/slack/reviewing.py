"""What an edit changes, shown before it is sent.

Below each field of the form stands what was there before, as far as it fits into a line; such an edit is
sent at once. Where it does not fit, sending the form shows the difference first, above the same fields, and
sending that decides. What was shown is known by its digest, so that nothing else is sent. Where the call is
marked as dangerous, it is always asked once more, with the difference in view; and so it is where the form
leaves something out that this person has not opened.
"""

from dataclasses import dataclass, replace
from typing import Final

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.action import EDITION, Action, Vote
from bot.approvals.approval import Approval
from bot.approvals.decision import Arguments, Edit
from bot.approvals.ids import UserId
from bot.approvals.masking import Masking
from bot.approvals.words import phrase, say
from bot.slack.arguments import is_short
from bot.slack.fields import MOST_INPUTS, Hidden, fields
from bot.slack.literal import in_line, plain, section, worded
from bot.slack.outcomes import changes, is_same

CHANGED: Final = phrase("This is what changes. Send it, or go on editing below.")
DANGEROUS: Final = phrase("⚠️ Run {tool} like this? It is marked as dangerous.")
UNSEEN: Final = phrase(
    "⚠️ You have not seen the whole of {tool}: what is not in this form runs as it is, and View all shows it."
)
_ROOM: Final = 12_000
"""Characters for the difference; a view takes far more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A difference, and by what it is known."""

    elements: list[RichTextElement]
    shown: str
    is_dangerous: bool = False
    """Whether it asks if a call is to run that is marked as dangerous."""
    is_unread: bool = False
    """Whether it asks if a call is to run of which this person has not seen the whole."""


def mark(approval: Approval, action: Action, edit: Edit) -> str:
    """Tells one edit of a call from any other."""
    return approval.digest_of(action, edit.tool or action.tool, edit.arguments, None)[:EDITION]


def is_in_view(before: Arguments, after: Arguments, hidden: Hidden) -> bool:
    """Whether the form itself shows all that is changed: what it was stands below what it is.

    What is masked is never shown, in either.
    """
    names = [name for name in {**before, **after} if not is_same(before, after, name)]
    return all(name in hidden or name not in before or is_short(before[name]) for name in names)


def leaves_out(action: Action, hidden: Hidden) -> bool:
    """Whether a form about this call has no field for something that no card shows whole either."""
    every = fields(action, hidden)
    return len(every) > MOST_INPUTS or any(one.kept and not is_short(one.value) for one in every)


def review(
    masking: Masking, approval: Approval, action: Action, edit: Edit, by: UserId, *, is_unread: bool = False
) -> Review:
    """The difference from what the agent asked for, as people see it."""
    vote = Vote(decision=edit, by=by, at=approval.asked_at)
    tried = replace(action, votes=(*action.votes, vote))
    actions = tuple(tried if one.id == action.id else one for one in approval.actions)
    masked = masking.approval(replace(approval, actions=actions)).action(action.id)
    proposed = masked.votes[-1].decision
    drawn = changes(masked, proposed, _ROOM).elements if isinstance(proposed, Edit) else []
    changed = section(plain(say(CHANGED), bold=True))
    tool, is_hot = edit.tool or action.tool, is_dangerous(action, edit)
    asked = [
        *(_once_more(DANGEROUS, tool) if is_hot else []),
        *(_once_more(UNSEEN, tool) if is_unread else []),
    ]
    return Review(
        elements=[*asked, changed, *drawn],
        shown=mark(approval, action, edit),
        is_dangerous=is_hot,
        is_unread=is_unread,
    )


def is_dangerous(action: Action, edit: Edit) -> bool:
    """Whether what the edit lets run is marked as dangerous."""
    return (edit.tool or action.tool) in action.briefing.dangers


def _once_more(asked: str, tool: str) -> list[RichTextElement]:
    named = plain(in_line(tool, 80)[0] or '""', code=True)
    return [section(*worded(asked, bold=True, tool=named), plain("\n"))]
