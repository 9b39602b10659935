"""Where the cards of an approval are to stand, and what happens where one cannot."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from bot.approvals.approval import Approval, State
from bot.approvals.bursts import merged
from bot.approvals.conversation import Conversation, Post, PostKind
from bot.approvals.errors import CouldNotCheck, TryLater
from bot.approvals.filing import owe
from bot.approvals.ids import ApprovalId, ChannelId, GroupId, PostId, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.places import IN_THREAD, MOST_MESSAGES, Copy, InChannel, ToApprovers, Where, is_to_person
from bot.approvals.policies import Policies
from bot.approvals.policy import Policy, Terms
from bot.approvals.ports import Jobs, Store, Transaction
from bot.approvals.sayings import saying
from bot.approvals.who import One, Requester, UserGroup
from bot.approvals.words import phrase

PAUSE: Final = 15.0
"""Seconds after which Slack is asked again who the approvers are."""

NOBODY: Final = phrase("Nobody could be sent this in a direct message, so it stands here.")
TOO_MANY: Final = phrase("More than {most} people may decide about this, so it stands here.")

SHARED: Final = "shared_channel"
"""The problem of a card that was not posted because another organisation is in the channel."""
SHARED_HERE: Final = phrase(
    "This channel is shared with another organisation, so what waits for a decision is not shown here. "
    "The policy can name another `channel` for it, or say `shared_channels = true`; "
    "until then it stays open, and can be stopped with /agent cancel."
)
SHARED_THERE: Final = phrase(
    "The channel for this is shared with another organisation by now, so it stands here."
)


def places(approval: Approval, policy: Policy, conversation: Conversation) -> tuple[Where, ...]:
    """Where its cards are to stand, each place once; a channel in which the thread is, is the thread."""
    wanted = [policy.terms_of(action).channel for action in approval.open]
    here = InChannel(conversation.channel)
    return tuple(dict.fromkeys(IN_THREAD if where == here else where for where in wanted))


async def fall_back(tx: Transaction, jobs: Jobs, approval: Approval, sentence: str, *, of: str) -> None:
    """Let the card stand in the thread, since a place cannot have it, and say why; once for each place."""
    if approval.state is not State.WAITING:
        return
    words = Post(
        id=PostId(f"fallback:{approval.id}:{of}"),
        conversation=approval.conversation,
        kind=PostKind.NOTICE,
        text=sentence,
    )
    await owe(tx, jobs, words)
    if not any(not card.place for card in await tx.posts.cards(approval.id)):
        await owe(tx, jobs, _card(approval, "thread", place=""))


def nearest(cards: Sequence[Copy], by: UserId) -> Copy | None:
    """The copy that this person is led to: the own one, or the first that is nobody's direct message."""
    own = [card for card in cards if card.ts and card.place == by]
    return next(iter([*own, *(card for card in cards if card.ts and not is_to_person(card.place))]), None)


def told_instead(post: Post, sentence: str) -> Post:
    """What the thread is told in place of a card that must not stand there."""
    id = PostId(f"instead:{post.id}")
    return Post(id=id, conversation=post.conversation, kind=PostKind.NOTICE, text=sentence)


def lost(place: str) -> str:
    """What the thread is told about a place that cannot have the card."""
    if is_to_person(place):
        return saying("{who} cannot be sent this in a direct message, so it stands here.", who=f"<@{place}>")
    return saying(
        "The channel that the policy names for this cannot be written in any more "
        "(it is archived, or I am not in it), so it stands here. "
        "Who may decide stays the same; invite me there again, or change the policy."
    )


class Audience(Protocol):
    """Who would see a card, asked from Slack; answers may be a minute old."""

    async def person(self, id: UserId) -> Person:
        """Who this is; `CouldNotCheck` if Slack cannot be asked."""

    async def members_of(self, group: GroupId) -> frozenset[UserId]:
        """Everybody in a user group, guests included; `CouldNotCheck` if Slack cannot be asked."""

    async def is_shared(self, channel: ChannelId) -> bool:
        """Whether another organisation is in the channel; `CouldNotCheck` if Slack cannot be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Sends approvals to their approvers, and knows which channels must not have a card."""

    store: Store
    jobs: Jobs
    audience: Audience
    policy: Policies

    async def spread(self, id: ApprovalId) -> None:
        """Owe each approver a card in a direct message; to do it twice changes nothing.

        `TryLater` if Slack cannot be asked who they are.
        """
        async with self.store.read() as tx:
            card = await tx.approvals.on_card(id)
        if not card or (approval := merged(card)).state is not State.WAITING:
            return
        try:
            people = await self._people(approval)
        except CouldNotCheck as no:
            raise TryLater(PAUSE, str(no)) from no
        async with self.store.write() as tx:
            card = await tx.approvals.on_card(id)
            if not card or (approval := merged(card)).state is not State.WAITING:
                return
            if not 0 < len(people) <= MOST_MESSAGES:
                why = saying(TOO_MANY, most=MOST_MESSAGES) if people else saying(NOBODY)
                await fall_back(tx, self.jobs, approval, why, of="dm")
                return
            for person in people:
                await owe(tx, self.jobs, _card(approval, person, place=person))

    async def keeps_out(self, channel: ChannelId, approval: Approval) -> bool:
        """Whether the channel is shared with another organisation and the policy does not allow that.

        `TryLater` if Slack cannot be asked.
        """
        policy = self.policy.of(approval.realm)
        if all(policy.terms(action.tool).shared_channels for action in approval.actions):
            return False
        try:
            return await self.audience.is_shared(channel)
        except CouldNotCheck as no:
            raise TryLater(PAUSE, str(no)) from no

    async def _people(self, approval: Approval) -> Sequence[UserId]:
        """The full members who may decide about what is open and are to be sent it, in a fixed order."""
        found: set[UserId] = set()
        policy = self.policy.of(approval.realm)
        for terms in {policy.terms_of(action) for action in approval.open}:
            if not isinstance(terms.channel, ToApprovers):
                continue
            named = await self._named(terms, approval)
            named |= approval.escalated_to & frozenset(terms.escalate_to)
            found |= named if terms.self_approval else named - approval.requesters
        people = await asyncio.gather(*(self.audience.person(id) for id in sorted(found)))
        return [person.id for person in people if person.standing is Standing.MEMBER]

    async def _named(self, terms: Terms, approval: Approval) -> set[UserId]:
        named: set[UserId] = set()
        for who in terms.who:
            match who:
                case One(id=id):
                    named.add(id)
                case UserGroup(id=group):
                    named |= await self.audience.members_of(group)
                case Requester():
                    named |= approval.requesters
                case _:
                    pass  # a policy file that names more people than can be listed is refused at start
        return named


def _card(approval: Approval, name: str, *, place: str) -> Post:
    return Post(
        id=PostId(f"card:{approval.id}:{name}"),
        conversation=approval.conversation,
        kind=PostKind.CARD,
        approval=approval.id,
        place=place,
    )
