"""The loop: brings a conversation's rows in line with the agent's thread and takes the next step.

One call of `advance` holds the thread (the job engine runs one at a time per thread). It reads the thread,
squares the rows with it in one transaction, and that transaction says what to do next: hand over what people
said, resume a settled approval, go on with what was cut off, or rest. After each run it reads again. Since
every step is found by looking at the thread and the rows, and never remembered, a crash at any point is
followed by the same steps, and none of them twice.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from bot.approvals.approval import ASKED_AGAIN, Approval, State
from bot.approvals.choosing import Chooser, NoFunctions
from bot.approvals.conversation import Conversation, PostKind, Said, Status
from bot.approvals.endings import STILL, Endings, Standstill
from bot.approvals.errors import Drifted, Stale
from bot.approvals.filing import approval_for, file, withdraw
from bot.approvals.following import Following
from bot.approvals.functions import choosing, unanswered
from bot.approvals.ids import ConversationId
from bot.approvals.judging import judged, told_of
from bot.approvals.lookups import pointing
from bot.approvals.masking import Masking
from bot.approvals.places import IN_THREAD
from bot.approvals.plan import Course
from bot.approvals.policy import Policy, alone
from bot.approvals.ports import Agent, Clock, Directory, Event, Jobs, Store, Tools, Transaction
from bot.approvals.presenting import presented
from bot.approvals.queueing import Queue
from bot.approvals.sayings import saying
from bot.approvals.standings import places
from bot.approvals.steps import AskAgain, Doing, Proceed, Rest, Resume, Send, Step, take
from bot.approvals.thread import Condition, Interrupt, Thread
from bot.approvals.turns import no_longer_wait
from bot.approvals.vouching import Vouched, vouched
from bot.approvals.watching import Watching
from bot.approvals.words import phrase

MAX_STEPS: Final = 200
"""Steps of one `advance`; an agent that never comes to rest must not hold a worker for ever."""

NOBODY_HERE: Final = phrase(
    "Nobody who may decide about all of this can see it here: press Stop, and ask again in a channel."
)
"""What a direct message is told, where nobody approves what they asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Runs conversations, one step after the other."""

    store: Store
    jobs: Jobs
    agent: Agent
    tools: Tools
    policy: Policy
    now: Clock
    directory: Directory | None = None
    """Says who may still decide; without it no approval is remembered."""
    chooser: Chooser = field(default_factory=NoFunctions)

    @property
    def _ends(self) -> Endings:
        return Endings(jobs=self.jobs, now=self.now)

    @property
    def _queue(self) -> Queue:
        return Queue(jobs=self.jobs, policy=self.policy, now=self.now)

    @property
    def _watching(self) -> Watching:
        return Watching(store=self.store, agent=self.agent, following=self._following)

    @property
    def _masking(self) -> Masking:
        return Masking(redact=lambda tool: self.policy.terms(tool).redact)

    @property
    def _following(self) -> Following:
        return Following(
            store=self.store, jobs=self.jobs, agent=self.agent, masking=self._masking, now=self.now
        )

    async def start(self, id: ConversationId) -> None:
        """Advance a conversation that has just begun: there is nothing to look at before its first run.

        Safe to repeat, and at any time: what the agent has already is not given to it again.
        """
        async with self.store.read() as tx:
            conversation = await tx.conversations.get(id)
            said = await tx.conversations.kept(id)
        failure = None
        if conversation and conversation.status is Status.WORKING:
            with suppress(Stale):
                failure = await self._watching.beside(self.agent.send(id, said), id)
        await self.advance(id, failure)

    async def advance(self, id: ConversationId, failure: str | None = None) -> None:
        """Take steps until the conversation rests. To be called by one worker at a time per conversation.

        `failure` is what the last run failed with, if it was run already.
        """
        standstill = Standstill()
        for _ in range(MAX_STEPS):
            thread = await pointing(self.store, self.tools, id, await self.agent.read(id))
            thread = await choosing(self.store, self.chooser, id, thread)
            thread = await presented(self.store, self.tools, self._masking, id, thread)
            known = await vouched(self.store, self.directory, self.policy, id, thread)
            async with self.store.write() as tx:
                step = await self._square(tx, id, thread, failure, known)
            if isinstance(step, Rest):
                return
            if standstill.reached(thread, step):
                await self._fail(id, saying(STILL))
                return
            failure = await self._take(id, step)
        await self._fail(id, saying("The agent did not come to an end and was halted."))

    async def give_up(self, id: ConversationId) -> None:
        """Tell the thread that the bot itself failed, after the job's last attempt."""
        await self._fail(id, saying("The bot could not go on because of an internal error."))

    async def _fail(self, id: ConversationId, sentence: str) -> None:
        async with self.store.write() as tx:
            if conversation := await tx.conversations.get(id):
                await self._following.end(tx, conversation, Course.HALTED)
                await self._ends.fail(tx, conversation, sentence)

    async def _take(self, id: ConversationId, step: Doing) -> str | None:
        try:
            return await self._watching.beside(take(self.agent, id, step), id)
        except Stale as stale:
            if not isinstance(step, Resume):
                raise
            await self._close_stale(id, step.approval, stale)
            return None

    async def _square(
        self, tx: Transaction, id: ConversationId, thread: Thread, failure: str | None, known: Vouched
    ) -> Step:
        conversation = await tx.conversations.get(id)
        if conversation is None:
            return Rest()
        conversation = await self._following.note(tx, conversation, thread, failure)
        arrived, kept = await self._hand_over(tx, conversation, thread)
        await self._ends.tell_tool_failures(tx, conversation, thread)
        if conversation.status is Status.CANCELLING:
            return await self._ends.cancel(tx, conversation, thread, kept)
        approvals = await self._square_approvals(tx, conversation, thread, arrived, known)
        if failure := failure or unanswered(thread.interrupts):
            return await self._ends.fail(tx, conversation, failure)
        settled = [approval for approval in approvals if approval.state is State.SETTLED]
        if settled:
            await self._ends.become(tx, conversation, Status.WORKING)
            await tx.record.append(
                Event(kind="resumed", at=self.now(), conversation=id, approval=settled[0].id)
            )
            return Resume(settled[0])
        if len(approvals) < len(thread.interrupts):
            return AskAgain()  # an interrupt whose approval has ended gets no other
        if thread.condition is Condition.FAILED:
            return await self._ends.after_failure(tx, conversation, thread, () if approvals else kept)
        if approvals:
            await self._ends.become(tx, conversation, Status.WORKING if thread.cut_off else Status.WAITING)
            return Proceed() if thread.cut_off else Rest()
        if arrived and thread.condition is Condition.IDLE and not (thread.answer or kept):
            await self._ends.say(tx, conversation, PostKind.NOTICE, "")  # a graph that ends without a message
        return await self._go_on(tx, conversation, thread, kept)

    async def _hand_over(
        self, tx: Transaction, conversation: Conversation, thread: Thread
    ) -> tuple[Sequence[Said], Sequence[Said]]:
        """What people said that has arrived at the agent, which is marked so; and what has not."""
        kept = await tx.conversations.kept(conversation.id)
        arrived = [said for said in kept if said.id in thread.message_ids]
        if arrived:
            await tx.conversations.hand_over([said.id for said in arrived])
            await no_longer_wait(tx, self.jobs, arrived)
        return arrived, [said for said in kept if said.id not in thread.message_ids]

    async def _square_approvals(
        self,
        tx: Transaction,
        conversation: Conversation,
        thread: Thread,
        arrived: Sequence[Said],
        known_people: Vouched,
    ) -> Sequence[Approval]:
        """The approvals that are still pending in the thread: new ones filed, finished ones closed."""
        pending = {interrupt.id for interrupt in thread.interrupts}
        known = await tx.approvals.of(conversation.id, State.WAITING, State.SETTLED)
        for approval in known:
            if approval.interrupt not in pending:
                await self._ends.close(tx, approval, thread)
        if any(approval.held for approval in known):
            await self._queue.let_on(tx, [conversation.id])
        asked = {approval.interrupt for approval in known}
        fresh = [one for one in thread.interrupts if one.id not in asked and not unanswered([one])]
        if not fresh:
            return [approval for approval in known if approval.interrupt in pending]
        before = await tx.approvals.of(conversation.id, State.WAITING) if known else ()
        filed = await self._file(tx, conversation, fresh, arrived, known_people, before=before)
        return [*(approval for approval in known if approval.interrupt in pending), *filed]

    async def _file(
        self,
        tx: Transaction,
        conversation: Conversation,
        interrupts: Sequence[Interrupt],
        arrived: Sequence[Said],
        known_people: Vouched,
        *,
        before: Sequence[Approval],
    ) -> Sequence[Approval]:
        """New approvals, behind those that wait `before` them; an interrupt whose own has ended gets none."""
        # Whoever steered the agent has asked for what it does now: nobody approves their own request.
        speakers = await tx.conversations.speakers(conversation.id)
        requesters = speakers | {conversation.requester, *(said.by for said in arrived)}
        filed: list[Approval] = []
        waiting = [*before]
        for interrupt in interrupts:
            approval = approval_for(
                interrupt, conversation, requesters=requesters, tools=self.tools, at=self.now()
            )
            approval = await judged(tx, approval, self.policy, self.tools, known_people)
            approval, timers = self._queue.placed(approval, waiting)
            where = places(approval, self.policy, conversation)
            if await file(tx, self.jobs, approval, *timers, told=told_of(approval), places=where):
                filed.append(approval)
                waiting += [approval] if approval.state is State.WAITING else []
                await self._say_who_is_missing(tx, conversation, approval)
        if any(approval.held for approval in filed):
            await self._queue.tell(tx, waiting)
        return filed

    async def _say_who_is_missing(
        self, tx: Transaction, conversation: Conversation, approval: Approval
    ) -> None:
        """In a direct message only the requester sees the card, who may not be somebody who decides."""
        if not conversation.channel.startswith("D"):
            return
        every = [self.policy.terms_of(one) for one in approval.open]
        if any(terms.channel == IN_THREAD and alone(terms, approval.requesters) for terms in every):
            await self._ends.say(tx, conversation, PostKind.NOTICE, saying(NOBODY_HERE))

    async def _go_on(
        self, tx: Transaction, conversation: Conversation, thread: Thread, kept: Sequence[Said]
    ) -> Step:
        if kept or conversation.status is Status.RETRYING:
            conversation = await self._ends.remember(tx, conversation)
        if thread.condition is Condition.RUNNABLE:
            if conversation.status is Status.FAILED:
                return await self._ends.after_failure(tx, conversation, thread, kept)
            await self._ends.become(tx, conversation, Status.WORKING)
            return Proceed()
        if thread.answer:
            await self._ends.say(tx, conversation, PostKind.ANSWER, thread.answer.text, key=thread.answer.id)
        if kept:
            await self._ends.become(tx, conversation, Status.WORKING)
            return Send(kept)
        await self._ends.become(tx, conversation, Status.IDLE)
        return Rest()

    async def _close_stale(self, id: ConversationId, approval: Approval, stale: Stale) -> None:
        """Withdraw what no longer fits; it is asked again if only the gates are others, and else ends."""
        async with self.store.write() as tx:
            conversation = await tx.conversations.get(id)
            current = await tx.approvals.get(approval.id)
            if conversation is None or current is None:
                return
            again = isinstance(stale, Drifted)
            note = saying(ASKED_AGAIN, why=stale.why) if again else stale.why
            await withdraw(tx, self.jobs, current, note, self.now())
            await self._ends.become(tx, conversation, Status.WORKING if again else Status.CANCELLING)
