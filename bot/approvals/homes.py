"""Whose Home tab is open, and what is read for it: many approvals at once, none with its arguments."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeAlias

from bot.approvals.choosing import Chosen
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, ConversationId, UserId
from bot.approvals.realm import Realm

KEPT_FRESH: Final = timedelta(hours=12)
"""How long after somebody opened Home it is redrawn by itself: a working day. Opening it draws it anew."""

MOST_FRESH: Final = 200
"""People whose Home is redrawn by itself, those who opened it last; Slack takes 100 drawings a minute."""


Matter: TypeAlias = tuple[str, Chosen | None]
"""What says who decides about a call: its tool, and what functions of the policy said of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """One person's Home tab."""

    person: UserId
    opened_at: datetime
    view: str | None = None
    """What Slack calls it; None until it has answered the first drawing."""
    round: int = 0
    """How often it was taken up for a drawing; what changes after that is owed the next one."""
    began_at: datetime | None = None
    """When it was taken up last."""
    drawn: str = ""
    """Tells one drawing from another: the one that was handed to Slack last."""
    seen: Mapping[ApprovalId, int] = field(default_factory=dict)
    """The version of each approval that could be decided on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlimpsedAction:
    """An action without its arguments."""

    id: ActionId
    own: Matter
    """As the agent asked for it."""
    now: Matter
    """As people are asked about it now: an edit may have turned it into another."""
    voted: frozenset[UserId] = frozenset()
    """Whose vote it has, for as much as it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """An approval that waits, without what it asks."""

    seq: int
    """Its place among all that wait; the oldest first."""
    id: ApprovalId
    conversation: ConversationId
    channel: ChannelId
    realm: Realm
    requesters: frozenset[UserId]
    escalated_to: frozenset[UserId]
    open: tuple[GlimpsedAction, ...]
    held: bool = False
    """Whether it waits for a card: nobody is asked about it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A decision of somebody, as the record has it."""

    action: ActionId
    at: datetime


class Homes(Protocol):
    """Rows of Home tabs, and what is looked through to draw one."""

    async def get(self, person: UserId) -> Home | None:
        """This person's, if it was ever opened."""

    async def save(self, home: Home) -> None:
        """Write it, over the one that is there."""

    async def opened_since(self, at: datetime, limit: int = MOST_FRESH) -> Sequence[Home]:
        """Those that were opened since then, the latest first."""

    async def forget(self, before: datetime) -> None:
        """Those that were opened before then are nobody's any more."""

    async def waiting(self, after: int, limit: int) -> Sequence[Glimpse]:
        """The next so many approvals that wait, oldest first, behind the one with this place."""

    async def decided(self, by: UserId, limit: int) -> Sequence[Said]:
        """What this person decided last, the latest first; an action as often as it was voted about."""

    async def first_words(self, ids: Collection[ConversationId]) -> Mapping[ConversationId, str]:
        """What each of these conversations began with, as far as that is kept."""
