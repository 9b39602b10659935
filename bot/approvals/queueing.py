"""Not everything at once: only so many cards of a conversation are open, the rest waits for its turn.

What is held has rows and no card, and none of its timers runs, so that nothing expires that nobody was shown.
It is let on, oldest first, in the transaction that closes a card; the loop looks too, since a policy may have
changed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from bot.approvals import ids
from bot.approvals.approval import Approval, State
from bot.approvals.bursts import lead_for, open_cards
from bot.approvals.carding import lead_of
from bot.approvals.filing import owe_cards, redraw
from bot.approvals.ids import ApprovalId, ConversationId
from bot.approvals.policies import Policies
from bot.approvals.ports import Clock, Event, Jobs, Transaction, Work
from bot.approvals.standings import places
from bot.approvals.timers import timed


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Says which approvals have a card now."""

    jobs: Jobs
    policy: Policies
    now: Clock

    def placed(self, approval: Approval, waiting: Sequence[Approval]) -> tuple[Approval, Sequence[Work]]:
        """A new approval with the card on which it stands, or held; and its timers, if people are asked now.

        `waiting` is what waits in its conversation already.
        """
        if approval.state is State.WAITING:
            policy = self.policy.of(approval.realm)
            lead, most = lead_for(approval, waiting, policy), policy.open_cards
            is_full = any(one.held for one in waiting) or len(open_cards(waiting)) >= most
            approval = replace(approval, card=lead.id if lead else None, held=lead.held if lead else is_full)
        asked, timers = timed(approval, self.policy.of(approval.realm))
        return (replace(asked, expires_at=None, timers=()), ()) if approval.held else (asked, timers)

    async def let_on(self, tx: Transaction, those: Collection[ConversationId]) -> None:
        """Ask people about what is held in these conversations, as far as there is room."""
        for id in await tx.approvals.queues(those):
            waiting = await tx.approvals.of(id, State.WAITING)
            if not waiting:
                continue
            room = self.policy.of(waiting[0].realm).open_cards - len(open_cards(waiting))
            held = dict.fromkeys(lead_of(one) for one in waiting if one.held)
            let = frozenset(islice(held, max(room, 0)))
            for one in waiting:
                if one.held and lead_of(one) in let:
                    await self._ask(tx, one)
            if let:
                await self.tell(tx, [*waiting], let)

    async def tell(
        self, tx: Transaction, waiting: Sequence[Approval], more: Collection[ApprovalId] = ()
    ) -> None:
        """Draw again the cards that say how many wait behind them, or said it."""
        leads = [*open_cards(waiting)][-1:] + [*more][-1:]
        for lead in leads:
            for card in await tx.posts.cards(lead):
                if card.ts:
                    await self.jobs.owe(tx, redraw(card.id, f"queue-{ids.fresh()}"))

    async def _ask(self, tx: Transaction, held: Approval) -> None:
        policy = self.policy.of(held.realm)
        asked, timers = timed(replace(held, asked_at=self.now(), held=False), policy)
        await tx.approvals.let_on(asked)
        ends = asked.expires_at.isoformat() if asked.expires_at else None
        event = Event(
            kind="let_on",
            at=asked.asked_at,
            conversation=asked.conversation,
            approval=asked.id,
            detail={"expires_at": ends},
        )
        await tx.record.append(event)
        conversation = await tx.conversations.get(asked.conversation)
        if asked.card is None and conversation:
            await owe_cards(tx, self.jobs, asked, places(asked, policy, conversation))
        if timers:
            await self.jobs.owe(tx, *timers)
