"""Runs, resumes and reads the agent's threads. Fills the heart's `Agent` port.

The caller holds the thread: nothing here may run twice at once for one thread.
"""

from collections.abc import Sequence
from typing import Final

import structlog
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphDrained, GraphRecursionError, UnknownInterruptError
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, PregelTask

from bot.agents import settling
from bot.agents.built import RECURSION_LIMIT, BuiltAgent
from bot.agents.drift import asks_at_door, is_langchains, refuse_drift, refuse_moved
from bot.agents.feedback import EXPIRED
from bot.agents.halting import Halting
from bot.agents.mending import CUT_OFF, diagnosed
from bot.agents.per_call import STEP, leave_behind
from bot.agents.pruning import prune
from bot.agents.schemas import ToolSchemas
from bot.agents.snapshot import Snapshot
from bot.agents.unanswered import is_unanswerable, results
from bot.agents.unseen import refuse_unseen
from bot.agents.wire import answer, encodable
from bot.approvals.approval import Approval
from bot.approvals.conversation import Said
from bot.approvals.errors import Stale
from bot.approvals.ids import ConversationId
from bot.approvals.refusing import NO_LONGER_WAITS
from bot.approvals.sayings import saying
from bot.approvals.thread import Condition, Thread

_STRICT_RESUME: Final = "__pregel_strict_resume"
"""LangGraph's private switch: an id that is not pending raises instead of answering something else.
The id is checked here as well, so a LangGraph without the switch is still used rightly."""
_RESUME: Final = "__resume__"
_OURS: Final = frozenset({"Verdicts.after_model", STEP})
"""A team's own middleware with such a step may ask as well."""
_log = structlog.get_logger(__name__)


class Threads:
    """The agent behind all threads."""

    def __init__(self, agent: BuiltAgent, *, recursion_limit: int = RECURSION_LIMIT) -> None:
        self._agent = agent
        self._graph = agent.graph
        self._schemas = ToolSchemas(agent)
        self._limit = recursion_limit
        self._runs = Halting()
        self._tool_nodes = frozenset(
            name for name, node in self._graph.nodes.items() if isinstance(node.bound, ToolNode)
        )
        self._direct = frozenset(name for name, tool in agent.tools.items() if tool.return_direct)
        asking = {name for name in self._graph.nodes if name.endswith(".after_model")}
        self._asks_once = agent.gates is not None and asking <= _OURS

    def drain(self) -> None:
        """Let the tools that run end, and begin nothing more: the process is about to end.

        Runs raise `TryLater`; where they were cut off, the next process goes on.
        """
        self._runs.drain()

    def halt(self, thread: ConversationId) -> None:
        """Let the tools and the model call that run in this thread end, and begin nothing more in this run.

        The run returns None and leaves the thread where it is then. Does nothing if none is under way.
        """
        self._runs.halt(thread)

    async def read(self, thread: ConversationId) -> Thread:
        """The thread as its checkpoint has it."""
        return self._diagnosed(await self._snapshot(thread))

    async def send(self, thread: ConversationId, messages: Sequence[Said]) -> str | None:
        """Give the agent what people said; what it has already is left out.

        What was cut off or failed before is cancelled first, so that no call stays without a result.
        Raises `Stale` while an interrupt waits for people: a message would silently drop it.
        """
        with self._runs.under_way(thread):
            snapshot = await self._snapshot(thread)
            if snapshot.thread().condition is Condition.WAITING:
                raise Stale(saying("the agent waits for people"))
            there = {message.id for message in snapshot.messages}
            fresh: list[AnyMessage] = [
                HumanMessage(content=encodable(told.text), id=told.id)
                for told in messages
                if told.id not in there
            ]
            if not fresh:
                return await self.proceed(thread) if snapshot.state.tasks else None
            await settling.settle(self._graph, self._config(thread), snapshot, CUT_OFF)
            return await self._run(thread, {"messages": fresh})

    async def resume(self, thread: ConversationId, approval: Approval) -> str | None:
        """Tell the agent a settled approval, by interrupt id and in order.

        Raises `Stale` if the interrupt is not pending, is not what was shown, or if the agent's gates
        are others by now.
        """
        with self._runs.under_way(thread):
            snapshot = await self._snapshot(thread)
            pending = {interrupt.id: interrupt for interrupt in snapshot.thread().interrupts}
            if approval.interrupt not in pending:
                raise Stale(saying(NO_LONGER_WAITS))
            refuse_unseen(thread, approval, pending[approval.interrupt], asks_each=self._agent.asks_each)
            refuse_drift(self._agent, self._schemas, snapshot, approval)
            await refuse_moved(self._schemas, approval)
            alone = self._agent.asks_each and asks_at_door(snapshot, approval)
            if not alone and is_unanswerable(approval):
                return await self._go_on_without(thread, snapshot, approval)
            feedback = self._agent.feedback if is_langchains(snapshot, approval) else None
            command = {approval.interrupt: answer(approval, feedback, alone=alone)}
            return await self._run(thread, Command(resume=command))

    async def proceed(self, thread: ConversationId) -> str | None:
        """Go on with what was cut off or failed; does nothing in a thread that waits or is finished."""
        with self._runs.under_way(thread):
            snapshot = await self._snapshot(thread)
            if not snapshot.thread().goes_on:
                return None
            # From its own checkpoint a stuck thread forks, which leaves the wrong answer behind.
            failed = await self._run(thread, None, fork=snapshot.state.config if snapshot.stuck else None)
            # What cannot be shown to people is no exception, and going on asks it again and again.
            return failed or (await self.read(thread)).failure or None

    async def ask_again(self, thread: ConversationId) -> str | None:
        """Leave the pending interrupts behind and ask anew, as the gates are now; the ids are others then."""
        with self._runs.under_way(thread):
            snapshot = await self._snapshot(thread)
            if not snapshot.thread().interrupts:
                return None
            if self._agent.asks_each and all(task.name in self._tool_nodes for task in snapshot.state.tasks):
                await leave_behind(self._graph, self._config(thread), snapshot)
                return await self._run(thread, None)
            # From its own checkpoint the thread forks, and the step that asks is done once more.
            return await self._run(thread, None, fork=snapshot.state.config)

    async def forget(self, thread: ConversationId) -> None:
        """Delete everything that is kept of the thread; it is new then. To do it twice changes nothing."""
        if isinstance(saver := self._graph.checkpointer, BaseCheckpointSaver):
            await saver.adelete_thread(thread)

    async def mend(self, thread: ConversationId) -> None:
        """Give a result to every call that has none although the history has gone on; nothing runs."""
        snapshot = await self._snapshot(thread)
        if self._diagnosed(snapshot).dangling:
            await settling.mend(self._graph, self._config(thread), snapshot)

    async def abandon(self, thread: ConversationId, reason: str) -> None:
        """End what waits, because people stopped it: every open call fails with `reason`, nothing runs."""
        await settling.abandon(self._graph, self._config(thread), await self._snapshot(thread), reason)

    async def prune(self, thread: ConversationId) -> None:
        """Forget the checkpoints that nothing needs any more; changes nothing that can be read or resumed."""
        if isinstance(saver := self._graph.checkpointer, BaseCheckpointSaver):
            await prune(saver, thread)

    async def _go_on_without(
        self, thread: ConversationId, snapshot: Snapshot, approval: Approval
    ) -> str | None:
        """Go on with what became of every open call as its result, where an answer cannot say it."""
        config, told = self._config(thread), results(snapshot, approval, self._agent.feedback)
        if not told or not self._tool_nodes:
            await settling.settle(self._graph, config, snapshot, EXPIRED)
            return None
        await self._graph.aupdate_state(config, {"messages": told}, as_node=min(self._tool_nodes))
        return await self._run(thread, None)

    async def _run(
        self, thread: ConversationId, told: object, *, fork: RunnableConfig | None = None
    ) -> str | None:
        with self._runs.under_way(thread) as control:
            try:
                config = self._config(thread, fork)
                await self._graph.ainvoke(told, config, durability="sync", control=control)
            except GraphDrained:
                self._runs.check()
            except UnknownInterruptError as error:
                raise Stale(saying(NO_LONGER_WAITS)) from error
            except Exception as error:  # noqa: BLE001 - whatever an agent raises becomes a sentence for people
                _log.warning("run_failed", thread=thread, error=type(error).__name__)
                return await self._after(thread, told, error)
        return None

    async def _after(self, thread: ConversationId, told: object, error: Exception) -> str | None:
        """What people are told of the exception, if the thread did not come to rest in spite of it."""
        seen = await self.read(thread)
        if seen.failure:
            return seen.failure
        sent = {message.id for message in told["messages"]} if isinstance(told, dict) else set()
        if seen.condition in {Condition.IDLE, Condition.WAITING} and sent <= seen.message_ids:
            return None
        if isinstance(error, GraphRecursionError):
            return saying(
                "The agent took {count} steps without coming to an end, so it was halted.", count=self._limit
            )
        return saying("The agent failed ({error}).", error=type(error).__name__)

    def _diagnosed(self, snapshot: Snapshot) -> Thread:
        return diagnosed(snapshot, own=self._agent.gates is None)

    async def _snapshot(self, thread: ConversationId) -> Snapshot:
        config = self._config(thread)
        state = await self._graph.aget_state(config)
        saver = self._graph.checkpointer
        kept = None
        if any(map(self._may_be_answered, state.tasks)) and isinstance(saver, BaseCheckpointSaver):
            kept = await saver.aget_tuple(config)
        writes = (kept.pending_writes if kept else None) or ()
        return Snapshot(
            state=state,
            answered=frozenset(task for task, channel, _ in writes if channel == _RESUME),
            tool_nodes=self._tool_nodes,
            direct_tools=self._direct,
            asks_once=self._asks_once,
            asks_each=self._agent.asks_each,
        )

    def _may_be_answered(self, task: PregelTask) -> bool:
        """Whether a task is to be read otherwise if it holds an answer: one that only asks is not."""
        return bool(task.error) or (self._agent.asks_each and task.name in self._tool_nodes)

    def _config(self, thread: ConversationId, fork: RunnableConfig | None = None) -> RunnableConfig:
        place = dict(fork["configurable"]) if fork else {}
        return RunnableConfig(
            configurable={**place, "thread_id": thread, _STRICT_RESUME: True}, recursion_limit=self._limit
        )
