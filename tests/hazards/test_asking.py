"""Whether people are asked, and in which order: H7, H8, H10."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from bot.sandbox import text_of
from tests.agents.stage import calls
from tests.hazards import agents
from tests.hazards.bare import REJECT, Bare
from tests.hazards.table import still
from tests.system.agents import RUNS
from tests.system.house import House, a_house

SEND = ("send", {"to": "ann"})
SENT = ("send", "ann")
TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
SIX = [("send", {"to": str(number)}) for number in range(6)]


@pytest.fixture(autouse=True)
def _nobody_was_asked() -> Iterator[None]:
    agents.ASKED.clear()
    yield
    agents.ASKED.clear()


async def test_h7_without_the_bot_a_rejected_call_runs_when_the_gates_function_changes_its_mind() -> None:
    verdicts = [True, False]
    gate = {"allowed_decisions": ["approve", "reject"], "when": lambda _: verdicts.pop(0)}
    bare = Bare([calls(SEND)], {"send": gate})
    await bare.go()
    await bare.decide(REJECT)
    still("h7", shown=bare.ran == [SENT])


async def test_h7_behind_the_bot_the_gates_function_is_asked_once_and_a_rejected_call_does_not_run(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, agent="tests.hazards.agents:flipping") as house:
        await house.asks([TRANSFER])
        await house.bob.press(await house.card(), "Reject")
        assert await house.bob.submit(await house.bob.form(), {"Reason": "never"}) == {}
        assert "with reason: never" in await house.answer("transfer:")
        assert (RUNS, len(agents.ASKED)) == ([], 1)


async def test_h8_without_the_bot_a_function_that_returns_nothing_lets_the_call_run_unseen() -> None:
    bare = Bare([calls(SEND)], {"send": {"allowed_decisions": ["approve"], "when": lambda _: None}})
    assert await bare.go() == []
    still("h8", shown=bare.ran == [SENT])


async def test_h8_behind_the_bot_a_function_that_returns_nothing_has_people_asked(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent="tests.hazards.agents:silent") as house:
        await house.asks([TRANSFER])
        card = await house.card()
        assert RUNS == []
        await house.bob.press(card, "Approve")
        await house.answer()
        assert RUNS == [TRANSFER]


class LastFirst(AgentMiddleware[Any, Any, Any]):
    """Lets the calls through in the wrong order: the last one asks first."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = [asyncio.Event() for _ in range(len(SIX) + 1)]
        self.turns[-1].set()

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        number = int(request.tool_call["args"]["to"])
        await self.turns[number + 1].wait()
        try:
            return await handler(request)
        finally:
            self.turns[number].set()


async def test_h10_without_the_bot_a_run_tells_its_interrupts_in_the_order_in_which_they_came() -> None:
    bare = Bare([calls(*SIX)], interrupt_mode="per_call", outside=[LastFirst()])
    told = [asked.value["args"]["to"] for asked in await bare.go()]
    still("h10", shown=told == ["5", "4", "3", "2", "1", "0"])
    # The state has them in the order of the calls, and it is where the bot looks.
    assert [asked.value["args"]["to"] for asked in await bare.pending()] == ["0", "1", "2", "3", "4", "5"]


async def test_h10_behind_the_bot_six_calls_stand_and_are_decided_in_the_order_of_the_agent(
    house: House,
) -> None:
    await house.asks(
        [("transfer", {"amount": float(number), "to": f"account {number}"}) for number in range(6)]
    )
    card = await house.card("1 of 6")
    shown = text_of(card)
    places = [shown.index(f"account {number}") for number in range(6)]
    assert places == sorted(places)
    every = ["Approve", "Edit", "Respond", "Reject"]
    await house.carol.press(card, "Reject", nth=3)
    assert await house.carol.submit(await house.carol.form(), {"Reason": "not the fourth"}) == {}
    for left in range(5, 0, -1):
        card = await house.card_with(card, *_with_change_at(left, every))
        await house.bob.press(card, "Approve", nth=left - 1)
    await house.answer()
    assert sorted(run[1]["to"] for run in RUNS) == [f"account {number}" for number in (0, 1, 2, 4, 5)]


def _with_change_at(left: int, every: list[str]) -> list[str]:
    """The buttons when so many are undecided: the fourth was decided first, then from the last on."""
    open_ones = [number for number in range(6) if number != 3][:left]
    return [word for number in range(6) for word in (every if number in open_ones else ["Change"])]
