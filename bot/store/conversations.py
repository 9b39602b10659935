"""Conversations and what is said in them, as rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import and_, bindparam, exists, literal, select, update
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.approval import State
from bot.approvals.conversation import Conversation, PostKind, PostState, Said, Status
from bot.approvals.errors import Conflict
from bot.approvals.ids import ChannelId, ConversationId, MessageId, Ts, UserId
from bot.approvals.journal import Progress
from bot.store.naming import Agents
from bot.store.rows import conversation_of, conversation_values, said_of, said_values
from bot.store.tables import approvals, conversations, executions, messages, posts

# Statements are built once: what SQLAlchemy compiles is then found by identity at every call.
_ADD: Final = (
    insert(conversations)
    .inline()
    .on_conflict_do_nothing(index_elements=["channel", "thread_ts"])
    .execution_options(preserve_rowcount=True)  # tells whether it was new; else SQLAlchemy may not look
)
_GET: Final = select(conversations).where(conversations.c.id == bindparam("wanted"))
_AT: Final = select(conversations).where(
    conversations.c.channel == bindparam("place"), conversations.c.thread_ts == bindparam("thread")
)
_GET_LOCKED: Final = _GET.with_for_update()
_AT_LOCKED: Final = _AT.with_for_update()
_CHANGES: Final = ("status", "channel", "thread_ts", "rested_at", "forgotten", "following")
_SAVE: Final = (
    update(conversations)
    .where(conversations.c.id == bindparam("wanted"))
    .values({name: bindparam(name) for name in _CHANGES})
)
_OF: Final = (
    select(conversations)
    .where(conversations.c.requester == bindparam("person"))
    .order_by(conversations.c.seq.desc())
    .limit(bindparam("most"))
)
_UNDER_WAY: Final = (
    select(conversations)
    .where(conversations.c.status.in_([one.value for one in Status if one is not Status.IDLE]))
    .order_by(conversations.c.seq.desc())
    .limit(bindparam("most"))
)
_UNDER_WAY_OF: Final = _UNDER_WAY.where(conversations.c.requester == bindparam("person"))
_UNDER_WAY_IN: Final = _UNDER_WAY.where(conversations.c.channel == bindparam("place"))
_AT_REST: Final = frozenset({Status.IDLE, Status.FAILED})
_ASKED: Final = (
    select(approvals.c.seq)
    .where(approvals.c.conversation == conversations.c.id, approvals.c.state == State.WAITING.value)
    .exists()
)
_UNFINISHED: Final = (
    select(conversations.c.id)
    .where(
        conversations.c.status.in_([status.value for status in Status if status not in _AT_REST]),
        ~and_(conversations.c.status == Status.WAITING.value, _ASKED),
    )
    .order_by(conversations.c.seq)
)
_RESTED: Final = (
    select(conversations.c.id)
    .where(
        conversations.c.rested_at <= bindparam("before"),
        conversations.c.status.in_([Status.IDLE.value, Status.FAILED.value]),
        ~exists().where(
            executions.c.conversation == conversations.c.id,
            executions.c.progress.in_([Progress.INTENT.value, Progress.IN_DOUBT.value]),
            executions.c.given_up.is_(False),
        ),
        ~exists().where(messages.c.conversation == conversations.c.id, messages.c.handed_over.is_(False)),
        ~exists().where(
            approvals.c.conversation == conversations.c.id,
            approvals.c.state.in_([State.WAITING.value, State.SETTLED.value]),
        ),
    )
    .order_by(conversations.c.rested_at)
    .limit(bindparam("most"))
)
_RESTED_ONE: Final = _RESTED.where(conversations.c.id == bindparam("wanted"))

_KEEP: Final = (
    insert(messages)
    .inline()
    .on_conflict_do_nothing(index_elements=["source"])
    .execution_options(preserve_rowcount=True)  # tells whether it was new; else SQLAlchemy may not look
)
_KEPT: Final = (
    select(messages)
    .where(messages.c.conversation == bindparam("wanted"), messages.c.handed_over.is_(False))
    .order_by(messages.c.seq)
)
_FIRST: Final = (
    select(messages.c.text)
    .where(messages.c.conversation == bindparam("wanted"))
    .order_by(messages.c.seq)
    .limit(1)
)
_WORDS: Final = select(messages.c.text).where(messages.c.source == bindparam("wanted"))
_HAND_OVER: Final = update(messages).where(messages.c.id == bindparam("wanted")).values(handed_over=True)
_SPEAKERS: Final = (
    select(messages.c.by)
    .where(
        messages.c.conversation == bindparam("wanted"),
        messages.c.handed_over.is_(True),
        # What served as the reason of a rejection steers the agent no more than any other reason does.
        ~exists().where(posts.c.id == literal("kept:") + messages.c.id, posts.c.settled_by != ""),
    )
    .distinct()
)
_OPENING: Final = select(
    exists().where(
        posts.c.conversation == conversations.c.id,
        conversations.c.channel == bindparam("place"),
        posts.c.kind == PostKind.OPENING.value,
        posts.c.state.in_([PostState.OWED.value, PostState.SENDING.value]),
    )
)


class ConversationRows:
    """`Conversations` in one transaction."""

    __slots__ = ("_agents", "_at", "_connection", "_get")

    def __init__(self, connection: AsyncConnection, agents: Agents, *, locking: bool = False) -> None:
        self._connection = connection
        self._agents = agents
        # Every use case begins with its conversation, so that its lock puts them in a row.
        self._get = _GET_LOCKED if locking else _GET
        self._at = _AT_LOCKED if locking else _AT

    async def add(self, conversation: Conversation) -> None:
        """Write a new one; `Conflict` if its thread has one, which another process has just begun."""
        if not (await self._connection.execute(_ADD, conversation_values(conversation))).rowcount:
            raise Conflict("this thread has a conversation already")
        self._agents.learn(conversation)

    async def get(self, id: ConversationId) -> Conversation | None:
        """The one with this id."""
        row = (await self._connection.execute(self._get, {"wanted": id})).one_or_none()
        return None if row is None else self._agents.learn(conversation_of(row))

    async def at(self, channel: ChannelId, thread_ts: Ts) -> Conversation | None:
        """The one in this Slack thread."""
        row = (
            await self._connection.execute(self._at, {"place": channel, "thread": thread_ts})
        ).one_or_none()
        return None if row is None else self._agents.learn(conversation_of(row))

    async def save(self, conversation: Conversation) -> None:
        """Write its status and thread; `LookupError` if it was never added."""
        values = conversation_values(conversation)
        written = await self._connection.execute(
            _SAVE,
            {"wanted": conversation.id} | {name: values[name] for name in _CHANGES},
        )
        if not written.rowcount:
            raise LookupError(f"conversation {conversation.id!r} is not in the store")

    async def of(self, requester: UserId, limit: int = 20) -> Sequence[Conversation]:
        """The person's own, newest first."""
        rows = await self._connection.execute(_OF, {"person": requester, "most": limit})
        return [conversation_of(row) for row in rows]

    async def under_way_of(self, requester: UserId, limit: int) -> Sequence[Conversation]:
        """The person's own that are not idle, newest first."""
        rows = await self._connection.execute(_UNDER_WAY_OF, {"person": requester, "most": limit})
        return [conversation_of(row) for row in rows]

    async def under_way_in(self, channel: ChannelId, limit: int) -> Sequence[Conversation]:
        """Those in a channel that are not idle, newest first."""
        rows = await self._connection.execute(_UNDER_WAY_IN, {"place": channel, "most": limit})
        return [conversation_of(row) for row in rows]

    async def first_words(self, id: ConversationId) -> str:
        """The message that it began with; empty if there is none."""
        return str((await self._connection.execute(_FIRST, {"wanted": id})).scalar_one_or_none() or "")

    async def unfinished(self) -> Sequence[ConversationId]:
        """Those that are owed a step: not idle, not failed, and not waiting for people who are asked."""
        return [ConversationId(id) for id in (await self._connection.execute(_UNFINISHED)).scalars()]

    async def rested(
        self, before: datetime, *, limit: int = 100, only: ConversationId | None = None
    ) -> Sequence[ConversationId]:
        """Those that came to rest before this moment and are not forgotten yet, the longest resting first.

        `only` looks at this one alone. Not those of which something is still to be found out or handed over.
        """
        wanted = {"before": before, "most": limit} | ({"wanted": only} if only else {})
        found = await self._connection.execute(_RESTED_ONE if only else _RESTED, wanted)
        return [ConversationId(id) for id in found.scalars()]

    async def keep(self, said: Said) -> bool:
        """Keep what was said; False if this `source` was heard before."""
        return (await self._connection.execute(_KEEP, said_values(said))).rowcount == 1

    async def words(self, source: str) -> str | None:
        """What was said as this `source`; None if it was never heard."""
        return (await self._connection.execute(_WORDS, {"wanted": source})).scalar_one_or_none()

    async def kept(self, id: ConversationId) -> Sequence[Said]:
        """What the agent has not been given yet, oldest first."""
        return [said_of(row) for row in await self._connection.execute(_KEPT, {"wanted": id})]

    async def hand_over(self, ids: Sequence[MessageId]) -> None:
        """These are in the agent's thread now."""
        if ids:
            await self._connection.execute(_HAND_OVER, [{"wanted": id} for id in ids])

    async def speakers(self, id: ConversationId) -> frozenset[UserId]:
        """Everybody whose words the agent was given."""
        return frozenset(map(UserId, (await self._connection.execute(_SPEAKERS, {"wanted": id})).scalars()))

    async def opening(self, channel: ChannelId) -> bool:
        """Whether a conversation in this channel waits for its first message to be posted."""
        return bool((await self._connection.execute(_OPENING, {"place": channel})).scalar_one())
