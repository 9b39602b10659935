"""The public face of the approval bot: `from bot import Agent`; inside a tool, `idempotency_key`.

A policy in Python: `Policy`, `Defaults`, `Rule`, `Group`, and `ApprovalRequest` for its functions.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.agents.agent import Agent
    from bot.agents.guard import idempotency_key
    from bot.policy_python import ApprovalRequest, Defaults, Group, Policy, Rule

__all__ = [
    "Agent",
    "ApprovalRequest",
    "Defaults",
    "Group",
    "Policy",
    "Rule",
    "idempotency_key",
]

_OF_POLICY = frozenset({"ApprovalRequest", "Defaults", "Group", "Policy", "Rule"})


def __getattr__(name: str) -> object:
    """On first use: the parts that have no agent do not load LangChain."""
    if name == "Agent":
        from bot.agents.agent import Agent

        return Agent
    if name == "idempotency_key":
        from bot.agents.guard import idempotency_key

        return idempotency_key
    if name in _OF_POLICY:
        from bot import policy_python

        return getattr(policy_python, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
