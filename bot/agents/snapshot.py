"""A thread's checkpoint in our words. Pure.

A task of the checkpoint is in one of these ways; LangGraph has no words for them:

    interrupts  error  answered     means
    yes         any    no           waits for people (an error: the last answer was refused, ask again)
    yes         yes    yes          stuck: a wrong answer was kept and every later one is ignored
    yes         no     yes          waits for people: it has the answer to an earlier question, and asks on
    no          yes    -            failed; proceeding tries it again
    no          no     -            cut off; goes on

where answered means that the checkpoint holds a `__resume__` for the task. Where each call is asked about at
its own door, no wrong answer gets there: what has an error and is answered has failed like any other, and
does so beside calls that still wait.
"""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import PregelTask, StateSnapshot

from bot.agents.failures import cut, tool_failures
from bot.agents.messages import latest_message
from bot.agents.turns import turn_of
from bot.agents.verdicts import needs_person
from bot.agents.wire import Unreadable, interrupt_from
from bot.approvals.sayings import saying
from bot.approvals.thread import Answer, Condition, Interrupt, Thread
from bot.approvals.words import phrase

STUCK: Final = phrase(
    "The agent was given an answer that it cannot use and is stuck; Retry makes it ask again."
)
_REPR: Final = re.compile(r"(?:[\w.]+\.)?(\w+)\((.*)\)$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A checkpoint, with the ids of the tasks that hold an answer."""

    state: StateSnapshot
    answered: Collection[str]
    tool_nodes: Collection[str]
    """The graph's nodes that run tools."""
    direct_tools: Collection[str] = ()
    """Tools whose result is the answer."""
    asks_once: bool = False
    """Whether LangChain's approval alone asks between the model and its tools."""
    asks_each: bool = False
    """Whether it asks about each call at the call's own door."""

    @property
    def messages(self) -> Sequence[BaseMessage]:
        """The thread's messages; none for a graph that keeps none."""
        values: Any = self.state.values
        told = values.get("messages") if isinstance(values, Mapping) else None
        if not isinstance(told, list):
            return ()
        return [message for message in told if isinstance(message, BaseMessage)]

    @property
    def waiting(self) -> Sequence[tuple[PregelTask, Any]]:
        """The pending interrupts with their tasks."""
        return [
            (task, interrupt)
            for task in self.state.tasks
            if not (task.error and task.id in self.answered)
            for interrupt in task.interrupts
        ]

    @property
    def stuck(self) -> bool:
        """Whether a wrong answer was kept, so that only a fork helps."""
        return any(
            task.interrupts and task.error and task.id in self.answered and not self._is_door(task)
            for task in self.state.tasks
        )

    def _is_door(self, task: PregelTask) -> bool:
        return self.asks_each and task.name in self.tool_nodes

    @property
    def _failed(self) -> PregelTask | None:
        """What failed, though others may wait beside it."""
        return next(
            (
                task
                for task in self.state.tasks
                if self._is_door(task) and _has_failed(task) and self._is_told(task)
            ),
            None,
        )

    def _is_told(self, task: PregelTask) -> bool:
        return not task.interrupts or task.id in self.answered

    @property
    def _cut_off(self) -> bool:
        """Whether a call was cut off, though others may wait beside it."""
        return any(
            self._is_door(task) and not (task.result or task.error or task.interrupts)
            for task in self.state.tasks
        )

    def thread(self) -> Thread:
        """What people need to know of it."""
        interrupts, unreadable = self._interrupts()
        condition = self._condition(interrupts, unreadable)
        return Thread(
            condition=condition,
            interrupts=interrupts,
            failure=self._failure(unreadable) if condition is Condition.FAILED else "",
            message_ids=frozenset(message.id for message in self.messages if message.id),
            answer=self._answer() if condition is Condition.IDLE else None,
            tool_failures=tool_failures(self.messages),
            turn=turn_of(self.messages),
            unheard=self._unheard(),
            cut_off=condition is Condition.WAITING and self._cut_off,
        )

    def _unheard(self) -> frozenset[tuple[str, str]]:
        """The calls that have still to pass the step that asks; none where that cannot be told."""
        tasks, message = self.state.tasks, latest_message(self.messages)
        if not self.asks_once or not tasks or message is None:
            return frozenset()
        at_doors = [task for task in tasks if task.name in self.tool_nodes]
        if at_doors and not self.asks_each:
            return frozenset()
        later = takewhile(lambda one: one is not message, reversed(self.messages))
        ended = {one.tool_call_id for one in later if isinstance(one, ToolMessage)}
        heard = ended | self._answered_calls(message, at_doors, ended)
        return frozenset(
            (message.id or "", call["id"] or "") for call in message.tool_calls if call["id"] not in heard
        )

    def _answered_calls(
        self, message: AIMessage, at_doors: Sequence[PregelTask], ended: Collection[str]
    ) -> set[str]:
        """The calls whose doors hold an answer. Each call without a result has one task, in their order."""
        here = {
            one.tool_call_id
            for task in at_doors
            for one in (task.result or {}).get("messages", ())
            if isinstance(one, ToolMessage)
        }
        sent = [call["id"] for call in message.tool_calls if call["id"] in here or call["id"] not in ended]
        doors = sorted(at_doors, key=lambda task: task.path[1] if len(task.path) > 1 else 0)
        return {id or "" for id, task in zip(sent, doors, strict=False) if task.id in self.answered}

    def _interrupts(self) -> tuple[tuple[Interrupt, ...], str]:
        message = latest_message(self.messages)
        state = {**self.state.values, "messages": [*self.messages]} if message else {}
        # A call that was let through is not what is asked about, even if it looks the same.
        calls = [call for call in (message.tool_calls if message else ()) if needs_person(state, call)]
        id = (message.id if message else None) or ""
        readable, unreadable = [], ""
        for _, interrupt in self.waiting:
            try:
                readable.append(interrupt_from(interrupt.id, interrupt.value, calls, id))
            except Unreadable as problem:
                unreadable = problem.args[0]
        return tuple(readable), unreadable

    def _condition(self, interrupts: Sequence[Interrupt], unreadable: str) -> Condition:
        tasks = self.state.tasks
        if self._failed:
            return Condition.FAILED
        if interrupts:
            return Condition.WAITING
        if not tasks:
            return Condition.IDLE if self.state.values else Condition.NEW
        if unreadable or self.stuck or any(task.error for task in tasks):
            return Condition.FAILED
        return Condition.RUNNABLE

    def _failure(self, unreadable: str) -> str:
        if unreadable or self.stuck:
            return unreadable or saying(STUCK)
        failed = self._failed or next(task for task in self.state.tasks if task.error)
        told = _REPR.match(str(failed.error))
        name, message = (told[1], _text(told[2])) if told else (saying("an error"), "")
        return sentence(failed.name, name, message, self.tool_nodes)

    def _answer(self) -> Answer | None:
        for message in reversed(self.messages):
            match message:
                case HumanMessage():
                    return None
                case AIMessage(id=str(id)):
                    # Calls in the last words were cancelled, or the agent ended with their results.
                    return None if message.tool_calls else Answer(id=id, text=str(message.text))
                case ToolMessage(id=str(id), status="success") if message.name in self.direct_tools:
                    return Answer(id=id, text=str(message.text))
        return None


def _has_failed(task: PregelTask) -> bool:
    """Not one that did so once and has a result by now, which keeps its error."""
    return bool(task.error) and not task.result


def _text(arguments: str) -> str:
    """The text of an exception, from how `repr` writes its arguments."""
    try:
        told = ast.literal_eval(arguments)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return arguments
    return told if isinstance(told, str) else arguments


def sentence(node: str, error: str, message: str, tool_nodes: Collection[str]) -> str:
    """What people are told of a step that raised. What a model's provider says stays out of it."""
    if node in tool_nodes:
        return saying("A tool failed and the agent was halted: {why}", why=cut(message) or error)
    if node == "model":
        return saying("The language model could not be used ({error}).", error=error)
    return saying("The agent failed in its step `{step}` ({error}).", step=node, error=error)
