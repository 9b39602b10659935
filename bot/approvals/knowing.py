"""What is known of somebody who wants to do something, as Slack says it, and what more has to be asked.

Slack is never asked inside a transaction: what is missing there leaves it as `AskAbout`, is asked, and the
transaction is tried again.
"""

import asyncio
import math
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bot.approvals.action import Seat
from bot.approvals.decision import Json
from bot.approvals.errors import CouldNotCheck, NotAllowed, Refused
from bot.approvals.homes import Home
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Person
from bot.approvals.places import InChannel
from bot.approvals.policy import Policy, check_decision, check_request
from bot.approvals.ports import Directory
from bot.approvals.terms import Terms
from bot.approvals.who import ChannelMembers, Circle, MembersOf, UserGroup, Who
from bot.approvals.words import phrase, say

PATIENCE: Final = 2.2
"""Seconds for all that is asked about one click: it has to be written and answered within 3."""

NO_CHANNEL: Final = ChannelId("")
"""What `channel` means among requesters: nothing, and it is refused at start."""

TOO_SLOW: Final = phrase(
    "Slack was too slow to say who you are, so nothing was done. Please try again in a moment."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What is known about somebody."""

    person: Person
    inside: Mapping[Circle, bool] = field(default_factory=dict)
    """The channels and user groups that were looked into, and whether the person is in them."""
    until: float = math.inf
    """When, on the event loop's clock, it is too late to ask for more."""
    home: Home | None = None
    """The person's own Home tab, where it was pressed in one."""
    fresh: bool = False
    """Whether all of it was asked just now, and nothing is an answer that was remembered."""

    @property
    def circles(self) -> frozenset[Circle]:
        """The channels and user groups that the person is in, of those that were looked into."""
        return frozenset(circle for circle, is_in in self.inside.items() if is_in)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Channels and user groups that somebody may be in."""

    channels: frozenset[ChannelId] = frozenset()
    groups: frozenset[GroupId] = frozenset()
    fresh: bool = False
    """Whether no answer may be one that is remembered, neither about them nor about the person."""


class AskAbout(Exception):  # noqa: N818 - leaves a transaction, which must not wait for Slack, for a question
    """The policy wants to know more of the person."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__(wanted)
        self.wanted = wanted


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


def wanted(who: Iterable[Who], channel: ChannelId) -> Wanted:
    """What has to be known of a person to tell whether these are meant; `channel` is the card's."""
    named = [*who]
    channels = {one.id for one in named if isinstance(one, MembersOf)}
    if ChannelMembers() in named:
        channels.add(channel)
    groups = frozenset(one.id for one in named if isinstance(one, UserGroup))
    return Wanted(channels=frozenset(channels), groups=groups)


def card_channel(terms: Terms, thread: ChannelId) -> ChannelId:
    """The channel whose members `channel` means under these terms; `thread` is the conversation's."""
    return terms.channel.id if isinstance(terms.channel, InChannel) else thread


def seat(
    terms: Terms,
    rights: Rights,
    *,
    thread: ChannelId,
    requesters: frozenset[UserId],
    called: frozenset[UserId],
    tool: str,
) -> Seat:
    """Let this person decide under these terms, or raise `NotAllowed` with the reason, or `AskAbout` more.

    `thread` is the channel of the conversation.
    """
    channel = card_channel(terms, thread)
    _ask(terms, channel, rights)
    return check_decision(
        terms,
        rights.person,
        requesters=requesters,
        in_channel=rights.inside.get(channel, False),
        tool=tool,
        called=called,
        groups=rights.circles,
    )


def _ask(terms: Terms, channel: ChannelId, rights: Rights) -> None:
    """Raise `AskAbout` what the terms want to know and the rights do not say."""
    every = wanted(terms.who, channel)
    if terms.fresh and not rights.fresh:
        raise AskAbout(replace(every, fresh=True))
    missing = replace(
        every,
        channels=every.channels - rights.inside.keys(),
        groups=every.groups - rights.inside.keys(),
        fresh=terms.fresh,
    )
    if missing.channels or missing.groups:
        raise AskAbout(missing)


async def learnt(directory: Directory, rights: Rights, more: Wanted) -> Rights:
    """The rights, with what the person is in of these; `CouldNotCheck` if Slack cannot say it in time.

    Where only fresh answers will do, what was known before is forgotten.
    """
    by = rights.person.id
    asked = directory.anew() if more.fresh else directory
    anew = more.fresh and not rights.fresh
    try:
        async with asyncio.timeout_at(rights.until):
            person, circles = await asyncio.gather(
                asked.person(by) if anew else _known(rights.person),
                asyncio.gather(*_circles(asked, more, by)),
            )
    except TimeoutError:
        raise CouldNotCheck(say(TOO_SLOW)) from None
    inside = {} if anew else dict(rights.inside)
    for found in circles:
        inside |= found
    return replace(rights, person=person, inside=inside, fresh=rights.fresh or more.fresh)


async def first_rights(directory: Directory, by: UserId, more: Wanted, *, until: float) -> Rights:
    """The person, and of these circles what can be told; `CouldNotCheck` if it is not known who it is."""
    person, circles = await asyncio.gather(
        directory.person(by),
        asyncio.gather(*_circles(directory, more, by), return_exceptions=True),
    )
    inside: dict[Circle, bool] = {}
    for found in circles:
        if not isinstance(found, BaseException):
            inside |= found
        elif not isinstance(found, CouldNotCheck):
            raise found  # a rule that names people needs neither; one that does asks again
    return Rights(person=person, inside=inside, until=until)


async def circles_of(directory: Directory, person: Person, who: Iterable[Who], channel: ChannelId) -> Rights:
    """What this person is in of the channels and groups that are named; `CouldNotCheck` if it cannot be told.

    `channel` is what `channel` means.
    """
    until = asyncio.get_running_loop().time() + PATIENCE
    return await learnt(directory, Rights(person=person, until=until), wanted(who, channel))


async def check_asker(directory: Directory, policy: Policy, by: UserId) -> None:
    """Let this person ask the agent, or raise `NotAllowed`; Slack is asked about groups only if need be."""
    person = await directory.person(by)
    try:
        check_request(policy, person)
    except NotAllowed:
        rights = await circles_of(directory, person, policy.requesters, NO_CHANNEL)
        check_request(policy, person, rights.circles)


async def check_asker_of_any(directory: Directory, policies: Iterable[Policy], by: UserId) -> None:
    """Let this person ask under one of these policies, whichever; raises what the first of them says."""
    no: Refused | None = None
    for policy in policies:
        try:
            await check_asker(directory, policy, by)
        except Refused as refused:
            no = no or refused
        else:
            return
    if no:
        raise no


async def _known(person: Person) -> Person:
    return person


def _circles(directory: Directory, more: Wanted, by: UserId) -> list[Coroutine[Any, Any, dict[Circle, bool]]]:
    """The questions; about all groups at once, which Slack answers together."""
    channels = [_in_channel(directory, channel, by) for channel in more.channels]
    return [*channels, _in_groups(directory, more.groups, by)] if more.groups else channels


async def _in_channel(directory: Directory, channel: ChannelId, by: UserId) -> dict[Circle, bool]:
    return {channel: await directory.is_member(channel, by)}


async def _in_groups(directory: Directory, groups: frozenset[GroupId], by: UserId) -> dict[Circle, bool]:
    found = await directory.groups_of(by)
    return {group: group in found for group in groups}
