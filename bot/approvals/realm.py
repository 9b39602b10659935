"""What a conversation stands under from its first message to its end, and what is chosen by it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from bot.approvals.ids import AgentName

SOLE: Final = AgentName("")
"""The agent without a name."""

Part = TypeVar("Part")
Chosen_co = TypeVar("Chosen_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Realm:
    """Policy, tools, masking and agent are chosen by it; kept in the conversation's row, it never changes."""

    agent: AgentName = SOLE
    """Empty where a bot has, or had, one agent without a name."""


UNNAMED: Final = Realm()


class Choice(Protocol[Chosen_co]):
    """One for each realm."""

    def of(self, realm: Realm) -> Chosen_co:
        """The one of this realm."""


@dataclass(frozen=True, kw_only=True)
class ByAgent(Generic[Part]):
    """One for each agent of the settings."""

    first: AgentName
    """The agent that is meant where none is named."""
    parts: Mapping[AgentName, Part]
    otherwise: Part
    """For conversations of an agent that the settings have no more."""

    def of(self, realm: Realm) -> Part:
        """The one of this realm's agent."""
        return self.parts.get(realm.agent or self.first, self.otherwise)
