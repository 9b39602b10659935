"""A stage with the guard at the tool's door: the real store beside the real saver, in one file."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.types import Command

from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.savers import sqlite_saver
from bot.agents.wire import answer
from bot.approvals.approval import Approval
from bot.approvals.decision import Decision
from bot.approvals.executing import Executing
from bot.approvals.journal import Execution
from bot.approvals.ports import Event
from bot.approvals.thread import Interrupt
from bot.store.database import RowsStore, open_store
from tests.agents.stage import CONVERSATION, NOON, THREAD, Scripted, Stage

ROOT = Path(__file__).parents[2]
CONFIG: Any = {"configurable": {"thread_id": THREAD}}


class Dying(Executing):
    """A journal that kills the process once a result is on disk."""

    async def finish(self, execution: Execution, result: Any) -> None:  # noqa: ANN401 - JSON
        await super().finish(execution, result)
        os.kill(os.getpid(), signal.SIGKILL)


class Guarded(Stage):
    """One agent on its saver and its rows."""

    def __init__(self, built: BuiltAgent, model: Scripted, store: RowsStore) -> None:
        super().__init__(built, model)
        self.store = store

    async def filed(self, *decisions: Decision) -> Approval:
        """The pending approval, decided so, in its row as well."""
        approval = await self.approval(*decisions)
        async with self.store.write() as tx:
            if await tx.conversations.get(THREAD) is None:
                await tx.conversations.add(CONVERSATION)
            assert await tx.approvals.add(approval)
        return approval

    async def filed_for(self, interrupt: Interrupt) -> Approval:
        """The approval that was filed for this interrupt, perhaps by a process before."""
        async with self.store.read() as tx:
            [found] = [one for one in await tx.approvals.of(THREAD) if one.interrupt == interrupt.id]
        return found

    async def decide(self, *decisions: Decision) -> str | None:
        return await self.threads.resume(THREAD, await self.filed(*decisions))

    async def resume_past_all_checks(self, approval: Approval) -> None:
        """What LangGraph does by itself, without the bot's look at the thread before it."""
        await self.built.graph.ainvoke(Command(resume={approval.interrupt: answer(approval)}), CONFIG)

    async def executions(self) -> Sequence[Execution]:
        async with self.store.read() as tx:
            return await tx.executions.of(THREAD)

    async def told(self) -> list[Event]:
        """The record's lines."""
        async with self.store.read() as tx:
            return list(await tx.record.of(THREAD))

    async def kinds(self) -> list[str]:
        return [event.kind for event in await self.told()]


@asynccontextmanager
async def guarded(
    folder: Path, source: Agent | GraphBuilder, script: Sequence[Any] = (), *, dying: bool = False
) -> AsyncIterator[Guarded]:
    """The agent, as a process would start it on the file in this folder."""
    model = Scripted(script=list(script))
    async with open_store(folder / "bot.db") as store, sqlite_saver(folder / "bot.db") as saver:
        journal = (Dying if dying else Executing)(store=store, now=lambda: NOON)
        built = build(source, name="test", model=model, checkpointer=saver, journal=journal)
        yield Guarded(built, model, store)


async def killed(folder: Path, module: str, scene: str, *arguments: str) -> None:
    """Run `scene(folder, *arguments)` of a test module in a process that is expected to be killed."""
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        f"from {module} import {scene}\n"
        f"asyncio.run({scene}(Path(sys.argv[1]), *sys.argv[2:]))\n"
    )
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, str(folder), *arguments),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert await child.wait() == -signal.SIGKILL
