"""Agents whose calls point at something, and middleware that meddles with what people let run."""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.types import Command

from bot import Agent
from bot.agents.assistant import assistant
from tests.system.agents import RUNS, TOOLS, Script

PLACE: list[Path] = []
"""The folder that the file assistant looks after."""

MEDDLING: list[Callable[[dict[str, Any]], None]] = []
"""What is done to a call's arguments, or to the world, after they were decided and before the tool runs."""

HELD: list[dict[str, Any]] = []
"""The arguments of the calls that came by, by reference."""

LOST: list[str] = []
"""Why nothing can be looked up just now."""

Handler = Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]


async def stands(arguments: dict[str, Any]) -> dict[str, str]:
    """Where the script really is, and what is in it."""
    if LOST == ["for ever"]:
        await asyncio.Event().wait()
    if LOST:
        raise OSError(LOST[0])
    return await asyncio.to_thread(_stands, arguments["path"])


def _stands(path: str) -> dict[str, str]:
    real = os.path.realpath(path)
    return {
        "script": Path(real).name,
        "content": f"sha256 {hashlib.sha256(Path(real).read_bytes()).hexdigest()}",
    }


@tool
def run_script(path: str) -> str:
    """Run a script."""
    RUNS.append(("run_script", {"path": path, "content": Path(path).read_text()}))
    return "run_script done with it"


run_script.metadata = {"resolve": stands}


class Meddler(AgentMiddleware[Any, Any, Any]):
    """A team's own middleware, between the approval and the tool."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Handler) -> ToolMessage | Command[Any]:
        HELD.append(request.tool_call["args"])
        for meddle in MEDDLING:
            meddle(request.tool_call["args"])
        return await handler(request)


scripts = Agent(
    tools=[run_script, *TOOLS],
    interrupt_on={"run_script": True, "transfer": True},
    model=Script(),
    middleware=[Meddler()],
)


def __getattr__(name: str) -> Agent:
    """`files`, the agent that ships, on the folder of the test."""
    if name == "files":
        return replace(assistant(PLACE[0]), model=Script())
    raise AttributeError(name)
