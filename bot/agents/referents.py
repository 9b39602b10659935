"""Asks a tool what its arguments point at: the function that a team put into its `metadata` as `resolve`.

`resolve(arguments)`, plain or async, gives a mapping of short names to texts, and may be asked at any time
and any number of times. Whatever it raises, and whatever else it gives, means that it could not be looked up.
"""

import asyncio
import copy
import inspect
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Final, TypeVar

import structlog
from langchain_core.tools import BaseTool

from bot.agents.failures import cut
from bot.approvals.decision import Arguments
from bot.approvals.referents import Referents, unfit

RESOLVE: Final = "resolve"

Told = TypeVar("Told")

_log = structlog.get_logger(__name__)


def resolves(tool: BaseTool | None) -> bool:
    """Whether the tool says that its arguments point at something."""
    return _resolve(tool) is not None


async def referents(tool: BaseTool | None, arguments: Arguments, *, within: float) -> Referents | None:
    """What they point at now, or why that cannot be told in so many seconds; None if it never is."""
    resolve = _resolve(tool)
    if tool is None or resolve is None:
        return None
    try:
        async with asyncio.timeout(within):
            told = await _told(resolve, copy.deepcopy(dict(arguments)))
    except TimeoutError:
        return _unknown(tool, f"it took longer than {within:g} seconds")
    except Exception as error:  # noqa: BLE001 - a team's function; whatever it raises, nothing was looked up
        return _unknown(tool, cut(str(error).encode(errors="replace").decode()) or type(error).__name__)
    problem = _misfit(told)
    return _unknown(tool, problem) if problem else Referents(texts=dict(told))


def _resolve(tool: BaseTool | None) -> Any:  # noqa: ANN401 - whatever a team wrote there
    return (tool.metadata or {}).get(RESOLVE) if tool else None


def _unknown(tool: BaseTool, problem: str) -> Referents:
    _log.warning("resolve_failed", tool=tool.name)
    return Referents(problem=problem.rstrip("."))


def _misfit(told: Any) -> str:  # noqa: ANN401 - whatever a team's function gives
    if not isinstance(told, Mapping) or not all(
        isinstance(one, str) for pair in told.items() for one in pair
    ):
        return "`resolve` told something else than names with texts"
    return unfit(told)


async def _told(resolve: Any, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever it gives
    if not callable(resolve):
        raise TypeError("`resolve` is no function")
    if inspect.iscoroutinefunction(resolve):
        return await resolve(arguments)
    told = await _in_a_thread(lambda: resolve(arguments))
    return await told if inspect.isawaitable(told) else told


async def _in_a_thread(call: Callable[[], Told]) -> Told:
    """In a thread of its own: one that never ends takes nobody's place and lets the process end."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Callable[[], Told]] = loop.create_future()

    def tell(outcome: Callable[[], Told]) -> None:
        if not ended.done():
            ended.set_result(outcome)

    def work() -> None:
        try:
            told = call()
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            outcome = _raising(error)
        else:
            outcome = _giving(told)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, outcome)

    threading.Thread(target=copy_context().run, args=(work,), name=RESOLVE, daemon=True).start()
    return (await ended)()


def _giving(told: Told) -> Callable[[], Told]:
    return lambda: told


def _raising(error: Exception) -> Callable[[], Any]:
    def again() -> Any:  # noqa: ANN401 - it gives nothing
        raise error

    return again
