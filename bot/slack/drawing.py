"""A row's message: what a post looks like in Slack, with everything that it is drawn from."""

from dataclasses import dataclass, replace
from typing import Final, assert_never

from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation, Post, PostKind
from bot.approvals.ids import Ts, UserId
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.masks import retold
from bot.approvals.plan import Plan
from bot.approvals.sayings import uttered
from bot.approvals.words import Language, spoken
from bot.slack import answers, hearing, turns, waiting
from bot.slack.cards import card
from bot.slack.message import Message
from bot.slack.not_asked import not_asked
from bot.slack.progress import progress
from bot.slack.text import is_user_id

CHANGING: Final = frozenset(
    {
        PostKind.CARD,
        PostKind.NOT_ASKED,
        PostKind.KEPT,
        PostKind.FAILURE,
        PostKind.TOOL_FAILURE,
        PostKind.PROGRESS,
    }
)
"""What looks different later, when somebody has pressed a button of it, or the agent has gone on."""

QUOTING: Final = frozenset({PostKind.ANSWER, PostKind.NOTICE, PostKind.FAILURE, PostKind.TOOL_FAILURE})
"""What may quote the arguments of its conversation's calls."""

OURS: Final = frozenset({PostKind.FAILURE, PostKind.TOOL_FAILURE, PostKind.NOTICE})
"""What tells in words of the bot's own what went wrong, or became of something."""

SIMPLER: Final = frozenset({PostKind.PROGRESS, PostKind.ANSWER, PostKind.CARD})
"""What can be said with simpler blocks, where a Slack does not take the better ones."""

DETAILED: Final = frozenset({PostKind.CARD, PostKind.NOT_ASKED})
"""What shows a call's arguments."""

FILES: Final = "files"
"""What a very long answer goes on as; the name of it among what a Slack does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A post with all that is needed to draw it."""

    post: Post
    conversation: Conversation
    approval: Approval | None
    """What it is about; all that stands on its card as one."""
    card: tuple[Approval, ...] = ()
    """The same one by one."""
    behind: int = 0
    """How many requests wait for their turn, for the card that has to tell it."""
    quoted: tuple[Approval, ...] = ()
    """What its words may quote."""
    masking: Masking = BY_DEFAULT
    agent: str = ""
    """The agent's name, where there are several."""
    below: Post | None = None
    """The card under which it is said, where that is not the conversation's thread."""
    language: Language | None = None
    """The reader's, where one person alone sees it."""
    plainly: bool = False
    """Whether Slack has refused such blocks, so that simpler ones have to do."""
    files: bool = False
    """Whether what is very long may go on as a file."""

    @property
    def channel(self) -> str:
        """Where it is to be posted; a person's id for the direct message with that person."""
        if self.below and self.below.channel:
            return self.below.channel
        return self.post.place or self.conversation.channel

    @property
    def thread_ts(self) -> Ts | None:
        """The message in whose thread it is to be posted; None beside the others of the channel."""
        if self.below:
            return self.below.ts
        return None if self.post.place else self.conversation.thread_ts

    @property
    def is_nowhere(self) -> bool:
        """Whether the thread in which it belongs has no message."""
        post = self.post
        has_its_own = post.place and (post.kind is PostKind.CARD or post.approval is None)
        return self.thread_ts is None and not (post.kind is PostKind.OPENING or has_its_own)

    @property
    def reader(self) -> UserId | None:
        """The person who alone sees it, in a direct message with the bot."""
        if is_user_id(self.channel):
            return UserId(self.channel)
        return self.conversation.requester if self.channel.startswith("D") else None

    @property
    def shown(self) -> Approval | None:
        """The approval as people see it: what is secret in it is masked."""
        return self.masking.approval(self.approval) if self.approval else None

    def parts(self) -> list[Message]:
        """The messages that show it, in their reader's language; all but a long answer are one."""
        with spoken(self.language):
            return self._parts(self._told)

    @property
    def _told(self) -> Post:
        """The post with its words as people see them."""
        if self.post.kind is PostKind.PROGRESS:  # is masked already: as one text it would be JSON no more
            return self.post
        text = uttered(self.masking.text(self.post.text, self.quoted))
        return replace(self.post, text=retold(text) if self.post.kind in OURS else text)

    def _parts(self, post: Post) -> list[Message]:  # noqa: PLR0911 - a kind a line
        match post.kind:
            case PostKind.OPENING | PostKind.ASKED:
                who = post.settled_by or self.conversation.requester
                return [answers.opening(who, post.text, self.agent)]
            case PostKind.CARD:
                shown = self.shown
                return [self._card(shown)] if shown else []
            case PostKind.NOT_ASKED:
                shown = self.shown
                return [not_asked(shown)] if shown else []
            case PostKind.PROGRESS:
                return [progress(self.plan, self.conversation.id, plainly=self.plainly)]
            case PostKind.ANSWER:
                return answers.answer(post.text, post.id, plainly=self.plainly, files=self.files)
            case PostKind.NOTICE:
                return [answers.notice(post.text)]
            case PostKind.KEPT:
                return [turns.kept(post)]
            case PostKind.FAILURE | PostKind.TOOL_FAILURE:
                return [answers.failure(post)]
            case PostKind.REMINDER | PostKind.ESCALATION | PostKind.EXPIRY | PostKind.OUTCOME:
                told = self._as_time_goes_by(post)
                return [told] if told else []
            case _:
                assert_never(post.kind)

    def _card(self, shown: Approval) -> Message:
        who = self.conversation.requester
        return card(shown, requester=who, behind=self.behind, plainly=self.plainly, agent=self.agent)

    def _as_time_goes_by(self, post: Post) -> Message | None:
        """None if it is too late to say it."""
        if (shown := self.shown) is None:
            return None
        match post.kind:
            case PostKind.REMINDER:
                return waiting.reminder(shown, post.text)
            case PostKind.ESCALATION:
                return waiting.escalation(shown, post.text)
            case PostKind.OUTCOME:
                return hearing.outcome(shown)
            case _:
                return waiting.expiry(shown)

    @property
    def plan(self) -> Plan:
        """What the message of a turn shows."""
        return Plan.from_json(self.post.text)

    @property
    def version(self) -> int:
        """What `Post.drawn` becomes once the drawing is shown."""
        if self.post.kind is PostKind.PROGRESS:
            return self.plan.version
        return self.approval.version if self.approval else 0

    @property
    def looks(self) -> tuple[int, UserId | None]:
        """What a message shows of what changes: the version, and who settled it."""
        return self.version, self.post.settled_by

    def drawn(self, number: int) -> int:
        """What it becomes once this part is shown: of a long answer the parts are counted."""
        return number if self.post.kind is PostKind.ANSWER else self.version
