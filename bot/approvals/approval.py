"""The life of one approval: its actions, its states and every legal move. Nothing here does I/O.

An approval is one interrupt of the agent. It has one action per action request, in the agent's order.
People vote about actions in any order; the approval is settled when every action has an outcome; the agent
is told everything at once and in order, and then it is delivered.

The table `MOVES` is the whole life cycle. A move that is not in it raises and changes nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Self, assert_never

from bot.approvals import refusing
from bot.approvals.action import (
    Action,
    Decided,
    Expired,
    LetThrough,
    Outcome,
    Remembered,
    Seat,
    Vote,
    ends,
)
from bot.approvals.binding import digest
from bot.approvals.choosing import Chosen
from bot.approvals.decision import PAST, Arguments, Decision, Edit, kind_of
from bot.approvals.errors import AlreadyDecided, NotAllowed, UnknownAction
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, InterruptId, UserId
from bot.approvals.realm import UNNAMED, Realm
from bot.approvals.referents import Referents
from bot.approvals.sayings import Saying, uttered
from bot.approvals.times import utc
from bot.approvals.who import Quorum
from bot.approvals.words import phrase, say

__all__ = ["MOVES", "Action", "Approval", "Decided", "Expired", "LetThrough", "Outcome", "Shape", "State"]


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

ASKED_AGAIN: Final = phrase("{why}; it is asked again")
"""The note of what was withdrawn to be asked anew."""

_ALREADY: Final[Mapping[State, str]] = {
    State.WAITING: phrase("This request is waiting already."),
    State.SETTLED: phrase("This request is settled already."),
    State.DELIVERED: phrase("This request is delivered already."),
    State.WITHDRAWN: phrase("This request is withdrawn already."),
}


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
    """Why it was withdrawn, for people; to be `uttered`."""
    expires_at: datetime | None = None
    """From this moment on nobody can decide any more; None for never."""
    timers: tuple[str, ...] = ()
    """The delayed work that is owed for it, by id; cancelled when nobody has to decide any more."""
    escalated_to: frozenset[UserId] = frozenset()
    """Who was called in because nobody had decided; they may decide as well, where the policy says so."""
    card: ApprovalId | None = None
    """The approval on whose card it stands, as one of a burst; None for a card of its own."""
    realm: Realm = UNNAMED
    """Its conversation's."""
    held: bool = False
    """Whether people are not asked yet, since enough of its conversation is open: no card, no timer."""
    closed: frozenset[ActionId] = frozenset()
    """Of a drawing of several approvals on one card: the actions about which the agent was or is told."""

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

    def decide(
        self,
        id: ActionId,
        decision: Decision,
        *,
        by: UserId,
        at: datetime,
        seat: Seat | None = None,
        seen: str | None = None,
        referents: Referents | None = None,
        chosen: Chosen | None = None,
    ) -> Self:
        """With this person's vote; settled if it was the last one missing.

        What is decided stays so; who had a part in it may change that part until the last action is decided.
        `seat` is what the vote counts for, as the policy says it now; without it, for the first of the votes
        that are needed. `seen` is the edition that the person was shown, None where it does not matter.
        `referents` is what the arguments of an edit point at, `chosen` what the policy's functions say of it.
        Raises `NotAllowed` for a decision that the action does not take, `AlreadyDecided` when too late or
        said twice.
        """
        action = self.action(id)
        self.refuse_late(action, by, at)
        kind = kind_of(decision)
        if kind not in action.takes:
            message = refusing.CANNOT_BE_UNSEEN if action.unseen else refusing.CANNOT_BE
            why = uttered(action.unseen)
            raise NotAllowed(say(message, tool=action.tool, approved=say(PAST[kind]), problem=why))
        if seen is not None and seen != action.edition:
            raise AlreadyDecided(say(refusing.EDITED))
        if isinstance(decision, Edit) and decision.tool is not None and decision.tool not in action.targets:
            raise NotAllowed(say(refusing.CANNOT_BECOME, tool=action.tool, other=decision.tool))
        bound = action.asked.digest
        if isinstance(decision, Edit):
            bound = self.digest_of(action, decision.tool or action.tool, decision.arguments, referents)
        seat = seat or Seat(needs=action.needs)
        vote = Vote(decision=decision, by=by, at=at, digest=bound, fits=seat.fits)
        vote = replace(vote, referents=referents, chosen=chosen)
        _refuse_twice(action, vote, seat)
        voted = action.voted(vote, seat.needs)
        settled = voted.outcome and all(other.outcome or other.id == id for other in self.actions)
        return self._with(voted, State.SETTLED if settled else State.WAITING)

    def take_back(
        self, id: ActionId, *, by: UserId, at: datetime, needs: tuple[Quorum, ...] | None = None
    ) -> Self:
        """Without this person's own vote, so that it can be cast again.

        `needs` are the votes that the call takes as the agent asked for it, where the vote was an edit of it.
        """
        action = self.action(id)
        self.refuse_late(action, by, at)
        if action.vote_of(by) is None:
            raise NotAllowed(say("There is no decision of yours to change."))
        return self._with(action.taken_back(by, needs), State.WAITING)

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

    def let_through(self, those: Mapping[ActionId, LetThrough]) -> Self:
        """With these actions let through; settled if there is nothing left to ask people about."""
        actions = tuple(replace(one, outcome=those.get(one.id, one.outcome)) for one in self.actions)
        settled = all(one.outcome for one in actions)
        return replace(self._move(State.SETTLED if settled else State.WAITING), actions=actions)

    def forget(self, those: Collection[ActionId], by: UserId) -> Self:
        """With these approvals remembered no more; what was let through because of them stays so."""
        return replace(self, actions=tuple(_forgotten(one, those, by) for one in self.actions))

    def deliver(self) -> Self:
        """The agent was told."""
        return self._move(State.DELIVERED)

    def withdraw(self, note: str) -> Self:
        """The agent no longer waits for it, for this reason."""
        return replace(self._move(State.WITHDRAWN), note=note)

    def refuse_late(self, action: Action, by: UserId, at: datetime) -> None:
        """Raise `AlreadyDecided` if this person can no longer change the action's outcome at this moment."""
        if self.state is State.WITHDRAWN:
            why = uttered(self.note) or say(refusing.NO_LONGER_WAITS)
            raise AlreadyDecided(say("This request is closed: {why}.", why=why))
        match action.outcome:
            case Decided(by=last) as decided if self.state is not State.WAITING or not action.may_change(by):
                past = say(PAST[kind_of(decided.decision)])
                if last == by:
                    raise AlreadyDecided(say(refusing.BY_YOU, approved=past))
                raise AlreadyDecided(say("Already {approved} by {who}.", approved=past, who=f"<@{last}>"))
            case Expired(at=deadline):
                raise AlreadyDecided(say(refusing.EXPIRED, time=utc(deadline)))
            case LetThrough():
                raise AlreadyDecided(say("Nobody is asked about this call: {why}.", why=action.outcome))
            case None | Decided():
                pass
            case _:
                assert_never(action.outcome)
        if self.expires_at is not None and self.is_over(at):
            raise AlreadyDecided(say(refusing.EXPIRED, time=utc(self.expires_at)))

    @property
    def is_asked_again(self) -> bool:
        """Whether it was withdrawn for another to take its place, which people decide about instead."""
        return isinstance(self.note, Saying) and self.note.message == ASKED_AGAIN

    def digest_of(self, action: Action, tool: str, arguments: Arguments, referents: Referents | None) -> str:
        """The digest of this call in place of the action's; one of `NO_JSON` for what has none."""
        return digest(
            tool=tool,
            arguments=arguments,
            thread=self.conversation,
            interrupt=self.interrupt,
            call=action.call,
            referents=referents,
        )

    def _with(self, changed: Action, state: State) -> Self:
        actions = tuple(changed if action.id == changed.id else action for action in self.actions)
        return replace(self._move(state), actions=actions)

    def _move(self, to: State) -> Self:
        if to not in MOVES[self.state]:
            raise AlreadyDecided(say(_ALREADY[self.state]))
        return replace(self, state=to)


def _forgotten(action: Action, those: Collection[ActionId], by: UserId) -> Action:
    match action.outcome:
        case LetThrough(because=Remembered(action=source, taken_back=None) as because) if source in those:
            outcome = replace(action.outcome, because=replace(because, taken_back=by))
            return replace(action, outcome=outcome)
        case _ if action.id in those and action.forgotten is None:
            return replace(action, forgotten=by)
        case _:
            return action


def _refuse_twice(action: Action, vote: Vote, seat: Seat) -> None:
    """Raise `AlreadyDecided` if this very vote is there already: a second click changes nothing."""
    before = action.vote_of(vote.by)
    if before is None or seat.needs != action.needs or ends(vote.decision) or ends(before.decision):
        return
    if before.digest == vote.digest and before.fits:
        message = refusing.BY_YOU if action.outcome else refusing.BY_YOU_AND_OPEN
        raise AlreadyDecided(say(message, approved=say(PAST[kind_of(before.decision)])))
