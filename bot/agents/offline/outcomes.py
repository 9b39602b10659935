"""What became of the calls, read back from the thread's messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from bot.agents.feedback import EXPIRED

_EDITED = "Executed instead: "
_RESPONSE = "\n\nTool response:\n"
_REASON = "` with reason: "


class How(Enum):
    """The ways in which a call ends."""

    DONE = auto()
    EDITED = auto()
    ANSWERED = auto()
    REJECTED = auto()
    EXPIRED = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call with its end."""

    tool: str
    arguments: dict[str, Any]
    how: How
    text: str
    """The result; of a rejection the reason, of a failure what went wrong."""


def outcomes(messages: Sequence[BaseMessage]) -> Iterator[Outcome]:
    """The calls in these messages that have ended, in order."""
    for position, message in enumerate(messages):
        if not isinstance(message, AIMessage):
            continue
        results = _results(messages[position + 1 :])
        for call in message.tool_calls:
            if result := results.get(call["id"] or ""):
                yield Outcome(call["name"], call["args"], *_end(result))


def _results(messages: Sequence[BaseMessage]) -> dict[str, ToolMessage]:
    """Of the message before: ids may come again in a later one."""
    results: dict[str, ToolMessage] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            break
        if isinstance(message, ToolMessage):
            results.setdefault(message.tool_call_id, message)
    return results


def _end(result: ToolMessage) -> tuple[How, str]:
    text = str(result.text)
    if text == EXPIRED or text.endswith(f"{_REASON}{EXPIRED}"):
        return How.EXPIRED, ""
    data = result.additional_kwargs.get("lc_data")
    match data.get("decision") if isinstance(data, dict) else None:
        case "reject":
            return How.REJECTED, text.partition(_REASON)[2]
        case "respond":
            return How.ANSWERED, text
    edited = _EDITED in text
    if edited:
        text = text.partition(_RESPONSE)[2] if _RESPONSE in text else ""
    if result.status == "error":
        return How.FAILED, text
    return (How.EDITED if edited else How.DONE), text
