"""Who takes part in a conversation: Retry, Stop and Ask again are for the requester and the approvers."""

from dataclasses import dataclass

from bot.approvals.approval import State
from bot.approvals.conversation import Conversation
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import UserId
from bot.approvals.knowing import circles_of
from bot.approvals.person import Standing
from bot.approvals.policies import Policies
from bot.approvals.policy import Members, One, Who
from bot.approvals.ports import Directory, Store
from bot.approvals.words import say


@dataclass(frozen=True, slots=True, kw_only=True)
class TakingPart:
    """Tells whether somebody has any business with a conversation."""

    store: Store
    directory: Directory
    policy: Policies

    async def check(self, by: UserId, conversation: Conversation) -> None:
        """Let the requester or an approver through; `NotAllowed` for others.

        Whoever was called in about something in this conversation is an approver here, and so is whom a
        function of the policy named for what is open in it.
        """
        person = await self.directory.person(by)
        if person.standing is Standing.MEMBER and by == conversation.requester:
            return
        every = self.policy.of(conversation.realm).all_terms
        who = {one for terms in every for one in terms.who} | await self._chosen(conversation)
        may = _named(by, who) or await self._called_in(by, conversation)
        may = may or bool((await circles_of(self.directory, person, who, conversation.channel)).circles)
        if person.standing is not Standing.MEMBER or not may:
            raise NotAllowed(say("Only the requester or an approver can do this."))

    async def _chosen(self, conversation: Conversation) -> set[Who]:
        async with self.store.read() as tx:
            waiting = await tx.approvals.of(conversation.id, State.WAITING)
        asked = [action.asked for approval in waiting for action in approval.open]
        policy = self.policy.of(conversation.realm)
        return {who for action in asked if action.chosen for who in policy.terms_of(action).who}

    async def _called_in(self, by: UserId, conversation: Conversation) -> bool:
        if not any(by in terms.escalate_to for terms in self.policy.of(conversation.realm).all_terms):
            return False
        async with self.store.read() as tx:
            return any(by in one.escalated_to for one in await tx.approvals.of(conversation.id))


def _named(by: UserId, who: set[Who]) -> bool:
    return Members() in who or One(by) in who
