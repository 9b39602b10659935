"""Who may decide: what has to be known of a person is asked before a transaction and checked inside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from bot.approvals.action import Seat
from bot.approvals.approval import Action
from bot.approvals.decision import Approve, Decision, Edit, Json
from bot.approvals.errors import CouldNotCheck, NotAllowed
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Person
from bot.approvals.policy import ChannelMembers, Policy, Terms, UserGroup, check_decision
from bot.approvals.ports import Asked, Directory

Circle: TypeAlias = ChannelId | GroupId
"""What somebody may be in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What is known about who clicked."""

    person: Person
    inside: Mapping[Circle, bool] = field(default_factory=dict)
    """The channels and user groups that were looked into, and whether the person is in them."""


def evidence(rights: Rights | None) -> dict[str, Json] | None:
    """What Slack said of who clicked, for the record; None if it could not be asked."""
    if rights is None:
        return None
    return {"standing": rights.person.standing.value, "inside": dict(rights.inside.items())}


class AskAbout(Exception):  # noqa: N818 - leaves a transaction, which must not wait for Slack, for a question
    """The policy wants to know whether the person is in this channel, and in these user groups."""

    def __init__(self, channel: ChannelId | None, groups: frozenset[GroupId]) -> None:
        super().__init__(channel, groups)
        self.channel = channel
        self.groups = groups


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
        channel = near if self.policy.asks_for_members else None
        try:
            return await self.asked_about(rights, channel, self.policy.user_groups)
        except CouldNotCheck:
            # A rule that names people does not need it; one that does asks again.
            return rights

    async def asked_about(
        self, rights: Rights, channel: ChannelId | None, groups: frozenset[GroupId]
    ) -> Rights:
        """The rights, with what the person is in of these; `CouldNotCheck` if Slack cannot be asked."""
        inside, by = dict(rights.inside), rights.person.id
        if channel:
            inside[channel] = await self.directory.is_member(channel, by)
        if groups:
            found = await self.directory.groups_of(by)
            inside |= {group: group in found for group in groups}
        return replace(rights, inside=inside)

    def check(self, asked: Asked, action: Action, rights: Rights, decision: Decision | None = None) -> Seat:
        """Let this person decide, or look where it is None.

        Where an edit turns the call into another tool, that tool's rule says who may approve it; whoever may
        decide about either may edit it again, and say no. Raises `NotAllowed` with the reason, or `AskAbout`
        channel and groups.
        """
        now = action.asked.tool
        if isinstance(decision, Approve) or now == action.tool == _becomes(action, decision):
            return self._seat(asked, now, rights)
        seat = self._either(asked, (now, action.tool), rights)
        becomes = _becomes(action, decision)
        try:
            return self._seat(asked, becomes, rights)
        except NotAllowed:
            # It is for others to approve; the vote is kept, and counts for nothing.
            return replace(seat, needs=self.policy.terms(becomes).needs, fits=frozenset())

    def _either(self, asked: Asked, tools: tuple[str, str], rights: Rights) -> Seat:
        try:
            return self._seat(asked, tools[0], rights)
        except NotAllowed:
            if tools[0] == tools[1]:
                raise
            return self._seat(asked, tools[1], rights)

    def _seat(self, asked: Asked, tool: str, rights: Rights) -> Seat:
        terms, channel = self.policy.terms(tool), asked.conversation.channel
        _ask(terms, channel, rights)
        return check_decision(
            terms,
            rights.person,
            requesters=asked.approval.requesters,
            in_channel=rights.inside.get(channel, False),
            tool=tool,
            called=asked.approval.escalated_to,
            groups=frozenset(GroupId(circle) for circle, is_in in rights.inside.items() if is_in),
        )


def _becomes(action: Action, decision: Decision | None) -> str:
    """The tool that people are asked about once this is decided."""
    return (decision.tool or action.tool) if isinstance(decision, Edit) else action.asked.tool


def _ask(terms: Terms, channel: ChannelId, rights: Rights) -> None:
    """Raise `AskAbout` what the terms want to know and the rights do not say."""
    who = terms.who
    groups = frozenset(one.id for one in who if isinstance(one, UserGroup)) - rights.inside.keys()
    wanted = channel if ChannelMembers() in who and channel not in rights.inside else None
    if wanted or groups:
        raise AskAbout(wanted, groups)
