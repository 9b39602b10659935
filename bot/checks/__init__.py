"""`python -m bot check`: everything that can be wrong before the first click, looked at one by one.

Nothing is changed: no file is made, nothing is posted, no socket is opened.
"""

import os

from bot.agents.built import BuiltAgent
from bot.approvals.ids import AgentName
from bot.checks.agent import agent_findings, whole_findings
from bot.checks.finding import Finding, Findings, Verdict
from bot.checks.machine import database_finding, listening_finding, policy_findings
from bot.checks.several import several_findings
from bot.checks.slack import slack_findings
from bot.settings import BadSettings, Settings, misspelt

__all__ = ["Finding", "Verdict", "findings"]


async def findings() -> Findings:
    """Look at everything, the quick things first; no problem hides another."""
    try:
        settings = Settings.from_environment(for_slack=True)
        mended = True
        yield Finding(Verdict.OK, "The settings are complete.")
    except BadSettings as bad:
        settings, mended = bad.rest or Settings(), False
        for problem in bad.problems:
            yield Finding(Verdict.WRONG, problem)
    for problem in misspelt(os.environ):
        yield Finding(Verdict.WARNING, problem)
    policy, problems = policy_findings(settings)
    for finding in problems:
        yield finding
    agents: dict[AgentName, BuiltAgent] = {}
    async for finding in agent_findings(settings, agents):
        yield finding
    whole, more = whole_findings(policy, agents, settings, is_missing=not problems)
    for finding in more:
        yield finding
    yield await database_finding(settings)
    yield await listening_finding(settings)
    if not mended:
        yield Finding(Verdict.UNKNOWN, "Slack was not asked: the settings have to be right first.")
        return
    of_slack = several_findings if settings.is_for_several else slack_findings
    async for finding in of_slack(settings, whole):
        yield finding
