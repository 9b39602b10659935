"""Who may decide: what has to be known of a person is asked before a transaction and checked inside it."""

from dataclasses import dataclass, replace

from bot.approvals.approval import Action
from bot.approvals.errors import CouldNotCheck
from bot.approvals.ids import ChannelId, UserId
from bot.approvals.person import Person
from bot.approvals.policy import ChannelMembers, Policy, check_decision
from bot.approvals.ports import Asked, Directory


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What is known about who clicked."""

    person: Person
    members_of: ChannelId | None = None
    """The channel that was looked into."""
    is_member: bool = False
    """Whether the person is in it."""


class AskAbout(Exception):  # noqa: N818 - leaves a transaction, which must not wait for Slack, for a question
    """The policy wants to know whether the person is in this channel."""

    def __init__(self, channel: ChannelId) -> None:
        super().__init__(channel)
        self.channel = channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The policy, and the directory that tells what it wants to know."""

    directory: Directory
    policy: Policy

    async def rights(self, by: UserId, near: ChannelId | None) -> Rights:
        """What the policy will probably want to know; `CouldNotCheck` if it is not even known who this is.

        `near` is where the click says it was made. It is only a guess: the rows say which channel counts.
        """
        rights = Rights(person=await self.directory.person(by))
        if near and self.policy.asks_for_members:
            try:
                return await self.asked_about(rights, near)
            except CouldNotCheck:
                # A rule that names people does not need it; one that does asks again.
                return rights
        return rights

    async def asked_about(self, rights: Rights, channel: ChannelId) -> Rights:
        """The rights, with the membership in this channel; `CouldNotCheck` if Slack cannot be asked."""
        is_member = await self.directory.is_member(channel, rights.person.id)
        return replace(rights, members_of=channel, is_member=is_member)

    def check(self, asked: Asked, action: Action, rights: Rights) -> None:
        """Let this person decide. Raises `NotAllowed` with the reason, or `AskAbout` a channel."""
        terms, channel = self.policy.terms(action.tool), asked.conversation.channel
        if ChannelMembers() in terms.approvers and rights.members_of != channel:
            raise AskAbout(channel)
        check_decision(
            terms,
            rights.person,
            requesters=asked.approval.requesters,
            in_channel=rights.is_member and rights.members_of == channel,
            tool=action.tool,
            called=asked.approval.escalated_to,
        )
