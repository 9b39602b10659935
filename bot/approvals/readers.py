"""Who has opened the whole of a call that a card shows only in part. Kept in the record alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bot.approvals.approval import Action, Approval
from bot.approvals.ids import UserId
from bot.approvals.ports import Clock, Store, Transaction
from bot.approvals.rulings import event_of

VIEWED: Final = "viewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Notes who has seen the whole, and tells it."""

    store: Store
    now: Clock

    async def opened(self, approval: Approval, actions: Iterable[Action], by: UserId) -> None:
        """This person was shown all there is of these actions, as they are asked about now."""
        async with self.store.write() as tx:
            known = await _seen(tx, approval, by)
            card = await tx.approvals.on_card(approval.id)
            owner = {action.id: one for one in card for action in one.actions}
            new = {action.id: action.asked.digest for action in actions}.items() - known
            events = (
                event_of(VIEWED, owner.get(id, approval), id, by, at=self.now(), detail={"digest": digest})
                for id, digest in sorted(new)
            )
            await tx.record.append(*events)

    async def has_opened(self, approval: Approval, action: Action, by: UserId) -> bool:
        """Whether this person has seen all of it, as it is asked about now."""
        async with self.store.read() as tx:
            return (action.id, action.asked.digest) in await _seen(tx, approval, by)


async def _seen(tx: Transaction, approval: Approval, by: UserId) -> set[tuple[str, str]]:
    lines = await tx.record.of(approval.conversation)
    return {
        (line.action or "", str(line.detail.get("digest")))
        for line in lines
        if line.kind == VIEWED and line.actor == by
    }
