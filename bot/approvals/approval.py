"""The life of one approval: its actions, its states and every legal move. Nothing here does I/O.

An approval is one interrupt of the agent. It has one action per action request, in the agent's order.
People decide actions in any order; the approval is settled when every action has an outcome; the agent
is told everything at once and in order, and then it is delivered.

The table `MOVES` is the whole life cycle. A move that is not in it raises and changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Self, TypeAlias, assert_never

from bot.approvals.decision import PAST, Arguments, Decision, DecisionKind, Json, kind_of
from bot.approvals.errors import AlreadyDecided, NotAllowed, UnknownAction
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, InterruptId, UserId
from bot.approvals.times import utc


class State(StrEnum):
    """Where an approval is in its life."""

    WAITING = "waiting"
    """At least one action has no outcome."""
    SETTLED = "settled"
    """Every action has an outcome; the agent has not been told."""
    DELIVERED = "delivered"
    """The agent was told. The end."""
    WITHDRAWN = "withdrawn"
    """The agent no longer waits for it: cancelled, or its interrupt is gone. The end."""


MOVES: Final[Mapping[State, frozenset[State]]] = {
    State.WAITING: frozenset({State.WAITING, State.SETTLED, State.WITHDRAWN}),
    State.SETTLED: frozenset({State.DELIVERED, State.WITHDRAWN}),
    State.DELIVERED: frozenset(),
    State.WITHDRAWN: frozenset(),
}
"""Every legal move."""


class Shape(StrEnum):
    """How the interrupt wants its answer; the agent's side encodes accordingly."""

    BATCHED = "batched"
    """LangChain's `HITLRequest`: a list of decisions, one per action request."""
    QUESTION = "question"
    """A plain `interrupt("…")`: one text."""
    IN_DOUBT = "in_doubt"
    """A call that may have run before the process died. Approve: run it again; respond: it ran, and this is
    what it returned; reject: leave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One person's decision about one action."""

    decision: Decision
    by: UserId
    at: datetime

    def __str__(self) -> str:
        return f"{PAST[kind_of(self.decision)]} by <@{self.by}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Nobody decided in time. Not a no: an outcome of its own, and nothing runs because of it."""

    at: datetime
    """The deadline that passed."""

    def __str__(self) -> str:
        return f"expired at {utc(self.at)}"


Outcome: TypeAlias = Decided | Expired


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action request: a tool call that waits for a person, or was decided by one."""

    id: ActionId
    tool: str
    arguments: Arguments
    description: str
    allowed: frozenset[DecisionKind]
    digest: str
    """Binds this very call; see `binding.digest`."""
    call: str = ""
    """The tool call's id in the model's message, where it is known."""
    message: str = ""
    """The id of that message; empty where the call is not known."""
    schema: Mapping[str, Json] | None = None
    """JSON schema of the tool's arguments, for the edit form; None where the tool is not known."""
    outcome: Outcome | None = None

    @property
    def decided(self) -> Decided | None:
        """The decision, if a person made one."""
        return self.outcome if isinstance(self.outcome, Decided) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One interrupt, waiting for people or done with them."""

    id: ApprovalId
    conversation: ConversationId
    interrupt: InterruptId
    shape: Shape
    actions: tuple[Action, ...]
    """In the order of the agent's action requests, which is the order of the answer."""
    asked_at: datetime
    requesters: frozenset[UserId]
    """Who asked for it: who started the conversation, and whose words the agent was given since."""
    state: State = State.WAITING
    version: int = 0
    """Counts the changes; a row is written only over the version that was read."""
    note: str = ""
    """Why it was withdrawn, for people."""
    expires_at: datetime | None = None
    """From this moment on nobody can decide any more; None for never."""
    timers: tuple[str, ...] = ()
    """The delayed work that is owed for it, by id; cancelled when nobody has to decide any more."""
    escalated_to: frozenset[UserId] = frozenset()
    """Who was called in because nobody had decided; they may decide as well, where the policy says so."""

    def action(self, id: ActionId) -> Action:
        """The action with this id; `UnknownAction` if it is not one of ours."""
        for action in self.actions:
            if action.id == id:
                return action
        raise UnknownAction

    @property
    def open(self) -> tuple[Action, ...]:
        """The actions without an outcome."""
        return tuple(action for action in self.actions if action.outcome is None)

    def decide(self, id: ActionId, decision: Decision, *, by: UserId, at: datetime) -> Self:
        """With this decision; settled if it was the last one missing.

        The first decision wins. The same person may change it until the last one is in.
        Raises `NotAllowed` for a decision that the action does not take, `AlreadyDecided` when too late.
        """
        action = self.action(id)
        self.refuse_late(action, by, at)
        kind = kind_of(decision)
        if kind not in action.allowed:
            raise NotAllowed(f"`{action.tool}` cannot be {PAST[kind]}; nothing was done.")
        decided = replace(action, outcome=Decided(decision=decision, by=by, at=at))
        settled = all(other.outcome or other.id == id for other in self.actions)
        return self._with(decided, State.SETTLED if settled else State.WAITING)

    def take_back(self, id: ActionId, *, by: UserId, at: datetime) -> Self:
        """Without this person's own decision, so that it can be made again."""
        action = self.action(id)
        self.refuse_late(action, by, at)
        if action.outcome is None:
            raise NotAllowed("There is no decision of yours to change.")
        return self._with(replace(action, outcome=None), State.WAITING)

    def is_over(self, at: datetime) -> bool:
        """Whether the deadline has passed at this moment, whether or not anything was done about it."""
        return self.expires_at is not None and at >= self.expires_at

    def expire(self, at: datetime) -> Self:
        """Settled: what nobody decided has expired at this moment, what was decided stays decided.

        Raises `AlreadyDecided` if nobody has to decide any more.
        """
        settled = self._move(State.SETTLED)
        actions = tuple(
            action if action.outcome else replace(action, outcome=Expired(at=at)) for action in self.actions
        )
        return replace(settled, actions=actions)

    def escalate(self, to: frozenset[UserId]) -> Self:
        """With these people called in; `AlreadyDecided` if nobody has to decide any more."""
        return replace(self._move(State.WAITING), escalated_to=self.escalated_to | to)

    def deliver(self) -> Self:
        """The agent was told."""
        return self._move(State.DELIVERED)

    def withdraw(self, note: str) -> Self:
        """The agent no longer waits for it, for this reason."""
        return replace(self._move(State.WITHDRAWN), note=note)

    def refuse_late(self, action: Action, by: UserId, at: datetime) -> None:
        """Raise `AlreadyDecided` if this person can no longer change the action's outcome at this moment."""
        if self.state is State.WITHDRAWN:
            raise AlreadyDecided(
                f"This request is closed: {self.note or 'the agent no longer waits for it'}."
            )
        match action.outcome:
            case Decided(by=first) as decided if self.state is not State.WAITING or first != by:
                who = "you" if first == by else f"<@{first}>"
                raise AlreadyDecided(f"Already {PAST[kind_of(decided.decision)]} by {who}.")
            case Expired(at=deadline):
                raise AlreadyDecided(f"This request expired at {utc(deadline)}.")
            case None | Decided():
                pass
            case _:
                assert_never(action.outcome)
        if self.expires_at is not None and self.is_over(at):
            raise AlreadyDecided(f"This request expired at {utc(self.expires_at)}.")

    def _with(self, changed: Action, state: State) -> Self:
        actions = tuple(changed if action.id == changed.id else action for action in self.actions)
        return replace(self._move(state), actions=actions)

    def _move(self, to: State) -> Self:
        if to not in MOVES[self.state]:
            raise AlreadyDecided(f"This request is {self.state} already.")
        return replace(self, state=to)
