"""Who somebody is, as Slack says it at the moment of the click."""

from dataclasses import dataclass
from enum import StrEnum

from bot.approvals.ids import GroupId, UserId


class Standing(StrEnum):
    """What somebody is in this workspace. Only members take part."""

    MEMBER = "member"
    GUEST = "guest"
    OUTSIDER = "outsider"
    """Of another organisation."""
    BOT = "bot"
    DEACTIVATED = "deactivated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One Slack user."""

    id: UserId
    standing: Standing
    name: str = ""
    """For display and for resolving `@name` in the policy; never an identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One Slack user group, as it is now."""

    id: GroupId
    handle: str
    """What people write behind the @."""
    members: frozenset[str]
