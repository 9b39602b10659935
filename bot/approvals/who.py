"""Who may decide, as a policy names them, and how many of them it takes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from bot.approvals.decision import Json
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.sayings import OR, joined, saying
from bot.approvals.words import phrase


@dataclass(frozen=True, slots=True)
class ChannelMembers:
    """`channel`: the full members who are in the channel where the card of the rule stands."""

    name: str = field(default="", compare=False)
    """The channel's, where it is not that of the conversation; for display alone."""


@dataclass(frozen=True, slots=True)
class Requester:
    """`requester`: whoever asked. Of use only together with `self_approval`."""


@dataclass(frozen=True, slots=True)
class Members:
    """`members`: every full member of the workspace."""


@dataclass(frozen=True, slots=True)
class One:
    """`@name` or `U…`: one person."""

    id: UserId


@dataclass(frozen=True, slots=True)
class UserGroup:
    """`@@handle` or `S…`: the full members who are in a Slack user group."""

    id: GroupId
    handle: str = field(default="", compare=False)
    """For display alone."""


@dataclass(frozen=True, slots=True)
class MembersOf:
    """`#name` or `C…`: the full members who are in this channel, wherever the card stands."""

    id: ChannelId
    name: str = field(default="", compare=False)
    """For display alone."""


Circle: TypeAlias = ChannelId | GroupId
"""What somebody may be in."""

Who: TypeAlias = ChannelMembers | Requester | Members | One | UserGroup | MembersOf

WORDS: Final[Mapping[str, Who]] = {
    "channel": ChannelMembers(),
    "requester": Requester(),
    "members": Members(),
}
"""Those who are written as a word, in a policy and in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """So many votes from these people."""

    approvers: tuple[Who, ...]
    count: int = 1


IN_CHANNEL: Final = phrase("a full member in {channel}")

ALONE: Final = (Quorum(approvers=()),)
"""What an action needs of which one vote is enough, by anybody whom the policy lets decide."""


def written(who: Who) -> str:
    """As a policy file says it."""
    match who:
        case ChannelMembers():
            return "channel"
        case Requester():
            return "requester"
        case Members():
            return "members"
        case One(id=id):
            return id
        case UserGroup(id=id, handle=handle):
            return f"@@{handle}" if handle else id
        case MembersOf(id=id, name=name):
            return name or id
        case _:
            assert_never(who)


def one_of(approvers: Iterable[Who]) -> str:
    """Somebody of these, as a sentence says it, without naming who is in a channel or group."""
    return joined(OR, each_of(approvers))


def each_of(approvers: Iterable[Who]) -> list[str]:
    """The same, each by itself and once."""
    return list(dict.fromkeys(_one(who) for who in approvers))


def votes(people: Sequence[str], count: int, *, many: bool) -> str:
    """So many votes from these people; `many` if other votes are told beside these."""
    who = joined(OR, people)
    if count > 1:
        return saying("{count} votes, each by {who}", count=count, who=who)
    return saying("({who})", who=who) if many and len(people) > 1 else who


def _one(who: Who) -> str:
    match who:
        case ChannelMembers(name=name):
            return saying(IN_CHANNEL, channel=name or saying("this channel"))
        case Requester():
            return saying("whoever asked for it")
        case Members():
            return saying("a full member of this workspace")
        case One(id=id):
            return f"<@{id}>"
        case UserGroup(id=id, handle=handle):
            return saying("a member of {group}", group=f"@{handle or id}")
        case MembersOf(id=id, name=name):
            return saying(IN_CHANNEL, channel=name or id)
        case _:
            assert_never(who)


def quorum_to_json(quorum: Quorum) -> Json:
    """The quorum as JSON, for a row."""
    return {"of": [who_to_json(who) for who in quorum.approvers], "count": quorum.count}


def who_to_json(who: Who) -> Json:
    """An approver as JSON, for a row."""
    match who:
        case UserGroup(id=id, handle=handle):
            return [id, handle]
        case ChannelMembers(name=name) if name:
            return ["channel", name]
        case MembersOf(id=id, name=name):
            return ["in", id, name]
        case _:
            return written(who)


def quorum_from_json(told: dict[str, Json]) -> Quorum:
    """The quorum that `quorum_to_json` wrote; `ValueError` if it is none."""
    match told:
        case {"of": list(approvers), "count": int(count)}:
            return Quorum(approvers=tuple(map(who_from_json, approvers)), count=count)
        case _:
            raise ValueError("not a quorum")


def who_from_json(told: Json) -> Who:
    """Whom `who_to_json` wrote; `ValueError` if it is nobody."""
    match told:
        case str(word) if word in WORDS:
            return WORDS[word]
        case ["channel", str(name)]:
            return ChannelMembers(name)
        case ["in", str(id), str(name)]:
            return MembersOf(ChannelId(id), name)
        case [str(id), str(handle)]:
            return UserGroup(GroupId(id), handle)
        case str(id):
            return One(UserId(id))
        case _:
            raise ValueError("not an approver")
