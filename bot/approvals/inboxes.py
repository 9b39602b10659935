"""Finds out what one person is to know.

All that waits is looked through, a page at a time and without any arguments; what is shown is read then.
Slack is asked about the person once, and about so many channels at most; what could not be looked up is left
out, and that is told.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.approvals.approval import State
from bot.approvals.conversation import Status
from bot.approvals.errors import CouldNotCheck
from bot.approvals.eyes import Eyes
from bot.approvals.homes import Glimpse
from bot.approvals.ids import ActionId, ChannelId, ConversationId, GroupId, UserId
from bot.approvals.inbox import Inbox, Mine, Request, Ruled
from bot.approvals.knowing import Rights
from bot.approvals.person import Person, Standing
from bot.approvals.policies import Policies
from bot.approvals.policy import Policy, UserGroup, is_operator
from bot.approvals.ports import Asked, Directory, Store, Transaction
from bot.approvals.roster import ONE_AGENT, Roster

PAGE: Final = 500
"""Approvals that are looked through at once: some milliseconds, in which nothing else is done."""
MOST_WAITING: Final = 12
"""Approvals that are read whole, of those that wait for somebody."""
MOST_LISTED: Final = 15
"""Approvals of all that wait, for operators."""
MOST_ASKED: Final = 8
MOST_DECIDED: Final = 8
_LOOKED_AT: Final = 40
"""Conversations and votes of which the most interesting are listed."""
MOST_CHANNELS: Final = 50
"""Channels of which Slack is asked who is in them."""
PATIENCE: Final = 1.5
"""Seconds for that: somebody waits for the answer to a command, which has 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inboxes:
    """Finds out what one person is to know, as of now."""

    store: Store
    directory: Directory
    policy: Policies
    roster: Roster = ONE_AGENT

    async def of(self, by: UserId) -> Inbox:
        """This person's; nothing in it for those who cannot take part in approvals."""
        try:
            person = await self.directory.person(by)
        except CouldNotCheck:
            return Inbox(person=by)
        if person.standing is not Standing.MEMBER:
            return Inbox(person=by, standing=person.standing)
        groups = await self._groups(by)
        every = await self._every()
        eyes = Eyes(policy=self.policy, rights=Rights(person=person), groups=groups or frozenset())
        unknown: dict[ChannelId, None] = {}
        async for page in _pages(every):
            unknown |= dict.fromkeys(channel for one in page for channel in sorted(eyes.wants(one)))
        looked_into = await self._looked_into([*unknown][:MOST_CHANNELS], by)
        eyes = eyes.looking_into(looked_into)
        mine = []
        async for page in _pages(every):
            mine += [(one, those) for one in page if (those := eyes.waiting(one))]
        shown = [pair for pair in mine if not pair[0].held][:MOST_WAITING]
        async with self.store.read() as tx:
            return Inbox(
                person=by,
                standing=person.standing,
                waiting=await _mine(tx, by, shown),
                more=len(mine) - len(shown),
                is_partial=groups is None or len(looked_into) < len(unknown),
                requests=await _requests(tx, by, every),
                decided=await _ruled(tx, by),
                every=await self._whole(tx, person, groups, every),
                total=len(every),
                roster=self.roster,
            )

    async def _every(self) -> Sequence[Glimpse]:
        every: list[Glimpse] = []
        async with self.store.read() as tx:
            while page := await tx.homes.waiting(every[-1].seq if every else 0, PAGE):
                every += page
        return every

    async def _groups(self, by: UserId) -> frozenset[GroupId] | None:
        """None where Slack could not say; nothing where the policy has no use for them."""
        if not any(map(_may_name_groups, self.policy.every)):
            return frozenset()
        with suppress(CouldNotCheck):
            return await self.directory.groups_of(by)
        return None

    async def _looked_into(self, channels: Iterable[ChannelId], by: UserId) -> Mapping[ChannelId, bool]:
        found: dict[ChannelId, bool] = {}

        async def look(channel: ChannelId) -> None:
            with suppress(CouldNotCheck):
                found[channel] = await self.directory.is_member(channel, by)

        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*map(look, channels))
        return found

    async def _whole(
        self, tx: Transaction, person: Person, groups: frozenset[GroupId] | None, every: Sequence[Glimpse]
    ) -> tuple[Asked, ...] | None:
        if not any(is_operator(one, person, groups or frozenset()) for one in self.policy.every):
            return None
        first = [one.open[0].id for one in every[:MOST_LISTED] if one.open]
        found = await tx.approvals.asked(first)
        return tuple(found[id] for id in first if id in found)


async def _pages(every: Sequence[Glimpse]) -> AsyncIterator[Sequence[Glimpse]]:
    """In parts, between which others have their turn: somebody may be waiting for an ack."""
    for at in range(0, len(every), PAGE):
        yield every[at : at + PAGE]
        await asyncio.sleep(0)


def _may_name_groups(policy: Policy) -> bool:
    if any(isinstance(who, UserGroup) for who in policy.operators) or policy.user_groups:
        return True
    return any(terms.by_function for terms in policy.all_terms)


async def _mine(
    tx: Transaction, by: UserId, mine: Sequence[tuple[Glimpse, tuple[ActionId, ...]]]
) -> tuple[Mine, ...]:
    found = await tx.approvals.asked([those[0] for _, those in mine])
    read = []
    for _, those in mine:
        asked = found.get(those[0])
        if asked is None or asked.approval.state is not State.WAITING:
            continue  # decided while Slack was asked
        still = [one.id for one in asked.approval.open if one.id in those and not one.vote_of(by)]
        if still:
            read.append(Mine(asked=asked, actions=tuple(still)))
    return tuple(read)


async def _requests(tx: Transaction, by: UserId, every: Iterable[Glimpse]) -> tuple[Request, ...]:
    """What is under way first, then what was finished lately; the newest of each first."""
    newest = await tx.conversations.of(by, limit=_LOOKED_AT)
    own = sorted(newest, key=lambda one: one.status is Status.IDLE)[:MOST_ASKED]
    words = await tx.homes.first_words([one.id for one in own])
    tools: dict[ConversationId, dict[str, None]] = {one.id: {} for one in own}
    for one in every:
        if one.conversation in tools:
            tools[one.conversation] |= dict.fromkeys(action.now[0] for action in one.open)
    return tuple(
        Request(conversation=one, words=words.get(one.id, ""), tools=tuple(tools[one.id])) for one in own
    )


async def _ruled(tx: Transaction, by: UserId) -> tuple[Ruled, ...]:
    """The latest votes that still stand."""
    latest: dict[ActionId, datetime] = {}
    for said in await tx.homes.decided(by, _LOOKED_AT):
        latest.setdefault(said.action, said.at)
    found = await tx.approvals.asked([*latest])
    standing = [
        Ruled(asked=found[id], action=id, at=at)
        for id, at in latest.items()
        if id in found and found[id].approval.action(id).vote_of(by)
    ]
    return tuple(standing[:MOST_DECIDED])
