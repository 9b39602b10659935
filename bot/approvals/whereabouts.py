"""Whether a press that steers the agent was made where its button stands: Retry, Stop and Ask again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from bot.approvals.conversation import Conversation, Post
from bot.approvals.errors import NotHere
from bot.approvals.ids import ActionId, ConversationId, PostId, UserId
from bot.approvals.places import Spot, is_to_person
from bot.approvals.ports import Clock, Directory, Event, Store
from bot.approvals.steering import Steering
from bot.approvals.words import phrase, say

ELSEWHERE: Final = phrase(
    "This is not where that button stands, so nothing was done. Please use the message as it stands now."
)
OTHER_WORKSPACE: Final = phrase(
    "Slack says that you are of another workspace than this click does, so nothing was done. "
    "Please press again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Refuses what was pressed elsewhere, and records it. What is not known here is others' to refuse."""

    store: Store
    directory: Directory
    now: Clock

    @classmethod
    def of(cls, steering: Steering) -> Self:
        """With the same rows and the same Slack as this."""
        return cls(store=steering.store, directory=steering.directory, now=steering.now)

    async def of_failure(self, id: PostId, *, by: UserId, spot: Spot) -> None:
        """`NotHere` unless it was pressed in this very message."""
        async with self.store.read() as tx:
            post = await tx.posts.get(id)
            conversation = await tx.conversations.get(post.conversation) if post else None
        if post and conversation:
            await self._check([post], conversation, by, spot)

    async def of_conversation(self, id: ConversationId, *, by: UserId, spot: Spot) -> None:
        """`NotHere` unless it was pressed in a message of this conversation."""
        async with self.store.read() as tx:
            conversation = await tx.conversations.get(id)
            posts = await tx.posts.of(id)
        if conversation:
            await self._check(posts, conversation, by, spot)

    async def of_action(self, id: ActionId, *, by: UserId, spot: Spot) -> None:
        """`NotHere` unless it was pressed in a message of the action's conversation."""
        async with self.store.read() as tx:
            approval = await tx.approvals.of_action(id)
        if approval:
            await self.of_conversation(approval.conversation, by=by, spot=spot)

    async def _check(self, posts: Sequence[Post], conversation: Conversation, by: UserId, spot: Spot) -> None:
        person = await self.directory.person(by)
        sentence = ""
        if not person.is_of(spot.team, spot.organisation):
            sentence = OTHER_WORKSPACE
        elif not any(_stands_at(post, conversation, by, spot) for post in posts):
            sentence = ELSEWHERE
        if sentence:
            await self._record(conversation, by, spot)
            raise NotHere(say(sentence))

    async def _record(self, conversation: Conversation, by: UserId, spot: Spot) -> None:
        claimed = {"team": spot.team, "channel": spot.channel, "message": spot.message}
        async with self.store.write() as tx:
            await tx.record.append(
                Event(
                    kind="refused",
                    at=self.now(),
                    conversation=conversation.id,
                    actor=by,
                    detail={"reason": NotHere.__name__, "claimed": {**claimed}},
                )
            )


def _stands_at(post: Post, conversation: Conversation, by: UserId, spot: Spot) -> bool:
    """Whether this message was pressed; as long as Slack's answer is on its way, its channel has to do."""
    if spot.channel is None or spot.message is None:
        return False
    if post.ts:
        return (post.channel, post.ts) == (spot.channel, spot.message)
    if is_to_person(post.place):
        return post.place == by and spot.channel.startswith("D")
    return spot.channel == (post.place or conversation.channel)
