"""Cards on which several approvals stand, and approvals that wait for a card: what the rows tell of them.

A burst of calls of one tool is one card. The first approval of it is the card's; the others name it, and have
no message of their own in Slack.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from bot.approvals.approval import Approval
from bot.approvals.ids import ApprovalId, ConversationId


class Carded(Protocol):
    """A part of `Approvals`."""

    async def on_card(self, id: ApprovalId) -> Sequence[Approval]:
        """All that stand on the same card as this one, itself included, the card's own first."""

    async def queues(self, conversations: Collection[ConversationId]) -> Sequence[ConversationId]:
        """Those of the conversations in which something is held, each once."""

    async def let_on(self, *approvals: Approval) -> None:
        """Write that people are asked from now on, with times and timers; as `save` does."""


def version_of(card: Collection[Approval]) -> int:
    """The version of a drawing of all that stands on one card: each change of any of them is another one.

    That of the approval where it stands alone; and one that joins is a change.
    """
    return sum(each.version + 1 for each in card) - 1


def lead_of(approval: Approval) -> ApprovalId:
    """The approval whose card it is."""
    return approval.card or approval.id
