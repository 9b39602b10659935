"""One cell: a bot that dies where the cell says, a fresh one, people, and the checks."""

import asyncio
import signal
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bot.approvals.conversation import Status
from bot.sandbox import Sandbox
from bot.settings import Mode
from bot.store.database import reading_store
from tests.crash.forge import Forge, Forked
from tests.crash.invariants import Scene, check
from tests.crash.ledger import ALICE, CAROL, at_rest, ledger_of, let_leases_end, let_time_pass
from tests.crash.people import LAST, PATIENCE, People, still_open, words
from tests.crash.points import Cell, Point
from tests.crash.program import Start

NOBODY: Final = "http://127.0.0.1:9/"
"""Nothing listens on the port of the discard protocol."""


async def play(cell: Cell, forge: Forge, folder: Path, database: str) -> None:
    """Play it; fails where an invariant does not hold."""
    # As patient as a busy machine needs: an ack that comes late would be a click that nobody meant.
    options: dict[str, Any] = {"request_url": NOBODY} if cell.mode is Mode.HTTP else {}
    async with Sandbox(patience=PATIENCE, **options) as slack:
        stage = Stage(
            cell=cell,
            forge=forge,
            slack=slack,
            folder=folder,
            database=database,
            people=People(slack=slack, cell=cell, folder=folder),
        )
        await stage.play()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a cell is played on."""

    cell: Cell
    forge: Forge
    slack: Sandbox
    folder: Path
    database: str
    people: People

    async def play(self) -> None:
        """The death, the recovery, and the checks."""
        await self._first_life()
        await let_leases_end(self.database)
        fresh = await self._bot(dies=False)
        try:
            await self._while_alive(fresh, self._recovery())
        finally:
            await fresh.kill()
        async with reading_store(self.database) as store:
            check(
                Scene(
                    cell=self.cell,
                    wishes=self.people.wishes,
                    clicks=self.people.clicks,
                    forms_told=self.people.forms_told,
                    folder=self.folder,
                    ours=await ledger_of(store, ALICE),
                    theirs=await ledger_of(store, CAROL),
                    messages=await self.people.bob.messages("#general"),
                    ephemerals=await self.people.bob.ephemerals(),
                    calls=self.slack.calls(),
                )
            )

    async def _first_life(self) -> None:
        """Until the bot has died where the cell says."""
        if self.cell.point is Point.EXPIRING:
            await self._until_it_is_late()
        doomed = await self._bot(dies=True)
        playing = asyncio.create_task(self._never_ending())
        await asyncio.wait((playing, doomed.ended), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        self.slack.core.socket_mode.give_up()  # over HTTP a dead process is seen at once
        await self.people.let_go(playing)
        if not doomed.ended.done():
            await doomed.kill()
            raise AssertionError(f"the bot did not die at {self.cell.point}:\n{self._log()}")
        assert doomed.ended.result() == -signal.SIGKILL, self._log()

    async def _never_ending(self) -> None:
        if self.cell.point is not Point.EXPIRING:
            await self.people.ask()
            await self.people.decide_until(lambda _: False)
        await asyncio.Event().wait()  # nobody has anything to do

    async def _until_it_is_late(self) -> None:
        """Some is decided and some is not when the bot goes down; then a day passes."""
        first = await self._bot(dies=False)
        try:
            await self._while_alive(first, self._deciding())
        finally:
            await first.kill()
        async with reading_store(self.database) as store:
            ours = await ledger_of(store, ALICE)
        await let_time_pass(self.database, ours.conversation.id)
        await let_leases_end(self.database)

    async def _deciding(self) -> None:
        def is_end(message: dict[str, Any]) -> bool:
            if self.cell.calls == 1:
                return any(one.to == LAST for one in still_open(message))
            return "Change" in words(message)

        await self.people.ask()
        await self.people.decide_until(is_end)
        async with reading_store(self.database) as store:
            await at_rest(store, Status.WAITING)

    async def _recovery(self) -> None:
        await self.people.send_again()
        await self.people.decide_until()
        async with reading_store(self.database) as store:
            await at_rest(store, Status.IDLE)

    async def _while_alive(self, bot: Forked, doing: Coroutine[Any, Any, None]) -> None:
        """Do it; it ends early if the bot does."""
        task = asyncio.create_task(doing)
        await asyncio.wait((task, bot.ended), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            await self.people.let_go(task)
            raise AssertionError(f"the bot ended with {bot.ended.result()}:\n{self._log()}")
        try:
            task.result()
        except Exception as error:
            error.add_note(self._log())
            raise

    async def _bot(self, *, dies: bool) -> Forked:
        """A fresh process with the bot, which Slack can reach."""
        start = Start(
            folder=str(self.folder),
            database=self.database,
            mode=self.cell.mode,
            slack={
                name: getattr(self.slack, name)
                for name in ("bot_token", "app_token", "signing_secret", "api_url")
            },
            dies=self.cell if dies else None,
        )
        forked = await self.forge.fork("tests.crash.program:run", start.as_json())
        await asyncio.wait((forked.port, forked.ended), return_when=asyncio.FIRST_COMPLETED)
        if self.cell.mode is Mode.HTTP and forked.port.done():
            delivery = self.slack._http
            assert delivery is not None
            delivery._url = f"http://127.0.0.1:{forked.port.result()}/slack/events"
        return forked

    def _log(self) -> str:
        return (self.folder / "log").read_text()[-6_000:]
