"""What only a server has: several writers at once, upgrades from several places, restarts."""

import asyncio
import signal
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from bot.approvals.conversation import Status
from bot.approvals.ids import ActionId
from bot.approvals.ports import Event
from bot.starting import upgrade_database
from bot.store import CannotOpen, StoreUnavailable, open_store, reading_store
from tests.postgres import a_database, a_server, watched
from tests.store.samples import ALICE, NOON, THREAD, approval, conversation


async def test_several_replicas_upgrade_at_once_and_again_and_the_rows_stay() -> None:
    async with a_database(empty=True) as url:
        async with asyncio.timeout(30):
            await asyncio.gather(*(upgrade_database(url) for _ in range(4)))
        async with open_store(url) as store, store.write() as tx:
            await tx.conversations.add(conversation())
        await upgrade_database(url)
        async with open_store(url) as store, store.read() as tx:
            assert await tx.conversations.get(THREAD)


async def test_an_upgrade_of_a_database_in_use_waits_for_no_idle_connection() -> None:
    async with a_database(empty=True) as url:
        await upgrade_database(url)
        async with open_store(url) as store, store.read() as reader:
            assert await reader.conversations.get(THREAD) is None
            async with asyncio.timeout(60):
                await upgrade_database(url)


async def test_a_database_without_the_schema_is_not_opened_and_says_what_to_run() -> None:
    async with a_database(empty=True) as url:
        for opening in (open_store(url), reading_store(url)):
            with pytest.raises(CannotOpen, match=r"no schema .* run `python -m bot db upgrade`"):
                async with opening:
                    pytest.fail("it was opened")


async def test_a_database_of_a_newer_version_is_refused_and_left_alone() -> None:
    async with a_database() as url:
        async with await psycopg.AsyncConnection.connect(url) as connection:
            await connection.execute("UPDATE alembic_version SET version_num = '9999'")
        for doing in (open_store(url).__aenter__, lambda: upgrade_database(url)):
            with pytest.raises(CannotOpen, match=r"9999.*newer"):
                await doing()


async def test_who_may_not_come_in_is_told_so() -> None:
    async with a_database() as url:
        name = url.partition("?")[0].rpartition("/")[2]
        with pytest.raises(CannotOpen, match="cannot be reached"):
            async with open_store(url.replace(name, "no_such_database")):
                pytest.fail("it was opened")


async def test_the_commands_store_reads_and_cannot_write() -> None:
    async with a_database() as url:
        async with open_store(url) as store, store.write() as tx:
            await tx.conversations.add(conversation())
        async with reading_store(url) as store:
            async with store.read() as tx:
                assert await tx.conversations.get(THREAD)
            with pytest.raises(StoreUnavailable, match="read-only"):
                async with store.write() as tx:
                    await tx.conversations.add(conversation("other"))


async def test_the_record_cannot_be_emptied_either() -> None:
    async with a_database() as url, open_store(url) as store:
        async with store.write() as tx:
            await tx.record.append(Event(kind="filed", at=NOON))
        for statement in ("TRUNCATE audit", "DELETE FROM audit WHERE seq < 0"):
            with pytest.raises(IntegrityError, match="append-only"):
                async with store.write() as tx:
                    await tx.connection.execute(text(statement))


async def test_what_a_transaction_has_read_of_a_conversation_stays_so_until_it_ends() -> None:
    """Two replicas change the same conversation: the second decides on what the first has left."""
    async with a_database() as url, open_store(url) as here, open_store(url) as there:
        async with here.write() as tx:
            await tx.conversations.add(conversation(status=Status.WAITING))
        seen: list[Status] = []

        async def read_there() -> None:
            async with there.write() as tx:
                found = await tx.conversations.get(THREAD)
                assert found is not None
                seen.append(found.status)

        async with here.write() as tx:
            found = await tx.conversations.get(THREAD)
            assert found is not None
            second = asyncio.create_task(read_there())
            await waiting_for_a_lock(url)
            await tx.conversations.save(replace(found, status=Status.CANCELLING))
        await second
    assert seen == [Status.CANCELLING]


async def test_a_decision_is_made_on_what_the_one_before_it_left() -> None:
    async with a_database() as url, open_store(url) as here, open_store(url) as there:
        async with here.write() as tx:
            await tx.conversations.add(conversation())
            await tx.approvals.add(approval("p1"))

        async def save_there() -> None:
            async with there.write() as tx:
                [asked] = (await tx.approvals.asked([ActionId("a-p1")])).values()
                await tx.approvals.save(asked.approval)

        async with here.write() as tx:
            [asked] = (await tx.approvals.asked([ActionId("a-p1")])).values()
            second = asyncio.create_task(save_there())
            await waiting_for_a_lock(url)
            await tx.approvals.save(asked.approval)
        await second
        async with here.read() as tx:
            [asked] = (await tx.approvals.asked([ActionId("a-p1")])).values()
    assert asked.approval.version == 2


async def test_a_row_that_somebody_does_not_give_back_is_waited_for_in_bounds() -> None:
    async with a_database() as url, open_store(url) as here, open_store(url) as there:
        async with here.write() as tx:
            await tx.conversations.add(conversation())
        async with here.write() as tx:
            await tx.conversations.get(THREAD)
            with pytest.raises(StoreUnavailable, match="busy with another writer"):
                async with there.write() as other:
                    await other.conversations.get(THREAD)


async def waiting_for_a_lock(url: str) -> None:
    """Until a connection of this database waits for another one."""
    async with (
        asyncio.timeout(60),
        await psycopg.AsyncConnection.connect(url, autocommit=True) as connection,
    ):
        while True:
            found = await connection.execute(
                "SELECT 1 FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if await found.fetchone():
                return


async def test_a_server_that_goes_away_is_said_to_be_gone_and_used_again_when_it_is_back() -> None:
    async with a_server() as server, open_store(server.url) as store:
        async with store.write() as tx:
            await tx.conversations.add(conversation())
        async with store.read() as tx:
            assert await tx.conversations.get(THREAD)

        async def lose() -> None:
            async with store.write() as tx:
                await tx.conversations.add(conversation("lost"))
                await server.stop()

        with pytest.raises(StoreUnavailable, match="nothing is known to be written"):
            await lose()
        for transaction in (store.write, store.read):
            with pytest.raises(StoreUnavailable, match="cannot be reached"):
                async with transaction() as tx:
                    await tx.conversations.of(ALICE)
        await server.start()
        for transaction in (store.write, store.read):
            async with transaction() as tx:
                assert [one.id for one in await tx.conversations.of(ALICE)] == [THREAD]
        await server.stop()
        await server.start()
        for transaction in (store.write, store.read):  # nobody noticed that it was away
            async with transaction() as tx:
                assert await tx.conversations.get(THREAD)


async def test_a_server_is_stopped_and_removed_when_the_run_is_gone_that_started_it(tmp_path: Path) -> None:
    folder = tmp_path / "server"
    folder.mkdir()
    server = await asyncio.create_subprocess_exec("sleep", "600")
    (folder / "postmaster.pid").write_text(f"{server.pid}\n{folder}\n")
    watch = watched(folder)
    assert watch.stdin is not None
    assert watch.poll() is None
    watch.stdin.close()  # as the kernel does for a process that is killed
    assert await server.wait() == -signal.SIGQUIT
    assert await asyncio.to_thread(watch.wait) == 0
    assert not folder.exists()
