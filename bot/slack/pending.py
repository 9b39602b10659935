"""`/agent pending`: what waits for whoever asks, in a private answer. Pure words, but for reading the rows.

Slack lets nobody change such an answer later, so it has no buttons: each line leads to its card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.approvals.ids import UserId
from bot.approvals.inbox import Inbox
from bot.approvals.inboxes import Inboxes
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.realm import Choice
from bot.approvals.words import phrase, say
from bot.slack.answers import LONGEST_FALLBACK
from bot.slack.listing import OUTSIDE, Link, line, request_line

MINE: Final = phrase("Waiting for you:")
NOTHING_OF_MINE: Final = phrase("Nothing waits for you.")
ASKED_FOR: Final = phrase("What you asked for and is not finished:")
EVERY: Final = phrase("All that waits:")
NOTHING_AT_ALL: Final = phrase("Nothing waits for a decision.")
MORE: Final = phrase("… and {count} more.")
_REST: Final = 19
"""Characters that are kept for it."""
PARTIAL: Final = phrase("Slack could not say everywhere whether you may decide, so there may be more.")
UNKNOWN: Final = phrase(
    "Slack could not say who you are, so nothing is listed. Please try again in a moment."
)
FOR_OPERATORS: Final = phrase(
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
    told = _listed(say(MINE), lines, inbox.more, say(NOTHING_OF_MINE))
    if inbox.is_partial:
        told.append(say(PARTIAL))
    own = [request_line(one, address, inbox.roster) for one in inbox.requests if not one.is_finished]
    return _cut([*told, *(_listed(say(ASKED_FOR), own, 0, "") if own else ())])


def every(inbox: Inbox, address: Link) -> str:
    """What an operator is answered; everybody else is refused."""
    if no := _refused(inbox):
        return no
    if inbox.every is None:
        return say(FOR_OPERATORS)
    lines = [line(one, inbox.person, address, inbox.roster) for one in inbox.every]
    return _cut(_listed(say(EVERY), lines, inbox.total - len(lines), say(NOTHING_AT_ALL)))


def _refused(inbox: Inbox) -> str:
    if inbox.standing is None:
        return say(UNKNOWN)
    return say(OUTSIDE[inbox.standing]) if inbox.standing in OUTSIDE else ""


def _listed(title: str, lines: Sequence[str], more: int, empty: str) -> list[str]:
    if not lines:
        return [empty]
    return [title, *lines, *([say(MORE, count=f"{more:,}")] if more > 0 else [])]


def _cut(lines: Sequence[str]) -> str:
    """As many whole lines as one message takes."""
    kept: list[str] = []
    for number, each in enumerate(lines):
        if sum(map(len, kept)) + len(kept) + len(each) > LONGEST_FALLBACK - _REST:
            return "\n".join([*kept, say(MORE, count=f"{len(lines) - number:,}")])
        kept.append(each)
    return "\n".join(kept)
