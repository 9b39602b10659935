"""What an approval says about a call, besides its tool and arguments, which the card shows itself."""

from collections.abc import Callable
from typing import Any

import structlog
from langchain.agents.middleware.types import AgentState
from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from bot.agents.agent import Describe
from bot.agents.gates import Gate
from bot.approvals.thread import UNDESCRIBED

_log = structlog.get_logger(__name__)


def describe(gate: Gate, tool: BaseTool, prefix: str) -> str | Describe:
    """The gate's own description; without one, the prefix and what the tool says it does."""
    match gate.description:
        case None:
            return "\n\n".join(filter(None, (prefix, summary(tool))))
        case str(text):
            return text
        case function:
            return _safe(function, gate.tool)


def summary(tool: BaseTool) -> str:
    """The first paragraph of the tool's description, on one line."""
    return " ".join(tool.description.strip().split("\n\n", 1)[0].split())


def _safe(function: Callable[..., object], tool: str) -> Describe:
    def described(call: ToolCall, state: AgentState[Any], runtime: Runtime[Any]) -> str:
        try:
            told = function(call, state, runtime)
        except Exception as error:  # noqa: BLE001 - a team's function must not stop the thread
            _log.warning("description_failed", tool=tool, error=type(error).__name__)
            return UNDESCRIBED
        if isinstance(told, str):
            return told
        _log.warning("description_not_text", tool=tool, told=type(told).__name__)
        return UNDESCRIBED

    return described
