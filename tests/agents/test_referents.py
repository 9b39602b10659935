"""What a call points at: how a team's function is asked, and what the guard makes of it."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool

from bot.agents.agent import Agent
from bot.agents.assistant.folder import HASH_LIMIT, Folder
from bot.agents.referents import referents, resolves
from bot.approvals.decision import Approve, Edit
from bot.approvals.errors import Drifted, InvalidArguments, NotAllowed
from bot.approvals.journal import Execution, Progress
from bot.approvals.referents import LONGEST, MOST, Referents
from tests.agents.guarded import guarded
from tests.agents.stage import THREAD, calls

TURN = [calls(("remove", {"names": ["a"]}))]


class Shelf:
    """Things by name; a tool removes some, and its calls point at what they are."""

    def __init__(self) -> None:
        self.things = {"a": "apple", "b": "book"}
        self.runs: list[list[str]] = []
        self.problem: Exception | None = None

    def stands(self, arguments: dict[str, Any]) -> dict[str, str]:
        if self.problem:
            raise self.problem
        return {name: self.things.get(name, "nothing") for name in arguments["names"]}

    def tool(self, **metadata: Any) -> BaseTool:  # noqa: ANN401 - whatever a tool says of itself
        @tool
        async def remove(names: list[str]) -> str:
            """Remove."""
            self.runs.append(names)
            return f"removed {[self.things.pop(name) for name in names]}"

        remove.metadata = {"resolve": self.stands, **metadata}
        return remove

    def agent(self, **metadata: Any) -> Agent:  # noqa: ANN401 - as above
        return Agent(tools=[self.tool(**metadata)], interrupt_on={"remove": True})


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def asking(resolve: object) -> BaseTool:
    return Shelf().tool(resolve=resolve)


async def later(arguments: dict[str, Any]) -> dict[str, str]:
    await asyncio.sleep(0)
    return {"n": str(arguments["n"])}


def not_itself_a_coroutine(arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - something to await
    return later(arguments)


@pytest.mark.parametrize("resolve", [lambda told: {"n": str(told["n"])}, later, not_itself_a_coroutine])
async def test_a_plain_function_and_an_async_one_are_asked_alike(resolve: object) -> None:
    assert await referents(asking(resolve), {"n": 1}, within=5) == Referents(texts={"n": "1"})


async def test_a_tool_that_says_nothing_is_not_asked() -> None:
    assert not resolves(None)
    assert not resolves(asking(None))
    assert await referents(asking(None), {}, within=5) is None


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("text", "something else than names with texts"),
        ({"a": 1}, "something else than names with texts"),
        ({1: "a"}, "something else than names with texts"),
        (None, "something else than names with texts"),
        ({str(number): "" for number in range(MOST + 1)}, f"at most {MOST} can be shown"),
        ({"a": "x" * (LONGEST + 1)}, f"more than {LONGEST} characters"),
        ({"a": "\ud800"}, "half a character"),
    ],
)
async def test_what_cannot_be_shown_is_as_if_it_could_not_be_looked_up(told: object, why: str) -> None:
    found = await referents(asking(lambda _: told), {}, within=5)
    assert found is not None
    assert why in found.problem
    assert found.texts == {}


async def test_a_function_that_raises_and_one_that_is_none_could_not_look_it_up() -> None:
    for resolve, why in ((lambda _: 1 / 0, "division by zero"), (7, "`resolve` is no function")):
        assert await referents(asking(resolve), {}, within=5) == Referents(problem=why)


async def test_a_function_that_hangs_is_left_alone_and_holds_nobody_up() -> None:
    hangs, before = threading.Event(), threading.enumerate()
    try:
        found = await referents(asking(lambda _: hangs.wait()), {}, within=0.01)
        assert found == Referents(problem="it took longer than 0.01 seconds")
        new = [one for one in threading.enumerate() if one not in before]
        [left] = [one for one in new if one.name == "function of the team"]
        assert left.daemon
    finally:
        hangs.set()
    left.join()


async def test_a_function_cannot_change_the_arguments_that_it_looks_at() -> None:
    arguments: dict[str, Any] = {"names": ["a"]}
    assert await referents(asking(lambda told: told["names"].clear() or {}), arguments, within=5)
    assert arguments == {"names": ["a"]}


async def test_a_call_that_points_at_the_same_runs(tmp_path: Path, shelf: Shelf) -> None:
    async with guarded(tmp_path, shelf.agent(), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
        assert approval.actions[0].referents == Referents(texts={"a": "apple"})
        assert await play.threads.resume(THREAD, approval) is None
        assert (shelf.runs, await play.results()) == ([["a"]], ["removed ['apple']"])


async def test_a_call_that_ran_is_not_refused_because_of_what_it_did(tmp_path: Path, shelf: Shelf) -> None:
    async with guarded(tmp_path, shelf.agent(), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
        both = await asyncio.gather(*(play.resume_past_all_checks(approval) for _ in range(2)))
        assert len(both) == 2
        assert shelf.runs == [["a"]]
        assert await play.results() == ["removed ['apple']"]
        assert [one.progress for one in await play.executions()] == [Progress.DONE]


async def test_the_agent_is_not_told_of_an_approval_of_something_else(tmp_path: Path, shelf: Shelf) -> None:
    async with guarded(tmp_path, shelf.agent(), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
        shelf.things["a"] = "atlas"
        with pytest.raises(Drifted, match="points at has changed"):
            await play.threads.resume(THREAD, approval)
        shelf.problem = OSError("the shelf is away")
        with pytest.raises(Drifted, match="could not be looked up again: the shelf is away"):
            await play.threads.resume(THREAD, approval)
        assert shelf.runs == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda shelf: shelf.things.update(a="atlas"), "what it points at has changed since it was approved"),
        (lambda shelf: setattr(shelf, "problem", OSError("away")), "could not be looked up again"),
    ],
)
async def test_the_guard_looks_again(
    change: Callable[[Shelf], None], why: str, tmp_path: Path, shelf: Shelf
) -> None:
    async with guarded(tmp_path, shelf.agent(), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
        change(shelf)
        await play.resume_past_all_checks(approval)
        assert shelf.runs == []
        assert why in (await play.results())[0]
        [blocked] = await play.told()
        assert (blocked.kind, len(str(blocked.detail["referents"]))) == ("blocked", 64)


@pytest.mark.parametrize("before", [True, False])
async def test_a_tool_that_tells_only_before_or_only_after_it_was_asked_does_not_run(
    tmp_path: Path,
    shelf: Shelf,
    before: bool,  # noqa: FBT001 - a parameter
) -> None:
    silent = {"resolve": None}
    async with guarded(tmp_path, shelf.agent(**({} if before else silent)), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
    async with guarded(tmp_path, shelf.agent(**(silent if before else {})), TURN) as play:
        with pytest.raises(Drifted):
            await play.threads.resume(THREAD, approval)
        await play.resume_past_all_checks(approval)
        assert shelf.runs == []


async def test_an_edit_runs_with_what_it_pointed_at_when_it_was_made(tmp_path: Path, shelf: Shelf) -> None:
    async with guarded(tmp_path, shelf.agent(), TURN) as play:
        await play.say("go")
        approval = await play.filed(Edit({"names": ["b"]}))
        edit = approval.actions[0].edit
        assert edit is not None
        assert edit.referents == Referents(texts={"b": "book"})
        shelf.things["a"] = "atlas"  # which is not what people let go any more
        assert await play.threads.resume(THREAD, approval) is None
        assert shelf.runs == [["b"]]


async def test_what_could_not_be_looked_up_takes_no_approval(tmp_path: Path, shelf: Shelf) -> None:
    shelf.problem = OSError("away")
    async with guarded(tmp_path, shelf.agent(), TURN) as play:
        await play.say("go")
        with pytest.raises(NotAllowed, match=r"what it points at could not be looked up \(away\)"):
            await play.filed(Approve())
        with pytest.raises(InvalidArguments, match="could not be looked up: away"):
            await play.filed(Edit({"names": ["b"]}))


async def test_reconcile_cannot_change_what_runs_after_it(tmp_path: Path, shelf: Shelf) -> None:
    def meddles(arguments: dict[str, Any]) -> bool:
        arguments["names"].append("b")
        return False

    async with guarded(tmp_path, shelf.agent(reconcile=meddles), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
        [action] = approval.actions
        begun = Execution(
            conversation=THREAD,
            message=action.message,
            call=action.call,
            tool=action.tool,
            digest=action.digest,
            approval=approval.id,
            action=action.id,
        )
        async with play.store.write() as tx:
            await tx.executions.add(begun)  # as the process left it that died in it
        await play.resume_past_all_checks(approval)
        assert shelf.runs == [["a"]]


def test_a_file_is_told_from_any_other(tmp_path: Path) -> None:
    folder, path = Folder(tmp_path), tmp_path / "a"
    assert folder.fingerprint("a") == folder.fingerprint("no/such/a") == "no such file"
    path.write_text("one")
    one = folder.fingerprint("a")
    assert one.startswith("sha256 7692c3ad")
    path.write_text("two")
    assert folder.fingerprint("a") != one
    with path.open("wb") as large:
        large.truncate(HASH_LIMIT + 1)
    assert folder.fingerprint("a").startswith(f"{HASH_LIMIT + 1} bytes, inode ")
