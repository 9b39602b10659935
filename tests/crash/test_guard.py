"""kill -9 around a tool's effect: it ran once, or people are asked. It never just runs again."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.tools import BaseTool, tool
from langgraph.types import interrupt

from bot.agents.agent import Agent
from bot.approvals.approval import Shape
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.journal import Progress
from bot.approvals.thread import Condition
from tests.agents.guarded import guarded
from tests.agents.stage import THREAD, calls
from tests.agents.test_guard import plain
from tests.crash import scenes
from tests.crash.forge import Forge
from tests.crash.scenes import either_database
from tests.hazards.table import still

pytestmark = pytest.mark.asyncio(loop_scope="module")

HERE = "tests.crash.test_guard"
__all__ = ["either_database"]  # a fixture, under the name `tmp_path`
FORGES: list[Forge] = []
"""The one of this run."""
TURN = [calls(("pay", {"amount": 1}))]
BOTH = [calls(("pay", {"amount": 1}), ("pay", {"amount": 2}))]


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def _forge(forge: Forge) -> AsyncIterator[None]:
    FORGES.append(forge)
    yield
    FORGES.clear()


async def killed(folder: Path, scene: str, *arguments: str) -> None:
    (forge,) = FORGES
    await scenes.killed(forge, HERE, folder, scene, *arguments)


def paying(folder: Path, dies: str = "", **metadata: Any) -> BaseTool:  # noqa: ANN401 - what a tool says of itself
    """A tool whose effect is a line in a file; it kills its process `before` the effect or `after` it."""

    @tool
    async def pay(amount: int) -> str:
        """Pay."""
        if dies == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        with (folder / "paid").open("a") as file:
            file.write(f"{amount}\n")
        if dies == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return f"paid {amount}"

    pay.metadata = metadata
    return pay


def agent(folder: Path, dies: str = "", **metadata: Any) -> Agent:  # noqa: ANN401 - as above
    return Agent(tools=[paying(folder, dies, **metadata)], interrupt_on={"pay": True})


def paid(folder: Path) -> list[str]:
    return (folder / "paid").read_text().split() if (folder / "paid").exists() else []


async def scene(folder: Path, dies: str, decision: str = "approve") -> None:
    """One payment is decided about; the process dies in it."""
    decided: Decision = Edit({"amount": 7}) if decision == "edit" else Approve()
    inside = dies if dies in {"before", "after"} else ""
    async with guarded(folder, agent(folder, inside), TURN, dying=dies == "recorded") as play:
        await play.say("go")
        await play.decide(decided)


async def scene_of_two(folder: Path) -> None:
    """Two payments are approved; the process dies in each as soon as it is made."""
    async with guarded(folder, agent(folder, "after"), BOTH) as play:
        await play.say("go")
        await play.decide(Approve(), Approve())


async def scene_again(folder: Path) -> None:
    """People say to run it again, and the process dies in that as well."""
    async with guarded(folder, agent(folder, "after"), TURN) as play:
        await play.threads.proceed(THREAD)
        await play.decide(Approve())


async def scene_without_the_bot(folder: Path) -> None:
    """LangChain's approval alone."""
    bank: Any = _Plain(folder, "after")
    async with guarded(folder, plain({"pay": True}, bank), TURN) as play:
        await play.say("go")
        await play.decide(Approve())


class _Plain:
    def __init__(self, folder: Path, dies: str = "") -> None:
        self._tool = paying(folder, dies)

    def tool(self) -> BaseTool:
        return self._tool


@pytest.mark.parametrize(
    ("answer", "payments", "result"),
    [
        (Respond("paid 1, says the bank"), ["1"], "paid 1, says the bank"),
        (Respond(""), ["1"], ""),
        (Approve(), ["1", "1"], "paid 1"),
        (
            Reject(),
            ["1"],
            "`pay` was not run: it may have run already, and a person said not to run it again.",
        ),
    ],
)
async def test_killed_after_the_effect_people_are_asked_and_what_they_say_happens(
    answer: Decision, payments: list[str], result: str, tmp_path: Path
) -> None:
    await killed(tmp_path, "scene", "after")
    assert paid(tmp_path) == ["1"]
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        assert (await play.threads.read(THREAD)).condition is Condition.RUNNABLE
        assert await play.threads.proceed(THREAD) is None
        doubt = await play.interrupt()
        assert doubt.shape is Shape.IN_DOUBT
        (request,) = doubt.requests
        assert (request.tool, request.arguments, request.call) == ("pay", {"amount": 1}, "c0")
        assert DecisionKind.EDIT not in request.allowed
        assert paid(tmp_path) == ["1"]
        assert await play.decide(answer) is None
        assert paid(tmp_path) == payments
        assert await play.results() == [result]
        assert await play.answer() == "The end."
        kinds = await play.kinds()
        assert kinds[:3] == ["executing", "in_doubt", "resolved"]


async def test_killed_before_the_effect_people_are_asked_too_since_nobody_can_know(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "before")
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        await play.threads.proceed(THREAD)
        assert (paid(tmp_path), (await play.interrupt()).shape) == ([], Shape.IN_DOUBT)
        await play.decide(Approve())
        assert (paid(tmp_path), await play.results()) == (["1"], ["paid 1"])


async def test_killed_between_result_and_checkpoint_the_recorded_result_is_returned(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "recorded")
    assert paid(tmp_path) == ["1"]
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        assert (await play.threads.read(THREAD)).condition is Condition.RUNNABLE
        await play.threads.proceed(THREAD)
        assert (paid(tmp_path), await play.results()) == (["1"], ["paid 1"])
        assert await play.answer() == "The end."


async def test_the_question_about_an_edited_call_shows_what_would_run(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "after", "edit")
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        await play.threads.proceed(THREAD)
        assert (await play.interrupt()).requests[0].arguments == {"amount": 7}
        await play.decide(Approve())
        assert paid(tmp_path) == ["7", "7"]


async def test_the_question_outlives_further_restarts_and_is_the_same_one(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "after")
    seen = set()
    for _ in range(3):
        async with guarded(tmp_path, agent(tmp_path), TURN) as play:
            await play.threads.proceed(THREAD)
            seen.add((await play.interrupt()).id)
    assert len(seen) == 1
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        assert (await play.kinds()).count("in_doubt") == 1


async def test_killed_again_in_the_second_attempt_people_are_asked_again(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "after")
    await killed(tmp_path, "scene_again")
    assert paid(tmp_path) == ["1", "1"]
    async with guarded(tmp_path, agent(tmp_path), TURN) as play:
        await play.threads.proceed(THREAD)
        first = await play.interrupt()
        decided = await play.filed_for(first)
        # The answer to the first question is told again, as the loop does, and is not taken for the second's.
        await play.threads.resume(THREAD, decided)
        second = await play.interrupt()
        assert (second.shape, second.id == first.id, paid(tmp_path)) == (Shape.IN_DOUBT, False, ["1", "1"])
        await play.decide(Respond("paid twice, one was paid back"))
        assert await play.results() == ["paid twice, one was paid back"]
        assert paid(tmp_path) == ["1", "1"]


async def test_each_of_several_calls_in_doubt_is_asked_about_for_itself(tmp_path: Path) -> None:
    await killed(tmp_path, "scene_of_two")
    begun = paid(tmp_path)
    async with guarded(tmp_path, agent(tmp_path), BOTH) as play:
        await play.threads.proceed(THREAD)
        while doubts := (await play.threads.read(THREAD)).interrupts:
            assert {doubt.shape for doubt in doubts} == {Shape.IN_DOUBT}
            approval = play.decided(
                doubts[0], Respond(f"{doubts[0].requests[0].arguments['amount']} was paid")
            )
            async with play.store.write() as tx:
                assert await tx.approvals.add(approval)
            assert await play.threads.resume(THREAD, approval) is None
        assert paid(tmp_path) in (begun, [*begun, "2"], [*begun, "1"])
        for amount, told in zip(("1", "2"), await play.results(), strict=True):
            assert told in {f"{amount} was paid", f"paid {amount}"}
        assert sorted(set(paid(tmp_path))) == sorted(paid(tmp_path))


async def test_a_tool_that_is_safe_to_repeat_runs_again_without_a_question(tmp_path: Path) -> None:
    await killed(tmp_path, "scene", "after")
    async with guarded(tmp_path, agent(tmp_path, repeatable=True), TURN) as play:
        await play.threads.proceed(THREAD)
        assert (paid(tmp_path), await play.results()) == (["1", "1"], ["paid 1"])
        (execution,) = await play.executions()
        assert (execution.attempt, execution.progress) == (2, Progress.DONE)


def _plainly(told: Any) -> Any:  # noqa: ANN401 - a function of a team
    return lambda _: told


def _raising(_: Any) -> str:  # noqa: ANN401
    raise OSError("the bank is closed")


async def _looking(arguments: Any) -> str:  # noqa: ANN401
    return f"the bank has {arguments['amount']}"


@pytest.mark.parametrize(
    ("reconcile", "payments", "result"),
    [
        (_plainly("it is paid"), ["1"], "it is paid"),
        (_looking, ["1"], "the bank has 1"),
        (_plainly(False), ["1", "1"], "paid 1"),  # noqa: FBT003 - an answer
        (_plainly(None), ["1"], None),
        (_plainly(17), ["1"], None),
        (_raising, ["1"], None),
    ],
)
async def test_a_tool_that_can_tell_whether_it_ran_is_asked_before_people(
    reconcile: Any,  # noqa: ANN401
    payments: list[str],
    result: str | None,
    tmp_path: Path,
) -> None:
    await killed(tmp_path, "scene", "after")
    async with guarded(tmp_path, agent(tmp_path, reconcile=reconcile), TURN) as play:
        await play.threads.proceed(THREAD)
        assert paid(tmp_path) == payments
        if result is None:
            assert (await play.interrupt()).shape is Shape.IN_DOUBT
        else:
            assert await play.results() == [result]
            assert (await play.told())[2].detail["by"] == "tool"


async def test_without_the_bot_a_tool_runs_twice_when_it_is_killed_after_its_effect(tmp_path: Path) -> None:
    await killed(tmp_path, "scene_without_the_bot")
    bank: Any = _Plain(tmp_path)
    async with guarded(tmp_path, plain({"pay": True}, bank), TURN) as play:
        await play.threads.proceed(THREAD)
        still("h3", shown=paid(tmp_path) == ["1", "1"])


def booking(folder: Path, *, dies: bool) -> Agent:
    @tool
    async def book(city: str) -> str:
        """Book a day, which it asks for."""
        day = interrupt("Which day?")
        with (folder / "paid").open("a") as file:
            file.write(f"{day}\n")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"{city} on {day}"

    return Agent(tools=[book], interrupt_on={"book": True})


BOOK = [calls(("book", {"city": "Bern"}))]


async def scene_booking(folder: Path) -> None:
    """A tool that asks people itself dies after it has its answer."""
    async with guarded(folder, booking(folder, dies=True), BOOK) as play:
        await play.say("go")
        await play.decide(Approve())
        await play.decide(Respond("Monday"))


async def test_a_tool_that_asks_itself_and_dies_after_its_answer_is_not_run_again(tmp_path: Path) -> None:
    """Its answer comes first again, where the guard would ask; so nobody is asked, and nothing runs."""
    await killed(tmp_path, "scene_booking")
    async with guarded(tmp_path, booking(tmp_path, dies=False), BOOK) as play:
        question = await play.interrupt()
        await play.threads.resume(THREAD, await play.filed_for(question))
        assert paid(tmp_path) == ["Monday"]
        assert "it may have run already, so nobody ran it again" in (await play.results())[0]


async def scene_before_it_asks(folder: Path) -> None:
    """A tool that asks people itself dies before it asks."""

    @tool
    async def book(city: str) -> str:
        """Die."""
        os.kill(os.getpid(), signal.SIGKILL)
        return city

    async with guarded(folder, Agent(tools=[book], interrupt_on={"book": True}), BOOK) as play:
        await play.say("go")
        await play.decide(Approve())


async def test_what_people_say_of_a_doubt_is_never_taken_for_the_answer_to_a_tools_own_question(
    tmp_path: Path,
) -> None:
    await killed(tmp_path, "scene_before_it_asks")
    async with guarded(tmp_path, booking(tmp_path, dies=False), BOOK) as play:
        await play.threads.proceed(THREAD)
        await play.decide(Approve())  # run it again
        assert (await play.interrupt()).shape is Shape.QUESTION
        await play.decide(Respond("Tuesday"))
        assert (paid(tmp_path), await play.results()) == (["Tuesday"], ["Bern on Tuesday"])
