"""The agent and its model, and the rules for its tools."""

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from bot.agent_names import NamedAgent
from bot.agents.agent import Agent
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.errors import BadAgent
from bot.agents.models import OFFLINE, chat_model
from bot.agents.savers import sqlite_saver
from bot.approvals.ids import AgentName
from bot.approvals.policy import QUESTION
from bot.checks.finding import Finding, Findings, Verdict
from bot.policy_at_start import WholePolicy, rule_problems, whole_policy
from bot.policy_file import BadPolicy, PolicyFile
from bot.settings import NO_POLICY, Settings
from bot.starting import built_agent, loaded_agent, named_agents

CARRIED: Final = "The policy of the agent{of} is well formed{keys}."


async def agent_findings(settings: Settings, found: dict[AgentName, BuiltAgent]) -> Findings:
    """Load and build each on checkpoints that are thrown away; what was built is put into `found`."""
    for named in named_agents(settings):
        async for finding in _agent_findings(settings, named, found):
            yield finding


async def _agent_findings(
    settings: Settings, named: NamedAgent, found: dict[AgentName, BuiltAgent]
) -> Findings:
    try:
        source = await asyncio.to_thread(loaded_agent, settings, named)
    except BadAgent as bad:
        yield Finding(Verdict.WRONG, str(bad))
        return
    of = f"{named.name}: " if named.name else ""
    model = _model(settings, source)
    yield replace(model, sentence=of + model.sentence)
    # A model that is wrong is told once, and does not keep the agent from being looked at.
    instead = settings.bot_model if model.verdict is Verdict.OK else OFFLINE
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with sqlite_saver(Path(folder) / "checkpoints.db") as saver:
                built = built_agent(named, source, saver, model=instead)
    except BadAgent as bad:
        yield Finding(Verdict.WRONG, str(bad))
        return
    found[named.name] = built
    gated = [tool for tool in built.gates or {} if tool in built.tools]
    asks = f"; people are asked about {', '.join(sorted(gated)) or 'none'}" if built.gates is not None else ""
    yield Finding(Verdict.OK, f"{of}The agent {named.source} has {len(built.tools)} tools{asks}.")
    for warning in built.warnings:
        yield Finding(Verdict.WARNING, of + warning)


def _model(settings: Settings, source: Agent | GraphBuilder) -> Finding:
    if isinstance(source, Agent) and source.model is not None:
        return Finding(Verdict.OK, "The agent names its own model.")
    if not settings.bot_model:
        if isinstance(source, Agent):
            sentence = "BOT_MODEL is not set, and the agent names no model: set it to provider:model."
            return Finding(Verdict.WRONG, sentence)
        return Finding(Verdict.OK, "BOT_MODEL is not set; the graph has to bring its own model.")
    try:
        chat_model(settings.bot_model)
    except BadAgent as bad:
        return Finding(Verdict.WRONG, str(bad))
    return Finding(Verdict.OK, f"The model {settings.bot_model} can be set up.")


def whole_findings(
    file: PolicyFile | None, agents: Mapping[AgentName, BuiltAgent], settings: Settings, *, is_missing: bool
) -> tuple[WholePolicy | None, list[Finding]]:
    """The policy with what the agents carry of it, and its rules looked at; people are looked up later.

    `is_missing` says that there is no policy file, not even one that is wrong.
    """
    if file is None and not is_missing:
        return None, []
    if file is None and not agents:
        return None, [Finding(Verdict.WRONG, NO_POLICY)]
    names = [named.name for named in named_agents(settings) if file or named.name in agents]
    carried = {name: agents[name].policy if name in agents else None for name in names}
    try:
        whole = whole_policy(file, carried)
    except BadPolicy as bad:
        return None, [Finding(Verdict.WRONG, problem) for problem in bad.problems]
    told = [Finding(Verdict.OK, note) for one in whole.agents.values() for note in one.notes]
    for name, each in carried.items():
        if each is not None:
            own = whole.agents[name].own[-1]
            of = f" {name}" if name else ""
            told.append(Finding(Verdict.OK, CARRIED.format(of=of, keys=_by_function(own))))
    return whole, [*told, *rules_findings(whole, agents)]


def _by_function(policy: PolicyFile) -> str:
    keys = sorted({key for section, _ in policy.content.sections() for key in section.functions})
    return f"; functions of it say {', '.join(keys)}" if keys else ""


def rules_findings(policy: WholePolicy, agents: Mapping[AgentName, BuiltAgent]) -> list[Finding]:
    """Rules that do nothing or are not kept: earlier ones take all of their tools, or the agent is not so.

    Of a graph of the team's own, not all tools are known.
    """
    known = {name: [*built.tools, QUESTION] for name, built in agents.items() if built.gates is not None}
    found = [Finding(Verdict.WRONG, problem) for problem in rule_problems(policy, agents)]
    if policy.shared and len(known) == len(policy.agents):
        every = [tool for tools in known.values() for tool in tools]
        found += _for_no_tool(policy.shared, "the agent" if len(known) == 1 else "any agent", every)
    for name, tools in known.items():
        told = f"the agent {name}".rstrip()
        found += [one for part in policy.agents[name].own for one in _for_no_tool(part, told, tools)]
    return found


def _for_no_tool(policy: PolicyFile, whose: str, known: list[str]) -> list[Finding]:
    return [
        Finding(Verdict.WARNING, f"{policy.name}: no tool of {whose} is called {pattern}.")
        for pattern in policy.patterns()
        if not any(fnmatchcase(tool, pattern) for tool in known)
    ]
