"""What the agent has done since somebody last spoke to it, as the thread's messages tell it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from bot.agents.failures import failure_of
from bot.approvals.thread import Called, Turn

LONGEST: Final = 4_000
"""Characters of a result that are looked at; people are shown its first line."""


def turn_of(messages: Sequence[BaseMessage]) -> Turn | None:
    """The turn that is under way, or the last one; None where nobody has spoken."""
    since = list(takewhile(lambda one: not isinstance(one, HumanMessage), reversed(messages)))
    if len(since) == len(messages):
        return None
    began = messages[len(messages) - len(since) - 1]
    since.reverse()
    results = {one.tool_call_id: one for one in since if isinstance(one, ToolMessage)}
    return Turn(id=began.id or "", calls=tuple(_calls(since, results)))


def _calls(since: Sequence[BaseMessage], results: Mapping[str, ToolMessage]) -> Iterator[Called]:
    for message in since:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            result = results.get(call["id"] or "")
            yield Called(
                message=message.id or "",
                id=call["id"] or "",
                tool=call["name"],
                arguments=call["args"],
                result=None if result is None else failure_of(result) or str(result.text)[:LONGEST],
                failed=result is not None and result.status == "error",
            )
