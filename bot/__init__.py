"""The public face of the approval bot: `from bot import Agent`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.agents.agent import Agent

__all__ = ["Agent"]


def __getattr__(name: str) -> object:
    """`Agent`, on first use: the parts that have no agent do not load LangChain."""
    if name == "Agent":
        from bot.agents.agent import Agent

        return Agent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
