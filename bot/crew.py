"""The agents of a bot at work, each with what is its own; what is chosen by agent is made here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.agents.built import BuiltAgent
from bot.agents.schemas import ToolSchemas
from bot.agents.threads import Threads
from bot.approvals.absent import Absence, NoTools
from bot.approvals.choosing import Chooser, NoFunctions
from bot.approvals.ids import AgentName, ConversationId
from bot.approvals.masking import Masking
from bot.approvals.policies import PolicyByAgent
from bot.approvals.ports import Clock, Directory, Jobs, Store, Tools
from bot.approvals.realm import ByAgent, Part, Realm
from bot.approvals.repairing import Repairing
from bot.approvals.roster import Roster
from bot.approvals.running import Running
from bot.approvals.runs import Repairer, Runner, Runs
from bot.policy_at_start import policy_at_start
from bot.policy_file import PolicyFile
from bot.policy_functions import PolicyFunctions
from bot.slack.directory import SlackDirectory

MOST_TOOLS: Final = 6
"""Tools that say what an agent is for which does not say it itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """One agent."""

    built: BuiltAgent
    threads: Threads
    tools: ToolSchemas
    chooser: Chooser

    @classmethod
    def of(cls, built: BuiltAgent, chooser: Chooser) -> "Hand":
        """The agent as it was built."""
        return cls(built=built, threads=Threads(built), tools=ToolSchemas(built), chooser=chooser)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """All of them. Their threads are kept in one place, so that each may forget and prune any."""

    hands: Mapping[AgentName, Hand]
    policy: PolicyByAgent
    roster: Roster
    language: str
    """Of what several people see."""

    @property
    def first(self) -> Hand:
        """The one that is meant where none is named."""
        return self.hands[self.roster.names[0]]

    @property
    def tools(self) -> ByAgent[Tools]:
        """What is known of their tools."""
        return self._by_agent(lambda hand: hand.tools, NoTools())

    @property
    def chooser(self) -> ByAgent[Chooser]:
        """The functions of their policies."""
        return self._by_agent(lambda hand: hand.chooser, NoFunctions())

    @property
    def masking(self) -> "MaskingByAgent":
        """What is masked for people."""
        return MaskingByAgent(self.policy)

    @property
    def built(self) -> Mapping[AgentName, BuiltAgent]:
        """The agents as they were built."""
        return {name: hand.built for name, hand in self.hands.items()}

    def runs(self, store: Store, jobs: Jobs, directory: Directory, now: Clock) -> Runs:
        """The loops of their conversations."""
        away = Absence(store=store, jobs=jobs, now=now)
        repairs = {
            name: self._repairing(name, store=store, jobs=jobs, directory=directory, now=now)
            for name in self.hands
        }
        runners: dict[AgentName, Runner] = {name: one.running for name, one in repairs.items()}
        repairers: dict[AgentName, Repairer] = {**repairs}
        first = self.roster.names[0]
        return Runs(
            store=store,
            runners=ByAgent(first=first, parts=runners, otherwise=away),
            repairers=ByAgent(first=first, parts=repairers, otherwise=away),
        )

    def _repairing(
        self, name: AgentName, *, store: Store, jobs: Jobs, directory: Directory, now: Clock
    ) -> Repairing:
        hand = self.hands[name]
        running = Running(
            store=store,
            jobs=jobs,
            agent=hand.threads,
            tools=hand.tools,
            policy=self.policy.of(Realm(agent=name)),
            now=now,
            directory=directory,
            chooser=hand.chooser,
        )
        return Repairing(store=store, jobs=jobs, agent=hand.threads, running=running, now=now)

    def halt(self, thread: ConversationId) -> None:
        """Whichever runs in this thread begins nothing more."""
        for hand in self.hands.values():
            hand.threads.halt(thread)

    def drain(self) -> None:
        """Let the tools that run end, and begin nothing more: the process is about to end."""
        for hand in self.hands.values():
            hand.threads.drain()

    def _by_agent(self, part: Callable[[Hand], Part], otherwise: Part) -> ByAgent[Part]:
        parts = {name: part(hand) for name, hand in self.hands.items()}
        return ByAgent(first=self.roster.names[0], parts=parts, otherwise=otherwise)


@dataclass(frozen=True, slots=True)
class MaskingByAgent:
    """Masks by the policy of each agent."""

    policy: PolicyByAgent

    def of(self, realm: Realm) -> Masking:
        """As this realm's policy says it."""
        policy = self.policy.of(realm)
        return Masking(redact=lambda tool: policy.terms(tool).redact)


async def crew_of(
    built: Mapping[AgentName, BuiltAgent],
    said: tuple[PolicyFile | None, PolicyFile | None],
    directory: SlackDirectory,
) -> Crew:
    """The agents with their policies; `said` is the policy file, and what holds without one.

    `BadPolicy` for what is wrong in them.
    """
    whole, policy = await policy_at_start(said, built, directory)
    hands = {
        name: Hand.of(each, PolicyFunctions(whole.of(name), policy.of(Realm(agent=name)), directory))
        for name, each in built.items()
    }
    purposes = {name: purpose(each) for name, each in built.items()}
    roster = Roster(names=tuple(built), purposes=purposes)
    return Crew(hands=hands, policy=policy, roster=roster, language=whole.language)


def purpose(built: BuiltAgent) -> str:
    """What an agent is for, in a line: as it says itself, or by its tools."""
    if built.description:
        return built.description
    tools = [*built.tools][:MOST_TOOLS]
    more = len(built.tools) - len(tools)
    return ", ".join(tools) + (f" … (+{more})" if more else "")
