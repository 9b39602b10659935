"""The agent and its model, and the rules for its tools."""

import asyncio
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from bot.agents.agent import Agent
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.errors import BadAgent
from bot.agents.models import OFFLINE, chat_model
from bot.agents.savers import sqlite_saver
from bot.approvals.policy import QUESTION
from bot.checks.finding import Finding, Findings, Verdict
from bot.policy_file import BadPolicy, PolicyFile
from bot.policy_of_agent import notes
from bot.settings import NO_POLICY, Settings
from bot.starting import agent_name, built_agent, loaded_agent, rule_problems, whole_policy

CARRIED: Final = "The policy of the agent is well formed{keys}."


async def agent_findings(settings: Settings, found: list[BuiltAgent]) -> Findings:
    """Load and build it on checkpoints that are thrown away; what was built is put into `found`."""
    name = agent_name(settings)
    try:
        source = await asyncio.to_thread(loaded_agent, settings)
    except BadAgent as bad:
        yield Finding(Verdict.WRONG, str(bad))
        return
    yield (model := _model(settings, source))
    # A model that is wrong is told once, and does not keep the agent from being looked at.
    instead = settings.bot_model if model.verdict is Verdict.OK else OFFLINE
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with sqlite_saver(Path(folder) / "checkpoints.db") as saver:
                built = built_agent(settings, source, saver, model=instead)
    except BadAgent as bad:
        yield Finding(Verdict.WRONG, str(bad))
        return
    found.append(built)
    gated = [tool for tool in built.gates or {} if tool in built.tools]
    asks = f"; people are asked about {', '.join(sorted(gated)) or 'none'}" if built.gates is not None else ""
    yield Finding(Verdict.OK, f"The agent {name} has {len(built.tools)} tools{asks}.")
    for warning in built.warnings:
        yield Finding(Verdict.WARNING, warning)


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
    file: PolicyFile | None, agents: list[BuiltAgent], *, is_missing: bool
) -> tuple[PolicyFile | None, list[Finding]]:
    """The policy with what the agent carries of it, and its rules looked at; people are looked up later.

    `is_missing` says that there is no policy file, not even one that is wrong.
    """
    if file is None and not is_missing:
        return None, []
    if not agents:
        return file, [] if file else [Finding(Verdict.WRONG, NO_POLICY)]
    try:
        whole = whole_policy(file, agents[0].policy)
    except BadPolicy as bad:
        return None, [Finding(Verdict.WRONG, problem) for problem in bad.problems]
    told = [Finding(Verdict.OK, note) for note in notes(whole)]
    if agents[0].policy is not None:
        told.append(Finding(Verdict.OK, CARRIED.format(keys=_by_function(whole))))
    return whole, [*told, *rules_findings(whole, agents[0])]


def _by_function(policy: PolicyFile) -> str:
    keys = sorted({key for section, _ in policy.content.sections() for key in section.functions})
    return f"; functions of it say {', '.join(keys)}" if keys else ""


def rules_findings(policy: PolicyFile, agent: BuiltAgent) -> list[Finding]:
    """Rules that do nothing or are not kept: earlier ones take all of their tools, or the agent is not so.

    Of a graph of the team's own, not all tools are known.
    """
    if agent.gates is None:
        return []
    known = [*agent.tools, QUESTION]
    return [
        *(Finding(Verdict.WRONG, problem) for problem in rule_problems(policy, agent)),
        *_for_no_tool(policy, known),
    ]


def _for_no_tool(policy: PolicyFile, known: list[str]) -> list[Finding]:
    return [
        Finding(Verdict.WARNING, f"{policy.name}: no tool of the agent is called {pattern}.")
        for pattern in policy.patterns()
        if not any(fnmatchcase(tool, pattern) for tool in known)
    ]
