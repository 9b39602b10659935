"""Who has to see that something changed, among those whose Home tab is open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation
from bot.approvals.errors import CouldNotCheck
from bot.approvals.homes import Home
from bot.approvals.ids import ChannelId, UserId
from bot.approvals.places import InChannel
from bot.approvals.policies import Policies
from bot.approvals.policy import ChannelMembers, Members, MembersOf, One, Requester, UserGroup, Who
from bot.approvals.ports import Directory


@dataclass(frozen=True, slots=True, kw_only=True)
class Onlookers:
    """Tells them apart roughly: who is shown what is decided when the tab is drawn."""

    directory: Directory
    policy: Policies

    async def among(
        self, homes: Iterable[Home], conversation: Conversation, approval: Approval | None
    ) -> Sequence[Home]:
        """The tabs on which the conversation, or this approval of it, may stand or has stood."""
        return [one for one in homes if await self._is_concerned(one, conversation, approval)]

    async def _is_concerned(self, home: Home, conversation: Conversation, approval: Approval | None) -> bool:
        by = home.person
        if approval is None:
            return by == conversation.requester
        if by == conversation.requester or by in approval.requesters:
            return True
        votes = {vote.by for action in approval.actions for vote in action.votes}
        if approval.id in home.seen or by in approval.escalated_to or by in votes:
            return True
        try:
            return await self._is_named(by, conversation, approval)
        except CouldNotCheck:
            return True

    async def _is_named(self, by: UserId, conversation: Conversation, approval: Approval) -> bool:
        """Whether the policy may let this person decide about any of it, or see all that waits."""
        policy = self.policy.of(conversation.realm)
        places: set[tuple[Who, ChannelId]] = {(who, conversation.channel) for who in policy.operators}
        for action in approval.actions:
            for terms in (policy.terms_of(action), policy.terms_of(action.asked)):
                where = terms.channel.id if isinstance(terms.channel, InChannel) else conversation.channel
                places |= {(who, where) for who in terms.who}
        for who, where in places:
            if await self._fits(who, by, where):
                return True
        return False

    async def _fits(self, who: Who, by: UserId, where: ChannelId) -> bool:
        match who:
            case Members():
                return True
            case One(id=id):
                return id == by
            case UserGroup(id=group):
                return group in await self.directory.groups_of(by)
            case ChannelMembers():
                return await self.directory.is_member(where, by)
            case MembersOf(id=channel):
                return await self.directory.is_member(channel, by)
            case Requester():
                return False
            case _:
                assert_never(who)
