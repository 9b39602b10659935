"""Each conversation runs with its own agent: the loop is chosen by what its row says."""

from dataclasses import dataclass
from typing import Protocol

from bot.approvals.ids import ConversationId
from bot.approvals.ports import Store
from bot.approvals.realm import UNNAMED, Choice, Part


class Runner(Protocol):
    """Runs conversations, as `Running` does."""

    async def start(self, id: ConversationId) -> None:
        """Advance one that has just begun."""

    async def advance(self, id: ConversationId) -> None:
        """Take steps until it rests."""

    async def give_up(self, id: ConversationId) -> None:
        """Tell the thread that the bot itself failed."""


class Repairer(Protocol):
    """Brings conversations back, as `Repairing` does."""

    async def repair(self, id: ConversationId, wish: str) -> None:
        """Bring one back that is stuck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Fills both for all conversations."""

    store: Store
    runners: Choice[Runner]
    repairers: Choice[Repairer]

    async def start(self, id: ConversationId) -> None:
        """Advance a conversation that has just begun."""
        await (await self._of(id, self.runners)).start(id)

    async def advance(self, id: ConversationId) -> None:
        """Take steps until the conversation rests."""
        await (await self._of(id, self.runners)).advance(id)

    async def give_up(self, id: ConversationId) -> None:
        """Tell the thread that the bot itself failed."""
        await (await self._of(id, self.runners)).give_up(id)

    async def repair(self, id: ConversationId, wish: str) -> None:
        """Bring a conversation back."""
        await (await self._of(id, self.repairers)).repair(id, wish)

    async def _of(self, id: ConversationId, choice: Choice[Part]) -> Part:
        async with self.store.read() as tx:
            conversation = await tx.conversations.get(id)
        return choice.of(conversation.realm if conversation else UNNAMED)
