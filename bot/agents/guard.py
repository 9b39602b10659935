"""The guard at the tool's door: the last thing between an approval and its tool.

Innermost of all middleware, so that what it looks at is what runs. It asks the journal whether people let
this very call run and whether it ran already, writes what it is about to do, lets it happen, and writes the
result. What it looks at is a copy that nobody else holds, and that copy is what the tool gets. A tool may
say of itself, in its `metadata`:

    "resolve": f          f(arguments), plain or async, tells what they point at, in short names and texts:
                          `{"path notes.txt": "sha256 1a2b…"}`. People see it, and it is part of what they
                          decide about. It is looked up again before the agent is told of the decision, and
                          here, right before the tool; if it is another by then, the tool does not run.
    "repeatable": True    running it again does no harm, so after a crash it simply runs again
    "reconcile": f        f(arguments), plain or async, tells after a crash whether it ran: what it returned,
                          as text, if it did; False if it did not; None if that cannot be told
"""

import asyncio
import copy
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Annotated, Any, Final, NotRequired, TypeAlias, assert_never
from weakref import WeakValueDictionary

import structlog
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import AgentState, PrivateStateAttr, ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt

from bot.agents.doubts import Again, Late, Ran, Skip, question, resolution_from
from bot.agents.failures import cut
from bot.agents.feedback import USUAL, Feedback
from bot.agents.gates import Gate
from bot.agents.messages import message_with
from bot.agents.referents import referents
from bot.agents.results import kept, recorded, refused, reported
from bot.agents.verdicts import was_asked
from bot.approvals import tenure
from bot.approvals.ids import ConversationId
from bot.approvals.journal import Ask, Call, Execution, Free, Refuse, Return, Run, Why
from bot.approvals.lookups import AT_HAND
from bot.approvals.ports import Journal
from bot.approvals.referents import Referents

Result: TypeAlias = ToolMessage | Command[Any]
Handler: TypeAlias = Callable[[ToolCallRequest], Awaitable[Result]]
Settled: TypeAlias = Run | Return | Refuse

JOURNAL_KEY: Final = "approval_journal"
"""A state key that shows from outside that a graph contains the guard."""

_key: ContextVar[str] = ContextVar("approval_bot_idempotency_key", default="")
_log = structlog.get_logger(__name__)


def idempotency_key() -> str:
    """For services that take such a key: inside a tool that people let run, the same for every attempt at
    this call and for no other, 32 hexadecimal digits. Empty anywhere else.
    """  # noqa: D205 - one sentence
    return _key.get()


class JournalState(AgentState[Any]):
    """The thread's state with a key that is never written."""

    approval_journal: NotRequired[Annotated[bool, PrivateStateAttr]]


class Guard(AgentMiddleware[Any, Any, Any]):
    """Lets a call through if people let it, once. Listed last."""

    state_schema = JournalState

    def __init__(
        self, journal: Journal, gates: Mapping[str, Gate] | None = None, feedback: Feedback = USUAL
    ) -> None:
        super().__init__()
        self._feedback = feedback
        self._journal = journal
        self._gates = gates or {}
        # Two runs of one thread at once are a fault of the caller; still the tool runs once.
        self._locks: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Handler) -> Result:
        """The tool's result, the recorded one, or the sentence that says why it did not run."""
        request = _own(request)
        call = _call(request)
        lock = self._locks.setdefault((call.conversation, call.message, call.id), asyncio.Lock())
        async with lock:
            call = replace(call, referents=await self._pointed(request, call))
            step = await self._journal.begin(
                call, needs_person=self._needs_person(request, call), repeatable=_is_repeatable(request.tool)
            )
            if isinstance(step, Run):
                _replay(call, step.execution)
            elif isinstance(step, Ask):
                step = await self._settled(request, call, step.execution)
            return await self._do(step, request, call, handler)

    async def _pointed(self, request: ToolCallRequest, call: Call) -> Referents | None:
        """What it points at as of now, as late as possible: after this only the intent is written."""
        if was_asked(request.state, request.tool_call) is False:
            return None  # it was let through: there is nothing to compare it with
        return await referents(request.tool, call.arguments, within=AT_HAND)

    def _needs_person(self, request: ToolCallRequest, call: Call) -> bool:
        """What the gate says: the kept verdict, and without one whether there is a gate."""
        asked = was_asked(request.state, request.tool_call)
        return call.tool in self._gates if asked is None else asked

    async def _do(
        self, step: Free | Settled, request: ToolCallRequest, call: Call, handler: Handler
    ) -> Result:
        match step:
            case Free():
                tenure.check()
                return await handler(request)
            case Run(execution=execution):
                return await self._run(execution, request, handler)
            case Return(execution=execution):
                return recorded(execution, call)
            case Refuse(why=Why.SKIPPED as why):
                return refused(call, why, self._feedback.of_skipped(call.tool))
            case Refuse(why=why):
                return refused(call, why)
            case _:
                assert_never(step)

    async def _run(self, execution: Execution, request: ToolCallRequest, handler: Handler) -> Result:
        tenure.check()  # a freeze may lie between the intent and here: others may ask about it by now
        try:
            with _readable(execution.key):
                result = await handler(request)
        except GraphBubbleUp:
            await self._noted(self._journal.pause(execution))
            raise
        except Exception as error:
            await self._noted(self._journal.fail(execution, cut(str(error)) or type(error).__name__))
            raise
        await self._noted(self._journal.finish(execution, kept(result, call=execution.call)))
        return result

    async def _noted(self, writing: Awaitable[None]) -> None:
        """Write what happened. It happened, whether or not it can be written; unwritten it stays in doubt."""
        try:
            await writing
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not hide what the tool did
            _log.error("journal_not_written", error=type(error).__name__)

    async def _settled(self, request: ToolCallRequest, call: Call, execution: Execution) -> Settled:
        """What the tool itself, or people, say of a call that may have run."""
        if told := await self._reconciled(request, call, execution):
            return told
        _replay(call, execution)
        resolution = resolution_from(interrupt(question(call)))
        match resolution:
            case Ran(result=result):
                return Return(await self._journal.ran(execution, reported(result), by="people"))
            case Again():
                return Run(await self._journal.again(execution, by="people"))
            case Skip():
                await self._journal.skip(execution)
                return Refuse(Why.SKIPPED)
            case Late():
                return Refuse(Why.LATE)
            case None:
                # The answer to a question of the tool's own, which it asked before the process died.
                return Refuse(Why.DOUBT)
            case _:
                assert_never(resolution)

    async def _reconciled(self, request: ToolCallRequest, call: Call, execution: Execution) -> Settled | None:
        reconcile = _metadata(request.tool).get("reconcile")
        if not callable(reconcile):
            return None
        try:
            told = reconcile(copy.deepcopy(dict(call.arguments)))
            told = await told if inspect.isawaitable(told) else told
        except Exception as error:  # noqa: BLE001 - a team's function; whatever it raises, people are asked
            _log.warning("reconcile_failed", tool=call.tool, error=type(error).__name__)
            return None
        match told:
            case str():
                return Return(await self._journal.ran(execution, reported(told), by="tool"))
            case False:
                return Run(await self._journal.again(execution, by="tool"))
            case None:
                return None
            case _:
                _log.warning("reconcile_unclear", tool=call.tool, told=type(told).__name__)
                return None


def _replay(call: Call, execution: Execution) -> None:
    """Take the answers that people gave to earlier questions about this call out of the way.

    LangGraph gives a task its answers again from the first on, in the order of its interrupts.
    """
    for _ in range(execution.asked):
        interrupt(question(call))


def _own(request: ToolCallRequest) -> ToolCallRequest:
    """The request with arguments that nobody else can change, between the look at them and the tool."""
    try:
        arguments = _copied(request.tool_call["args"])
    except RecursionError:
        return request  # it is in itself, so it has no digest and nobody was asked about it
    return request.override(tool_call={**request.tool_call, "args": arguments})


def _copied(value: Any) -> Any:  # noqa: ANN401 - any JSON, and whatever a middleware puts there
    match value:
        case dict():
            return {name: _copied(item) for name, item in value.items()}
        case list() | tuple():
            return (
                [_copied(item) for item in value] if isinstance(value, list) else tuple(map(_copied, value))
            )
        case _:
            return value


def _call(request: ToolCallRequest) -> Call:
    told = request.tool_call
    message = message_with(request.state, told["id"])
    return Call(
        conversation=ConversationId(str(request.runtime.config["configurable"]["thread_id"])),
        message=message or "",
        id=told["id"] or "",
        tool=told["name"],
        arguments=told["args"],
    )


@contextmanager
def _readable(key: str) -> Iterator[None]:
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)


def _metadata(tool: BaseTool | None) -> Mapping[str, Any]:
    return (tool.metadata if tool else None) or {}


def _is_repeatable(tool: BaseTool | None) -> bool:
    return _metadata(tool).get("repeatable") is True
