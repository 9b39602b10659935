"""Starting a conversation until it waits for a person, beside plain LangGraph on a saver of the same kind.

The bot's part is everything between a person's words and an approval that is filed and owed its card: rows,
record, jobs, the run, and reading the thread before and after. Slack is left out on both sides.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from langchain_core.messages import HumanMessage

from bot.agents.build import build
from bot.agents.savers import sqlite_saver
from bot.agents.schemas import ToolSchemas
from bot.agents.threads import Threads
from bot.approvals.ids import ChannelId, ConversationId, GroupId, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import ChannelMembers, Policy, Terms
from bot.approvals.running import Running
from bot.approvals.steering import Steering
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.port import Handler, Job
from bot.store.database import open_store
from tests.system.agents import bank

TIMES = 200
SCRIPT = json.dumps([[("transfer", {"amount": 1.0, "to": "bob"})]])


class Everybody:
    """A directory in which everybody is a member."""

    async def person(self, id: UserId) -> Person:
        """A member."""
        return Person(id=id, standing=Standing.MEMBER)

    def anew(self) -> "Everybody":
        """The same."""
        return self

    async def takes_messages(self, channel: ChannelId) -> bool:  # noqa: ARG002 - the port's name
        """Always."""
        return True

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:  # noqa: ARG002 - the port's names
        """Always."""
        return True

    async def groups_of(self, user: UserId) -> frozenset[GroupId]:  # noqa: ARG002 - the port's name
        """None."""
        return frozenset()


async def measure_parking(folder: Path) -> list[str]:
    """A line for the table."""
    ours, theirs = [], []
    async with _bot(folder / "parking.db") as park, sqlite_saver(folder / "plain.db") as saver:
        graph = build(bank, name="plain", model=None, checkpointer=saver).graph
        for number in range(TIMES):
            start = time.perf_counter()
            await park(str(number))
            ours.append((time.perf_counter() - start) * 1000)
            start = time.perf_counter()
            await graph.ainvoke(
                {"messages": [HumanMessage(SCRIPT)]},
                {"configurable": {"thread_id": str(number)}},
                durability="sync",
            )
            theirs.append((time.perf_counter() - start) * 1000)
    mine, plain = median(ours), median(theirs)
    reference = f"plain `ainvoke`: {plain:.1f} ms"
    return [f"| start a conversation and park it | {mine:.1f} ms | {reference} | {mine / plain:.2f} |"]


@asynccontextmanager
async def _bot(database: Path) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """A function that starts a conversation and returns when its approval is filed."""
    parked = asyncio.Event()

    async def post(_: Job) -> None:
        """Slack is left out; what would go there waits until the clock has stopped."""
        await parked.wait()

    handlers: dict[str, Handler] = {"post": post}
    async with open_store(database) as store, sqlite_saver(database) as saver:
        built = build(bank, name="bank", model=None, checkpointer=saver)
        jobs = EmbeddedJobs(begin=store.write, handlers=handlers, on_failed=_lost)
        policy = Policy(defaults=Terms(approvers=(ChannelMembers(),)))
        threads = Threads(built)
        running = Running(
            store=store,
            jobs=jobs,
            agent=threads,
            tools=ToolSchemas(built),
            policy=policy,
            now=lambda: datetime.now(UTC),
        )
        steering = Steering(
            store=store,
            jobs=jobs,
            agent=threads,
            directory=Everybody(),
            policy=policy,
            now=lambda: datetime.now(UTC),
        )

        async def start(job: Job) -> None:
            await running.start(ConversationId(job.payload["conversation"]))
            parked.set()

        async def prune(job: Job) -> None:
            await threads.prune(ConversationId(job.payload["conversation"]))

        async def park(source: str) -> None:
            parked.clear()
            await steering.command(SCRIPT, by=UserId("U1"), channel=ChannelId("C1"), source=source)
            await parked.wait()

        handlers |= {"start": start, "prune": prune}
        await jobs.start()
        yield park
        await jobs.stop(5)


async def _lost(job: Job, error: Exception) -> None:
    raise RuntimeError(job.kind) from error
