"""What one person is shown: what waits for them, what they asked for, what they decided, and the whole."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

from bot.approvals.approval import Action
from bot.approvals.conversation import Conversation, Status
from bot.approvals.ids import ActionId, UserId
from bot.approvals.masking import Masking
from bot.approvals.person import Standing
from bot.approvals.ports import Asked
from bot.approvals.realm import Choice
from bot.approvals.roster import ONE_AGENT, Roster


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """An approval that waits for somebody."""

    asked: Asked
    actions: tuple[ActionId, ...]
    """Those that this person may decide about and has not voted about."""

    @property
    def open(self) -> tuple[Action, ...]:
        """The same, whole."""
        return tuple(map(self.asked.approval.action, self.actions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A conversation that somebody started."""

    conversation: Conversation
    words: str
    """What it began with; empty if that is not kept."""
    tools: tuple[str, ...] = ()
    """The tools that people are asked about in it now."""

    @property
    def is_finished(self) -> bool:
        """Whether nothing is owed and nothing waits."""
        return self.conversation.status is Status.IDLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """An action that somebody has voted about."""

    asked: Asked
    action: ActionId
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """All that one person is shown of what waits."""

    person: UserId
    standing: Standing | None = None
    """None where Slack could not say; then nothing is known."""
    waiting: tuple[Mine, ...] = ()
    """What waits for this person, the oldest first: as many as are shown."""
    more: int = 0
    """How many more wait for this person."""
    is_partial: bool = False
    """Whether there may be more, because Slack could not say where this person may decide."""
    requests: tuple[Request, ...] = ()
    decided: tuple[Ruled, ...] = ()
    every: tuple[Asked, ...] | None = field(default=None)
    """For operators: what waits, for whomever; None for everybody else."""
    total: int = 0
    """How many wait altogether; for operators."""
    roster: Roster = ONE_AGENT
    """Tells one agent from another, where there are several."""

    def masked(self, masking: Choice[Masking]) -> Self:
        """As people see it: what is secret in it is masked."""

        def hide(asked: Asked) -> Asked:
            return replace(asked, approval=masking.of(asked.conversation.realm).approval(asked.approval))

        def words(one: Request) -> Request:
            return replace(one, words=masking.of(one.conversation.realm).text(one.words))

        return replace(
            self,
            waiting=tuple(replace(one, asked=hide(one.asked)) for one in self.waiting),
            requests=tuple(map(words, self.requests)),
            decided=tuple(replace(one, asked=hide(one.asked)) for one in self.decided),
            every=None if self.every is None else tuple(map(hide, self.every)),
        )
