"""What the agent's thread looks like from here: LangGraph's state in our words."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.approvals.approval import Approval, Shape
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Arguments, DecisionKind
from bot.approvals.ids import InterruptId
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.words import phrase

UNDESCRIBED: Final = phrase("No description: the function that writes it failed.")
"""The description of a call for which a team's own function gives none."""


class Condition(StrEnum):
    """What a thread can do next."""

    NEW = "new"
    """Nothing was ever said in it."""
    IDLE = "idle"
    """Finished; it takes new messages."""
    WAITING = "waiting"
    """At least one interrupt is pending."""
    RUNNABLE = "runnable"
    """Cut off in the middle (a crash, a drain); it goes on when asked to proceed."""
    FAILED = "failed"
    """A step raised; proceeding tries it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """One tool call that the agent asks about."""

    tool: str
    arguments: Arguments
    description: str
    allowed: frozenset[DecisionKind]
    call: str = ""
    """The tool call's id in the model's message; empty where it cannot be known."""
    message: str = ""
    """The id of that message; empty where the call is."""
    referents: Referents | None = None
    """What the arguments point at, once it was looked up; None where the tool does not tell."""
    chosen: Chosen | None = None
    """What the functions of the policy say of it, once they were asked; None where there are none."""
    rendered: Rendered | None = None
    """How the tool shows it, once it was asked; None where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """One pending interrupt, readable by people; `requests` in the order of the answer."""

    id: InterruptId
    shape: Shape
    requests: tuple[ActionRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the agent said at the end of a turn. Markdown, untrusted."""

    id: str
    """The LangChain message's id: the same answer is shown once."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailure:
    """A tool that ran and failed; the agent was told and went on."""

    id: str
    """The tool message's id: the same failure is told once."""
    tool: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A tool call, and what became of it as far as the thread has it."""

    message: str
    """The id of the model's message that has the call."""
    id: str
    tool: str
    arguments: Arguments
    result: str | None = None
    """The beginning of what the agent was told; of a failure what people are told, to be `uttered`.

    None as long as the call has no result.
    """
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the agent has done since somebody last spoke to it."""

    id: str
    """The id of the message that began it."""
    calls: tuple[Called, ...]
    """In the order in which the model made them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A thread at one moment, always read from the checkpoint and never from a stream."""

    condition: Condition
    interrupts: tuple[Interrupt, ...] = ()
    failure: str = ""
    """One plain sentence if the condition is failed."""
    message_ids: frozenset[str] = frozenset()
    """The ids of all messages in the thread: what was said and arrived is among them."""
    answer: Answer | None = None
    """The agent's last words, if the condition is idle."""
    tool_failures: tuple[ToolFailure, ...] = ()
    turn: Turn | None = None
    """None where nobody has spoken."""
    stuck: bool = False
    """A wrong answer was kept, and every later one is ignored; proceeding leaves it behind."""
    unreadable: bool = False
    """It asks something that cannot be shown; proceeding asks the same again."""
    repeats: tuple[str, ...] = ()
    """Tools, and steps of a team's own graph, that proceeding would run again though they may have run."""
    dangling: tuple[str, ...] = ()
    """Tools whose calls have no result although the history has gone on: no model takes such a history."""
    unheard: frozenset[tuple[str, str]] = frozenset()
    """Calls, by the ids of message and call, that stand before the step that asks about them: of a decision
    about them that was made already, the agent has not heard."""

    cut_off: bool = False
    """Beside what waits, a call was cut off in the middle; it goes on when asked to proceed."""

    @property
    def goes_on(self) -> bool:
        """Whether there is something in it that was cut off or failed."""
        return self.condition in {Condition.RUNNABLE, Condition.FAILED} or self.cut_off

    def has_heard(self, approval: Approval) -> bool:
        """Whether the agent can have been told this approval, which is no longer pending."""
        return not any((action.message, action.call) in self.unheard for action in approval.actions)
