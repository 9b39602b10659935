"""Takes a payload through Bolt, and has the answer at the moment when a listener acks.

Bolt either waits until a listener has done everything, or looks every 10 ms whether it has acked. Here the
ack itself brings the answer, and what a listener does after it goes on beside.
"""

import asyncio
from functools import partial
from typing import Any, Final

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltRequest
from slack_bolt.response import BoltResponse

_under_way: Final = set[asyncio.Task[BoltResponse]]()
"""Held here, since the event loop itself may lose a task that nobody holds."""


class _Ack(AsyncAck):
    """Bolt's, which also tells whoever waits for it."""

    def __init__(self, answer: asyncio.Future[BoltResponse]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._answer = answer

    async def __call__(self, *told: Any, **more: Any) -> BoltResponse:  # noqa: ANN401 - as Bolt's
        response = await super().__call__(*told, **more)
        if not self._answer.done():
            self._answer.set_result(response)
        return response


async def answered(app: AsyncApp, payload: dict[str, Any]) -> BoltResponse:
    """The answer to this payload, which is well-formed. What failed before an ack is answered with an error.

    The app is one of `app.bolt_app`, whose listeners are waited for.
    """
    answer: asyncio.Future[BoltResponse] = asyncio.get_running_loop().create_future()
    # A payload that is parsed already comes as Bolt takes it from a socket, whichever way it came.
    request = AsyncBoltRequest(mode="socket_mode", body=payload)
    request.context["ack"] = _Ack(answer)
    work = asyncio.create_task(app.async_dispatch(request), name="payload")
    _under_way.add(work)
    work.add_done_callback(partial(_ended, answer))
    return await answer


def _ended(answer: asyncio.Future[BoltResponse], work: asyncio.Task[BoltResponse]) -> None:
    """Nobody acked, or somebody has long ago."""
    _under_way.discard(work)
    if answer.done():
        return
    if work.cancelled():
        answer.cancel()
    elif error := work.exception():
        answer.set_exception(error)
    else:
        answer.set_result(work.result())
