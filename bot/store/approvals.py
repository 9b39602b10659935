"""Approvals with their actions, as rows."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, Update, bindparam, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.approval import Approval, Shape, State
from bot.approvals.errors import Conflict
from bot.approvals.ids import ActionId, ApprovalId, ConversationId
from bot.approvals.ports import Asked
from bot.store.carding import OTHERS, QUEUED, lead_of
from bot.store.copies import COPIES
from bot.store.naming import Agents
from bot.store.rows import (
    action_values,
    approval_values,
    approvals_of,
    asked_of,
    asking_values,
    progress_values,
)
from bot.store.tables import actions, approvals, conversations

_ADD: Final = (
    insert(approvals)
    .inline()
    .on_conflict_do_nothing(index_elements=["conversation", "interrupt"])
    .execution_options(preserve_rowcount=True)  # tells whether it was new; else SQLAlchemy may not look
)
_ADD_ACTIONS: Final = insert(actions).inline()

_asking, _calls = approvals.alias(), actions.alias()

# One select reads approvals with everything that belongs to them; the tests count it.
_LOAD: Final = (
    select(approvals, conversations.c.agent, actions.c.id.label("action"), actions.c.request)
    .join_from(approvals, conversations, conversations.c.id == approvals.c.conversation)
    .join(actions, actions.c.approval == approvals.c.id, isouter=True)
    .order_by(approvals.c.seq, actions.c.position)
)
_GET: Final = _LOAD.where(approvals.c.id == bindparam("wanted"))
_OF_ACTION: Final = _LOAD.where(
    approvals.c.id == select(actions.c.approval).where(actions.c.id == bindparam("wanted")).scalar_subquery()
)
# In the order of the conversations, so that two who want several do not wait for each other.
_LOCK_ASKED: Final = (
    select(conversations.c.id)
    .where(
        conversations.c.id.in_(
            select(approvals.c.conversation)
            .join(actions, actions.c.approval == approvals.c.id)
            .where(actions.c.id.in_(bindparam("wanted", expanding=True)))
        )
    )
    .order_by(conversations.c.seq)
    .with_for_update()
)
_ASKED: Final = _LOAD.where(
    approvals.c.id.in_(
        select(actions.c.approval).where(actions.c.id.in_(bindparam("wanted", expanding=True)))
    )
).add_columns(
    conversations.c.channel,
    conversations.c.thread_ts,
    conversations.c.requester,
    conversations.c.started_at,
    conversations.c.status,
    conversations.c.rested_at,
    conversations.c.forgotten,
    conversations.c.following,
    COPIES.label("cards"),
    OTHERS.label("others"),
    QUEUED.label("queued"),
)
_OF_CALL: Final = _LOAD.where(
    approvals.c.seq
    == select(func.max(_asking.c.seq))
    .join_from(_asking, _calls, _calls.c.approval == _asking.c.id)
    .where(
        _asking.c.conversation == bindparam("wanted"),
        _asking.c.shape != Shape.IN_DOUBT.value,
        _calls.c.message == bindparam("message"),
        _calls.c.call == bindparam("call"),
    )
    .scalar_subquery()
)
_OF: Final = _LOAD.where(
    approvals.c.conversation == bindparam("wanted"),
    approvals.c.state.in_(bindparam("states", expanding=True)),
)
_WAITING: Final = _LOAD.where(
    approvals.c.seq.in_(
        select(approvals.c.seq)
        .where(approvals.c.state == State.WAITING.value)
        .order_by(approvals.c.seq)
        .limit(bindparam("most"))
    )
)
_OVERDUE: Final = _LOAD.where(
    approvals.c.state == State.WAITING.value, approvals.c.expires_at <= bindparam("at")
)
_SAVE: Final = (
    update(approvals)
    .where(approvals.c.id == bindparam("wanted"), approvals.c.version == bindparam("read"))
    .values(
        state=bindparam("state"),
        outcomes=bindparam("outcomes"),
        note=bindparam("note"),
        escalated_to=bindparam("escalated_to"),
        version=approvals.c.version + 1,
    )
)
_ON_CARD: Final = _LOAD.where(
    or_(approvals.c.id == lead_of(bindparam("wanted")), approvals.c.card == lead_of(bindparam("wanted")))
)
_QUEUES: Final = (
    select(approvals.c.conversation)
    .where(
        approvals.c.conversation.in_(bindparam("wanted", expanding=True)),
        approvals.c.state == State.WAITING.value,
        approvals.c.held.is_(True),
    )
    .distinct()
)
_LET_ON: Final = _SAVE.values(
    {name: bindparam(name) for name in ("asked_at", "expires_at", "timers", "held")}
)


class ApprovalRows:
    """`Approvals` in one transaction."""

    __slots__ = ("_agents", "_connection", "_locking")

    def __init__(self, connection: AsyncConnection, agents: Agents, *, locking: bool = False) -> None:
        self._connection = connection
        self._agents = agents
        self._locking = locking

    async def add(self, approval: Approval) -> bool:
        """Write a new one; False if this conversation's interrupt has one already."""
        added = (await self._connection.execute(_ADD, approval_values(approval))).rowcount == 1
        if added and approval.actions:
            await self._connection.execute(_ADD_ACTIONS, action_values(approval))
        return added

    async def get(self, id: ApprovalId) -> Approval | None:
        """The one with this id."""
        return await self._one(_GET, {"wanted": id})

    async def of_action(self, id: ActionId) -> Approval | None:
        """The one that has this action."""
        return await self._one(_OF_ACTION, {"wanted": id})

    async def asked(self, ids: Sequence[ActionId]) -> Mapping[ActionId, Asked]:
        """By action, the approval that has it, with its conversation and its cards, in one reading."""
        if self._locking:
            # First and by itself: the reading then sees what those wrote who had the lock before.
            await self._connection.execute(_LOCK_ASKED, {"wanted": ids})
        found = asked_of(await self._connection.execute(_ASKED, {"wanted": ids}))
        for one in found.values():
            self._agents.learn(one.conversation)
        return found

    async def of_call(self, conversation: ConversationId, message: str, call: str) -> Approval | None:
        """The latest one in which people were asked whether this tool call may run."""
        return await self._one(_OF_CALL, {"wanted": conversation, "message": message, "call": call})

    async def of(self, conversation: ConversationId, *states: State) -> Sequence[Approval]:
        """A conversation's, oldest first; of these states, or all."""
        wanted = [state.value for state in states or tuple(State)]
        return await self._all(_OF, {"wanted": conversation, "states": wanted})

    async def waiting(self, limit: int = 100) -> Sequence[Approval]:
        """All that wait for people, oldest first."""
        return await self._all(_WAITING, {"most": limit})

    async def overdue(self, at: datetime) -> Sequence[Approval]:
        """All that wait although their deadline has passed."""
        return await self._all(_OVERDUE, {"at": at})

    async def save(self, *approvals: Approval) -> None:
        """Write states and outcomes over the versions that were read; each has the next version then.

        Raises `Conflict` if a row has another version by now; then the transaction is to be rolled back.
        """
        await self._write(_SAVE, [_over(one) for one in approvals])

    async def on_card(self, id: ApprovalId) -> Sequence[Approval]:
        """All that stand on the same card as this one, itself included, the card's own first."""
        return await self._all(_ON_CARD, {"wanted": id})

    async def queues(self, conversations: Collection[ConversationId]) -> Sequence[ConversationId]:
        """Those of the conversations in which something is held, each once."""
        if not conversations:
            return ()
        found = await self._connection.execute(_QUEUES, {"wanted": [*conversations]})
        return [ConversationId(id) for id in found.scalars()]

    async def let_on(self, *approvals: Approval) -> None:
        """Write that people are asked from now on, with times and timers; as `save` does."""
        await self._write(_LET_ON, [_over(one) | asking_values(one) for one in approvals])

    async def _write(self, statement: Update, rows: Sequence[Mapping[str, Any]]) -> None:
        written = await self._connection.execute(statement, rows)
        if written.rowcount != len(rows):
            raise Conflict(f"{len(rows) - written.rowcount} of {len(rows)} approvals have changed")

    async def _one(self, statement: Select[Any], wanted: Mapping[str, str]) -> Approval | None:
        found = await self._all(statement, wanted)
        return found[0] if found else None

    async def _all(self, statement: Select[Any], wanted: Mapping[str, object]) -> Sequence[Approval]:
        return approvals_of(await self._connection.execute(statement, wanted))


def _over(approval: Approval) -> dict[str, Any]:
    return {"wanted": approval.id, "read": approval.version} | progress_values(approval)
