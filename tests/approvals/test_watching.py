"""While an agent runs, somebody looks whether its conversation is stopped."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import pytest

from bot.approvals import watching
from bot.approvals.conversation import Status
from bot.approvals.errors import Unavailable
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Transaction
from bot.approvals.watching import Watching
from tests.approvals.fakes import ScriptedAgent, WatchedStore
from tests.store.samples import THREAD, conversation


class Told(ScriptedAgent):
    """Tells when it is halted."""

    def __init__(self) -> None:
        super().__init__({})
        self.is_halted = asyncio.Event()

    def halt(self, thread: ConversationId) -> None:
        super().halt(thread)
        self.is_halted.set()

    async def run(self) -> str:
        """Until it is halted."""
        async with asyncio.timeout(60):
            await self.is_halted.wait()
        return "halted"


async def becomes(store: WatchedStore, status: Status) -> None:
    async with store.write() as tx:
        await tx.conversations.save(replace(conversation(), status=status))


@pytest.fixture
async def there(store: WatchedStore) -> WatchedStore:
    """A store with a conversation at work."""
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WORKING))
    return store


async def test_what_was_stopped_on_the_way_to_the_run_is_halted_at_its_beginning(
    there: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "EVERY", 1_000)
    agent = Told()
    await becomes(there, Status.CANCELLING)
    assert await Watching(store=there, agent=agent).beside(agent.run(), THREAD) == "halted"
    assert agent.halted == [THREAD]


async def test_what_is_stopped_later_is_halted_within_one_look(
    there: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "EVERY", 0.01)
    agent = Told()

    async def run() -> str:
        await becomes(there, Status.CANCELLING)
        return await agent.run()

    assert await Watching(store=there, agent=agent).beside(run(), THREAD) == "halted"


async def test_nobody_looks_once_the_run_has_ended_and_what_it_raises_is_raised(
    there: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "EVERY", 1_000)
    agent = Told()

    async def run() -> str | None:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        await Watching(store=there, agent=agent).beside(run(), THREAD)
    assert [task.get_name() for task in asyncio.all_tasks() if "stopped" in task.get_name()] == []
    assert agent.halted == []


class Away(WatchedStore):
    """A store that cannot be read the first time."""

    looks = 0

    def read(self) -> AbstractAsyncContextManager[Transaction]:
        self.looks += 1
        if self.looks == 1:
            raise Unavailable
        return super().read()


async def test_a_database_that_is_away_for_a_look_ends_nothing_and_is_looked_at_again(
    there: WatchedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "EVERY", 0.01)
    away, agent = Away(there._store), Told()
    await becomes(there, Status.CANCELLING)
    assert await Watching(store=away, agent=agent).beside(agent.run(), THREAD) == "halted"
    assert away.looks == 2
