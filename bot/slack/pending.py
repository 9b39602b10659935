"""`/agent pending`: what waits for whoever asks, in a private answer. Pure words, but for reading the rows.

Slack lets nobody change such an answer later, so it has no buttons: each line leads to its card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.ids import UserId
from bot.approvals.inbox import Inbox, Inboxes
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.person import Standing
from bot.approvals.realm import Choice
from bot.slack.answers import LONGEST_FALLBACK
from bot.slack.home import OUTSIDE, Link, line, request_line

MINE: Final = "Waiting for you:"
NOTHING_OF_MINE: Final = "Nothing waits for you."
ASKED_FOR: Final = "What you asked for and is not finished:"
EVERY: Final = "All that waits:"
NOTHING_AT_ALL: Final = "Nothing waits for a decision."
MORE: Final = "… and {count} more."
PARTIAL: Final = "Slack could not say everywhere whether you may decide, so there may be more."
UNKNOWN: Final = "Slack could not say who you are, so nothing is listed. Please try again in a moment."
FOR_OPERATORS: Final = (
    "Only operators may list all that waits, and the policy names you as none. "
    "*/agent pending* lists what waits for you."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Answers the command."""

    inboxes: Inboxes
    address: Link
    masking: Choice[Masking] = BY_DEFAULT

    async def mine(self, by: UserId) -> str:
        """What waits for this person, and what of their own is not finished."""
        return mine(await self._of(by), self.address)

    async def every(self, by: UserId) -> str:
        """All that waits, for an operator."""
        return every(await self._of(by), self.address)

    async def _of(self, by: UserId) -> Inbox:
        return (await self.inboxes.of(by)).masked(self.masking)


def mine(inbox: Inbox, address: Link) -> str:
    """What one person is answered."""
    if no := _refused(inbox):
        return no
    lines = [line(one.asked, inbox.person, address, inbox.roster, actions=one.open) for one in inbox.waiting]
    told = _listed(MINE, lines, inbox.more, NOTHING_OF_MINE)
    if inbox.is_partial:
        told.append(PARTIAL)
    own = [request_line(one, address, inbox.roster) for one in inbox.requests if not one.is_finished]
    return _cut([*told, *(_listed(ASKED_FOR, own, 0, "") if own else ())])


def every(inbox: Inbox, address: Link) -> str:
    """What an operator is answered; everybody else is refused."""
    if no := _refused(inbox):
        return no
    if inbox.every is None:
        return FOR_OPERATORS
    lines = [line(one, inbox.person, address, inbox.roster) for one in inbox.every]
    return _cut(_listed(EVERY, lines, inbox.total - len(lines), NOTHING_AT_ALL))


def _refused(inbox: Inbox) -> str:
    if inbox.standing is None:
        return UNKNOWN
    return OUTSIDE.get(inbox.standing, "") if inbox.standing is not Standing.MEMBER else ""


def _listed(title: str, lines: Sequence[str], more: int, empty: str) -> list[str]:
    if not lines:
        return [empty]
    return [title, *lines, *([MORE.format(count=f"{more:,}")] if more > 0 else [])]


def _cut(lines: Sequence[str]) -> str:
    """As many whole lines as one message takes."""
    kept: list[str] = []
    for number, each in enumerate(lines):
        if sum(map(len, kept)) + len(kept) + len(each) > LONGEST_FALLBACK - len(MORE):
            return "\n".join([*kept, MORE.format(count=f"{len(lines) - number:,}")])
        kept.append(each)
    return "\n".join(kept)
