"""Who somebody is, as Slack says it at the moment of the click."""

from dataclasses import dataclass, field
from datetime import datetime
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
    team: str = ""
    """The person's own workspace."""
    organisation: str = ""
    """The Enterprise Grid organisation that it belongs to, if any."""
    locale: str = field(default="", compare=False)
    """The language that the person has chosen in Slack, e.g. `zh-CN`."""
    asked_at: datetime | None = field(default=None, compare=False)
    """When Slack said so; answers are remembered for a while."""

    def is_of(self, team: str, organisation: str) -> bool:
        """Whether this is the person's workspace, or at least the organisation."""
        return bool(self.team and team == self.team) or bool(
            organisation and organisation == self.organisation
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One Slack user group, as it is now."""

    id: GroupId
    handle: str
    """What people write behind the @."""
    members: frozenset[str]
