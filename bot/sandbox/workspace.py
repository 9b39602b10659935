"""The workspace in memory, written through to its storage by `commit`."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace

from bot.sandbox.options import Team
from bot.sandbox.records import (
    Account,
    Channel,
    ChannelId,
    Grant,
    Message,
    Notice,
    Odometer,
    OwedEvent,
    Record,
    ResponseUrl,
    Ts,
    UserGroup,
    UserId,
    View,
    ViewId,
)
from bot.sandbox.storage import Storage

KEPT_NOTICES = 500
KEPT_VERSIONS = 20
"""Earlier drawings of a message that a stale screen may still show."""


def own_topic(user: UserId) -> str:
    """What only this person sees: forms, Home, notices."""
    return f"own/{user}"


class Workspace:
    """All records by their ids. Change with `put` and `drop`, then `commit` before anybody is answered."""

    def __init__(self, storage: Storage, team: Team) -> None:
        self.team = team
        self._storage = storage
        self.accounts: dict[UserId, Account] = {}
        self.channels: dict[ChannelId, Channel] = {}
        self.messages: dict[ChannelId, dict[Ts, Message]] = {}
        self.views: dict[ViewId, View] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self.owed_events: dict[str, OwedEvent] = {}
        self.grants: dict[str, Grant] = {}
        self.user_groups: dict[str, UserGroup] = {}
        self.notices: list[Notice] = []
        self.versions: dict[str, list[Message]] = {}
        self._threads: dict[tuple[ChannelId, Ts], dict[Ts, Message]] = {}
        self._topics: dict[str, int] = {}
        self._odometer = Odometer()
        self._dirty: dict[tuple[str, str], Record | None] = {}
        self._writing = asyncio.Lock()
        self._bell = asyncio.Event()
        self._closed = False

    async def open(self) -> bool:
        """Read what was kept; answers whether there was anything."""
        records = await self._storage.open()
        for record in records:
            self._index(record)
        return bool(records)

    def wake(self) -> None:
        """Let everybody go who waits for changes; from now on nobody waits."""
        self._closed = True
        self._ring()

    async def close(self) -> None:
        """Write what is left and let go of the storage."""
        self.wake()
        await self.commit()
        await self._storage.close()

    @property
    def seq(self) -> int:
        """The number of the last change; grows over restarts too."""
        return self._odometer.seq

    def put(self, record: Record) -> None:
        """Add or replace a record."""
        if isinstance(record, Message):
            self._keep_version(record)
        self._index(record)
        self._touch(record, record)

    def drop(self, record: Record) -> None:
        """Take a record out."""
        match record:
            case Message():
                self.messages.get(record.channel, {}).pop(record.ts, None)
                if record.thread_ts is not None:
                    self._threads.get((record.channel, record.thread_ts), {}).pop(record.ts, None)
            case View():
                self.views.pop(record.id, None)
            case OwedEvent():
                self.owed_events.pop(record.id, None)
            case ResponseUrl():
                self.response_urls.pop(record.id, None)
            case _:
                raise TypeError(f"a {record.kind} stays")
        self._touch(record, None)

    def notify(self, user: UserId, text: str, container: dict[str, str] | None = None) -> None:
        """Let Slack itself say something to one person."""
        self.notices.append(Notice(id=self.new_id("N"), user=user, text=text, container=container))
        del self.notices[:-KEPT_NOTICES]
        self._count(own_topic(user))
        self._ring()

    async def commit(self) -> None:
        """Return when everything changed so far is on disk; then wake those who wait for changes."""
        async with self._writing:
            if not self._dirty:
                return
            changes = [(kind, key, record) for (kind, key), record in self._dirty.items()]
            self._dirty = {}
            await self._storage.write([*changes, ("odometer", "odometer", self._odometer)])
        self._ring()

    async def changed(self, after: int, *, within: float, topic: str | None = None) -> None:
        """Wait until `seq` is greater than `after`, `within` seconds are over, or the workspace closes.

        A `topic` (a channel id, "CHANNEL/THREAD", or `own_topic`) waits for a change of that alone.
        """
        deadline = asyncio.get_running_loop().time() + within
        while self._last_change(topic) <= after and not self._closed:
            left = deadline - asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(max(left, 0)):
                    await self._bell.wait()
            except TimeoutError:
                return

    def new_ts(self) -> Ts:
        """The wall clock as Slack writes it, "seconds.micros", never the same twice."""
        micros = max(time.time_ns() // 1000, self._odometer.last_ts + 1)
        self._odometer = replace(self._odometer, last_ts=micros)
        return Ts(f"{micros // 1_000_000}.{micros % 1_000_000:06d}")

    def new_number(self) -> int:
        """A number that was never given before, over restarts too."""
        self._odometer = replace(self._odometer, last_id=self._odometer.last_id + 1)
        self._dirty.setdefault(("odometer", "odometer"), self._odometer)
        return self._odometer.last_id

    def new_id(self, prefix: str) -> str:
        """A fresh id in Slack's manner: the letter of its sort and capitals or digits."""
        return f"{prefix}0{self.team.mark}{self.new_number():06X}"

    def stack(self, user: UserId) -> list[View]:
        """The person's open modals, top last."""
        mine = [view for view in self.views.values() if view.user == user and not view.is_home]
        return sorted(mine, key=lambda view: view.opened)

    def home(self, user: UserId) -> View | None:
        """What the app published on this person's Home tab."""
        return next((view for view in self.views.values() if view.user == user and view.is_home), None)

    def im(self, user: UserId) -> Channel | None:
        """The person's direct message with the bot, if it was ever opened."""
        return next((channel for channel in self.channels.values() if channel.im_user == user), None)

    def replies(self, channel: ChannelId, root: Ts) -> Iterator[Message]:
        """The replies of a thread that everybody sees, oldest first."""
        for message in self._threads.get((channel, root), {}).values():
            if message.is_reply and message.seen_by is None:
                yield message

    def thread(self, channel: ChannelId, root: Ts) -> Iterator[Message]:
        """The root of a thread, if it is still there, and all that was said in it, ephemerals too."""
        first = self.messages.get(channel, {}).get(root)
        if first is not None:
            yield first
        for message in self._threads.get((channel, root), {}).values():
            if message.is_reply:
                yield message

    def _keep_version(self, message: Message) -> None:
        earlier = self.messages.get(message.channel, {}).get(message.ts)
        if earlier is not None:
            kept = self.versions.setdefault(message.key, [])
            kept.append(earlier)
            del kept[:-KEPT_VERSIONS]

    def _index(self, record: Record) -> None:  # noqa: C901 - a line for each kind of record
        match record:
            case Account():
                self.accounts[record.id] = record
            case Channel():
                self.channels[record.id] = record
            case Message():
                self.messages.setdefault(record.channel, {})[record.ts] = record
                if record.thread_ts is not None:
                    thread = self._threads.setdefault((record.channel, record.thread_ts), {})
                    thread[record.ts] = record
            case View():
                self.views[record.id] = record
            case ResponseUrl():
                self.response_urls[record.id] = record
            case OwedEvent():
                self.owed_events[record.id] = record
            case Grant():
                self.grants[record.id] = record
            case UserGroup():
                self.user_groups[record.id] = record
            case Odometer():
                self._odometer = record

    def _touch(self, record: Record, kept: Record | None) -> None:
        self._dirty[record.kind, record.key] = kept
        match record:
            case Message():
                self._count(record.channel, f"{record.channel}/{record.thread_ts or record.ts}")
            case View():
                self._count(own_topic(record.user))
            case Account() | Channel():
                self._count()
            case _:
                pass  # nothing that anybody sees

    def _count(self, *topics: str) -> None:
        self._odometer = replace(self._odometer, seq=self._odometer.seq + 1)
        self._topics |= dict.fromkeys(topics, self._odometer.seq)

    def _last_change(self, topic: str | None) -> int:
        return self.seq if topic is None else self._topics.get(topic, 0)

    def _ring(self) -> None:
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()
