"""Following the agent: one message per turn that shows its calls, drawn at a pace that Slack likes.

A turn goes from a person's words to the agent's answer. Its message is a row that holds the plan; whenever
the thread is looked at, the plan is put together anew, and if people would see a difference, one drawing of
it is owed. So a turn of many steps costs no more requests than one of few. Nothing is written per step: the
loop looks where a run begins and ends, and every few seconds while one is under way.

What one card tells as well gets no message of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Conversation, Post, PostKind, Status
from bot.approvals.filing import owe
from bot.approvals.ids import ConversationId, PostId
from bot.approvals.masking import Masking
from bot.approvals.plan import Course, Plan, is_on_one_card, plan_of
from bot.approvals.ports import Agent, Clock, Jobs, Store, Transaction, Work
from bot.approvals.thread import Condition, Thread, Turn

PACE: Final = timedelta(seconds=3)
"""Between two drawings of a turn; Slack advises against more."""
SOON: Final = timedelta(seconds=0.5)
"""Before the first drawing of a change: what ends at once is drawn at its end only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Keeps the messages that show what the agent does."""

    store: Store
    jobs: Jobs
    agent: Agent
    masking: Masking
    now: Clock

    async def look(self, id: ConversationId) -> None:
        """While a run is under way: show how far it has come."""
        thread = await self.agent.read(id)
        if thread.turn is None or not thread.turn.calls:
            return
        async with self.store.read() as tx:
            conversation = await tx.conversations.get(id)
            if conversation is None or conversation.status is Status.CANCELLING:
                return
            approvals = await tx.approvals.of(id)
            post = await tx.posts.get(progress_id(conversation, thread.turn))
        plan = plan_of(thread.turn, thread, approvals, Course.WORKING, self.masking)
        if post and Plan.from_json(post.text).looks_like(plan):
            return
        async with self.store.write() as tx:
            if conversation := await tx.conversations.get(id):
                await self._show(tx, conversation, thread.turn, plan)

    async def note(
        self, tx: Transaction, conversation: Conversation, thread: Thread, failure: str | None
    ) -> Conversation:
        """Between two runs: the conversation, with what it shows of its turn up to date."""
        turn = thread.turn
        shown = progress_id(conversation, turn) if turn else None
        if conversation.following not in {None, shown}:
            await self.end(tx, conversation, Course.STOPPED)
            conversation = await self._with(tx, conversation, None)
        if turn is None or not turn.calls or (len(turn.calls) == 1 and conversation.following is None):
            return conversation
        approvals = await tx.approvals.of(conversation.id)
        course = _course(conversation, thread, approvals, failure)
        if conversation.following is None and (
            course is Course.STOPPED or is_on_one_card(turn, thread, approvals)
        ):
            return conversation
        plan = plan_of(turn, thread, approvals, course, self.masking)
        return await self._show(tx, conversation, turn, plan, is_last=_is_over(thread, failure))

    async def end(self, tx: Transaction, conversation: Conversation, course: Course) -> None:
        """The turn that is shown does not go on by itself, whatever the thread says of it."""
        post = await tx.posts.get(conversation.following) if conversation.following else None
        plan = Plan.from_json(post.text) if post else None
        if post and plan and plan.is_under_way:
            await self._redraw(tx, post, plan, plan.ended(course))

    async def _show(
        self, tx: Transaction, conversation: Conversation, turn: Turn, plan: Plan, *, is_last: bool = False
    ) -> Conversation:
        id = progress_id(conversation, turn)
        if post := await tx.posts.get(id):
            await self._redraw(tx, post, Plan.from_json(post.text), plan)
        else:
            text = replace(plan, due=self.now()).to_json()
            post = Post(id=id, conversation=conversation.id, kind=PostKind.PROGRESS, text=text)
            await owe(tx, self.jobs, post)
        return await self._with(tx, conversation, None if is_last else id)

    async def _redraw(self, tx: Transaction, post: Post, before: Plan, plan: Plan) -> None:
        """Owe one drawing of the change, unless one is owed that will show it."""
        if before.looks_like(plan):
            return
        now = self.now()
        due, is_owed = _due(before.due, now)
        plan = replace(plan, version=before.version + 1, due=due)
        await tx.posts.rewrite(replace(post, text=plan.to_json()))
        if not is_owed:
            await self.jobs.owe(tx, drawn_in(post.id, str(plan.version), (due - now).total_seconds()))

    async def _with(self, tx: Transaction, conversation: Conversation, id: PostId | None) -> Conversation:
        if conversation.following == id:
            return conversation
        conversation = replace(conversation, following=id)
        await tx.conversations.save(conversation)
        return conversation


def progress_id(conversation: Conversation, turn: Turn) -> PostId:
    """The id of the message that shows this turn; there is never another."""
    return PostId(f"progress:{conversation.id}:{turn.id}")


def drawn_in(post: PostId, name: str, delay: float) -> Work:
    """A new drawing of a turn in so many seconds, of whatever its row says by then, if that was not drawn."""
    payload = {"post": post, "version": "1"}
    return Work(f"redraw:{post}:{name}", "redraw", delay=delay, payload=payload)


def _due(last: datetime | None, now: datetime) -> tuple[datetime, bool]:
    """When the next drawing is to be made, and whether it is owed already."""
    if last is not None and last > now:
        return last, True
    return max(now + SOON, last + PACE if last else now), False


def _course(
    conversation: Conversation, thread: Thread, approvals: Sequence[Approval], failure: str | None
) -> Course:
    if conversation.status is Status.CANCELLING:
        return Course.STOPPED
    if failure or (thread.condition is Condition.FAILED and conversation.status is not Status.RETRYING):
        return Course.HALTED
    match thread.condition:
        case Condition.IDLE:
            return Course.DONE
        case Condition.WAITING:
            # What was settled and is no longer pending is about to be closed, and goes nowhere.
            pending = {interrupt.id for interrupt in thread.interrupts}
            told = [one for one in approvals if one.state is State.SETTLED and one.interrupt in pending]
            return Course.WORKING if told else Course.WAITING
        case _:
            return Course.WORKING


def _is_over(thread: Thread, failure: str | None) -> bool:
    """Whether nothing more is to come in this turn."""
    return thread.condition is Condition.IDLE and not failure
