"""The policy of each agent, put together from what the file says and what the agent carries, and checked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.agents.built import BuiltAgent
from bot.approvals.absent import NOBODY, of_the_absent
from bot.approvals.ids import AgentName
from bot.approvals.policies import PolicyByAgent
from bot.approvals.policy import QUESTION, Policy
from bot.errors import CannotStart, SlackUnreachable
from bot.policy_agents import told_once
from bot.policy_file import BadPolicy, PolicyFile
from bot.policy_names import Known, is_group
from bot.policy_of_agent import notes, policy_of, put_together
from bot.settings import NO_POLICY
from bot.slack.directory import SlackDirectory
from bot.slack.refusals import name_of

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPolicy:
    """The policy of one agent, as it is written."""

    whole: PolicyFile
    own: tuple[PolicyFile, ...]
    """The parts of it that no other agent shares: its section of the file, and what it carries."""
    notes: tuple[str, ...] = ()
    """What an operator has to know, where the file and the agent both say something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePolicy:
    """The policies of all agents, as they are written."""

    shared: PolicyFile | None
    """What holds for all of them, and for an agent that is there no more; None without a file."""
    agents: Mapping[AgentName, AgentPolicy]

    @property
    def name(self) -> str:
        """How an operator is told of it."""
        only = next(iter(self.agents.values())).whole if len(self.agents) == 1 else None
        return only.name if only else self.shared.name if self.shared else "the policies of the agents"

    @property
    def language(self) -> str:
        """The language of what several people see."""
        first = self.shared or next(iter(self.agents.values())).whole
        return first.content.language

    def of(self, name: AgentName) -> PolicyFile:
        """The policy of this agent."""
        return self.agents[name].whole

    def names(self) -> set[str]:
        """Every person and user group that any of them names."""
        return {name for one in self._every() for name in one.names()}

    def channels(self) -> set[str]:
        """Every channel that any of them names."""
        return {name for one in self._every() for name in one.channels()}

    def _every(self) -> Sequence[PolicyFile]:
        return [*(one.whole for one in self.agents.values()), *([self.shared] if self.shared else [])]

    def resolve(self, known: Known) -> PolicyByAgent:
        """The policies, with each name turned into who has it; `BadPolicy` with what is wrong for any."""
        found: dict[AgentName, Policy] = {}
        problems: dict[str, list[str]] = {}
        for name, one in self.agents.items():
            problems[name] = []
            try:
                found[name] = one.whole.resolve(known)
            except BadPolicy as bad:
                problems[name] = bad.problems
        if told := told_once(problems):
            raise BadPolicy(told)
        return PolicyByAgent(first=next(iter(found)), parts=found, otherwise=self._otherwise(known))

    def _otherwise(self, known: Known) -> Policy:
        """What holds for an agent that is there no more."""
        try:
            return of_the_absent(self.shared.resolve(known)) if self.shared else NOBODY
        except BadPolicy:
            return NOBODY


def whole_policy(
    file: PolicyFile | None, carried: Mapping[AgentName, object], *, otherwise: PolicyFile | None = None
) -> WholePolicy:
    """What the policy file says of each agent, and what the agents carry, the file first.

    `otherwise` is where neither is. `BadPolicy` if nothing is there, if what an agent carries is not well
    formed, or for a section of an agent that is not there.
    """
    problems = file.unknown_agents(carried) if file else []
    agents: dict[AgentName, AgentPolicy] = {}
    for name, each in carried.items():
        try:
            agents[name] = _of_agent(file, name, each, otherwise)
        except BadPolicy as bad:
            problems += bad.problems
    if problems:
        raise BadPolicy([*dict.fromkeys(problems)])
    return WholePolicy(shared=file or otherwise, agents=agents)


def _of_agent(
    file: PolicyFile | None, name: AgentName, carried: object, otherwise: PolicyFile | None
) -> AgentPolicy:
    agents = None if carried is None else policy_of(carried, name)
    of_file = file.of_agent(name) if file else None
    own = of_file.parts[:1] if of_file and of_file.parts else ()
    if of_file and agents:
        both = put_together(of_file, agents)
        return AgentPolicy(whole=both, own=(*own, agents), notes=(*notes(both),))
    if found := of_file or agents or otherwise:
        return AgentPolicy(whole=found, own=(agents,) if agents else own)
    raise BadPolicy([NO_POLICY])


async def resolved(policy: WholePolicy, directory: SlackDirectory) -> PolicyByAgent:
    """The policies with their people, groups and channels looked up; `BadPolicy` for names that none has."""
    names, channels = policy.names(), policy.channels()
    try:
        people = await directory.everybody() if names else []
        groups = await directory.groups() if any(map(is_group, names)) else []
        rooms = await directory.rooms(channels) if channels else []
    except SlackApiError as error:
        raise CannotStart(
            f"The names in {policy.name} could not be looked up in Slack ({_why(error)})."
        ) from error
    except (SlackClientError, ClientError, OSError, TimeoutError) as error:
        raise SlackUnreachable(
            f"The names in {policy.name} could not be looked up in Slack ({type(error).__name__})."
        ) from error
    return policy.resolve(Known(people=people, groups=groups, rooms=rooms))


async def policy_at_start(
    said: tuple[PolicyFile | None, PolicyFile | None],
    agents: Mapping[AgentName, BuiltAgent],
    directory: SlackDirectory,
) -> tuple[WholePolicy, PolicyByAgent]:
    """The policies, as they are written and as they hold; `said` is the file, and what holds without one.

    `BadPolicy` for what is wrong in them.
    """
    file, otherwise = said
    carried = {name: built.policy for name, built in agents.items()}
    whole = whole_policy(file, carried, otherwise=otherwise)
    for one in whole.agents.values():
        for note in one.notes:
            log.info("policy_note", note=note)
    policy = await resolved(whole, directory)
    if problems := rule_problems(whole, agents):
        raise BadPolicy(problems)
    return whole, policy


def rule_problems(policy: WholePolicy, agents: Mapping[AgentName, BuiltAgent]) -> list[str]:
    """A sentence for each rule that no tool comes to, edit that would lead to none, and gate at odds with it.

    What all agents share is looked at with the tools of all. Of a team's own graph not all tools are known.
    """
    known = {name: built for name, built in agents.items() if built.gates is not None}
    problems: list[str] = []
    if policy.shared and len(known) == len(policy.agents):
        every = [*dict.fromkeys(tool for built in known.values() for tool in built.tools)]
        problems += _of_tools(policy.shared, every)
    gates: dict[str, list[str]] = {}
    for name, built in known.items():
        problems += [problem for part in policy.agents[name].own for problem in _of_tools(part, built.tools)]
        allowed = {gate.tool: gate.allowed for gate in (built.gates or {}).values()}
        gates[name] = policy.of(name).asked_after_all(allowed)
    return [*problems, *told_once(gates)]


def _of_tools(part: PolicyFile, tools: Collection[str]) -> list[str]:
    return [*part.never_reached([*tools, QUESTION]), *part.unknown_targets(tools)]


def _why(error: SlackApiError) -> str:
    """The error's name; with the scope, where one is missing."""
    name = name_of(error)
    needed = error.response.get("needed") if name == "missing_scope" else None
    return f"the scope {needed} is missing" if needed else name
