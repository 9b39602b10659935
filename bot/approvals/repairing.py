"""Bringing back a conversation that is stuck, when an operator asks for it.

Nothing that may have run is run again: a call that people let run is known to the journal, which returns what
it returned or asks about it, and where going on would repeat anything else, what is open is ended instead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from bot.approvals.approval import Approval, Shape, State
from bot.approvals.conversation import Conversation, Post, PostKind, Said, Status
from bot.approvals.filing import owe
from bot.approvals.ids import ConversationId, PostId
from bot.approvals.ports import Agent, Clock, Event, Jobs, Store, Transaction
from bot.approvals.running import Running
from bot.approvals.sayings import joined, saying
from bot.approvals.stopping import OPERATOR, Halting, stop
from bot.approvals.thread import Condition, Thread
from bot.approvals.words import phrase

CANCEL: Final = "cancel"
REPAIR: Final = "repair"
"""The kinds of the work that an operator's command owes."""

THEN: Final = phrase("{before}; {last}")
"""Between two faults that are told."""

MAY_HAVE_RUN: Final = "This call was ended by an operator. It may or may not have run."
"""What the agent is told of a call that a repair ends."""


class Fault(StrEnum):
    """What can be wrong with a conversation; the values say it, and what is done about it."""

    DANGLING = phrase(
        "the history holds calls without a result, which no model takes: each gets one, which says that it "
        "may or may not have run"
    )
    STUCK = phrase(
        "the agent was given an answer that it cannot use, and ignores every later one: it asks again"
    )
    FAILED = phrase("the last run failed: it goes on where it failed")
    HALTED = phrase("the run was cut off and nobody goes on with it: it goes on")
    REPEATING = phrase(
        "going on would run again what may have run: what is open is ended, and the agent is told so; "
        "a message in the thread goes on from there"
    )
    UNREADABLE = phrase(
        "the agent asks something that cannot be shown to anybody: it is ended; a message in the thread "
        "goes on from there"
    )
    UNASKED = phrase("the agent waits for people who were not asked: they are asked")
    UNTOLD = phrase("what people decided has not reached the agent: it is told")
    GONE = phrase("people are asked something that the agent does not wait for any more: it is closed")
    UNHEARD = phrase("what people said has not reached the agent: it is handed over")
    TOLD_TO_STOP = phrase("it was to be stopped and is not: it is stopped")


ENDS: Final = frozenset({Fault.REPEATING, Fault.UNREADABLE})
"""The faults for which only an end of what is open helps."""
CUT_OFF: Final = ENDS | {Fault.STUCK, Fault.FAILED, Fault.HALTED}
"""The faults of a run that did not come to its end."""


def faults(
    conversation: Conversation, thread: Thread, approvals: Sequence[Approval], kept: Sequence[Said]
) -> tuple[Fault, ...]:
    """What is wrong; `approvals` are those that wait or are settled, `kept` what the agent was not given."""
    return tuple(dict.fromkeys(_faults(conversation, thread, approvals, kept)))


def _faults(
    conversation: Conversation, thread: Thread, approvals: Sequence[Approval], kept: Sequence[Said]
) -> Iterator[Fault]:
    if conversation.status is Status.CANCELLING:
        yield Fault.TOLD_TO_STOP
        return
    if thread.dangling:
        yield Fault.DANGLING
    if thread.condition in {Condition.FAILED, Condition.RUNNABLE}:
        yield _cut_off(thread)
    pending = {interrupt.id for interrupt in thread.interrupts}
    known = {approval.interrupt for approval in approvals}
    if pending - known:
        yield Fault.UNASKED
    for approval in approvals:
        if approval.interrupt not in pending:
            yield Fault.GONE
        elif approval.state is State.SETTLED:
            yield Fault.UNTOLD
    if thread.condition in {Condition.NEW, Condition.IDLE} and kept:
        yield Fault.UNHEARD


def _cut_off(thread: Thread) -> Fault:
    if thread.unreadable:
        return Fault.UNREADABLE
    if thread.repeats:
        return Fault.REPEATING
    if thread.stuck:
        return Fault.STUCK
    return Fault.FAILED if thread.condition is Condition.FAILED else Fault.HALTED


def doubts(approvals: Sequence[Approval]) -> tuple[str, ...]:
    """The tools of which people are asked whether a call has run."""
    asked = [one for one in approvals if one.shape is Shape.IN_DOUBT and one.state is State.WAITING]
    return tuple(dict.fromkeys(action.tool for approval in asked for action in approval.open))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelling:
    """Stops conversations, as operators ask for it."""

    store: Store
    jobs: Jobs
    agent: Halting
    now: Clock

    async def cancel(self, id: ConversationId) -> None:
        """Stop a conversation, unless nothing is under way in it."""
        async with self.store.write() as tx:
            conversation = await tx.conversations.get(id)
            if conversation and conversation.status is not Status.IDLE:
                await stop(tx, self.jobs, self.agent, conversation, by=None, now=self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairing:
    """Brings conversations back, as operators ask for it."""

    store: Store
    jobs: Jobs
    agent: Agent
    running: Running
    now: Clock

    async def repair(self, id: ConversationId, wish: str) -> None:
        """Bring a conversation back. The caller holds the thread, as for `Running.advance`.

        What is done is told in the thread once for each `wish`.
        """
        thread = await self.agent.read(id)
        async with self.store.write() as tx:
            conversation = await tx.conversations.get(id)
            if conversation is None:
                return
            approvals = await tx.approvals.of(id, State.WAITING, State.SETTLED)
            found = faults(conversation, thread, approvals, await tx.conversations.kept(id))
            if found:
                await self._say(tx, conversation, found, wish)
            if {*found} & CUT_OFF:
                # As if Retry had been pressed; for what is ended there is nothing to try again.
                status = Status.WORKING if {*found} & ENDS else Status.RETRYING
                await tx.conversations.save(replace(conversation, status=status))
            if {*found} & ENDS:
                await tx.executions.give_up_doubts(id)
        if Fault.DANGLING in found:
            await self.agent.mend(id)
        if {*found} & ENDS:
            await self.agent.abandon(id, MAY_HAVE_RUN)
        await self.running.advance(id)

    async def _say(
        self, tx: Transaction, conversation: Conversation, found: Sequence[Fault], wish: str
    ) -> None:
        told = joined(THEN, [saying(fault.value) for fault in found])
        names = [fault.name.lower() for fault in found]
        event = Event(
            kind="repaired", at=self.now(), conversation=conversation.id, detail={"found": [*names]}
        )
        await tx.record.append(event)
        post = Post(
            id=PostId(f"repaired:{wish}"),
            conversation=conversation.id,
            kind=PostKind.NOTICE,
            text=saying("Repaired by {who}: {told}.", who=saying(OPERATOR), told=told),
        )
        await owe(tx, self.jobs, post)
