"""Trip wires around the seams of a bot that runs in this process: whoever touches one dies by kill -9."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn, assert_never

from aiohttp import web
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from bot.agents.threads import Threads
from bot.approvals.ports import Event
from bot.jobs import postgres_table, table
from bot.slack.http import SlackEndpoint
from bot.store.transaction import RowsTransaction
from tests.crash.points import Cell, Point

RESUME: Final = "__resume__"
"""LangGraph's channel for what an interrupt is answered with."""
SAVERS: Final = (AsyncSqliteSaver, AsyncPostgresSaver)

Real = Callable[..., Awaitable[Any]]


def die() -> NoReturn:
    """The end of this process."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("kill -9 was survived")


class Wires:
    """The wire of one cell."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._decided = 0
        """Clicks that are on disk."""
        self._ack = asyncio.Event()
        """Slack has the deciding click's."""

    def lay(self) -> None:  # noqa: C901, PLR0912 - one case for each point
        """Put it where the cell has it."""
        _around(RowsTransaction, "commit", self._counting)
        match self._cell.point:
            case Point.READ:
                self._at_commit("decided", self._is_last_click)
            case Point.COMMITTED:
                self._at_commit("decided", self._is_last_click, after=True)
            case Point.ACKED:
                self._between_ack_and_claim()
            case Point.CLAIMED:
                _around(Threads, "resume", self._dying)
            case Point.RESUMED if self._cell.runs:
                self._at_commit("executing")
            case Point.RESUMED:
                _around_savers("aput_writes", self._with_answer)
            case Point.INTENT:
                self._at_commit("executing", after=True)
            case Point.EFFECT:
                self._at_commit("executed")
            case Point.RESULT:
                self._at_commit("executed", after=True)
            case Point.CHECKPOINT:
                _around_savers("aput", self._with_results)
            case Point.SEEN:
                self._at_commit("filed", self._is_settled)
            case Point.FILED:
                _around(AsyncWebClient, "chat_postMessage", partial(self._with_card, after=False))
            case Point.POSTED:
                _around(AsyncWebClient, "chat_postMessage", partial(self._with_card, after=True))
            case Point.UPDATING:
                _around(AsyncWebClient, "chat_update", self._with_redraw)
            case Point.EXPIRING:
                self._at_commit("expired")
            case _:
                assert_never(self._cell.point)

    def _is_last_click(self) -> bool:
        return self._decided == self._cell.calls - 1

    def _is_settled(self) -> bool:
        """Whether the last click about the cell's calls is on disk."""
        return self._decided >= self._cell.calls

    async def _counting(self, real: Real, tx: RowsTransaction) -> None:
        decided = sum(event.kind == "decided" for event in _events(tx))
        await real(tx)
        self._decided += decided

    def _at_commit(self, kind: str, now: Callable[[], bool] = lambda: True, *, after: bool = False) -> None:
        """Die at the commit of what the record calls by this kind."""

        async def commit(real: Real, tx: RowsTransaction) -> None:
            if now() and any(event.kind == kind for event in _events(tx)):
                if after:
                    tx._calls.clear()  # nobody in the process is told of it
                    await real(tx)
                die()
            await real(tx)

        _around(RowsTransaction, "commit", commit)

    def _between_ack_and_claim(self) -> None:
        take, claim = table.take, postgres_table.claim

        async def taking(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the engine calls it
            claimed = await take(*args, **kwargs)
            await self._die_with_resume([one.job.kind for one in claimed])
            return claimed

        async def claiming(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above
            one = await claim(*args, **kwargs)
            await self._die_with_resume([one.job.kind] if one else [])
            return one

        vars(table)["take"], vars(postgres_table)["claim"] = taking, claiming
        _around(SocketModeClient, "send_socket_mode_response", self._acking)
        _around(SlackEndpoint, "receive", self._responding)

    async def _die_with_resume(self, kinds: Sequence[str]) -> None:
        if "resume" in kinds:
            await self._ack.wait()
            die()

    async def _acking(self, real: Real, *args: Any) -> None:  # noqa: ANN401 - as the library calls it
        await real(*args)
        if self._is_settled():
            self._ack.set()

    async def _responding(self, real: Real, endpoint: SlackEndpoint, request: web.Request) -> web.Response:
        response: web.Response = await real(endpoint, request)
        await response.prepare(request)
        await response.write_eof()
        if self._is_settled():
            self._ack.set()
        return response

    async def _dying(self, _: Real, *args: object) -> None:  # noqa: ARG002 - whatever it is called with
        die()

    async def _with_answer(self, real: Real, saver: Any, config: Any, writes: Any, *rest: Any) -> None:  # noqa: ANN401 - LangGraph's
        await real(saver, config, writes, *rest)
        if any(channel == RESUME for channel, _ in writes):
            die()

    async def _with_results(self, real: Real, saver: Any, config: Any, checkpoint: Any, *rest: Any) -> Any:  # noqa: ANN401 - LangGraph's
        saved = await real(saver, config, checkpoint, *rest)
        messages = checkpoint["channel_values"].get("messages") or [None]
        results = sum(isinstance(one, ToolMessage) for one in messages)
        if isinstance(messages[-1], ToolMessage) and results == self._cell.calls:
            die()
        return saved

    async def _with_card(self, real: Real, client: Any, *, after: bool, **said: Any) -> Any:  # noqa: ANN401 - Slack's
        is_next_card = bool(said.get("reply_broadcast")) and self._is_settled()
        if is_next_card and not after:
            die()
        answer = await real(client, **said)
        if is_next_card:
            die()
        return answer

    async def _with_redraw(self, real: Real, client: Any, **said: Any) -> Any:  # noqa: ANN401 - Slack's
        if self._is_settled() and self._cell.calls == 1:
            die()
        answer = await real(client, **said)
        if self._is_settled():
            die()
        return answer


def _events(tx: RowsTransaction) -> list[Event]:
    """The lines of the record that the transaction writes; the metrics are told of each after the commit."""
    told = [argument for call in tx._calls for argument in getattr(call, "args", ())]
    return [one for one in told if isinstance(one, Event)]


def _around(owner: type, name: str, wire: Callable[..., Awaitable[Any]]) -> None:
    real = getattr(owner, name)

    async def method(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the owner is called
        return await wire(real, *args, **kwargs)

    setattr(owner, name, method)


def _around_savers(name: str, wire: Callable[..., Awaitable[Any]]) -> None:
    for saver in SAVERS:
        _around(saver, name, wire)
