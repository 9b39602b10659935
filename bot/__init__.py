"""The public face of the approval bot: `from bot import Agent`; inside a tool, `idempotency_key`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.agents.agent import Agent
    from bot.agents.guard import idempotency_key

__all__ = ["Agent", "idempotency_key"]


def __getattr__(name: str) -> object:
    """On first use: the parts that have no agent do not load LangChain."""
    if name == "Agent":
        from bot.agents.agent import Agent

        return Agent
    if name == "idempotency_key":
        from bot.agents.guard import idempotency_key

        return idempotency_key
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
