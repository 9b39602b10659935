"""A stage with the guard at the tool's door: the real store beside the real saver, in one database."""

import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.types import Command

from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.wire import answer
from bot.approvals.approval import Approval
from bot.approvals.decision import Decision
from bot.approvals.executing import Executing
from bot.approvals.journal import Execution
from bot.approvals.ports import Event
from bot.approvals.thread import Interrupt
from bot.engines import saver_at
from bot.store.database import RowsStore, open_store
from tests.agents.stage import CONVERSATION, NOON, THREAD, Scripted, Stage

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


def database_of(folder: Path) -> str:
    """A file of SQLite's in the folder, unless a file called `database` names another."""
    named = folder / "database"
    return named.read_text() if named.exists() else f"sqlite:///{folder / 'bot.db'}"


@asynccontextmanager
async def guarded(
    folder: Path, source: Agent | GraphBuilder, script: Sequence[Any] = (), *, dying: bool = False
) -> AsyncIterator[Guarded]:
    """The agent, as a process would start it on this folder's database."""
    model = Scripted(script=list(script))
    where = database_of(folder)
    async with open_store(where) as store, saver_at(where) as saver:
        journal = (Dying if dying else Executing)(store=store, now=lambda: NOON)
        built = build(source, name="test", model=model, checkpointer=saver, journal=journal)
        yield Guarded(built, model, store)
