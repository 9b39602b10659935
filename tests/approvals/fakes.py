"""Stand-ins for what the use cases need of the world. The store and the table of jobs are the real ones."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Self, TypeAlias

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.approval import Action, Approval, Shape
from bot.approvals.conversation import Post, PostKind, PostState, Said
from bot.approvals.decision import Arguments, Decision, DecisionKind, Json
from bot.approvals.desk import Desk
from bot.approvals.errors import CouldNotCheck, InvalidArguments, Stale
from bot.approvals.ids import ActionId, ChannelId, ConversationId, GroupId, InterruptId, PostId, Ts, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.places import Copy, Spot
from bot.approvals.policy import Policy
from bot.approvals.ports import Asked, Store, Transaction
from bot.approvals.realm import UNNAMED, Realm
from bot.approvals.thread import ActionRequest, Answer, Condition, Interrupt, Thread, ToolFailure
from bot.jobs import table
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.outcome import Done
from bot.jobs.port import Handler, Job
from bot.store import RowsStore
from tests.store.samples import NOON

At: TypeAlias = Callable[[str], None]
"""Called at a place where a fault can be planted."""


HOME = "T0HOME"
"""The workspace."""
ELSEWHERE = ChannelId("C0ELSEWHERE")


def nowhere(_: str) -> None:
    """Plants no fault."""


class Ticking:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self) -> None:
        self._time = NOON

    def __call__(self) -> datetime:
        self._time += timedelta(seconds=1)
        return self._time


class PressedDesk(Desk):
    """A desk whose visitors press the buttons of the card in the thread, unless a test says where."""

    async def decide(
        self,
        id: ActionId,
        decision: Decision,
        *,
        by: UserId,
        spot: Spot | None = None,
        seen: str | None = None,
    ) -> Approval:
        return await super().decide(id, decision, by=by, spot=spot or await self.card(id), seen=seen)

    async def take_back(self, id: ActionId, *, by: UserId, spot: Spot | None = None) -> Approval:
        return await super().take_back(id, by=by, spot=spot or await self.card(id))

    async def opens(self, id: ActionId, *, by: UserId, spot: Spot | None = None) -> tuple[Approval, Action]:
        return await super().opens(id, by=by, spot=spot or await self.card(id))

    async def card(self, id: ActionId) -> Spot:
        """Where the card stands; it is put there if nobody has posted it yet."""
        store = self._store
        known = store.spots if isinstance(store, WatchedStore) else {}
        if id in known:
            return known[id]
        store = store._store if isinstance(store, WatchedStore) else store
        async with store.read() as tx:
            asked = (await tx.approvals.asked([id])).get(id)
        if asked is None:
            return Spot(team=HOME, channel=ELSEWHERE, message=Ts("1.1"))
        copy = asked.cards[0] if asked.cards else None
        if copy is None or copy.ts is None:
            copy = await _shown(store, asked, copy.post if copy else PostId(f"card-{asked.approval.id}"))
        known[id] = Spot(team=HOME, channel=copy.channel, message=copy.ts)
        return known[id]


async def _shown(store: Store, asked: Asked, id: PostId) -> Copy:
    post = Post(
        id=id,
        conversation=asked.conversation.id,
        kind=PostKind.CARD,
        approval=asked.approval.id,
        state=PostState.SHOWN,
        channel=asked.conversation.channel,
        ts=Ts("9.000100"),
    )
    async with store.write() as tx:
        await tx.posts.owe(post)
        await tx.posts.save(post)
    return Copy(post=id, channel=post.channel, ts=post.ts)


@dataclass(kw_only=True)
class People:
    """A directory: who is what, and who is where. Whoever is not named is a member and nowhere."""

    standing: dict[UserId, Standing] = field(default_factory=dict)
    inside: dict[ChannelId, set[UserId]] = field(default_factory=dict)
    groups: dict[UserId, set[GroupId]] = field(default_factory=dict)
    closed: set[ChannelId] = field(default_factory=set)
    """Channels that the bot cannot write in."""
    organisation: str = ""
    """The Grid organisation of everybody."""
    unknown: bool = False
    """Slack does not say who somebody is."""
    silent: bool = False
    """Slack does not say who is in a channel."""
    looked_into: list[ChannelId] = field(default_factory=list)

    def anew(self) -> "People":
        return self

    async def person(self, id: UserId) -> Person:
        if self.unknown:
            raise CouldNotCheck("Slack does not say who you are.")
        standing = self.standing.get(id, Standing.MEMBER)
        return Person(id=id, standing=standing, team=HOME, organisation=self.organisation, asked_at=NOON)

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:
        self.looked_into.append(channel)
        if self.silent:
            raise CouldNotCheck("Slack does not say who is in the channel.")
        return user in self.inside.get(channel, set())

    async def groups_of(self, user: UserId) -> frozenset[GroupId]:
        if self.silent:
            raise CouldNotCheck("Slack does not say who is in a user group.")
        return frozenset(self.groups.get(user, ()))

    async def takes_messages(self, channel: ChannelId) -> bool:
        return channel not in self.closed


@dataclass(frozen=True)
class OnlyFor:
    """Fills `Policies`: one that is given to whoever asks for its realm, and to nobody else."""

    policy: Policy
    realm: Realm = UNNAMED

    def of(self, realm: Realm) -> Policy:
        assert realm == self.realm
        return self.policy

    @property
    def every(self) -> Sequence[Policy]:
        return (self.policy,)


class FileTools:
    """One kind of tool, whose `path` has to be a text; the same for whichever agent."""

    def of(self, realm: Realm) -> Self:  # noqa: ARG002 - the port has it so
        return self

    def schema(self, tool: str) -> Mapping[str, Json] | None:
        return {"type": "object", "title": tool}

    def check(self, tool: str, arguments: Arguments) -> Arguments:
        if not isinstance(arguments.get("path"), str):
            raise InvalidArguments({"path": f"{tool} wants a text here"})
        return {**arguments, "checked": True}

    def resolves(self, tool: str) -> bool:  # noqa: ARG002 - the port has it so
        return False

    async def referents(self, tool: str, arguments: Arguments, *, within: float) -> None:
        """Nothing is said of it."""

    def renders(self, tool: str) -> bool:  # noqa: ARG002 - the port has it so
        return False

    async def rendered(self, tool: str, arguments: Arguments, *, within: float) -> None:
        """It has no presentation of its own."""


class WatchedStore:
    """The real store; counts what is written, and faults can be planted around a commit."""

    def __init__(self, store: RowsStore, at: At = nowhere) -> None:
        self._store = store
        self.spots: dict[ActionId, Spot] = {}
        """Where the cards of these actions were seen."""
        self.at = at
        self.writes = 0

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        self.at("before a transaction")
        async with self._store.write() as tx:
            self.writes += 1
            yield tx
            self.at("before the commit")
        self.at("after the commit")

    def read(self) -> AbstractAsyncContextManager[Transaction]:
        return self._store.read()


@dataclass(frozen=True, slots=True)
class Asks:
    """The agent stops with these interrupts."""

    interrupts: tuple[Interrupt, ...]


@dataclass(frozen=True, slots=True)
class Says:
    """The agent's turn ends with these words; None for a graph that ends without a message."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Breaks:
    """The run raises; going on takes the next line of the script."""

    sentence: str


@dataclass(frozen=True, slots=True)
class ToolFails:
    """A tool fails, the agent goes on."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Circles:
    """The agent is cut off again and again, and may say so; the first time only, if it goes on after it."""

    sentence: str | None = None
    on: bool = False
    moving: bool = True
    """Whether something has happened in the thread each time."""


Line: TypeAlias = Asks | Says | Breaks | ToolFails | Circles


def asks(id: str, *tools: str, value: Json = "notes.txt") -> Interrupt:
    """An interrupt with one request per tool."""
    return Interrupt(
        id=InterruptId(id),
        shape=Shape.BATCHED,
        requests=tuple(
            ActionRequest(
                tool=tool,
                arguments={"path": value},
                description=f"Do {tool}.",
                allowed=frozenset(DecisionKind),
                call=f"{id}/{number}",
            )
            for number, tool in enumerate(tools)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A thread as its checkpoints have it: a value, which outlives whoever runs it."""

    script: tuple[Line, ...]
    thread: Thread = field(default_factory=lambda: Thread(condition=Condition.NEW))
    taken: tuple[Said, ...] = ()
    """What the agent was given, once per id."""
    told: tuple[Approval, ...] = ()
    """What it was told of decisions."""
    lines: int = 0


class ScriptedAgent:
    """Fills `Agent`: every thread follows its script and stands in `memory` between two steps."""

    def __init__(self, memory: dict[ConversationId, Scene], *script: Line, at: At = nowhere) -> None:
        self.memory = memory
        self._script = script
        self._at = at
        self.calls: list[str] = []
        self.abandoned: list[str] = []
        self.halted: list[ConversationId] = []

    def scene(self, thread: ConversationId) -> Scene:
        return self.memory.setdefault(thread, Scene(script=self._script))

    async def read(self, thread: ConversationId) -> Thread:
        self._at("before reading")
        return self.scene(thread).thread

    async def send(self, thread: ConversationId, messages: Sequence[Said]) -> str | None:
        self._at("before sending")
        self.calls.append("send")
        scene = self.scene(thread)
        if scene.thread.condition is Condition.WAITING:
            raise Stale("the agent waits for people")
        fresh = [said for said in messages if said.id not in scene.thread.message_ids]
        if not fresh:
            cut_off = scene.thread.condition in {Condition.RUNNABLE, Condition.FAILED}
            return await self.proceed(thread) if cut_off else None
        ids = scene.thread.message_ids | {said.id for said in fresh}
        self.memory[thread] = replace(scene, taken=(*scene.taken, *fresh))
        return self._run(thread, replace(scene.thread, message_ids=ids, answer=None))

    async def resume(self, thread: ConversationId, approval: Approval) -> str | None:
        self._at("before resuming")
        self.calls.append("resume")
        scene = self.scene(thread)
        left = tuple(one for one in scene.thread.interrupts if one.id != approval.interrupt)
        if len(left) == len(scene.thread.interrupts):
            raise Stale("the agent no longer waits for it")
        self.memory[thread] = replace(
            scene, told=(*scene.told, approval), thread=replace(scene.thread, interrupts=left)
        )
        return None if left else self._run(thread, replace(scene.thread, interrupts=()))

    async def proceed(self, thread: ConversationId) -> str | None:
        self._at("before going on")
        self.calls.append("proceed")
        return self._run(thread, self.scene(thread).thread)

    async def ask_again(self, thread: ConversationId) -> str | None:
        self._at("before asking again")
        self.calls.append("ask_again")
        pending = self.scene(thread).thread.interrupts
        anew = tuple(replace(one, id=InterruptId(f"{one.id}-again")) for one in pending)
        self._becomes(thread, interrupts=anew)
        return None

    def halt(self, thread: ConversationId) -> None:
        self.halted.append(thread)

    async def forget(self, thread: ConversationId) -> None:
        self._at("before forgetting")
        self.memory[thread] = replace(self.scene(thread), thread=Thread(condition=Condition.NEW), taken=())

    async def mend(self, thread: ConversationId) -> None:
        self._at("before mending")
        self.calls.append("mend")
        self._becomes(thread, condition=Condition.RUNNABLE, failure="", dangling=())

    async def abandon(self, thread: ConversationId, reason: str) -> None:
        self._at("before abandoning")
        self.abandoned.append(reason)
        self._becomes(thread, condition=Condition.IDLE, interrupts=(), failure="", answer=None)

    def put(self, thread: ConversationId, **changes: object) -> None:
        """Change the thread from outside."""
        self._becomes(thread, **changes)

    def _run(self, thread: ConversationId, begun: Thread) -> str | None:
        self.memory[thread] = replace(
            self.scene(thread), thread=replace(begun, condition=Condition.RUNNABLE, failure="")
        )
        failure = None
        while self.scene(thread).thread.condition is Condition.RUNNABLE:
            self._at("in the middle of a run")
            scene = self.scene(thread)
            line, rest = scene.script[0], scene.script[1:]
            if isinstance(line, Circles):
                self.memory[thread] = replace(scene, script=rest if line.on else scene.script)
                if line.moving:
                    ids = scene.thread.message_ids
                    self._becomes(thread, message_ids=ids | {f"round-{len(ids)}"})
                return line.sentence
            self.memory[thread] = replace(scene, script=rest, lines=scene.lines + 1)
            failure = self._play(thread, line)
        self._at("after a run")
        return failure

    def _play(self, thread: ConversationId, line: Line) -> str | None:
        scene = self.scene(thread)
        match line:
            case Asks(interrupts=interrupts):
                self._becomes(thread, condition=Condition.WAITING, interrupts=interrupts)
            case Says(text=text):
                answer = None if text is None else Answer(id=f"answer-{scene.lines}", text=text)
                self._becomes(thread, condition=Condition.IDLE, answer=answer)
            case ToolFails(sentence=sentence):
                failed = ToolFailure(id=f"failed-{scene.lines}", tool="write_file", sentence=sentence)
                self._becomes(thread, tool_failures=(*scene.thread.tool_failures, failed))
            case Breaks(sentence=sentence):
                self._becomes(thread, condition=Condition.FAILED, failure=sentence)
                return sentence
            case Circles():
                pass
        return None

    def _becomes(self, thread: ConversationId, **changes: object) -> None:
        scene = self.scene(thread)
        self.memory[thread] = replace(scene, thread=replace(scene.thread, **changes))  # type: ignore[arg-type]


def owing(store: WatchedStore) -> EmbeddedJobs:
    """The real engine's side of owing work; it is not started, `work_off` does what is owed."""

    async def lost(job: Job, error: Exception) -> None:
        raise AssertionError(job) from error

    return EmbeddedJobs(begin=store.write, handlers={}, on_failed=lost, now=lambda: 0.0)


async def work_off(store: WatchedStore, handlers: Mapping[str, Handler]) -> None:
    """Do what is owed of these kinds, one after the other, beginning with what was under way at a crash."""
    async with store.write() as tx:
        await table.put_back_orphans(_connection(tx), [])
    while True:
        async with store.write() as tx:
            taken = await table.take(_connection(tx), now=1.0, most=1, kinds=[*handlers], among=True)
        if not taken:
            return
        job = taken[0].job
        await handlers[job.kind](job)
        async with store.write() as tx:
            await table.settle(_connection(tx), {job.id: Done()})


async def owed(store: WatchedStore | RowsStore, *kinds: str) -> list[Mapping[str, object]]:
    """The rows of jobs that are owed, of these kinds or all."""
    async with store.read() as tx:
        rows = (await _connection(tx).execute(table.jobs.select().order_by(table.jobs.c.seq))).mappings()
        return [dict(row) for row in rows if not kinds or row["kind"] in kinds]


def _connection(tx: Transaction) -> AsyncConnection:
    assert isinstance(tx.connection, AsyncConnection)
    return tx.connection
