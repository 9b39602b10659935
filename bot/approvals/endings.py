"""How a conversation comes to rest, or goes on after it should have: answered, failed, stopped, forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.approvals import ids
from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Conversation, Post, PostKind, Said, Status
from bot.approvals.filing import owe, pruning, withdraw
from bot.approvals.ids import PostId
from bot.approvals.ports import Clock, Event, Jobs, Transaction
from bot.approvals.refusing import NO_LONGER_WAITS
from bot.approvals.sayings import saying, saying_many
from bot.approvals.steps import Proceed, Rest, Send, Step, stopped
from bot.approvals.stopping import OPERATOR, UNHEARD
from bot.approvals.thread import Condition, Thread
from bot.approvals.words import phrase

AGENT_FAILED: Final = phrase("The agent failed.")

NOTHING_SAID: Final = phrase("The agent finished without saying anything.")

AND_UNHEARD: Final = phrase("{stopped} {unheard}")
"""What a thread is told of the messages that a Stop took with it, although it was told that they are kept."""

FORGOTTEN: Final = phrase(
    "Nothing happened here for so long that the agent no longer remembers what was said before."
)
"""What a thread is told when it goes on after its checkpoints were deleted."""

STILL: Final = phrase("The agent did not go on although it was told to, so it was halted.")

FUTILE: Final = 2
"""Rounds without any change after which the next one is not worth it."""

FINISHED: Final = frozenset({Status.IDLE, Status.FAILED})
"""Nothing runs, and nothing that is owed or decided would make it run."""
RESTS: Final = FINISHED | {Status.WAITING}
"""Nothing runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings:
    """What is written, each in the caller's transaction."""

    jobs: Jobs
    now: Clock

    async def close(self, tx: Transaction, approval: Approval, thread: Thread) -> None:
        """An approval whose interrupt is gone: the agent was told, or something else ended it.

        A card looks the same settled and delivered, so it is not drawn again.
        """
        if approval.state is State.WAITING or not thread.has_heard(approval):
            await withdraw(tx, self.jobs, approval, saying(NO_LONGER_WAITS), self.now())
            return
        await tx.approvals.save(approval.deliver())
        await tx.record.append(
            Event(
                kind="delivered",
                at=self.now(),
                conversation=approval.conversation,
                approval=approval.id,
            )
        )

    async def after_failure(
        self, tx: Transaction, conversation: Conversation, thread: Thread, kept: Sequence[Said]
    ) -> Step:
        """What comes after a run that failed, which the thread is told once."""
        match conversation.status:
            case Status.RETRYING:
                return Proceed()  # and stays so until the run ended: who pressed Retry does it once
            case Status.FAILED if kept:
                await self.become(tx, conversation, Status.WORKING)
                return Send(kept)
            case Status.FAILED:
                return Rest()
            case _ if kept:
                # Told, and gone on: the process may have ended on the way to handing this over, and then
                # no other work is owed for it.
                await self.say(tx, conversation, PostKind.FAILURE, thread.failure or saying(AGENT_FAILED))
                await self.become(tx, conversation, Status.WORKING)
                return Send(kept)
            case _:
                return await self.fail(tx, conversation, thread.failure or saying(AGENT_FAILED))

    async def cancel(
        self, tx: Transaction, conversation: Conversation, thread: Thread, kept: Sequence[Said]
    ) -> Step:
        """Close what is open; what was said since goes on from there."""
        stopped_by = await self._stopped_by(tx, conversation, thread)
        pending = {interrupt.id for interrupt in thread.interrupts}
        asked = await tx.approvals.of(conversation.id, State.WAITING, State.SETTLED)
        for approval in asked:
            if approval.state is State.SETTLED and approval.interrupt not in pending:
                await self.close(tx, approval, thread)  # told when somebody pressed Stop
            else:
                await withdraw(tx, self.jobs, approval, saying("stopped"), self.now())
        if thread.condition not in {Condition.NEW, Condition.IDLE}:
            return stopped(asked)
        await tx.executions.give_up_doubts(conversation.id)
        if thread.answer:  # its last call of the model was under way
            await self.say(tx, conversation, PostKind.ANSWER, thread.answer.text, key=thread.answer.id)
        await self.say(tx, conversation, PostKind.NOTICE, stopped_by)
        await self.become(tx, conversation, Status.WORKING if kept else Status.IDLE)
        return Send(kept) if kept else Rest()

    async def _stopped_by(self, tx: Transaction, conversation: Conversation, thread: Thread) -> str:
        """The sentence about it, with who wanted it, unless it was a decision that no longer fits."""
        lines = await tx.record.of(conversation.id)
        last = next((line for line in reversed(lines) if line.kind in {"stopped", "resumed"}), None)
        if last is None or last.kind != "stopped":
            return saying("Stopped. Nothing that waited was run.")
        who = f"<@{last.actor}>" if last.actor else saying(OPERATOR)
        told = saying("Stopped by {who}. Nothing that waited was run.", who=who)
        taken = last.detail.get(UNHEARD)
        unheard = [id for id in taken if id not in thread.message_ids] if isinstance(taken, list) else []
        if not unheard:
            return told
        lost = saying_many(
            "{count:,} message that waited for the agent did not reach it: say it again if it still counts.",
            "{count:,} messages that waited for the agent did not reach it: "
            "say them again if they still count.",
            len(unheard),
        )
        return saying(AND_UNHEARD, stopped=told, unheard=lost)

    async def tell_tool_failures(self, tx: Transaction, conversation: Conversation, thread: Thread) -> None:
        """Owe the thread a sentence about each tool that ran and failed."""
        for failed in thread.tool_failures:
            await self.say(tx, conversation, PostKind.TOOL_FAILURE, failed.sentence, key=failed.id)

    async def fail(self, tx: Transaction, conversation: Conversation, sentence: str) -> Rest:
        """Tell the thread, with a Retry button."""
        await self.say(tx, conversation, PostKind.FAILURE, sentence)
        await self.become(tx, conversation, Status.FAILED)
        return Rest()

    async def say(
        self, tx: Transaction, conversation: Conversation, kind: PostKind, text: str, *, key: str = ""
    ) -> None:
        """Owe the thread a message; one with a key is owed once. That it is empty the bot itself says."""
        id = PostId(f"{kind}:{conversation.id}:{key or ids.fresh()}")
        if not text.strip():
            kind, text = PostKind.NOTICE, saying(NOTHING_SAID)
        await owe(tx, self.jobs, Post(id=id, conversation=conversation.id, kind=kind, text=text))

    async def become(self, tx: Transaction, conversation: Conversation, status: Status) -> None:
        """Write another status; what came to rest is pruned, and forgotten some day."""
        if conversation.status is status:
            return
        since = self.now() if status in FINISHED else None
        await tx.conversations.save(replace(conversation, status=status, rested_at=since))
        if status in RESTS:
            await self.jobs.owe(tx, pruning(conversation.id))

    async def remember(self, tx: Transaction, conversation: Conversation) -> Conversation:
        """The conversation, about to go on; its thread is told if the agent has forgotten it."""
        if not conversation.forgotten:
            return conversation
        await self.say(tx, conversation, PostKind.NOTICE, saying(FORGOTTEN))
        known = replace(conversation, forgotten=False)
        await tx.conversations.save(known)
        return known


class Standstill:
    """Notices a loop that goes round without getting anywhere."""

    def __init__(self) -> None:
        self._seen: tuple[Thread, Step] | None = None
        self._futile = 0

    def reached(self, thread: Thread, step: Step) -> bool:
        """Whether this very step was taken in this very thread again and again, and changed nothing."""
        self._futile = self._futile + 1 if self._seen == (thread, step) else 0
        self._seen = thread, step
        return self._futile >= FUTILE
