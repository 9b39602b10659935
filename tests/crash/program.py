"""The bot as a process that a cell starts: on the cell's database, with the cell's trip wire or none."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from pydantic import SecretStr

from bot import Agent, idempotency_key
from bot.logs import configure_logs
from bot.policy_file import parse_policy
from bot.settings import Mode, Settings
from bot.wiring import running_bot
from tests.crash.points import Cell
from tests.crash.wires import Wires
from tests.system.agents import Script
from tests.system.house import POLICY

RUNS: Final = "runs"
"""The file in a cell's folder in which the world remembers what was done to it: a JSON object a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How the bot is to be started."""

    folder: str
    database: str
    mode: str
    slack: dict[str, str]
    dies: Cell | None

    def as_json(self) -> dict[str, Any]:
        """For the process that is started."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """What `as_json` wrote."""
        return cls(**told | {"dies": Cell.from_json(told["dies"]) if told["dies"] else None})


@tool
async def transfer(amount: float, to: str, note: str) -> str:
    """Send money."""
    done = {"amount": amount, "to": to, "note": note, "key": idempotency_key()}
    # One write to the end of a file: a kill leaves all of it or nothing.
    file = os.open(Path(os.environ["BOT_WORKSPACE"]) / RUNS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, f"{json.dumps(done)}\n".encode())
    os.close(file)
    return receipt(amount=amount, to=to)


def receipt(*, amount: float, to: str) -> str:
    """What the agent is told of a transfer."""
    return f"transfer done with {to}: {amount}"


class Bookkeeper(Script):
    """At the end it says what it was told of each call, payee and result, in the order of its calls."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401
        result = super()._generate(messages, *args, **kwargs)
        if isinstance(next := result.generations[0].message, AIMessage) and not next.tool_calls:
            next.content = "\n".join(["```", *_told(messages), "```"])
        return result


def _told(messages: list[BaseMessage]) -> Iterator[str]:
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    for call in calls:
        for message in messages:
            if isinstance(message, ToolMessage) and message.tool_call_id == call["id"]:
                yield f"{call['args']['to']}: {json.dumps(message.text)}"


bank = Agent(tools=[transfer], interrupt_on={"transfer": True}, model=Bookkeeper())


async def serve(start: Start, ready: Callable[[int], None]) -> None:
    """Be the bot until somebody kills it; `ready` is told the port."""
    settings = Settings(
        _env_file=None,
        slack_bot_token=SecretStr(start.slack["bot_token"]),
        slack_app_token=SecretStr(start.slack["app_token"]),
        slack_signing_secret=SecretStr(start.slack["signing_secret"]) if start.mode == Mode.HTTP else None,
        slack_api_url=start.slack["api_url"],
        bot_mode=Mode(start.mode),
        bot_port=0,
        bot_agent="tests.crash.program:bank",
        bot_workspace=Path(start.folder),
        bot_database_url=start.database,
    )
    if start.dies:
        Wires(start.dies).lay()
    async with running_bot(settings, parse_policy(POLICY, name="approvals.toml")) as bot:
        ready(bot.port or 0)
        await asyncio.Event().wait()


def run(tell: Callable[[dict[str, Any]], None], told: dict[str, Any]) -> None:
    """What a forked process does; it writes its log into the cell's folder."""
    start = Start.from_json(told)
    log = os.open(Path(start.folder) / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(log, sys.stderr.fileno())
    os.environ["BOT_WORKSPACE"] = start.folder
    configure_logs()
    asyncio.run(serve(start, lambda port: tell({"port": port})))
