"""Results for the calls that will not get one of their own, so that a model can read the history."""

from collections.abc import Iterator

from langchain_core.messages import ToolMessage

from bot.agents.messages import latest_message
from bot.agents.snapshot import Snapshot


def open_calls(snapshot: Snapshot, reason: str) -> list[ToolMessage]:
    """A result for each call of the latest message that has none in the thread.

    A call that finished beside one that did not keeps its own result: LangGraph shows it in the thread
    already, but forgets it when the state is updated, so it is given again, under the same id.
    """
    message = latest_message(snapshot.messages)
    if message is None:
        return []
    there = {known.tool_call_id for known in snapshot.messages if isinstance(known, ToolMessage)}
    finished = {known.tool_call_id: known for known in _finished(snapshot)}
    return [
        finished.get(call["id"] or "")
        or ToolMessage(content=reason, name=call["name"], tool_call_id=call["id"], status="error")
        for call in message.tool_calls
        if call["id"] in finished or call["id"] not in there
    ]


def _finished(snapshot: Snapshot) -> Iterator[ToolMessage]:
    for task in snapshot.state.tasks:
        result = task.result
        for message in result.get("messages", ()) if isinstance(result, dict) else ():
            if isinstance(message, ToolMessage):
                yield message
