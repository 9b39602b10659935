"""A tool's result as the journal keeps it, and back; and what a call gets that does not run."""

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from bot.agents.failures import MARK
from bot.agents.wire import is_json
from bot.approvals.decision import Json
from bot.approvals.journal import LARGEST_RESULT, Call, Execution, Progress, Why
from bot.approvals.sayings import saying, to_json

NOT_KEPT: Final = "This tool has run, and its result could not be kept. It was not run again."


class FailedBefore(Exception):  # noqa: N818 - a tool's failure, told once more
    """The tool failed, before the process died; the text is what it failed with."""


def kept(result: ToolMessage | Command[Any], *, call: str) -> Mapping[str, Json] | None:
    """As much of a result as the agent needs; None if it is more than text and blocks, or too large.

    A `Command` changes the agent's state in ways that only the tool knows, so it is not kept.
    """
    if not isinstance(result, ToolMessage) or result.tool_call_id != call:
        return None
    told = {"content": result.content, "status": result.status, "artifact": result.artifact}
    if not is_json(told):
        told["artifact"] = None
    if not is_json(told) or len(json.dumps(told)) > LARGEST_RESULT:
        return None
    return told


def reported(result: str) -> Mapping[str, Json]:
    """What people, or the tool itself, say that it returned."""
    return {"content": result, "status": "success", "artifact": None}


def recorded(execution: Execution, call: Call) -> ToolMessage:
    """What the journal has; raises `FailedBefore` for a call that raised."""
    match execution.progress, execution.result:
        case Progress.FAILED, {"error": str(sentence)}:
            raise FailedBefore(sentence)
        case Progress.DONE, {"content": content, "status": str(status), "artifact": artifact}:
            return ToolMessage(
                content=cast("Any", content),  # it was a message's content when it was kept
                name=call.tool,
                tool_call_id=call.id,
                status="error" if status == "error" else "success",
                artifact=artifact,
            )
        case _:
            return ToolMessage(content=NOT_KEPT, name=call.tool, tool_call_id=call.id)


def refused(call: Call, why: Why, words: str | None = None) -> ToolMessage:
    """The sentence that the agent gets instead of a result; marked, so that the thread is told as well.

    `words` are a team's own for the agent.
    """
    sentence = saying("`{tool}` was not run: {why}.", tool=call.tool, why=saying(why.value))
    return ToolMessage(
        content=words or str(sentence),
        name=call.tool,
        tool_call_id=call.id,
        status="error",
        artifact={MARK: to_json(sentence)},
    )
