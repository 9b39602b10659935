"""What is kept of a message in Slack: how its post stands, and which drawing of a card stands where.

The record has digests and places, never a value.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from bot.approvals.approval import Action, Approval, State
from bot.approvals.binding import fingerprint
from bot.approvals.conversation import Post, PostKind
from bot.approvals.decision import Json
from bot.approvals.ids import UserId
from bot.approvals.ports import Event, Store
from bot.slack.message import Blocks, Message


async def noted(store: Store, post: Post, *events: Event) -> Post:
    """Write how it is shown, and return it; who settled it meanwhile stays."""
    async with store.write() as tx:
        if there := await tx.posts.get(post.id):
            post = replace(post, settled_by=there.settled_by)
        await tx.posts.save(post)
        await tx.record.append(*events)
    return post


def sightings(
    kind: str, post: Post, card: Iterable[Approval], message: Message, at: datetime
) -> Iterator[Event]:
    """A line for each approval of a card about which somebody can decide; none for anything else.

    `showing`: this drawing is about to be handed to Slack; `shown`: it stands there. The first is written
    before, because people may decide before Slack's answer is heard.
    """
    if post.kind is PostKind.CARD:
        for one in card:
            if one.state is State.WAITING:
                yield _sighting(kind, post, one, message.blocks, at)


def _sighting(kind: str, post: Post, approval: Approval, blocks: Blocks, at: datetime) -> Event:
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
