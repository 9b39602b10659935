"""Everything that a policy may name: of one workspace, or of all of an organisation that have the app."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Group, Person, Standing
from bot.approvals.places import Room

Workspace: TypeAlias = str | None
"""An id to list by; None for the one workspace that the token is of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """Whose people are one's own."""

    team: str
    enterprise: str | None = None
    is_org_wide: bool = False
    """Whether it is all of an organisation; Slack lists nothing then without the id of a workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Asks Slack for all of it, page by page. Raises Slack's own errors."""

    client: AsyncWebClient
    whose: Whose

    async def workspaces(self) -> dict[str, str]:
        """The workspaces of the organisation to which the app was added, by id, with their names."""
        found: dict[str, str] = {}
        async for page in await self.client.auth_teams_list(limit=100):
            found |= {str(team["id"]): str(team.get("name") or "") for team in page["teams"]}
        return found

    async def people(self) -> list[Person]:
        """All of them; slow, where there are many."""
        people: dict[UserId, Person] = {}
        for team in await self.everywhere():
            async for page in await self.client.users_list(limit=200, team_id=team):
                for user in page["members"]:
                    one = person_of(user, self.whose)
                    # Somebody may be in several workspaces: a guest in one is not a member by another.
                    if one.id not in people or one.standing is not Standing.MEMBER:
                        people[one.id] = one
        return [*people.values()]

    async def groups(self) -> list[Group]:
        """All user groups with their members; one call for each workspace, however many a policy names."""
        lists = await asyncio.gather(*(self._groups_of(team) for team in await self.everywhere()))
        return [*{group.id: group for groups in lists for group in groups}.values()]

    async def rooms(self, names: Collection[str]) -> list[Room]:
        """The channels with these names, as far as the bot can see them."""
        rooms: dict[ChannelId, Room] = {}
        kinds = "public_channel,private_channel"
        for team in await self.everywhere():
            async for page in await self.client.conversations_list(types=kinds, limit=1000, team_id=team):
                found = [room_of(one) for one in page["channels"] if one.get("name") in names]
                rooms |= {room.id: room for room in found}
        return [*rooms.values()]

    async def everywhere(self) -> list[Workspace]:
        """What there is to list by."""
        return [*await self.workspaces()] if self.whose.is_org_wide else [None]

    async def _groups_of(self, team: Workspace) -> list[Group]:
        found = await self.client.usergroups_list(include_users=True, team_id=team)
        return [
            Group(
                id=GroupId(str(group["id"])),
                handle=str(group.get("handle") or ""),
                members=frozenset(group.get("users") or ()),
            )
            for group in found["usergroups"]
            if not group.get("date_delete")
        ]


def room_of(info: Mapping[str, Any]) -> Room:
    """A channel from Slack's object. One that is shared within one's own organisation is not shared."""
    return Room(
        id=ChannelId(str(info["id"])),
        name=str(info.get("name") or ""),
        is_open=bool(info.get("is_member") or info.get("is_im")) and not info.get("is_archived"),
        is_archived=bool(info.get("is_archived")),
        is_shared=bool(info.get("is_ext_shared")),
    )


def person_of(user: Mapping[str, Any], whose: Whose) -> Person:
    """A person from Slack's user object, as one's own workspace sees them; in doubt an outsider."""
    profile = user.get("profile") or {}
    return Person(
        id=UserId(str(user["id"])),
        standing=_standing(user, whose),
        name=str(profile.get("display_name") or user.get("name") or ""),
        team=str(user.get("team_id") or ""),
        organisation=_enterprise(user),
        locale=str(user.get("locale") or ""),
    )


def _standing(user: Mapping[str, Any], whose: Whose) -> Standing:
    if user.get("deleted"):
        return Standing.DEACTIVATED
    if user.get("is_bot") or user.get("id") == "USLACKBOT":
        return Standing.BOT
    here = bool(whose.team) and user.get("team_id") == whose.team
    if user.get("is_stranger") or not (here or (whose.enterprise and _enterprise(user) == whose.enterprise)):
        return Standing.OUTSIDER
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        return Standing.GUEST
    return Standing.MEMBER


def _enterprise(user: Mapping[str, Any]) -> str:
    """The organisation that the person belongs to, if any."""
    return str((user.get("enterprise_user") or {}).get("enterprise_id") or "")
