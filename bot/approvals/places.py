"""Where the cards of an approval stand, as the policy says it, and where a click says that it was made."""

from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from bot.approvals.decision import Json
from bot.approvals.ids import ChannelId, PostId, Ts, UserId


@dataclass(frozen=True, slots=True)
class InThread:
    """`thread`: in the thread of the conversation."""


@dataclass(frozen=True, slots=True)
class InChannel:
    """`#name` or `C…`: in a channel of its own."""

    id: ChannelId
    name: str = field(default="", compare=False)
    """For display alone."""


@dataclass(frozen=True, slots=True)
class ToApprovers:
    """`dm:approvers`: to each approver in a direct message."""


Where: TypeAlias = InThread | InChannel | ToApprovers

IN_THREAD: Final = InThread()


def where_to_json(where: Where) -> Json:
    """The place as JSON, for a row."""
    match where:
        case InThread():
            return "thread"
        case InChannel(id=id, name=name):
            return [id, name]
        case ToApprovers():
            return "dm:approvers"
        case _:
            assert_never(where)


def where_from_json(told: Json) -> Where:
    """The place that `where_to_json` wrote; `ValueError` if it is none."""
    match told:
        case "thread":
            return IN_THREAD
        case "dm:approvers":
            return ToApprovers()
        case [str(id), str(name)]:
            return InChannel(ChannelId(id), name)
        case _:
            raise ValueError("not a place")


MOST_MESSAGES: Final = 20
"""People who get a direct message about one approval; for more there are channels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A Slack channel, as it is now."""

    id: ChannelId
    name: str = ""
    is_open: bool = True
    """Whether the bot is in it and can write there."""
    is_archived: bool = False
    """Then nobody can write there."""
    is_shared: bool = False
    """Whether another organisation is in it; that other workspaces of one's own are is no matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a click says that it was made, and of which workspace or organisation the person is."""

    channel: ChannelId | None = None
    message: Ts | None = None
    """The card's message; for a form or view, that of the card from which it was opened."""
    team: str = ""
    organisation: str = ""
    home: str = ""
    """The Home tab in which it was pressed, or from which the form was opened, as Slack calls it; then there
    is no message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One of the messages in Slack that are an approval's card."""

    post: PostId
    place: str = ""
    """Where it is to stand: a channel, or a person's direct message; empty in the conversation's thread."""
    channel: ChannelId | None = None
    ts: Ts | None = None
    is_sent: bool = False
    """Whether it was handed to Slack: it may stand there although nobody has heard of it yet."""

    def stands_at(self, spot: Spot, by: UserId, thread: ChannelId) -> bool:
        """Whether this is the message that was clicked; `thread` is the conversation's channel.

        As long as the answer of Slack is on its way, nobody knows the message; the channel has to do then.
        """
        if spot.channel is None or spot.message is None:
            return False
        if self.ts:
            return (self.channel, self.ts) == (spot.channel, spot.message)
        if not self.is_sent:
            return False
        if is_to_person(self.place):
            return self.place == by and spot.channel.startswith("D")
        return spot.channel == (self.place or thread)


def is_to_person(place: str) -> bool:
    """Whether a card is to stand in somebody's direct message."""
    return place.startswith(("U", "W"))
