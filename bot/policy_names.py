"""The names in a policy, looked up: each becomes the one person or user group that has it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.ids import GroupId, UserId
from bot.approvals.person import Group, Person, Standing
from bot.approvals.places import IN_THREAD, InChannel, Room, ToApprovers, Where
from bot.approvals.policy import MembersOf, One, UserGroup, Who
from bot.approvals.who import WORDS

_USER_ID: Final = re.compile(r"[UW][A-Z0-9]{2,}")
_GROUP_ID: Final = re.compile(r"S[A-Z0-9]{6,}")
_CHANNEL_ID: Final = re.compile(r"[CG][A-Z0-9]{2,30}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Whom the workspace has, as far as the policy needs to know."""

    people: Sequence[Person] = ()
    groups: Sequence[Group] = ()
    rooms: Sequence[Room] = ()

    def members(self, group: GroupId) -> frozenset[UserId]:
        """The full members of the workspace who are in a user group."""
        inside = {id for one in self.groups if one.id == group for id in one.members}
        return frozenset(person.id for person in self.people if _takes_part(person) and person.id in inside)


def is_group(name: str) -> bool:
    """Whether this is written as a user group: `@@handle` or `S…`."""
    return name.startswith("@@") or _GROUP_ID.fullmatch(name) is not None


def is_person(name: str) -> bool:
    """Whether this is written as a person: `@name` or `U…`."""
    return not is_group(name) and (name.startswith("@") or _USER_ID.fullmatch(name) is not None)


def is_channel(name: str) -> bool:
    """Whether this is written as a channel: `#name` or `C…`."""
    return name.startswith("#") or _CHANNEL_ID.fullmatch(name) is not None


def meaning(name: str, known: Known) -> Who | str:
    """What a name means, or the sentence that says why it means nothing."""
    if name in WORDS:
        return WORDS[name]
    if is_group(name):
        return _group(name, known.groups)
    if is_person(name):
        return _person(name, known.people)
    if is_channel(name):
        return _members_of(name, known.rooms)
    return (
        f"{name!r} is none of channel, requester, members, @name or a user id (U…), "
        "@@handle or a user group's id (S…), #channel or its id (C…)."
    )


def place_meant(name: str, known: Known) -> Where | str:
    """Where a card stands by this name, or the sentence that says why it cannot."""
    match name:
        case "thread":
            return IN_THREAD
        case "dm:approvers":
            return ToApprovers()
    found = [room for room in known.rooms if name in (f"#{room.name}", room.id)]
    if not found:
        return f"{name} is no channel that the bot can see; invite the bot there if it is private."
    if len(found) > 1:
        return _several(name, "channels", len(found), "C…")
    if found[0].is_archived:
        return f"{name} is archived; unarchive it, or name another channel."
    if not found[0].is_open:
        return f"The bot is not in {name}; type /invite there and choose it."
    return InChannel(found[0].id, f"#{found[0].name}")


def _group(name: str, groups: Collection[Group]) -> Who | str:
    found = [group for group in groups if name in (f"@@{group.handle}", group.id)]
    if not found:
        return f"{name} is no user group of this workspace."
    if len(found) > 1:
        return _several(name, "user groups", len(found), "S…")
    return UserGroup(found[0].id, found[0].handle)


def _members_of(name: str, rooms: Collection[Room]) -> Who | str:
    found = [room for room in rooms if name in (f"#{room.name}", room.id)]
    if not found:
        return f"{name} is no channel that the bot can see; invite the bot there if it is private."
    if len(found) > 1:
        return _several(name, "channels", len(found), "C…")
    return MembersOf(found[0].id, f"#{found[0].name}")


def _person(name: str, people: Collection[Person]) -> Who | str:
    found = [person for person in people if name in (f"@{person.name}", person.id) and _takes_part(person)]
    if len(found) > 1:
        return f"{name} is the name of {len(found)} people; write the user id (U…) instead."
    return One(found[0].id) if found else f"{name} is not a full member of this workspace."


def _several(name: str, of: str, count: int, id: str) -> str:
    """The workspaces of one organisation give the same name to different things."""
    return f"{name} is the name of {count} {of}, in different workspaces; write the id ({id}) instead."


def _takes_part(person: Person) -> bool:
    return person.standing is Standing.MEMBER
