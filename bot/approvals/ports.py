"""What the heart needs from the world, as small protocols. The rooms around it fill them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.approvals.approval import Approval, State
from bot.approvals.carding import Carded
from bot.approvals.conversation import Conversation, Post, Said
from bot.approvals.decision import Arguments, Json
from bot.approvals.homes import Homes
from bot.approvals.ids import (
    ActionId,
    ApprovalId,
    ChannelId,
    ConversationId,
    GroupId,
    MessageId,
    PostId,
    Ts,
    UserId,
)
from bot.approvals.journal import Call, Execution, Step
from bot.approvals.listings import Listings
from bot.approvals.person import Person
from bot.approvals.places import Copy
from bot.approvals.referents import Points
from bot.approvals.rendered import Presents
from bot.approvals.thread import Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the record: what happened, to what, by whom. Never an argument's value."""

    kind: str
    """`filed`, `decided`, `taken_back`, `refused`, `settled`, `delivered`, `withdrawn`, …"""
    at: datetime
    conversation: ConversationId | None = None
    approval: ApprovalId | None = None
    action: ActionId | None = None
    actor: UserId | None = None
    detail: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An approval with what a decision about it needs to know."""

    approval: Approval
    conversation: Conversation
    cards: Sequence[Copy] = ()
    others: int = 0
    """What else stands on its cards adds this to the version of a drawing, see `carding.version_of`."""
    queued: bool = False
    """Whether anything waits for its turn in the conversation."""


class Conversations(Listings, Protocol):
    """Rows of conversations and of what is said in them."""

    async def add(self, conversation: Conversation) -> None:
        """Write a new one; `Conflict` if its thread has one, which another process has just begun."""

    async def get(self, id: ConversationId) -> Conversation | None:
        """The one with this id."""

    async def at(self, channel: ChannelId, thread_ts: Ts) -> Conversation | None:
        """The one in this Slack thread."""

    async def opening(self, channel: ChannelId) -> bool:
        """Whether a conversation in this channel waits for its first message to be posted."""

    async def save(self, conversation: Conversation) -> None:
        """Write its status and thread."""

    async def of(self, requester: UserId, limit: int = 20) -> Sequence[Conversation]:
        """The person's own, newest first."""

    async def rested(
        self, before: datetime, *, limit: int = 100, only: ConversationId | None = None
    ) -> Sequence[ConversationId]:
        """Those that came to rest before this moment and are not forgotten yet, the longest resting first.

        `only` looks at this one alone. Not those of which something is still to be found out or handed over.
        """

    async def unfinished(self) -> Sequence[ConversationId]:
        """Those that are owed a step: not idle, not failed, and not waiting for people who are asked."""

    async def keep(self, said: Said) -> bool:
        """Keep what was said; False if this `source` was heard before."""

    async def kept(self, id: ConversationId) -> Sequence[Said]:
        """What the agent has not been given yet, oldest first."""

    async def hand_over(self, ids: Sequence[MessageId]) -> None:
        """These are in the agent's thread now."""

    async def speakers(self, id: ConversationId) -> frozenset[UserId]:
        """Everybody whose words the agent was given."""


class Approvals(Carded, Protocol):
    """Rows of approvals with their actions."""

    async def add(self, approval: Approval) -> bool:
        """Write a new one; False if this conversation's interrupt has one already."""

    async def get(self, id: ApprovalId) -> Approval | None:
        """The one with this id."""

    async def of_action(self, id: ActionId) -> Approval | None:
        """The one that has this action."""

    async def asked(self, ids: Sequence[ActionId]) -> Mapping[ActionId, Asked]:
        """By action, the approval that has it, with its conversation and its cards, in one reading."""

    async def of_call(self, conversation: ConversationId, message: str, call: str) -> Approval | None:
        """The latest one in which people were asked whether this tool call may run."""

    async def of(self, conversation: ConversationId, *states: State) -> Sequence[Approval]:
        """A conversation's, oldest first; of these states, or all."""

    async def waiting(self, limit: int = 100) -> Sequence[Approval]:
        """All that wait for people, oldest first."""

    async def overdue(self, at: datetime) -> Sequence[Approval]:
        """All that wait although their deadline has passed."""

    async def save(self, *approvals: Approval) -> None:
        """Write states and outcomes over the versions that were read; each has the next version then.

        Raises `Conflict` if a row has another version by now; then the transaction is to be rolled back.
        """


class Executions(Protocol):
    """Rows of the journal."""

    async def get(self, call: Call, digest: str) -> Execution | None:
        """What became of this call as it was decided with this digest."""

    async def add(self, execution: Execution) -> None:
        """Write a new one; `Conflict` if there is one."""

    async def save(self, execution: Execution) -> None:
        """Write its progress over the version that was read; `Conflict` if the row has another by now."""

    async def of(self, conversation: ConversationId) -> Sequence[Execution]:
        """A conversation's, oldest first."""

    async def give_up_doubts(self, conversation: ConversationId) -> None:
        """Nobody will find out any more whether what may have run here has run. What is known stays."""


class Posts(Protocol):
    """Rows of what the bot shows in Slack."""

    async def owe(self, post: Post) -> bool:
        """Write a new one; False if its id exists."""

    async def get(self, id: PostId) -> Post | None:
        """The one with this id."""

    async def cards(self, approval: ApprovalId) -> Sequence[Post]:
        """Every copy of an approval's card, the one in the thread first, then the oldest."""

    async def of(self, conversation: ConversationId) -> Sequence[Post]:
        """A conversation's, oldest first."""

    async def save(self, post: Post) -> None:
        """Write where and how it is shown."""

    async def rewrite(self, post: Post) -> None:
        """Write what it says, and nothing else of it."""

    async def owed(self) -> Sequence[Post]:
        """All that are owed or half sent, oldest first."""


class Record(Protocol):
    """The append-only record."""

    async def append(self, *events: Event) -> None:
        """Add lines, in the same transaction as what they tell."""

    async def of(self, conversation: ConversationId | None = None) -> Sequence[Event]:
        """The lines, oldest first; of one conversation, or all."""


class Transaction(Protocol):
    """All rows in one transaction: everything in it is written, or nothing."""

    @property
    def conversations(self) -> Conversations:
        """Conversations, in this transaction."""

    @property
    def approvals(self) -> Approvals:
        """Approvals, in this transaction."""

    @property
    def executions(self) -> Executions:
        """The journal of executions, in this transaction."""

    @property
    def posts(self) -> Posts:
        """Posts, in this transaction."""

    @property
    def homes(self) -> Homes:
        """Home tabs, in this transaction."""

    @property
    def record(self) -> Record:
        """The record, in this transaction."""

    @property
    def connection(self) -> object:
        """The database connection, for a job engine that writes in the same transaction."""

    def on_commit(self, call: Callable[[], None]) -> None:
        """Call this once the transaction is on disk; never if it is rolled back."""


class Store(Protocol):
    """Where rows are."""

    def write(self) -> AbstractAsyncContextManager[Transaction]:
        """A transaction; commits when the block ends, rolls back when it raises."""

    def read(self) -> AbstractAsyncContextManager[Transaction]:
        """A consistent view that writes nothing and waits for no writer."""


@dataclass(frozen=True, slots=True)
class Work:
    """Background work that is owed. The payload holds ids only."""

    id: str
    kind: str
    key: str | None = field(default=None, kw_only=True)
    """Work of one key is done in order and one at a time."""
    delay: float = field(default=0, kw_only=True)
    """Seconds. Delayed work has no key: it would hold back what is ready."""
    payload: Mapping[str, str] = field(default_factory=dict, kw_only=True)


class Jobs(Protocol):
    """Durable background work, at least once."""

    async def owe(self, tx: Transaction, *work: Work) -> None:
        """Owe this work, in the caller's transaction; what is owed or under way already is not owed twice."""

    async def cancel(self, tx: Transaction, id: str) -> bool:
        """Not owed any more; False if it ran or runs already."""


class Journal(Protocol):
    """What the guard at the tool's door asks and tells. Each call is on disk when it returns."""

    async def begin(self, call: Call, *, needs_person: bool, repeatable: bool) -> Step:
        """What is to happen to this call; nothing may run if this raises."""

    async def finish(self, execution: Execution, result: Mapping[str, Json] | None) -> None:
        """It ran, and this is what the agent is given; None if that cannot be kept."""

    async def fail(self, execution: Execution, sentence: str) -> None:
        """It ran and raised; this is what the agent is told."""

    async def pause(self, execution: Execution) -> None:
        """The tool itself asks people something; it starts again when they have answered."""

    async def ran(self, execution: Execution, result: Mapping[str, Json], *, by: str) -> Execution:
        """A doubt is gone: it ran, and this is what it returned. `by` says who knows: `people` or `tool`."""

    async def again(self, execution: Execution, *, by: str) -> Execution:
        """A doubt is gone: it is to run again, which it is about to."""

    async def skip(self, execution: Execution) -> None:
        """A doubt is left as it is: people said that it is not to run again."""


class Directory(Protocol):
    """Who people are, asked from Slack; answers may be a minute old."""

    def anew(self) -> "Directory":
        """The same, whose answers are all of now."""

    async def person(self, id: UserId) -> Person:
        """Who this is; `CouldNotCheck` if Slack cannot be asked."""

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:
        """Whether the person is in the channel; `CouldNotCheck` if Slack cannot be asked."""

    async def groups_of(self, user: UserId) -> frozenset[GroupId]:
        """The user groups that the person is in; `CouldNotCheck` if Slack cannot be asked."""

    async def takes_messages(self, channel: ChannelId) -> bool:
        """Whether the bot can write there, as of now; `CouldNotCheck` if Slack cannot be asked."""


class Agent(Protocol):
    """The agent behind all threads. The caller holds the thread: one run at a time.

    `send`, `resume` and `proceed` run the agent until it stops. They return the plain sentence that
    tells people what failed, or None; either way the thread is to be read again.
    """

    async def read(self, thread: ConversationId) -> Thread:
        """The thread as its checkpoint has it."""

    async def send(self, thread: ConversationId, messages: Sequence[Said]) -> str | None:
        """Give the agent what people said; each message keeps its id, so that twice is once."""

    async def resume(self, thread: ConversationId, approval: Approval) -> str | None:
        """Tell the agent a settled approval, by interrupt id and in order.

        Reads the thread first; raises `Stale` if the interrupt is not pending, or is not what was shown,
        and `Drifted` if the agent's gates, or what the arguments point at, are others by now.
        """

    async def proceed(self, thread: ConversationId) -> str | None:
        """Go on with what was cut off or failed."""

    async def ask_again(self, thread: ConversationId) -> str | None:
        """Leave the pending interrupts behind and ask anew, as the gates are now; the ids are others then."""

    def halt(self, thread: ConversationId) -> None:
        """Let the tools and the model call that run in this thread end, and begin nothing more in this run.

        The run returns None and leaves the thread where it is then. Does nothing if none is under way.
        """

    async def forget(self, thread: ConversationId) -> None:
        """Delete everything that is kept of the thread; it is new then. To do it twice changes nothing."""

    async def mend(self, thread: ConversationId) -> None:
        """Give a result to every call that has none although the history has gone on; nothing runs."""

    async def abandon(self, thread: ConversationId, reason: str) -> None:
        """End what waits: every open tool call gets `reason` as its failed result, nothing runs."""


class Tools(Points, Presents, Protocol):
    """The agent's tools, as far as asking people needs them."""

    def schema(self, tool: str) -> Mapping[str, Json] | None:
        """JSON schema of the tool's arguments; None if the tool is not known."""

    def check(self, tool: str, arguments: Arguments) -> Arguments:
        """The arguments in the schema's types; `InvalidArguments` with a sentence per field."""


class Clock(Protocol):
    """The time, handed in."""

    def __call__(self) -> datetime:
        """Now, in UTC."""
