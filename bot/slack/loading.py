"""What a message is drawn from, read in one look: its post, and everything that stands on it."""

from collections.abc import Container

from bot.approvals.approval import State
from bot.approvals.bursts import merged, open_cards
from bot.approvals.conversation import Post, PostKind
from bot.approvals.ids import PostId
from bot.approvals.masking import Masking
from bot.approvals.ports import Store, Transaction
from bot.approvals.realm import Choice
from bot.approvals.roster import ONE_AGENT, Roster
from bot.slack.drawing import FILES, QUOTING, Drawing


async def loaded(
    store: Store,
    maskings: Choice[Masking],
    id: PostId,
    *,
    refused: Container[str] = (),
    roster: Roster = ONE_AGENT,
) -> Drawing | None:
    """The post with all that it shows; None if it is not known.

    `refused` are the kinds that this Slack does not take as they are meant to be, and `FILES`.
    """
    below = None
    async with store.read() as tx:
        post = await tx.posts.get(id)
        conversation = await tx.conversations.get(post.conversation) if post else None
        if post is None or conversation is None:
            return None
        card = await tx.approvals.on_card(post.approval) if post.approval else ()
        quoted = await tx.approvals.of(post.conversation) if post.kind in QUOTING else ()
        if post.place and post.approval and post.kind is not PostKind.CARD:
            cards = await tx.posts.cards(post.approval)
            below = next((one for one in cards if one.place == post.place and one.ts), None)
        behind = await _behind(tx, post) if post.kind is PostKind.CARD else 0
    return Drawing(
        below=below,
        post=post,
        conversation=conversation,
        approval=merged(card) if card else None,
        card=tuple(card),
        behind=behind,
        quoted=tuple(quoted),
        masking=maskings.of(conversation.realm),
        agent=roster.label(conversation.realm),
        plainly=post.kind in refused,
        # The second message of an answer that goes on is what comes of it where there are no files.
        files=FILES not in refused and post.drawn < 1,
    )


async def _behind(tx: Transaction, post: Post) -> int:
    """How many requests wait for their turn, if this is the last open card of its conversation."""
    if not await tx.approvals.queues([post.conversation]):
        return 0
    waiting = await tx.approvals.of(post.conversation, State.WAITING)
    is_last = post.approval is not None and open_cards(waiting)[-1:] == [post.approval]
    return len([one for one in waiting if one.held]) if is_last else 0
