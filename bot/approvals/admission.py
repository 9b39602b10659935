"""Who may decide: what has to be known of a person is asked before a transaction and checked inside it."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from bot.approvals.action import Seat
from bot.approvals.approval import Action
from bot.approvals.decision import Approve, Decision, Edit, Json
from bot.approvals.errors import CouldNotCheck, NotAllowed, NotHere
from bot.approvals.homes import Home
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Person
from bot.approvals.places import InChannel, Spot
from bot.approvals.policy import ChannelMembers, Policy, Terms, UserGroup, check_decision
from bot.approvals.ports import Asked, Directory

Circle: TypeAlias = ChannelId | GroupId
"""What somebody may be in."""

PATIENCE: Final = 2.2
"""Seconds for all that is asked about one click: it has to be written and answered within 3."""

OPEN_AGAIN: Final = "Please open it again."
TOO_SLOW: Final = "Slack was too slow to say who you are, so nothing was done. Please try again in a moment."


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What is known about who clicked."""

    person: Person
    inside: Mapping[Circle, bool] = field(default_factory=dict)
    """The channels and user groups that were looked into, and whether the person is in them."""
    until: float = math.inf
    """When, on the event loop's clock, it is too late to ask for more."""
    home: Home | None = None
    """The person's own Home tab, where it was pressed in one."""


def evidence(rights: Rights | None) -> dict[str, Json] | None:
    """What Slack said of who clicked, for the record; None if it could not be asked."""
    if rights is None:
        return None
    person = rights.person
    return {
        "standing": person.standing.value,
        "team": person.team,
        "asked_at": person.asked_at.isoformat() if person.asked_at else None,
        "inside": dict(rights.inside.items()),
    }


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

    async def rights(self, by: UserId, spot: Spot) -> Rights:
        """What the policy will probably want to know; `CouldNotCheck` if it is not even known who this is.

        It is all asked at once, since a click has to be answered soon. Which channel counts is only a guess
        here: the rows say it.
        """
        until = asyncio.get_running_loop().time() + PATIENCE
        channel = spot.channel if self.policy.asks_for_members else None
        person, *circles = await asyncio.gather(
            self.directory.person(by),
            self._in_channel(channel, by),
            self._in_groups(self.policy.user_groups, by),
            return_exceptions=True,
        )
        if isinstance(person, BaseException):
            raise person
        inside: dict[Circle, bool] = {}
        for found in circles:
            if isinstance(found, dict):
                inside |= found
            elif not isinstance(found, CouldNotCheck):
                # A rule that names people needs neither; one that does asks again.
                raise found
        return Rights(person=person, inside=inside, until=until)

    async def asked_about(
        self, rights: Rights, channel: ChannelId | None, groups: frozenset[GroupId]
    ) -> Rights:
        """The rights, with what the person is in of these; `CouldNotCheck` if Slack cannot say it in time."""
        by = rights.person.id
        try:
            async with asyncio.timeout_at(rights.until):
                circles = await asyncio.gather(self._in_channel(channel, by), self._in_groups(groups, by))
        except TimeoutError:
            raise CouldNotCheck(TOO_SLOW) from None
        return replace(rights, inside={**rights.inside, **circles[0], **circles[1]})

    async def _in_channel(self, channel: ChannelId | None, by: UserId) -> dict[Circle, bool]:
        return {channel: await self.directory.is_member(channel, by)} if channel else {}

    async def _in_groups(self, groups: frozenset[GroupId], by: UserId) -> dict[Circle, bool]:
        found = await self.directory.groups_of(by) if groups else frozenset()
        return {group: group in found for group in groups}

    def check(
        self,
        asked: Asked,
        action: Action,
        rights: Rights,
        spot: Spot,
        decision: Decision | None = None,
    ) -> Seat:
        """Let this person decide, or look where it is None.

        `NotHere` if the click was not made where the card stands, or not by who it says.

        Where an edit turns the call into another tool, that tool's rule says who may approve it; whoever may
        decide about either may edit it again, and say no. Raises `NotAllowed` with the reason, or `AskAbout`
        channel and groups.
        """
        _check_spot(asked, rights, spot)
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
        terms = self.policy.terms(tool)
        channel = terms.channel.id if isinstance(terms.channel, InChannel) else asked.conversation.channel
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


def _check_spot(asked: Asked, rights: Rights, spot: Spot) -> None:
    person = rights.person
    if not person.is_of(spot.team, spot.organisation):
        raise NotHere(
            "Slack says that you are of another workspace than this click does, so nothing was done. "
            "Please press again."
        )
    thread = asked.conversation.channel
    if spot.home:
        # As long as Slack's answer to the first drawing is on its way, nobody knows what the tab is called.
        if rights.home is None or rights.home.view not in {spot.home, None}:
            raise NotHere("This is not your Home tab as it stands now, so nothing was done. " + OPEN_AGAIN)
    elif not any(card.stands_at(spot, person.id, thread) for card in asked.cards):
        raise NotHere(
            "This is not where the request stands, so nothing was done. Please use the card as it stands now."
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
