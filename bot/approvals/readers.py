"""Who has opened the whole of a call that a card shows only in part. Kept in the record alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.approval import Action, Approval
from bot.approvals.ids import ActionId, UserId
from bot.approvals.ports import Clock, Event, Store, Transaction
from bot.approvals.rulings import event_of
from bot.approvals.together import Pair

VIEWED: Final = "viewed"
OPENED: Final = "opened"
"""Some of it was shown to one person, in a form or a view; ids and digests are kept, no values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Notes who has seen the whole, and tells it."""

    store: Store
    now: Clock

    async def opened(self, approval: Approval, actions: Iterable[Action], by: UserId) -> None:
        """This person was shown all there is of these actions, as they are asked about now."""
        await self._note(VIEWED, [(approval, action) for action in actions], by)

    async def shown(self, pairs: Iterable[Pair], by: UserId) -> None:
        """This person was shown these actions as they are asked about now, somewhere but on a card."""
        await self._note(OPENED, [*pairs], by)

    async def has_opened(self, approval: Approval, action: Action, by: UserId) -> bool:
        """Whether this person has seen all of it, as it is asked about now."""
        return action.id in await self.opened_of([(approval, action)], by)

    async def opened_of(self, pairs: Sequence[Pair], by: UserId) -> frozenset[ActionId]:
        """Those of these of which this person has seen all, as they are asked about now."""
        async with self.store.read() as tx:
            seen = await _seen(tx, VIEWED, pairs, by)
        return frozenset(action.id for _, action in pairs if (action.id, action.asked.digest) in seen)

    async def _note(self, kind: str, pairs: Sequence[Pair], by: UserId) -> None:
        """A line for each of them, once for each person and edition."""
        async with self.store.read() as tx:
            if not await self._new(tx, kind, pairs, by):
                return
        async with self.store.write() as tx:
            new = await self._new(tx, kind, pairs, by)
            await tx.record.append(*new)

    async def _new(self, tx: Transaction, kind: str, pairs: Sequence[Pair], by: UserId) -> list[Event]:
        known = await _seen(tx, kind, pairs, by)
        owner = {
            action.id: each
            for approval in {pair[0].id: pair[0] for pair in pairs}.values()
            for each in await tx.approvals.on_card(approval.id)
            for action in each.actions
        }
        return [
            event_of(
                kind,
                owner.get(action.id, approval),
                action.id,
                by,
                at=self.now(),
                detail={"digest": action.asked.digest},
            )
            for approval, action in pairs
            if (action.id, action.asked.digest) not in known
        ]


async def _seen(tx: Transaction, kind: str, pairs: Sequence[Pair], by: UserId) -> set[tuple[str, str]]:
    lines = [
        line
        for conversation in dict.fromkeys(approval.conversation for approval, _ in pairs)
        for line in await tx.record.of(conversation)
    ]
    return {
        (line.action or "", str(line.detail.get("digest")))
        for line in lines
        if line.kind == kind and line.actor == by
    }
