"""What becomes of a message that its place cannot have. The approval itself stays as it is, and decidable."""

from dataclasses import dataclass, replace
from typing import Final

from slack_sdk.errors import SlackApiError

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.filing import owe
from bot.approvals.ids import ChannelId, PostId
from bot.approvals.ports import Store
from bot.approvals.sayings import saying
from bot.approvals.standings import (
    SHARED,
    SHARED_HERE,
    SHARED_THERE,
    Standings,
    fall_back,
    lost,
    told_instead,
)
from bot.approvals.words import phrase
from bot.slack.drawing import DETAILED, Drawing
from bot.slack.refusals import name_of, pause

CLOSED: Final = phrase(
    "I cannot write in the channel where you asked me: it is archived, or I am not in it. Please /invite "
    "me there. What waits for a decision stays open meanwhile: whoever may decide finds it on the Home "
    "tab of this app. I try again every minute."
)
"""What the requester is told in a direct message, once for each conversation."""

NO_ACCESS: Final = phrase(
    "I cannot write in the channel where you asked me: I was taken out of its workspace. Please have an "
    "administrator of your organisation add me there again. What waits for a decision stays open meanwhile: "
    "whoever may decide finds it on the Home tab of this app in another workspace. I try again every minute."
)
"""The same of a workspace to which the organisation's app was added, and is no more."""

NO_THREAD: Final = phrase(
    "I cannot write in the thread where you asked me: its first message was deleted. What waits for a "
    "decision stays open: whoever may decide finds it on the Home tab of this app. The answer cannot be "
    "shown in that thread; to start anew, use /agent."
)
"""The same of a thread whose first message is gone, which nobody can mend."""

NO_CARD: Final = phrase("The message about this was deleted where it stood, so it stands here.")
"""What the thread is told of a card elsewhere below which nothing can be said any more."""

_GONE: Final = "thread_not_found"
_TOLD: Final = {"team_access_not_granted": NO_ACCESS, _GONE: NO_THREAD}


@dataclass(frozen=True, slots=True, kw_only=True)
class Displaced:
    """Finds another place for what one place cannot have, and tells people about it."""

    store: Store
    standings: Standings | None = None

    async def must_not_be_shown(self, drawing: Drawing) -> bool:
        """Whether it is a card in a channel that must not have it, which the thread is told then."""
        post, approval, channel = drawing.post, drawing.approval, drawing.channel
        if approval is None or post.kind not in DETAILED or not channel.startswith(("C", "G")):
            return False
        if not self.standings or not await self.standings.keeps_out(ChannelId(channel), approval):
            return False
        # In the thread it stays owed: the sweep tries again, and policy or channel may be others then.
        state = PostState.OWED if _stays(post, approval) else PostState.UNDELIVERABLE
        await self._save(
            replace(post, state=state, problem=SHARED), saying(SHARED_THERE if post.place else SHARED_HERE)
        )
        return True

    async def lose(self, post: Post, error: SlackApiError) -> Post:
        """Slack says that nothing can be posted or changed there.

        A card of another channel or of a person stands in the thread instead. The thread itself has no other
        place: its requester is told, and it is tried again until somebody has opened the channel.
        Raises `TryLater` then.
        """
        post = replace(post, problem=name_of(error))
        if post.place or self.standings is None:
            given_up = replace(post, state=PostState.UNDELIVERABLE)
            await self._save(given_up, saying(NO_CARD) if name_of(error) == _GONE and post.place else "")
            return given_up
        async with self.store.write() as tx:
            await tx.posts.save(post)
            if conversation := await tx.conversations.get(post.conversation):
                text = saying(_TOLD.get(name_of(error), CLOSED))
                closed = Post(
                    id=PostId(f"closed:{conversation.id}"),
                    conversation=conversation.id,
                    kind=PostKind.NOTICE,
                    text=text,
                    place=conversation.requester,
                )
                await owe(tx, self.standings.jobs, closed)
        raise pause(error) from error

    async def give_up(self, drawing: Drawing, problem: str) -> None:
        """After the last attempt; a card that somebody has to decide stays owed, for the sweep to try."""
        post = drawing.post
        state = PostState.OWED if _stays(post, drawing.approval) else PostState.UNDELIVERABLE
        await self._save(replace(post, state=state, problem=problem))

    async def _save(self, post: Post, sentence: str = "") -> None:
        """Note that a place cannot have the post; a card that belongs there stands in the thread instead."""
        async with self.store.write() as tx:
            await tx.posts.save(post)
            approval = await tx.approvals.get(post.approval) if post.approval else None
            if approval is None or self.standings is None or not (post.place or sentence):
                return
            if post.place:
                await fall_back(
                    tx, self.standings.jobs, approval, sentence or lost(post.place), of=post.place
                )
            elif approval.state is State.WAITING:
                await owe(tx, self.standings.jobs, told_instead(post, sentence))


def _stays(post: Post, approval: Approval | None) -> bool:
    """Whether somebody has to see it, and it has no other place."""
    return approval is not None and approval.state is State.WAITING and not post.place
