"""Whoever asked hears once what was decided, where they would not see it anyway."""

from collections.abc import Collection, Sequence
from typing import Final

from bot.approvals.action import Action, Decided
from bot.approvals.approval import Approval, State
from bot.approvals.bursts import merged
from bot.approvals.carding import lead_of
from bot.approvals.conversation import Post, PostKind
from bot.approvals.decision import Reject
from bot.approvals.filing import owe
from bot.approvals.ids import PostId, UserId
from bot.approvals.places import Copy
from bot.approvals.ports import Asked, Jobs, Transaction

NAME: Final = "outcome"
"""Begins the id of the post, which the card's approval ends: it is owed once, whoever settles what."""


async def owe_outcome(tx: Transaction, jobs: Jobs, settled: Approval, asked: Asked) -> None:
    """Owe the thread what became of all that stands on the card, once the last of it is settled.

    Whoever settles something has the conversation's row to themselves, so one of them sees it all settled.
    """
    card = await tx.approvals.on_card(settled.id) if asked.others else [settled]
    await owe_outcome_of(tx, jobs, card, asked.cards)


async def owe_outcome_of(
    tx: Transaction, jobs: Jobs, card: Sequence[Approval], copies: Collection[Copy]
) -> None:
    """The same, of all that stands on a card as it is now, and of the copies of it."""
    if any(one.state is State.WAITING for one in card):
        return
    one = merged(card)
    if not (is_news(one, copies) and hearers(one) and any(action.decided for action in one.actions)):
        return
    lead = lead_of(card[0])
    post = Post(
        id=PostId(f"{NAME}:{lead}"),
        conversation=one.conversation,
        kind=PostKind.OUTCOME,
        approval=lead,
    )
    await owe(tx, jobs, post)


def is_news(card: Approval, copies: Collection[Copy]) -> bool:
    """Whether the thread has no card that shows it, or it is a no, which is not to be overlooked."""
    no = any(action.decided and isinstance(action.decided.decision, Reject) for action in card.actions)
    return no or not any(copy.place == "" for copy in copies)


def hearers(card: Approval) -> frozenset[UserId]:
    """Who asked and is to hear it: nobody who decided all of it alone."""
    took_part = frozenset(who for action in card.actions for who in _deciders(action))
    return card.requesters - took_part if len(took_part) == 1 else card.requesters


def _deciders(action: Action) -> frozenset[UserId]:
    if not isinstance(action.outcome, Decided):
        return frozenset()
    return frozenset(vote.by for vote in action.votes) | {action.outcome.by}
