"""The journal of executions, in real tables."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.approvals.approval import Shape
from bot.approvals.decision import Json
from bot.approvals.errors import Conflict
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, InterruptId
from bot.approvals.journal import Call, Execution, Progress
from bot.store import RowsStore, open_store
from tests.store.samples import THREAD, action, approval, conversation

HOSTILE = "\ud800 \x00 ü 🙂"


def execution(call: str = "c", **changes: object) -> Execution:
    base = Execution(
        conversation=THREAD,
        message="m",
        call=call,
        tool="pay",
        digest="d" * 64,
        approval=ApprovalId("p1"),
        action=ActionId("a1"),
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # as `replace` checks them


def call_of(one: Execution) -> Call:
    return Call(conversation=one.conversation, message=one.message, id=one.call, tool=one.tool, arguments={})


async def begun(store: RowsStore, *executions: Execution) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.approvals.add(approval("p1", action(message="m", call="c")))
        for one in executions:
            await tx.executions.add(one)


@pytest.mark.parametrize("progress", Progress)
@pytest.mark.parametrize(
    "result", [None, {"content": HOSTILE, "status": "error", "artifact": {"n": [1, 2.5, None, True]}}]
)
async def test_an_execution_is_read_as_it_was_written(
    path: Path, progress: Progress, result: dict[str, Json] | None
) -> None:
    one = execution(progress=progress, result=result, attempt=3, asked=2)
    async with open_store(path) as store:
        await begun(store, one)
    async with open_store(path) as store, store.read() as tx:
        assert await tx.executions.get(call_of(one), one.digest) == one
        assert await tx.executions.of(THREAD) == [one]
        assert await tx.executions.get(call_of(one), "another") is None
        assert await tx.executions.of(ConversationId("another")) == []


async def test_one_call_has_one_entry_and_its_changes_are_counted(path: Path) -> None:
    one = execution()
    async with open_store(path) as store:
        await begun(store, one, execution("other"))
        with pytest.raises(Conflict):
            async with store.write() as tx:
                await tx.executions.add(one)
        async with store.write() as tx:
            await tx.executions.save(one.move(Progress.DONE, result={"content": "x"}))
        with pytest.raises(Conflict):  # somebody who read it before
            async with store.write() as tx:
                await tx.executions.save(one.move(Progress.IN_DOUBT))
        async with store.read() as tx:
            kept, other = await tx.executions.of(THREAD)
        assert (kept.progress, kept.version, kept.result) == (Progress.DONE, 1, {"content": "x"})
        assert other == execution("other")


async def test_who_was_asked_about_a_call_is_found_by_message_and_call(path: Path) -> None:
    first = approval("p1", action("a1", message="m1", call="c"), action("a2", message="m1", call="d"))
    later = approval("p2", action("a3", message="m2", call="c"))
    anew = approval("p3", action("a4", message="m2", call="c"))
    doubt = approval(
        "p4", action("a5", message="m2", call="c"), shape=Shape.IN_DOUBT, interrupt=InterruptId("i4")
    )
    elsewhere = approval("p5", action("a6", message="m1", call="c"), conversation=ConversationId("thread-2"))
    async with open_store(path) as store:
        async with store.write() as tx:
            await tx.conversations.add(conversation())
            await tx.conversations.add(conversation("thread-2"))
            for one in (first, later, anew, doubt, elsewhere):
                assert await tx.approvals.add(one)
        async with store.read() as tx:
            assert await tx.approvals.of_call(THREAD, "m1", "c") == first
            assert await tx.approvals.of_call(THREAD, "m1", "d") == first
            assert await tx.approvals.of_call(THREAD, "m2", "c") == anew
            assert await tx.approvals.of_call(ConversationId("thread-2"), "m1", "c") == elsewhere
            assert await tx.approvals.of_call(THREAD, "m2", "d") is None
            assert await tx.approvals.of_call(THREAD, "", "") is None
