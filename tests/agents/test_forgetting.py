"""Threads that are forgotten, and failed ones that are pruned, on both databases."""

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from bot.approvals.ids import ConversationId
from bot.approvals.thread import Condition
from tests.agents.stage import THREAD, said
from tests.agents.test_pruning import a_stage

OTHER = ConversationId("thread-2")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_forgotten_thread_is_new_and_no_other_is(kind: str, tmp_path: Path) -> None:
    async with a_stage(tmp_path, kind, [AIMessage("Hello."), AIMessage("Again.")]) as play:
        for thread in (THREAD, OTHER):
            await play.threads.send(thread, [said("go")])
        for _ in range(2):
            await play.threads.forget(THREAD)
        assert (await play.threads.read(THREAD)).condition is Condition.NEW
        assert (await play.threads.read(OTHER)).condition is Condition.IDLE
        await play.threads.send(THREAD, [said("who are you?", "m2")])
        assert await play.answer() == "Hello."


async def test_a_thread_that_failed_goes_on_from_its_newest_checkpoint(tmp_path: Path) -> None:
    async with a_stage(tmp_path, script=[ConnectionError("away")]) as play:
        await play.say("go")
        await play.threads.prune(THREAD)
        assert (await play.threads.read(THREAD)).condition is Condition.FAILED
        play.model.script[0] = AIMessage("Here again.")  # type: ignore[attr-defined]  # of the scripted model
        await play.threads.proceed(THREAD)
        assert await play.answer() == "Here again."
