"""What a command that only looks knows of the agents and their policies, without asking anybody."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.agent_names import read_agents
from bot.approvals.ids import AgentName
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.realm import SOLE, Realm
from bot.approvals.roster import Roster
from bot.policy_file import PolicyFile, read_policy
from bot.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPolicy:
    """The policy of each agent as it is written, as far as there is any; masks by it."""

    roster: Roster = field(default_factory=Roster)
    shared: PolicyFile | None = None
    """For an agent that is there no more."""
    agents: Mapping[AgentName, PolicyFile] = field(default_factory=dict)

    def policy_of(self, realm: Realm) -> PolicyFile | None:
        """The policy of this realm's agent; None where nothing here says it."""
        return self.agents.get(self.roster.name_of(realm), self.shared)

    def of(self, realm: Realm) -> Masking:
        """What it masks; what is always masked, where nothing says more."""
        policy = self.policy_of(realm)
        return Masking(redact=policy.redact) if policy else BY_DEFAULT


def seen_policy(settings: Settings) -> SeenPolicy:
    """What the policy file says, and what a team's own agents carry.

    `BadPolicy` and `BadAgent` with a sentence for what is wrong in them.
    """
    file = read_policy(path) if (path := settings.policy_file) else None
    if not settings.bot_agent:
        return SeenPolicy(shared=file, agents={SOLE: file} if file else {})
    from bot.agents.agent import Agent
    from bot.policy_at_start import whole_policy
    from bot.starting import loaded_agent

    carried: dict[AgentName, object] = {}
    for named in read_agents(settings.bot_agent):
        agent = loaded_agent(settings, named)
        carried[named.name] = agent.policy if isinstance(agent, Agent) else None
    roster = Roster(names=tuple(carried))
    said = {name: each for name, each in carried.items() if file or each is not None}
    if not said:
        return SeenPolicy(roster=roster)
    whole = whole_policy(file, said)
    return SeenPolicy(roster=roster, shared=file, agents={name: whole.of(name) for name in said})
