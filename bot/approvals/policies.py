"""Which policy holds: one for all conversations, or one for each realm."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.approvals.policy import Policy
from bot.approvals.realm import ByAgent, Realm


class Policies(Protocol):
    """Filled by a `Policy` too, which then holds for all."""

    def of(self, realm: Realm) -> Policy:
        """The one of this realm; there always is one, and where nothing is said nobody decides."""

    @property
    def every(self) -> Sequence[Policy]:
        """All of them, for what has to be guessed before it is known which one holds."""


@dataclass(frozen=True, kw_only=True)
class PolicyByAgent(ByAgent[Policy]):
    """Fills `Policies`."""

    @property
    def every(self) -> Sequence[Policy]:
        """All of them; several agents may have the same."""
        return (*self.parts.values(), self.otherwise)
