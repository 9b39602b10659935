"""A conversation is stopped in the middle of a run: what runs ends, nothing is begun, and people go on."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.agents.halting import Halting
from bot.approvals.approval import State
from bot.approvals.ids import ConversationId, UserId
from bot.approvals.journal import Progress
from bot.approvals.stopping import stop
from bot.engines import engine_at
from bot.jobs.port import Job
from bot.sandbox import text_of
from bot.store.database import beside, reading_store
from tests.approvals.fakes import ScriptedAgent
from tests.command_line import CommandLine
from tests.postgres import a_database
from tests.system.agents import RUNS, WAITING, Waiting
from tests.system.house import House, a_house, is_answer
from tests.system.unhurried import CALLS, THINKING, without_result

AGENT = "tests.system.unhurried:unhurried"
WAIT = ("wait", {"name": "one"})
LOOKUP = ("lookup", {"what": "weather"})
PAY = ("pay", {"to": "carol"})
BY_ALICE = "Stopped by <@U0ALICE>. Nothing that waited was run."


@pytest.fixture(autouse=True)
def _nobody_has_thought_yet() -> Iterator[None]:
    CALLS.clear()
    THINKING.clear()
    yield
    THINKING.clear()


@pytest.fixture
def halted(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set once the bot has told a run to end."""
    halt, told = Halting.halt, asyncio.Event()

    def halt_and_note(self: Halting, thread: ConversationId) -> None:
        halt(self, thread)
        told.set()

    monkeypatch.setattr(Halting, "halt", halt_and_note)
    return told


@asynccontextmanager
async def an_unhurried_house(folder: Path, database: str | None = None) -> AsyncIterator[House]:
    async with a_house(folder, agent=AGENT, database=database) as house:
        yield house


async def under_way(house: House, *rounds: list[tuple[str, dict[str, Any]]], what: Waiting) -> str:
    """Alice asks for this, and it has come to where it waits for the test; its thread."""
    await house.asks(*rounds)
    opening = await house.alice.sees("asked:", channel="#general")
    await begun(what)
    return str(opening["ts"])


async def begun(what: Waiting) -> None:
    async with asyncio.timeout(60):
        await what.begins.wait()


async def stopped(house: House, thread: str, sentence: str = BY_ALICE) -> None:
    """The thread is told so, once."""
    await house.alice.sees(sentence, thread=thread)
    told = [one for one in await house.alice.messages("#general") if "Stopped" in text_of(one)]
    assert [text_of(one).strip() for one in told] == [sentence]


async def goes_on(house: House, thread: str) -> None:
    """A mention goes on from there, on a history that a model takes; nothing of before is run by it."""
    ran = list(RUNS)
    mention = f"<@{house.bot.identity.bot_user}>"
    await house.alice.say("#general", f"{mention} still there?", thread=thread)
    await house.answer("heard still there?", thread=thread)
    assert without_result(CALLS[-1]) == []
    assert ran == RUNS


async def test_cancel_while_a_free_tool_runs_lets_it_end_and_nothing_is_begun_after_it(
    tmp_path: Path,
) -> None:
    async with an_unhurried_house(tmp_path) as house:
        thread = await under_way(house, [WAIT], [LOOKUP], what=WAITING[0])
        await house.alice.say("#general", "/agent cancel")
        WAITING[0].may_end.set()
        await stopped(house, thread)
        assert (RUNS, len(CALLS)) == ([WAIT], 1)
        await goes_on(house, thread)
        assert any("waited" in str(message.content) for message in CALLS[-1]), "its result is in the history"
        assert len(CALLS) == 2


async def test_stop_while_an_approved_call_runs_lets_it_end_and_the_journal_has_its_result(
    tmp_path: Path,
) -> None:
    async with an_unhurried_house(tmp_path) as house:
        await house.asks([PAY], [LOOKUP])
        card = await house.card()
        await house.bob.press(card, "Approve")
        await begun(WAITING[0])
        await house.bob.press(card, "Stop", stale=True)  # as somebody whose Slack has not drawn it anew
        WAITING[0].may_end.set()
        await stopped(house, card["thread_ts"], BY_ALICE.replace("ALICE", "BOB"))
        assert (RUNS, len(CALLS)) == ([PAY], 1)
        await goes_on(house, card["thread_ts"])
    async with reading_store(house.bot.settings.bot_database_url) as store, store.read() as tx:
        [conversation] = await tx.conversations.of(UserId("U0ALICE"))
        [ran] = await tx.executions.of(conversation.id)
        [approval] = await tx.approvals.of(conversation.id)
    assert (ran.progress, approval.state) == (Progress.DONE, State.DELIVERED)
    assert "receipt of carol" in str(ran.result)


@pytest.mark.parametrize("last", [False, True], ids=["which calls tools", "which is the answer"])
async def test_stop_while_the_model_is_called_runs_none_of_its_tools(tmp_path: Path, *, last: bool) -> None:
    THINKING[0] = Waiting()
    async with an_unhurried_house(tmp_path) as house:
        thread = await under_way(house, *([] if last else [[LOOKUP], [PAY]]), what=THINKING[0])
        await house.alice.say("#general", "/agent cancel")
        THINKING[0].may_end.set()
        await stopped(house, thread)
        assert (RUNS, len(CALLS)) == ([], 1)
        await goes_on(house, thread)
        answers = [one for one in await house.alice.messages("#general") if is_answer(one)]
        assert len(answers) == 1 + last, "what it said last is not lost, and said once"
        said = [text_of(one).strip() for one in await house.alice.messages("#general")]
        assert said.index(BY_ALICE) > said.index(text_of(answers[0]).strip()) or not last
        assert not any("Approval needed" in text_of(one) for one in await house.bob.messages("#general"))


async def test_what_is_said_while_it_is_stopped_is_heard_next(tmp_path: Path) -> None:
    async with an_unhurried_house(tmp_path) as house:
        thread = await under_way(house, [WAIT], [LOOKUP], what=WAITING[0])
        await house.alice.say("#general", "/agent cancel")
        mention = f"<@{house.bot.identity.bot_user}>"
        await house.alice.say("#general", f"{mention} rather this", thread=thread)
        await house.alice.sees("Kept: the agent gets this message once it has stopped.", thread=thread)
        WAITING[0].may_end.set()
        await house.answer("heard rather this", thread=thread)
        await stopped(house, thread)
        assert (RUNS, len(CALLS)) == ([WAIT], 2)


async def test_one_conversation_is_stopped_and_the_others_go_on(tmp_path: Path) -> None:
    async with an_unhurried_house(tmp_path) as house:
        thread = await under_way(house, [WAIT], [LOOKUP], what=WAITING[0])
        THINKING[1] = Waiting()
        await house.asks([LOOKUP], [LOOKUP], by=house.bob)
        await begun(THINKING[1])
        await house.alice.say("#general", "/agent cancel")
        THINKING[1].may_end.set()
        await house.answer("lookup done with")
        assert [WAIT, LOOKUP, LOOKUP] == RUNS
        WAITING[0].may_end.set()
        await stopped(house, thread)
        assert len(RUNS) == 3


async def test_a_stop_shortly_before_the_process_ends_holds_in_the_next_one(tmp_path: Path) -> None:
    async with an_unhurried_house(tmp_path) as house:
        thread = await under_way(house, [WAIT], [LOOKUP], what=WAITING[0])
        await house.alice.say("#general", "/agent cancel")
        asyncio.get_running_loop().call_later(0.3, WAITING[0].may_end.set)
    async with an_unhurried_house(tmp_path) as house:
        await stopped(house, thread)
        assert (RUNS, len(CALLS)) == ([WAIT], 1)
        await goes_on(house, thread)


async def test_a_run_finds_out_that_another_replica_has_stopped_its_conversation(
    tmp_path: Path, halted: asyncio.Event
) -> None:
    async with a_database() as database, an_unhurried_house(tmp_path, database) as house:
        thread = await under_way(house, [WAIT], [LOOKUP], what=WAITING[0])
        assert not halted.is_set()
        await stopped_elsewhere(house.bot.settings.bot_database_url)
        async with asyncio.timeout(60):
            await halted.wait()
        WAITING[0].may_end.set()
        await stopped(house, thread, BY_ALICE.replace("ALICE", "BOB"))
        assert (RUNS, len(CALLS)) == ([WAIT], 1)
        await goes_on(house, thread)


async def stopped_elsewhere(where: str) -> None:
    """As another replica does it, which has an agent and jobs of its own."""
    async with beside(where) as store, store.write() as tx:
        [conversation] = await tx.conversations.of(UserId("U0ALICE"))
        jobs = engine_at(where, store, {}, _nobody)
        agent = ScriptedAgent({})
        await stop(tx, jobs, agent, conversation, by=UserId("U0BOB"), now=lambda: datetime.now(UTC))


async def _nobody(job: Job, error: Exception) -> None:
    """The engine here only owes."""


async def test_an_operators_cancel_ends_the_run_of_the_bot_beside_it(
    tmp_path: Path, halted: asyncio.Event
) -> None:
    async with an_unhurried_house(tmp_path) as house:
        thread = await under_way(house, [WAIT], [LOOKUP], what=WAITING[0])
        env = {
            "BOT_DATABASE_URL": house.bot.settings.bot_database_url,
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        opening = await house.alice.sees("asked:", channel="#general")
        link = f"{house.slack.page_url}archives/{opening['channel']}/p{thread.replace('.', '')}"
        ended = await CommandLine(folder=tmp_path, env=env).run("cancel", link)
        assert (ended.code, ended.err) == (0, ""), ended
        async with asyncio.timeout(60):
            await halted.wait()
        WAITING[0].may_end.set()
        await stopped(house, thread, "Stopped by an operator. Nothing that waited was run.")
        assert (RUNS, len(CALLS)) == ([WAIT], 1)
