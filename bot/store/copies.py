"""The cards of an approval in one column, read with the approval: no trip more, and no argument twice."""

from operator import itemgetter
from typing import Final

from sqlalchemy import String, func, literal_column, select

from bot.approvals.conversation import PostKind, PostState
from bot.approvals.ids import ChannelId, PostId, Ts
from bot.approvals.places import Copy
from bot.store.tables import approvals, posts

# Tabs between what belongs to a card, and a line for each: neither is in an id.
_TAB: Final = literal_column("'\t'", String)
_NONE: Final = literal_column("''", String)
_TOLD: Final = (
    posts.c.id
    + _TAB
    + posts.c.place
    + _TAB
    + func.coalesce(posts.c.channel, _NONE)
    + _TAB
    + func.coalesce(posts.c.ts, _NONE)
    + _TAB
    + posts.c.state
)

COPIES: Final = (
    select(func.aggregate_strings(_TOLD, "\n"))
    .where(
        posts.c.approval == func.coalesce(approvals.c.card, approvals.c.id),
        posts.c.kind == PostKind.CARD.value,
    )
    .scalar_subquery()
)
"""The column; null without a card."""


def copies_of(told: str | None) -> tuple[Copy, ...]:
    """The cards of the column, the one in the thread first."""
    cards = [line.split("\t") for line in (told or "").split("\n") if line]
    return tuple(
        Copy(
            post=PostId(id),
            place=place,
            channel=ChannelId(channel) if channel else None,
            ts=Ts(ts) if ts else None,
            is_sent=PostState(state) is not PostState.OWED,
        )
        for id, place, channel, ts, state in sorted(cards, key=itemgetter(1))
    )
