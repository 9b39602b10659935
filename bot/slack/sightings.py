"""What the record keeps of a card in Slack: which drawing stands where, and of what. Never a value."""

from datetime import datetime

from bot.approvals.approval import Action, Approval
from bot.approvals.binding import fingerprint
from bot.approvals.conversation import Post
from bot.approvals.decision import Json
from bot.approvals.ids import UserId
from bot.approvals.ports import Event
from bot.slack.message import Blocks


def sighting(kind: str, post: Post, approval: Approval, blocks: Blocks, at: datetime) -> Event:
    """`showing`: this drawing is about to be handed to Slack; `shown`: it stands there.

    The first is written before, because people may decide before Slack's answer is heard.
    """
    detail: dict[str, Json] = {
        "post": post.id,
        "version": approval.version,
        "blocks": fingerprint(blocks),
        "actions": {action.id: _drawn(approval, action) for action in approval.actions},
    }
    if kind == "shown":
        detail |= {"channel": post.channel, "ts": post.ts}
    return Event(kind=kind, at=at, conversation=approval.conversation, approval=approval.id, detail=detail)


def sighting_at_home(person: UserId, approval: Approval, blocks: Blocks, at: datetime) -> Event:
    """That it is about to be shown to one person on their Home tab, where it can be decided as well."""
    detail: dict[str, Json] = {
        "home": person,
        "version": approval.version,
        "blocks": fingerprint(blocks),
        "actions": {action.id: _drawn(approval, action) for action in approval.open},
    }
    return Event(
        kind="showing", at=at, conversation=approval.conversation, approval=approval.id, detail=detail
    )


def _drawn(approval: Approval, action: Action) -> str:
    """The digest of what is drawn, made anew: what was kept at the filing may be of something else."""
    return approval.digest_of(action, action.tool, action.arguments, action.referents)
