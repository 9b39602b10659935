"""Who people are, asked from Slack and remembered for at most a minute. Fails closed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, ParamSpec, TypeVar

from aiohttp import ClientError
from async_lru import alru_cache
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.errors import CouldNotCheck
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Group, Person
from bot.approvals.places import Room
from bot.approvals.words import Language, phrase, say
from bot.languages import language
from bot.slack.census import Census, Whose, person_of, room_of
from bot.slack.refusals import name_of

REMEMBERED: Final = 60.0
"""Seconds that an answer is believed; somebody who loses a right can use it this much longer."""

KEPT: Final = 3_600.0
"""Seconds that somebody's language is believed, which is no right."""

PATIENCE: Final = 2.0
"""Seconds to wait for Slack; a click has to be acked within 3 s and the decision still has to be written."""

SHORT_PATIENCE: Final = 0.3
"""Seconds to wait for somebody's language; then it is said in another one."""

LISTING: Final = 8.0
"""Seconds for all people or channels of a large workspace; nobody waits for it but the agent."""

_UNREACHABLE: Final = phrase(
    "Slack could not be asked who you are, so nothing was done. Please try again in a moment."
)


P = ParamSpec("P")
T = TypeVar("T")


class SlackDirectory:
    """Fills `approvals.ports.Directory` by users.info, conversations.members and usergroups.list."""

    def __init__(self, client: AsyncWebClient, whose: Whose, *, remembers: bool = True) -> None:
        self._client = client
        self._whose = whose
        self._census = Census(client=client, whose=whose)
        self._caches: list[Callable[[], Awaitable[None]]] = []
        keeping = REMEMBERED if remembers else None
        self._person = self._remembered(self._ask_person, keeping, most=10_000)
        self._members = self._remembered(self._ask_members, keeping, most=1_000)
        self._room = self._remembered(self._ask_about, keeping, most=1_000)
        self._locale = self._remembered(self._ask_locale, KEPT if remembers else None, most=10_000)
        self._groups = self._remembered(self.groups, keeping, most=1)
        self._people = self._remembered(self.everybody, keeping, most=1)

    def anew(self) -> "SlackDirectory":
        """The same, which remembers nothing: every answer is of now."""
        return SlackDirectory(self._client, self._whose, remembers=False)

    def _remembered(
        self, ask: Callable[P, Coroutine[Any, Any, T]], seconds: float | None, *, most: int
    ) -> Callable[P, Awaitable[T]]:
        if seconds is None:
            return ask
        cached = alru_cache(maxsize=most, ttl=seconds)(ask)
        self._caches.append(cached.cache_close)
        return cached

    async def person(self, id: UserId) -> Person:
        """Who this is; `CouldNotCheck` if Slack cannot be asked in time."""
        return await _in_time(self._person(id))

    async def language(self, user: UserId) -> Language | None:
        """What the person reads; None if Slack cannot say it in time, or it is none that the bot speaks.

        Asked on nevertheless: whoever decides has to know who this is, which is the same answer.
        """
        asking = asyncio.ensure_future(self._locale(user))
        asking.add_done_callback(_looked_at)
        await asyncio.wait((asking,), timeout=SHORT_PATIENCE)
        if not asking.done() or _looked_at(asking):
            return None
        return language(asking.result().replace("_", "-"))

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:
        """Whether the person is in the channel; `CouldNotCheck` if Slack cannot be asked in time."""
        return user in await _in_time(self._members(channel))

    async def groups_of(self, user: UserId) -> frozenset[GroupId]:
        """The user groups that the person is in; `CouldNotCheck` if Slack cannot be asked in time.

        A group that was disabled or deleted has nobody in it.
        """
        return frozenset(group.id for group in await _in_time(self._groups()) if user in group.members)

    async def members_of(self, group: GroupId) -> frozenset[UserId]:
        """Everybody in a user group; `CouldNotCheck` if Slack cannot be asked in time."""
        every = await _in_time(self._groups())
        return frozenset(UserId(id) for one in every if one.id == group for id in one.members)

    async def is_shared(self, channel: ChannelId) -> bool:
        """Whether another organisation is in the channel; `CouldNotCheck` if Slack cannot say it in time."""
        return (await _in_time(self._room(channel))).is_shared

    async def takes_messages(self, channel: ChannelId) -> bool:
        """Whether the bot can write there, as of now; `CouldNotCheck` if Slack cannot be asked in time."""
        return (await _in_time(self._ask_about(channel))).is_open

    async def everybody(self) -> list[Person]:
        """All people of the workspace, for resolving the names in a policy; slow, at start only."""
        return await self._census.people()

    async def all_people(self) -> Sequence[Person]:
        """The same, remembered for a minute; `CouldNotCheck` if Slack cannot be asked in time."""
        return await _in_time(self._people(), LISTING)

    async def all_groups(self) -> Sequence[Group]:
        """All user groups, remembered for a minute; `CouldNotCheck` if Slack cannot be asked in time."""
        return await _in_time(self._groups())

    async def named_rooms(self, names: Collection[str]) -> Sequence[Room]:
        """As `rooms`, while the bot runs; `CouldNotCheck` if Slack cannot be asked in time."""
        return await _in_time(self.rooms(names), LISTING)

    async def groups(self) -> Sequence[Group]:
        """All user groups with their members."""
        return await self._census.groups()

    async def rooms(self, names: Collection[str]) -> list[Room]:
        """The channels with these names (`#name`) or ids, as far as the bot can see them; at start only."""
        found = [await self._ask_about(ChannelId(name)) for name in names if not name.startswith("#")]
        wanted = {name.removeprefix("#") for name in names if name.startswith("#")}
        if wanted:
            found += await self._census.rooms(wanted)
        return [room for room in found if room.name]

    async def close(self) -> None:
        """Forget everything."""
        for close in self._caches:
            await close()

    async def _ask_person(self, id: UserId) -> Person:
        answer = await self._client.users_info(user=id, include_locale=True)
        asked_at = datetime.now(UTC)
        return replace(person_of(answer["user"], self._whose), asked_at=asked_at)

    async def _ask_locale(self, id: UserId) -> str:
        return (await self._person(id)).locale

    async def _ask_about(self, channel: ChannelId) -> Room:
        try:
            info = (await self._client.conversations_info(channel=channel))["channel"]
        except SlackApiError as error:
            if name_of(error) in {"channel_not_found", "team_access_not_granted"}:
                # A private channel, people's direct message, or a workspace that the bot is not in.
                return Room(id=channel, is_open=False)
            raise
        return room_of(info)

    async def _ask_members(self, channel: ChannelId) -> frozenset[str]:
        members: set[str] = set()
        async for page in await self._client.conversations_members(channel=channel, limit=1000):
            members.update(page["members"])
        return frozenset(members)


def _looked_at(asking: "asyncio.Future[str]") -> bool:
    """Whether it failed; so that nobody misses it if nobody waits any more."""
    return asking.cancelled() or asking.exception() is not None


async def _in_time(asking: Awaitable[T], patience: float | None = None) -> T:
    try:
        async with asyncio.timeout(PATIENCE if patience is None else patience):
            return await asking
    except (TimeoutError, SlackClientError, ClientError, OSError) as error:
        raise CouldNotCheck(say(_UNREACHABLE)) from error
