"""What people asked for: where it stands, and the end that they put to it themselves."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Conversation, Status
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import ChannelId, ConversationId, UserId
from bot.approvals.person import Standing
from bot.approvals.ports import Clock, Directory, Jobs, Store, Transaction
from bot.approvals.stopping import Halting, check_stoppable, stop
from bot.approvals.words import phrase, say

MOST_UNDER_WAY: Final = 50
"""Conversations that a list looks at; of a person's own, and of a channel's."""
MOST_FINISHED: Final = 5
"""Finished conversations in a list: the newest of a person's own."""

NOT_KNOWN: Final = phrase("This conversation is not known here, so nothing was done.")
NOT_YOURS: Final = phrase("Only who asked for it can stop it here; approvers use the Stop on its card.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFor:
    """One conversation in a list."""

    conversation: Conversation
    words: str
    """What it began with."""
    waiting: tuple[Approval, ...] = field(default=())
    """What people are asked in it now."""

    @property
    def may_be_stopped(self) -> bool:
        """Whether anything is under way that is not being stopped already."""
        return self.conversation.status not in {Status.IDLE, Status.CANCELLING}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConversations:
    """Lists conversations for those who asked for them, and stops them for them."""

    store: Store
    jobs: Jobs
    agent: Halting
    directory: Directory
    now: Clock

    async def of(self, by: UserId) -> list[AskedFor]:
        """The person's own: what is under way, then what was finished lately; the newest of each first."""
        async with self.store.read() as tx:
            under_way = await tx.conversations.under_way_of(by, MOST_UNDER_WAY)
            lately = await tx.conversations.of(by, limit=MOST_UNDER_WAY)
            finished = [one for one in lately if one.status is Status.IDLE][:MOST_FINISHED]
            return await _listed(tx, [*under_way, *finished])

    async def of_others(self, channel: ChannelId, by: UserId) -> list[AskedFor]:
        """What others have under way in a channel that the person is in; `CouldNotCheck` if Slack is away."""
        if not await self.directory.is_member(channel, by):
            return []
        async with self.store.read() as tx:
            there = await tx.conversations.under_way_in(channel, MOST_UNDER_WAY)
            return await _listed(tx, [one for one in there if one.requester != by])

    async def stop(self, id: ConversationId, *, by: UserId) -> None:
        """Stop one's own conversation, wherever one is. `Refused` if it is not theirs or has come to rest.

        The tool that runs at this moment ends, open approvals are withdrawn, and nothing is begun. What is
        said in the thread afterwards goes on from there.
        """
        person = await self.directory.person(by)
        async with self.store.write() as tx:
            conversation = await tx.conversations.get(id)
            if conversation is None:
                raise NotAllowed(say(NOT_KNOWN))
            if conversation.requester != by or person.standing is not Standing.MEMBER:
                raise NotAllowed(say(NOT_YOURS))
            check_stoppable(conversation)
            await stop(tx, self.jobs, self.agent, conversation, by=by, now=self.now)


async def _listed(tx: Transaction, found: Iterable[Conversation]) -> list[AskedFor]:
    return [
        AskedFor(
            conversation=one,
            words=await tx.conversations.first_words(one.id),
            waiting=tuple(await tx.approvals.of(one.id, State.WAITING))
            if one.status is Status.WAITING
            else (),
        )
        for one in found
    ]
