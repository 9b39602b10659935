"""What is wrong with a thread that does not go on by itself, and a history that models take again. Pure."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from bot.agents.cancelling import open_calls
from bot.agents.messages import latest_message
from bot.agents.snapshot import Snapshot
from bot.agents.verdicts import was_asked
from bot.approvals.thread import Condition, Thread

CUT_OFF: Final = "This call was cancelled before it ended; it may or may not have run."


def diagnosed(snapshot: Snapshot, *, own: bool) -> Thread:
    """The thread with what is wrong with it; the history of a team's `own` graph is the team's affair."""
    thread = snapshot.thread()
    if thread.condition is Condition.WAITING:
        return thread
    cut_off = thread.condition in {Condition.FAILED, Condition.RUNNABLE}
    return replace(
        thread,
        stuck=snapshot.stuck,
        unreadable=bool(snapshot.waiting) and not thread.interrupts,
        repeats=repeats(snapshot) if cut_off else (),
        dangling=() if own else dangling(snapshot),
    )


def repeats(snapshot: Snapshot) -> tuple[str, ...]:
    """What going on would run again though it may have run.

    Not what people were asked about: the journal at the tool's door knows of it. LangChain's own steps and
    the model do no harm by themselves; of a step of a team's own graph nobody knows.
    """
    steps = [task.name for task in snapshot.state.tasks if not task.result]
    found = [step for step in steps if step not in snapshot.tool_nodes and not _is_harmless(step)]
    if any(step in snapshot.tool_nodes for step in steps):
        found += [call["name"] for call in _unasked(snapshot)]
    return tuple(dict.fromkeys(found))


def _is_harmless(step: str) -> bool:
    return step in {"model", "__start__"} or step.endswith(
        (".before_agent", ".before_model", ".after_model", ".after_agent")
    )


def _unasked(snapshot: Snapshot) -> Iterator[dict[str, str]]:
    message = latest_message(snapshot.messages)
    ended = {one.tool_call_id for one in open_calls(snapshot, CUT_OFF) if one.content != CUT_OFF}
    there = {one.tool_call_id for one in snapshot.messages if isinstance(one, ToolMessage)}
    for call in message.tool_calls if message else ():
        if call["id"] not in ended | there and not was_asked(snapshot.state.values, call):
            yield {"name": call["name"]}


def dangling(snapshot: Snapshot) -> tuple[str, ...]:
    """The tools whose calls have no result, though the history has gone on."""
    messages = snapshot.messages
    missing = [call for at, one in enumerate(messages) for call in _missing(messages, at, one, snapshot)]
    return tuple(dict.fromkeys(name for name, _ in missing))


def whole(snapshot: Snapshot) -> list[BaseMessage]:
    """The history with a result right behind the message of every call."""
    told: list[BaseMessage] = []
    messages = snapshot.messages
    for at, one in enumerate(messages):
        told.append(one)
        told += [
            ToolMessage(content=CUT_OFF, name=name, tool_call_id=id, status="error")
            for name, id in _missing(messages, at, one, snapshot)
        ]
    return told


def _missing(
    messages: Sequence[BaseMessage], at: int, one: BaseMessage, snapshot: Snapshot
) -> Iterator[tuple[str, str]]:
    if not isinstance(one, AIMessage) or not one.tool_calls:
        return
    behind = list(_until_the_next(messages[at + 1 :]))
    if snapshot.state.tasks and at + 1 + len(behind) == len(messages) and not _said(behind):
        return  # these calls are what the thread is at
    ended = {result.tool_call_id for result in behind if isinstance(result, ToolMessage)}
    for call in one.tool_calls:
        if call["id"] and call["id"] not in ended:
            yield call["name"], call["id"]


def _until_the_next(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    for message in messages:
        if isinstance(message, AIMessage):
            return
        yield message


def _said(messages: Collection[BaseMessage]) -> bool:
    return any(isinstance(message, HumanMessage) for message in messages)
