"""`cancel` and `repair`: while the bot runs, while it does not, and on both databases."""

import json
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from bot.agents.build import build
from bot.agents.built import BuiltAgent
from bot.approvals.repairing import Fault
from bot.engines import saver_at
from bot.sandbox import Person, Sandbox, text_of
from bot.store.database import open_store
from tests.command_line import POLICY, CommandLine, Ended, for_slack
from tests.postgres import a_database
from tests.system.doubtful import agent
from tests.system.house import decisions
from tests.test_cli_mistakes import told

ROOT = Path(__file__).parents[1]
PAY = ("pay", {"amount": 5, "to": "bob"})


@dataclass(frozen=True, kw_only=True)
class Office:
    """The workspace, and the operator's shell beside the bot."""

    slack: Sandbox
    shell: CommandLine
    database: str

    @property
    def alice(self) -> Person:
        return self.slack.person("Alice")

    @property
    def bob(self) -> Person:
        return self.slack.person("Bob")

    async def asked(self) -> dict[str, Any]:
        """A card that waits, of a new conversation."""
        await self.slack.connected()
        answer = await self.alice.say("#general", f"/agent {json.dumps([[PAY]])}")
        assert answer == {"ok": True}
        return await self.bob.sees("Approval needed", channel="#general")

    async def conversation(self) -> str:
        [one] = json.loads((await self.shell.run("pending", "--json")).out)["pending"]
        return str(one["conversation"])

    async def status(self, id: str) -> str:
        return str(json.loads((await self.shell.run("show", id, "--json")).out)["conversation"]["status"])

    def ran(self) -> list[str]:
        file = self.shell.folder / "paid"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture(params=["sqlite", "postgres"])
async def office(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Office]:
    (tmp_path / "approvals.toml").write_text(POLICY)
    async with AsyncExitStack() as stack:
        database = f"sqlite:///{tmp_path / 'bot.db'}"
        if request.param == "postgres":
            database = await stack.enter_async_context(a_database())
        slack = await stack.enter_async_context(Sandbox())
        env = for_slack(
            slack,
            BOT_DATABASE_URL=database,
            BOT_AGENT="tests.system.doubtful:agent",
            BOT_WORKSPACE=str(tmp_path),
            PYTHONPATH=str(ROOT),
        )
        yield Office(slack=slack, shell=CommandLine(folder=tmp_path, env=env), database=database)


def said(ended: Ended) -> str:
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out.strip()


@asynccontextmanager
async def looked_into(database: str) -> AsyncIterator[BuiltAgent]:
    """The agent on its checkpoints, without the bot in front."""
    async with saver_at(database) as saver:
        yield build(agent, name="payer", model=None, checkpointer=saver)


async def poison(database: str, thread: str) -> None:
    """Give the agent an answer that it cannot use, which it keeps."""
    config: Any = {"configurable": {"thread_id": thread}}
    async with looked_into(database) as built:
        [interrupt] = (await built.graph.aget_state(config)).interrupts
        with pytest.raises(ValueError, match="Number of human decisions"):
            await built.graph.ainvoke(Command(resume={interrupt.id: {"decisions": []}}), config)


async def test_cancel_has_the_running_bot_stop_and_the_conversation_goes_on_afterwards(
    office: Office,
) -> None:
    async with office.shell.running("serve") as bot:
        card = await office.asked()
        id = await office.conversation()
        assert said(await office.shell.run("repair", id)) == "Nothing is wrong: it waits for people."
        link = f"{office.slack.page_url}archives/{card['channel']}/p{card['ts'].replace('.', '')}"
        assert said(await office.shell.run("cancel", link)) == (
            f"Asked the running bot to stop {id}; a tool that runs ends first, and the thread is told."
        )
        await office.alice.sees("Stopped by an operator.", thread=card["thread_ts"])
        closed = await office.bob.sees_change(card, lambda one: decisions(one) == [])
        assert "stopped by an operator" in text_of(closed)
        assert await office.status(id) == "idle"
        assert "Nothing is under way" in said(await office.shell.run("cancel", id))
        identity = bot.line.partition("<@")[2].partition(">")[0]
        await office.alice.say("#general", f"<@{identity}> still there?", thread=card["thread_ts"])
        await office.alice.sees("heard still there?", thread=card["thread_ts"])
    assert office.ran() == []


async def test_cancel_without_a_bot_is_done_when_one_starts(office: Office) -> None:
    async with office.shell.running("serve") as bot:
        card = await office.asked()
        id = await office.conversation()
        await bot.told(signal.SIGTERM)
    answer = said(await office.shell.run("cancel", id))
    assert answer == f"No bot is running; {id} is stopped when one starts."
    assert await office.status(id) == "waiting"
    async with office.shell.running("serve"):
        await office.alice.sees("Stopped by an operator.", thread=card["thread_ts"])
        await office.bob.press(card, "Approve", stale=True)
        await office.bob.sees_privately("This request is closed")
    assert office.ran() == []


async def test_repair_brings_a_poisoned_thread_back_and_nothing_runs_by_it(office: Office) -> None:
    async with office.shell.running("serve") as bot:
        card = await office.asked()
        id = await office.conversation()
        await bot.told(signal.SIGTERM)
    await poison(office.database, id)
    lines = said(await office.shell.run("repair", id)).splitlines()
    assert lines == [
        f"Found: {Fault.STUCK}.",
        f"Found: {Fault.GONE}.",
        f"No bot is running; {id} is repaired when one starts.",
    ]
    async with office.shell.running("serve"):
        again = await office.bob.sees(
            lambda one: one["ts"] != card["ts"] and decisions(one) != [], channel="#general"
        )
        assert office.ran() == []
        await office.bob.press(again, "Approve")
        await office.alice.sees("receipt for 5", thread=card["thread_ts"])
    assert len(office.ran()) == 1


async def test_what_nobody_knows_is_one_sentence(tmp_path: Path) -> None:
    shell = CommandLine(folder=tmp_path)
    told(await shell.run("cancel", "x"), "There is no database at")
    async with open_store(tmp_path / "bot.db"):
        pass
    told(await shell.run("cancel", "conversation-that-is-none"), "There is no conversation")
    link = "https://team.slack.com/archives/C0GENERAL/p1700000000000100"
    told(await shell.run("repair", link), "No conversation is known at")
