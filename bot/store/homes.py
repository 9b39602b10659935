"""Home tabs as rows, and what is looked through for them: thousands of approvals in a few statements."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Row, bindparam, delete, func, select
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.approval import State
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Edit
from bot.approvals.homes import MOST_FRESH, Glimpse, GlimpsedAction, Home, Said
from bot.approvals.ids import ActionId, ConversationId, UserId
from bot.store.progress import progress_from_json
from bot.store.rows import from_json, realm_of, to_json
from bot.store.tables import actions, approvals, audit, conversations, homes, messages

_GET: Final = select(homes).where(homes.c.person == bindparam("wanted"))
_GET_LOCKED: Final = _GET.with_for_update()
_NEW: Final = insert(homes).inline()
_CHANGES: Final = ("opened_at", "view", "round", "began_at", "drawn", "seen")
_SAVE: Final = _NEW.on_conflict_do_update(
    index_elements=["person"], set_={name: _NEW.excluded[name] for name in _CHANGES}
)
_SINCE: Final = (
    select(homes)
    .where(homes.c.opened_at >= bindparam("since"))
    .order_by(homes.c.opened_at.desc())
    .limit(bindparam("most"))
)
_FORGET: Final = delete(homes).where(homes.c.opened_at < bindparam("before"))
_WAITING: Final = (
    select(
        approvals.c.seq,
        approvals.c.id,
        approvals.c.conversation,
        approvals.c.requesters,
        approvals.c.escalated_to,
        approvals.c.outcomes,
        approvals.c.held,
        conversations.c.channel,
        conversations.c.agent,
        actions.c.id.label("action"),
        actions.c.tool,
        actions.c.chosen,
    )
    .join_from(approvals, conversations, conversations.c.id == approvals.c.conversation)
    .join(actions, actions.c.approval == approvals.c.id)
    .where(
        approvals.c.seq.in_(
            select(approvals.c.seq)
            .where(approvals.c.state == State.WAITING.value, approvals.c.seq > bindparam("after"))
            .order_by(approvals.c.seq)
            .limit(bindparam("most"))
        )
    )
    .order_by(approvals.c.seq, actions.c.position)
)
_DECIDED: Final = (
    select(audit.c.action, audit.c.at)
    .where(
        audit.c.actor == bindparam("by"),
        audit.c.kind.in_(["decided", "voted"]),
        audit.c.action.is_not(None),
    )
    .order_by(audit.c.seq.desc())
    .limit(bindparam("most"))
)
_FIRST_WORDS: Final = select(messages.c.conversation, messages.c.text).where(
    messages.c.seq.in_(
        select(func.min(messages.c.seq))
        .where(messages.c.conversation.in_(bindparam("wanted", expanding=True)))
        .group_by(messages.c.conversation)
    )
)
_ENDED: Final = frozenset({"decision", "expired", "let_through"})
"""Of these an action's progress has one, once it has an outcome."""


class HomeRows:
    """`Homes` in one transaction."""

    __slots__ = ("_connection", "_get")

    def __init__(self, connection: AsyncConnection, *, locking: bool = False) -> None:
        self._connection = connection
        self._get = _GET_LOCKED if locking else _GET

    async def get(self, person: UserId) -> Home | None:
        """This person's, if it was ever opened."""
        row = (await self._connection.execute(self._get, {"wanted": person})).one_or_none()
        return None if row is None else _home_of(row)

    async def save(self, home: Home) -> None:
        """Write it, over the one that is there."""
        await self._connection.execute(_SAVE, _values(home))

    async def opened_since(self, at: datetime, limit: int = MOST_FRESH) -> Sequence[Home]:
        """Those that were opened since then, the latest first."""
        rows = await self._connection.execute(_SINCE, {"since": at, "most": limit})
        return [_home_of(row) for row in rows]

    async def forget(self, before: datetime) -> None:
        """Those that were opened before then are nobody's any more."""
        await self._connection.execute(_FORGET, {"before": before})

    async def waiting(self, after: int, limit: int) -> Sequence[Glimpse]:
        """The next so many approvals that wait, oldest first, behind the one with this place."""
        rows: Iterable[Row[Any]] = await self._connection.execute(_WAITING, {"after": after, "most": limit})
        return [_glimpse(list(group)) for _, group in groupby(rows, key=attrgetter("id"))]

    async def decided(self, by: UserId, limit: int) -> Sequence[Said]:
        """What this person decided last, the latest first; an action as often as it was voted about."""
        rows = await self._connection.execute(_DECIDED, {"by": by, "most": limit})
        return [Said(action=ActionId(row.action), at=row.at) for row in rows]

    async def first_words(self, ids: Collection[ConversationId]) -> Mapping[ConversationId, str]:
        """What each of these conversations began with, as far as that is kept."""
        rows = await self._connection.execute(_FIRST_WORDS, {"wanted": [*ids]})
        return {ConversationId(row.conversation): row.text for row in rows}


def _values(home: Home) -> dict[str, Any]:
    return {
        "person": home.person,
        "opened_at": home.opened_at,
        "view": home.view,
        "round": home.round,
        "began_at": home.began_at,
        "drawn": home.drawn,
        "seen": to_json({str(id): version for id, version in home.seen.items()}),
    }


def _home_of(row: Row[Any]) -> Home:
    return Home(
        person=UserId(row.person),
        opened_at=row.opened_at,
        view=row.view,
        round=row.round,
        began_at=row.began_at,
        drawn=row.drawn,
        seen=from_json(row.seen),
    )


def _glimpse(rows: Sequence[Row[Any]]) -> Glimpse:
    first = rows[0]
    outcomes = {} if first.outcomes == "{}" else from_json(first.outcomes)
    return Glimpse(
        seq=first.seq,
        id=first.id,
        held=bool(first.held),
        conversation=first.conversation,
        channel=first.channel,
        realm=realm_of(first),
        requesters=frozenset(map(UserId, from_json(first.requesters))),
        escalated_to=frozenset(map(UserId, from_json(first.escalated_to))),
        open=tuple(
            _glimpsed(row, told) for row in rows if _ENDED.isdisjoint(told := outcomes.get(row.action, {}))
        ),
    )


def _glimpsed(row: Row[Any], told: Mapping[str, Any]) -> GlimpsedAction:
    id = ActionId(row.action)
    own = (row.tool, None if row.chosen is None else Chosen.from_json(from_json(row.chosen)))
    if not told:
        return GlimpsedAction(id=id, own=own, now=own)
    _, votes, _ = progress_from_json(told, "")
    edits = (
        (vote.decision.tool or row.tool, vote.chosen) for vote in votes if isinstance(vote.decision, Edit)
    )
    return GlimpsedAction(id=id, own=own, now=next(edits, own), voted=frozenset(vote.by for vote in votes))
