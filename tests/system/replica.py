"""One replica of the bot as a process: `serve`, with a lease that a test can wait for.

What its tools did is appended to files that all replicas share: in `runs` what was transferred, in `trace`
`start NAME PID` and `end NAME PID` of each call. Whoever first comes to a point of `Freeze` while a file of
its name lies there stops dead, as by SIGSTOP from outside.
"""

import os
import signal
import threading
import time
from enum import StrEnum
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot import Agent
from bot.approvals.executing import Executing
from bot.approvals.journal import Run, Step
from bot.cli import main
from bot.jobs import postgres
from bot.slack import sending
from tests.system.agents import Script

LEASE = 4.0
LINGER = 0.02
"""Seconds that a tool takes, so that two at once would be seen."""


class Freeze(StrEnum):
    """Where a replica can be stopped."""

    MODEL = "model"
    """While the language model answers a resumed agent."""
    INTENT = "intent"
    """When the intent is on disk and the tool has not begun."""
    EFFECT = "effect"
    """Inside the tool, before it does anything."""
    POST = "post"
    """When a post is marked as being sent and is not yet sent."""


def freeze(point: Freeze) -> None:
    """Stop here, if the test wants that and nobody else has done so."""
    try:
        (_home() / point).rename(_home() / f"frozen-{point}-{os.getpid()}")
    except FileNotFoundError:
        return
    # Sent to this thread, which then goes no further; sent to the process, another one might take it first.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def _home() -> Path:
    return Path(os.environ["HOME"])


def _note(file: str, line: str) -> None:
    to = os.open(_home() / file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(to, f"{line}\n".encode())
    os.close(to)


def _ran(name: str) -> None:
    _note("trace", f"start {name} {os.getpid()}")
    time.sleep(LINGER)  # a tool that takes time: two at once would be seen in the trace
    _note("trace", f"end {name} {os.getpid()}")


@tool
def transfer(amount: float, to: str) -> str:
    """Send money."""
    freeze(Freeze.EFFECT)
    _note("runs", f"{to} {amount}")
    _ran(f"{to}/{amount:g}")
    return f"transfer done with {to}"


@tool
def look(at: str) -> str:
    """Look at somebody's account; free."""
    _ran(f"{at}/look")
    return "looked"


class Pausing(Script):
    """Follows the script, and may be frozen once a tool has run."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401
        if messages[-1].type == "tool":
            freeze(Freeze.MODEL)
        return super()._generate(messages, *args, **kwargs)


bank = Agent(tools=[transfer, look], interrupt_on={"look": False, "*": True}, model=Pausing())


def _with_points() -> None:
    begin, send = Executing.begin, sending.post

    async def begin_and_freeze(self: Executing, *args: Any, **kwargs: Any) -> Step:  # noqa: ANN401
        step = await begin(self, *args, **kwargs)
        if isinstance(step, Run):
            freeze(Freeze.INTENT)
        return step

    async def freeze_and_send(*args: Any) -> AsyncSlackResponse:  # noqa: ANN401
        freeze(Freeze.POST)
        return await send(*args)

    Executing.begin = begin_and_freeze  # type: ignore[method-assign]
    vars(sending)["post"] = freeze_and_send


if __name__ == "__main__":
    vars(postgres)["LEASE"] = float(os.environ.get("TEST_LEASE", LEASE))  # shorter than any operator's
    _with_points()
    main()
