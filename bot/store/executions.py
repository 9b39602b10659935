"""The journal of executions, as rows."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.errors import Conflict
from bot.approvals.ids import ConversationId
from bot.approvals.journal import Call, Execution, Progress
from bot.store.rows import Values, from_json, to_json
from bot.store.tables import executions

_KEY: Final = ("conversation", "message", "call", "digest")
_PROGRESS: Final = ("progress", "attempt", "asked", "result")
_ONE: Final = [executions.c[name] == bindparam(f"the_{name}") for name in _KEY]
_ADD: Final = (
    insert(executions)
    .inline()
    .on_conflict_do_nothing(index_elements=_KEY)
    .execution_options(preserve_rowcount=True)  # tells whether it was new; else SQLAlchemy may not look
)
_GET: Final = select(executions).where(*_ONE)
_OF: Final = (
    select(executions)
    .where(executions.c.conversation == bindparam("the_conversation"))
    .order_by(executions.c.seq)
)
_SAVE: Final = (
    update(executions)
    .where(*_ONE, executions.c.version == bindparam("read"))
    .values({name: bindparam(name) for name in _PROGRESS} | {"version": executions.c.version + 1})
)
_GIVE_UP: Final = (
    update(executions)
    .where(
        executions.c.conversation == bindparam("the_conversation"),
        executions.c.progress.in_([Progress.INTENT.value, Progress.IN_DOUBT.value]),
    )
    .values(given_up=True)
)


class ExecutionRows:
    """`Executions` in one transaction."""

    __slots__ = ("_connection",)

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, call: Call, digest: str) -> Execution | None:
        """What became of this call as it was decided with this digest."""
        wanted = _place(call.conversation, call.message, call.id, digest)
        row = (await self._connection.execute(_GET, wanted)).one_or_none()
        return None if row is None else execution_of(row)

    async def add(self, execution: Execution) -> None:
        """Write a new one; `Conflict` if there is one."""
        if not (await self._connection.execute(_ADD, execution_values(execution))).rowcount:
            raise Conflict("this call is in the journal already")

    async def save(self, execution: Execution) -> None:
        """Write its progress over the version that was read; `Conflict` if the row has another by now."""
        values = execution_values(execution)
        wanted = _place(execution.conversation, execution.message, execution.call, execution.digest)
        written = await self._connection.execute(
            _SAVE, wanted | {"read": execution.version} | {name: values[name] for name in _PROGRESS}
        )
        if not written.rowcount:
            raise Conflict("the journal's entry of this call has changed")

    async def of(self, conversation: ConversationId) -> Sequence[Execution]:
        """A conversation's, oldest first."""
        rows = await self._connection.execute(_OF, {"the_conversation": conversation})
        return [execution_of(row) for row in rows]

    async def give_up_doubts(self, conversation: ConversationId) -> None:
        """Nobody will find out any more whether what may have run here has run. What is known stays."""
        await self._connection.execute(_GIVE_UP, {"the_conversation": conversation})


def _place(conversation: ConversationId, message: str, call: str, digest: str) -> Values:
    place = zip(_KEY, (conversation, message, call, digest), strict=True)
    return {f"the_{name}": value for name, value in place}


def execution_values(execution: Execution) -> Values:
    """An execution's row."""
    return {
        "conversation": execution.conversation,
        "message": execution.message,
        "call": execution.call,
        "digest": execution.digest,
        "tool": execution.tool,
        "approval": execution.approval,
        "action": execution.action,
        "progress": execution.progress.value,
        "attempt": execution.attempt,
        "asked": execution.asked,
        "result": None if execution.result is None else to_json(dict(execution.result)),
        "version": execution.version,
        "given_up": False,
    }


def execution_of(row: Row[Any]) -> Execution:
    """The execution of a row."""
    return Execution(
        conversation=row.conversation,
        message=row.message,
        call=row.call,
        digest=row.digest,
        tool=row.tool,
        approval=row.approval,
        action=row.action,
        progress=Progress(row.progress),
        attempt=row.attempt,
        asked=row.asked,
        result=None if row.result is None else from_json(row.result),
        version=row.version,
    )
