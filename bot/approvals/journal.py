"""What was executed, and what may still be. Written before and after every gated call. Nothing here does I/O.

At the tool's door two questions are asked, in this order. `permission`: did people let this very call run?
`next_step`: has it run already? A call that was begun and has no result, because the process died in it, is
in doubt: nobody knows whether it ran, and it never simply runs again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self, TypeAlias, assert_never

from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough, State
from bot.approvals.binding import NO_JSON
from bot.approvals.decision import Approve, Arguments, Edit, Json, Reject, Respond
from bot.approvals.ids import ActionId, ApprovalId, ConversationId
from bot.approvals.referents import Referents, still_stands
from bot.approvals.words import phrase

LARGEST_RESULT: Final = 256 * 1024
"""Characters of JSON text of a result that is kept; a larger one is said not to have been kept."""


class Progress(StrEnum):
    """How far an execution has come."""

    INTENT = "intent"
    """The tool was about to run; whether it did is not known before it is recorded."""
    PAUSED = "paused"
    """The tool itself asked people something; it starts again when they have answered."""
    DONE = "done"
    """It ran, and this is what it returned."""
    FAILED = "failed"
    """It ran and raised."""
    IN_DOUBT = "in_doubt"
    """It may have run; people are asked."""
    SKIPPED = "skipped"
    """It may have run; a person said that it is not to be run again."""


MOVES: Final[Mapping[Progress, frozenset[Progress]]] = {
    Progress.INTENT: frozenset(
        # To itself: a tool that is safe to repeat runs again after a crash.
        {Progress.INTENT, Progress.PAUSED, Progress.DONE, Progress.FAILED, Progress.IN_DOUBT}
    ),
    Progress.PAUSED: frozenset({Progress.INTENT}),
    Progress.FAILED: frozenset({Progress.INTENT}),  # of a tool that is safe to repeat, and of no other
    Progress.IN_DOUBT: frozenset({Progress.INTENT, Progress.DONE, Progress.SKIPPED}),
    Progress.DONE: frozenset(),
    Progress.SKIPPED: frozenset(),
}
"""Every legal move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call at the tool's door, with the arguments that would run."""

    conversation: ConversationId
    message: str
    """The id of the model's message that has the call: models use the ids of calls again."""
    id: str
    tool: str
    arguments: Arguments
    referents: Referents | None = None
    """What they point at, as of now; None where the tool does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One call that people let run, and what became of it."""

    conversation: ConversationId
    message: str
    call: str
    tool: str
    digest: str
    """Of what was decided: after an edit, of the edited arguments."""
    approval: ApprovalId
    action: ActionId
    progress: Progress = Progress.INTENT
    attempt: int = 1
    """How often it was begun."""
    asked: int = 0
    """How often people were asked about a doubt and answered."""
    result: Mapping[str, Json] | None = None
    """What the agent was given; None if there is nothing, or if it could not be kept."""
    version: int = 0
    """Counts the changes; a row is written only over the version that was read."""

    @property
    def key(self) -> str:
        """The same for every attempt, and for no other call: for services that take an idempotency key."""
        return self.digest[:32]

    def move(self, to: Progress, **changes: object) -> Self:
        """In that state; `ValueError` for a move that is not in the table."""
        if to not in MOVES[self.progress]:
            raise ValueError(f"an execution that is {self.progress} cannot become {to}")
        return replace(self, progress=to, **changes)  # type: ignore[arg-type]  # as `replace` checks them

    def again(self, *, asked: int = 0) -> Self:
        """Begun once more."""
        return self.move(Progress.INTENT, attempt=self.attempt + 1, asked=self.asked + asked)


@dataclass(frozen=True, slots=True)
class Free:
    """Nobody has to be asked about it, and nothing is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """People let exactly this run."""

    approval: ApprovalId
    action: ActionId
    digest: str
    referents: Referents | None = None
    """What it pointed at when people let it."""
    bound: bool = True
    """Whether it has to point at the same still."""


class Why(StrEnum):
    """Why a call does not run; the values are the sentence that the agent and the thread are told."""

    UNDECIDED = phrase("nobody has decided about it")
    WITHDRAWN = phrase("the request for it was withdrawn")
    REJECTED = phrase("it was rejected")
    ANSWERED = phrase("it was answered by a person instead")
    EXPIRED = phrase("nobody decided about it in time")
    CHANGED = phrase("it is not the call that was decided about: tool or arguments are others")
    MOVED = phrase(
        "what it points at has changed since it was approved; if it is still wanted, ask for it again, "
        "and people see what is there now"
    )
    UNSEEN = phrase(
        "what it points at could not be looked up again, so nobody knows whether it is what was approved; "
        "if it is still wanted, ask for it again"
    )
    DOUBT = phrase("it may have run already, so nobody ran it again")
    SKIPPED = phrase("it may have run already, and a person said not to run it again")
    LATE = phrase("it may have run already, and nobody said in time whether it did")


@dataclass(frozen=True, slots=True)
class Refuse:
    """It must not run."""

    why: Why


@dataclass(frozen=True, slots=True)
class Run:
    """It runs now; that it is about to is on disk."""

    execution: Execution


@dataclass(frozen=True, slots=True)
class Return:
    """It ran or failed before; the agent gets what was recorded."""

    execution: Execution


@dataclass(frozen=True, slots=True)
class Ask:
    """It may have run; people are asked."""

    execution: Execution


Permission: TypeAlias = Free | Granted | Refuse
Step: TypeAlias = Free | Run | Return | Ask | Refuse


def permission(call: Call, approval: Approval | None, *, needs_person: bool) -> Permission:
    """Whether people let this very call run; `approval` is the latest one in which they were asked about it.

    `needs_person` is what the gate says. It only ever adds a no: where people were asked, what they decided
    holds, whatever the gate says by now.
    """
    action = action_of(call, approval)
    if approval is None or action is None:
        return Refuse(Why.UNDECIDED) if needs_person else Free()
    match approval.state:
        case State.WITHDRAWN:
            return Refuse(Why.WITHDRAWN)
        case State.WAITING:
            return Refuse(Why.UNDECIDED)
        case State.SETTLED | State.DELIVERED:
            return _decided(call, approval, action)
        case _:
            assert_never(approval.state)


def action_of(call: Call, approval: Approval | None) -> Action | None:
    """The action in which people were asked about this call."""
    actions = approval.actions if approval else ()
    return next((one for one in actions if (one.message, one.call) == (call.message, call.id)), None)


def _decided(call: Call, approval: Approval, action: Action) -> Permission:
    tool, arguments, referents, bound = action.tool, action.arguments, action.referents, True
    match action.outcome:
        case None | Expired():
            return Refuse(Why.EXPIRED)
        case LetThrough(because=because):
            bound = because is not None  # of what the policy never asks, nobody has seen what it points at
        case Decided(decision=Approve()):
            pass
        case Decided(decision=Edit(arguments=edited, tool=other)):
            tool, arguments = other or tool, edited
            referents = action.edit.referents if action.edit else None
        case Decided(decision=Reject()):
            return Refuse(Why.REJECTED)
        case Decided(decision=Respond()):
            return Refuse(Why.ANSWERED)
        case Decided():
            raise AssertionError(action.outcome.decision)
        case _:
            assert_never(action.outcome)
    wanted = approval.digest_of(action, tool, arguments, referents)
    try:
        same = wanted == approval.digest_of(action, call.tool, call.arguments, referents)
    except NO_JSON:
        same = False  # what is no JSON was never shown to anybody
    if not same:
        return Refuse(Why.CHANGED)
    return Granted(approval=approval.id, action=action.id, digest=wanted, referents=referents, bound=bound)


def digest_of(call: Call, approval: Approval | None) -> str:
    """The digest of what would run, as if it had been asked where people were asked; empty if it has none."""
    action = action_of(call, approval)
    if approval is None or action is None:
        return ""
    try:
        return approval.digest_of(action, call.tool, call.arguments, call.referents)
    except NO_JSON:
        return ""


def next_step(call: Call, granted: Granted, entry: Execution | None, *, repeatable: bool) -> Step:
    """What happens to a call that people let run, after what the journal has of it.

    `entry` is the journal's for the granted digest. The execution in the answer is the next one to be
    written, if it is another than `entry`. `repeatable` is what the tool says of itself. What the call points
    at matters only where it would run: of one that ran it may be the call's own work.
    """
    step = _next(call, granted, entry, repeatable=repeatable)
    if isinstance(step, Run) and granted.bound and not still_stands(granted.referents, call.referents):
        return Refuse(Why.UNSEEN if call.referents and call.referents.problem else Why.MOVED)
    return step


def _next(call: Call, granted: Granted, entry: Execution | None, *, repeatable: bool) -> Step:
    if entry is None:
        return Run(
            Execution(
                conversation=call.conversation,
                message=call.message,
                call=call.id,
                tool=call.tool,
                digest=granted.digest,
                approval=granted.approval,
                action=granted.action,
            )
        )
    match entry.progress:
        case Progress.DONE:
            return Return(entry)
        case Progress.FAILED:
            return Run(entry.again()) if repeatable else Return(entry)
        case Progress.PAUSED:
            return Run(entry.again())
        case Progress.INTENT:
            return Run(entry.again()) if repeatable else Ask(entry.move(Progress.IN_DOUBT))
        case Progress.IN_DOUBT:
            return Ask(entry)
        case Progress.SKIPPED:
            return Refuse(Why.SKIPPED)
        case _:
            assert_never(entry.progress)
