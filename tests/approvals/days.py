"""The bench with a clock that is wound by hand and that everything shares, the table of jobs too."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.approval import Approval
from bot.approvals.policy import Policy, Terms
from bot.approvals.running import Running
from bot.approvals.steering import Steering
from bot.approvals.timers import TIMER, Timers
from bot.jobs import table
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.outcome import Done
from bot.jobs.port import Job
from tests.approvals.bench import FOR_THE_AGENT, Bench
from tests.approvals.fakes import FileTools, People, PressedDesk, ScriptedAgent, WatchedStore
from tests.store.samples import NOON


class Wound:
    """A clock that stands at noon until it is wound."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


@dataclass(frozen=True, kw_only=True)
class Days(Bench):
    """The use cases over days."""

    clock: Wound
    timers: Timers

    async def works(self) -> None:
        await self.works_at(self.clock.time - NOON)

    async def works_at(self, after: timedelta) -> list[str]:
        """Wind the clock to so long after noon and do what is due by then; returns the timers that fired."""
        self.clock.time = NOON + after
        fired = []
        while taken := await self._take():
            [job] = taken
            if job.kind == TIMER:
                fired.append(job.id)
                await self.timers.fire(job.id, job.payload)
            elif job.kind != "prune":
                await (self._start if job.kind == "start" else self._advance)(job)
            async with self.store.write() as tx:
                assert isinstance(tx.connection, AsyncConnection)
                await table.settle(tx.connection, {job.id: Done()})
        return fired

    async def approval(self) -> Approval:
        """The only one, as it stands."""
        [found] = await self.approvals()
        return found

    async def _take(self) -> Sequence[Job]:
        now, kinds = self.clock.time.timestamp(), [*FOR_THE_AGENT, TIMER]
        async with self.store.write() as tx:
            assert isinstance(tx.connection, AsyncConnection)
            taken = await table.take(tx.connection, now=now, most=1, kinds=kinds, among=True)
        return [one.job for one in taken]


def days(
    store: WatchedStore, agent: ScriptedAgent, terms: Terms | Policy, people: People | None = None
) -> Days:
    """New objects on this store and this agent, as after a start of the process; it is noon."""

    async def lost(job: Job, error: Exception) -> None:
        raise AssertionError(job) from error

    clock = Wound()

    def now() -> float:
        return clock.time.timestamp()

    jobs = EmbeddedJobs(begin=store.write, handlers={}, on_failed=lost, now=now)
    policy = terms if isinstance(terms, Policy) else Policy(defaults=terms)
    people, tools = people or People(), FileTools()
    return Days(
        store=store,
        agent=agent,
        steering=Steering(store=store, jobs=jobs, agent=agent, directory=people, policy=policy, now=clock),
        running=Running(
            store=store, jobs=jobs, agent=agent, tools=tools, policy=policy, now=clock, directory=people
        ),
        desk=PressedDesk(store=store, jobs=jobs, directory=people, tools=tools, policy=policy, now=clock),
        clock=clock,
        timers=Timers(store=store, jobs=jobs, policy=policy, now=clock),
    )
