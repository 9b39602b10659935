"""What a workspace is made of. Every record is one row on disk and one frozen value in memory."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NewType

Json = dict[str, Any]

UserId = NewType("UserId", str)
ChannelId = NewType("ChannelId", str)
Ts = NewType("Ts", str)
ViewId = NewType("ViewId", str)
TeamId = NewType("TeamId", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One user of the workspace: a member, a guest, somebody of another organisation, or the bot."""

    kind: ClassVar[str] = "account"
    id: UserId
    name: str
    real_name: str
    team_id: TeamId
    note: str = ""
    tz: str = "Europe/Berlin"
    tz_offset: int = 3600
    locale: str = "en-US"
    deleted: bool = False
    is_bot: bool = False
    is_admin: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    enterprise_id: str = ""
    """The Enterprise Grid organisation that the person's workspace belongs to, if any."""

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id

    @property
    def sort(self) -> str:
        """The page's three sorts of people."""
        if self.is_stranger:
            return "external"
        return "guest" if self.is_restricted or self.is_ultra_restricted else "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A public or private channel, or the direct message of one person (`im_user`) with the bot."""

    kind: ClassVar[str] = "channel"
    id: ChannelId
    name: str
    members: tuple[UserId, ...]
    im_user: UserId | None = None
    is_private: bool = False
    is_archived: bool = False
    is_ext_shared: bool = False
    """Whether another organisation has been let in by Slack Connect, as Slack says it of the channel."""
    created: int = 0

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id

    @property
    def is_im(self) -> bool:
        """Whether this is a direct message."""
        return self.im_user is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message; `seen_by` makes it ephemeral, visible to that person alone."""

    kind: ClassVar[str] = "message"
    channel: ChannelId
    ts: Ts
    user: UserId
    bot_id: str | None = None
    text: str = ""
    blocks: list[Json] | None = None
    thread_ts: Ts | None = None
    broadcast: bool = False
    metadata: Json | None = None
    edited: Ts | None = None
    seen_by: UserId | None = None
    username: str | None = None
    title: str = ""
    """Of a thread, at its first message: its name."""
    status: str = ""
    """Of a thread: what the app says that it is doing."""
    files: list[Json] | None = None
    """With their whole text in `content`, which only their own address gives."""
    prompts: list[Json] | None = None
    """Of a thread: what the app offers to begin with."""

    @property
    def key(self) -> str:
        """The id on disk."""
        return f"{self.channel}/{self.ts}"

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread that it did not start."""
        return self.thread_ts is not None and self.thread_ts != self.ts


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An open modal or somebody's Home. `body` is what the app sent, `values` what the person put in."""

    kind: ClassVar[str] = "view"
    id: ViewId
    user: UserId
    body: Json
    hash: str
    root: ViewId
    opened: int
    previous: ViewId | None = None
    values: Json = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id

    @property
    def is_home(self) -> bool:
        """Whether this is a Home tab, not a modal."""
        return self.body.get("type") == "home"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseUrl:
    """A response_url: whose it is, where it speaks, which message it may replace, how often it was used."""

    kind: ClassVar[str] = "response_url"
    id: str
    user: UserId
    channel: ChannelId
    expires: float
    original: Ts | None = None
    uses: int = 0

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedEvent:
    """An event that the app has not acknowledged yet; it outlives a restart, as Slack's queue does."""

    kind: ClassVar[str] = "owed_event"
    id: str
    payload: Json
    attempt: int = 0

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A token of the app in this workspace, with what it is renewed by and when it expires, if it does."""

    kind: ClassVar[str] = "grant"
    id: str
    refresh: str = ""
    expires: float | None = None
    used: bool = False
    """Whether it was renewed: a refresh token is good for one time."""
    gone: bool = False
    """Whether it works no more."""
    teams: tuple[TeamId, ...] | None = None
    """Of one for a whole organisation, the workspaces to which the app was added; None of another."""

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class UserGroup:
    """A user group such as @dba-oncall."""

    kind: ClassVar[str] = "user_group"
    id: str
    handle: str
    name: str
    users: tuple[UserId, ...]
    disabled: bool = False

    @property
    def key(self) -> str:
        """The id on disk."""
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Odometer:
    """The counters that must never run backwards: change number, last timestamp (µs), last id."""

    kind: ClassVar[str] = "odometer"
    seq: int = 0
    last_ts: int = 0
    last_id: int = 0

    @property
    def key(self) -> str:
        """The id on disk."""
        return "odometer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something only Slack itself would say to one person; not kept over a restart."""

    id: str
    user: UserId
    text: str
    container: Json | None = None


Record = Account | Channel | Message | View | ResponseUrl | OwedEvent | Grant | UserGroup | Odometer
KINDS: dict[str, type[Record]] = {
    cls.kind: cls
    for cls in (Account, Channel, Message, View, ResponseUrl, OwedEvent, Grant, UserGroup, Odometer)
}
