"""Calls a function that a team wrote, plain or async, and waits for so long and no longer."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

Told = TypeVar("Told")


async def answer_of(function: object, question: object, *, within: float) -> Any:  # noqa: ANN401 - whatever it gives
    """What it gives; raises what it raises, and `TimeoutError` after so many seconds.

    A plain one runs in a thread of its own, which goes on after that but keeps nobody waiting.
    """
    async with asyncio.timeout(within):
        return await _told(function, question)


async def _told(function: Any, question: object) -> Any:  # noqa: ANN401 - whatever a team wrote, and what it gives
    if not callable(function):
        raise TypeError("`resolve` is no function")
    if inspect.iscoroutinefunction(function):
        return await function(question)
    told = await _in_a_thread(lambda: function(question))
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

    threading.Thread(
        target=copy_context().run, args=(work,), name="function of the team", daemon=True
    ).start()
    return (await ended)()


def _giving(told: Told) -> Callable[[], Told]:
    return lambda: told


def _raising(error: Exception) -> Callable[[], Any]:
    def again() -> Any:  # noqa: ANN401 - it gives nothing
        raise error

    return again
