"""A bench: the use cases put together on a real store, with a scripted agent and people who press buttons."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation, Post, PostKind
from bot.approvals.decision import Approve, Decision
from bot.approvals.ids import ConversationId, Ts, UserId
from bot.approvals.policy import Members, Policy, Terms
from bot.approvals.running import Running
from bot.approvals.steering import Steering
from bot.jobs.port import Job
from tests.approvals.fakes import (
    FileTools,
    People,
    PressedDesk,
    ScriptedAgent,
    Ticking,
    WatchedStore,
    owing,
    work_off,
)
from tests.store.samples import ALICE, BOB, GENERAL

ROOT = Ts("1.000100")
EVERYBODY = Policy(defaults=Terms(approvers=(Members(),)))

FOR_THE_AGENT = ("start", "run", "resume", "prune")
"""Kinds of jobs; the others draw in Slack."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The use cases; what they know is in the store and in the agent's memory, so they can be made anew."""

    store: WatchedStore
    agent: ScriptedAgent
    steering: Steering
    running: Running
    desk: PressedDesk

    async def hears(self, text: str, *, by: UserId = ALICE, ts: str = ROOT) -> None:
        await self.steering.hear(text, by=by, channel=GENERAL, ts=Ts(ts), thread_ts=ROOT)

    async def works(self) -> None:
        """Do all that is owed for the agent."""
        does = (self._start, self._advance, self._advance, self._prune)
        await work_off(self.store, dict(zip(FOR_THE_AGENT, does, strict=True)))

    async def asked(self, text: str = "go") -> ConversationId:
        """Start a conversation and work until it rests."""
        await self.hears(text)
        await self.works()
        return (await self.conversation()).id

    async def decides(self, approval: Approval, *decisions: Decision, by: UserId = BOB) -> None:
        """Decide about what is open of it, last action first, and work until it rests."""
        wanted = decisions or (Approve(),) * len(approval.actions)
        for action, decision in reversed(list(zip(approval.actions, wanted, strict=True))):
            await self.desk.decide(action.id, decision, by=by)
        await self.works()

    async def conversation(self) -> Conversation:
        async with self.store.read() as tx:
            found = await tx.conversations.at(GENERAL, ROOT)
        assert found is not None
        return found

    async def approvals(self) -> Sequence[Approval]:
        async with self.store.read() as tx:
            return await tx.approvals.of((await self.conversation()).id)

    async def posts(self, *kinds: PostKind) -> list[Post]:
        async with self.store.read() as tx:
            every = await tx.posts.of((await self.conversation()).id)
        return [post for post in every if not kinds or post.kind in kinds]

    async def texts(self, *kinds: PostKind) -> list[str]:
        return [post.text for post in await self.posts(*kinds)]

    async def recorded(self) -> list[str]:
        """What happened; not that the agent was about to be told, which a crash makes happen again."""
        return [kind for kind in await self.everything_recorded() if kind != "resumed"]

    async def everything_recorded(self) -> list[str]:
        async with self.store.read() as tx:
            return [event.kind for event in await tx.record.of((await self.conversation()).id)]

    async def _start(self, job: Job) -> None:
        await self.running.start(ConversationId(job.payload["conversation"]))

    async def _advance(self, job: Job) -> None:
        await self.running.advance(ConversationId(job.payload["conversation"]))

    async def _prune(self, job: Job) -> None:
        """The scripted agent keeps nothing older."""


def a_bench(
    store: WatchedStore, agent: ScriptedAgent, *, policy: Policy = EVERYBODY, people: People | None = None
) -> Bench:
    """New objects on this store and this agent, as after a start of the process."""
    people, jobs, tools, now = people or People(), owing(store), FileTools(), Ticking()
    return Bench(
        store=store,
        agent=agent,
        steering=Steering(store=store, jobs=jobs, agent=agent, directory=people, policy=policy, now=now),
        running=Running(
            store=store, jobs=jobs, agent=agent, tools=tools, policy=policy, now=now, directory=people
        ),
        desk=PressedDesk(store=store, jobs=jobs, directory=people, tools=tools, policy=policy, now=now),
    )
