"""A conversation: one Slack thread, one LangGraph thread, and what is said in it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.approvals.ids import ApprovalId, ChannelId, ConversationId, MessageId, PostId, Ts, UserId
from bot.approvals.realm import UNNAMED, Realm


class Status(StrEnum):
    """What a conversation is doing, as people would say it."""

    WORKING = "working"
    """The agent runs, or is owed a run."""
    WAITING = "waiting"
    """An approval waits for people."""
    FAILED = "failed"
    """The last run failed and the thread was told; somebody may retry or write on."""
    RETRYING = "retrying"
    """Somebody pressed Retry; the run that failed is owed again."""
    CANCELLING = "cancelling"
    """Somebody pressed Stop; open approvals are to be withdrawn."""
    IDLE = "idle"
    """Nothing is owed and nothing waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One Slack thread; its id is the agent's `thread_id`."""

    id: ConversationId
    channel: ChannelId
    thread_ts: Ts | None
    """The thread's first message; None until the bot has posted it (a slash command has no message)."""
    requester: UserId
    """Who started it."""
    started_at: datetime
    realm: Realm = UNNAMED
    status: Status = Status.WORKING
    rested_at: datetime | None = None
    """Since when it is idle or has failed; None if it is neither, or if the agent has forgotten it since."""
    forgotten: bool = False
    """Whether the agent's checkpoints were deleted since anything was said here."""
    following: PostId | None = None
    """The message that shows what the agent does in this turn, as long as more is to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person said to the agent, kept until it is in the agent's thread."""

    id: MessageId
    conversation: ConversationId
    by: UserId
    text: str
    at: datetime
    source: str
    """What makes it the same message when Slack delivers it twice, e.g. `C1/1700000000.000100`."""


def source_of(channel: ChannelId, ts: Ts) -> str:
    """The `source` of a message in Slack."""
    return f"{channel}/{ts}"


class PostKind(StrEnum):
    """What the bot shows in a thread."""

    OPENING = "opening"
    """The first message of a thread that a slash command started."""
    ASKED = "asked"
    """What somebody asked in a form, which no message of theirs says; `settled_by` is that person."""
    CARD = "card"
    """An approval."""
    NOT_ASKED = "not_asked"
    """That nobody is asked about an approval's calls again, since an earlier approval is remembered."""
    PROGRESS = "progress"
    """What the agent does in one turn, call by call; its text is the plan, as JSON."""
    ANSWER = "answer"
    """What the agent says: markdown, untrusted."""
    NOTICE = "notice"
    """A sentence of the bot itself."""
    KEPT = "kept"
    """That a message waits its turn while people are asked, and may become the reason for rejecting what they
    are asked about; its text holds what was open, by action and edition."""
    REMINDER = "reminder"
    """That an approval still waits; its text says who may decide."""
    ESCALATION = "escalation"
    """That people are called in for an approval; its text says who may decide."""
    EXPIRY = "expiry"
    """That an approval expired."""
    OUTCOME = "outcome"
    """What was decided about all on a card, for whoever asked."""
    FAILURE = "failure"
    """A sentence about a run that failed, with a Retry button that goes on where it failed."""
    TOOL_FAILURE = "tool_failure"
    """A sentence about a tool that failed while the agent went on; Retry asks the agent to try again."""


class PostState(StrEnum):
    """How far a post has come."""

    OWED = "owed"
    SENDING = "sending"
    """Handed to Slack; if the answer is lost, Slack must be asked before it is posted again."""
    SHOWN = "shown"
    UNDELIVERABLE = "undeliverable"
    """Slack refuses it for good; `problem` says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message of the bot: the row comes first, the message is drawn from it."""

    id: PostId
    conversation: ConversationId
    kind: PostKind
    text: str = ""
    """To be `uttered`, since a sentence of the bot itself is a saying."""
    approval: ApprovalId | None = None
    place: str = ""
    """Where it is to stand: a channel, or a person's direct message; empty in the conversation's thread."""
    """For a card, for what is said about it, and for what stands in its place."""
    state: PostState = PostState.OWED
    channel: ChannelId | None = None
    """Where it was shown."""
    ts: Ts | None = None
    drawn: int = -1
    """The approval's version that the message shows."""
    settled_by: UserId | None = None
    """Who asked in a form; who pressed Retry, or made a message that waits the reason. Empty if that message
    no longer waits."""
    problem: str = ""
