"""How a team's function is asked to show a call: in time, away from the loop, with masked copies."""

import asyncio
import threading
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool

from bot.agents.rendering import rendered, renders
from bot.approvals.approval import Shape
from bot.approvals.decision import Arguments, DecisionKind
from bot.approvals.ids import InterruptId
from bot.approvals.masking import Masking
from bot.approvals.presenting import shown_by_tools
from bot.approvals.rendered import Rendered
from bot.approvals.thread import ActionRequest, Interrupt
from bot.render import Code, Fields, Text


def shows(render: object) -> BaseTool:
    @tool
    def refund(order: str) -> str:
        """Refund."""
        return order

    refund.metadata = {"render": render}
    return refund


async def later(arguments: dict[str, Any]) -> Text:
    await asyncio.sleep(0)
    return Text(str(arguments["order"]))


def not_itself_a_coroutine(arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - something to await
    return later(arguments)


@pytest.mark.parametrize("render", [lambda told: Text(told["order"]), later, not_itself_a_coroutine])
async def test_a_plain_function_and_an_async_one_are_asked_alike(render: object) -> None:
    assert await rendered(shows(render), {"order": "A-17"}, within=5) == Rendered(parts=(Text("A-17"),))


async def test_a_tool_that_says_nothing_is_not_asked() -> None:
    assert not renders(None)
    assert not renders(shows(None))
    assert renders(shows(later))
    assert await rendered(shows(None), {}, within=5) is None
    assert await rendered(None, {}, within=5) is None


@pytest.mark.parametrize(
    ("render", "why"),
    [
        (lambda _: 1 / 0, "it failed with ZeroDivisionError"),
        (lambda told: told["nothing"], "it failed with KeyError"),
        (7, "`render` is no function"),
        (
            lambda _: None,
            "`render` gave something else than Text, Code, Fields, Link and Table, or an odd one",
        ),
        (lambda _: [], "`render` gave 0 parts, and 1 to 8 can be shown"),
    ],
)
async def test_what_it_raises_and_nonsense_are_told_without_a_value(render: object, why: str) -> None:
    assert await rendered(shows(render), {"order": "A-17"}, within=5) == Rendered(problem=why)


async def test_a_function_that_hangs_is_left_alone_and_holds_nobody_up() -> None:
    hangs, before = threading.Event(), threading.enumerate()
    try:
        found = await rendered(shows(lambda _: hangs.wait()), {}, within=0.01)
        assert found == Rendered(problem="it took longer than 0.01 seconds")
        new = [one for one in threading.enumerate() if one not in before]
        [left] = [one for one in new if one.name == "function of the team"]
        assert left.daemon
    finally:
        hangs.set()
    left.join()


async def test_a_plain_function_is_not_asked_on_the_loop() -> None:
    asked: list[threading.Thread] = []

    def remembers(_: Arguments) -> Text:
        asked.append(threading.current_thread())
        return Text("x")

    await rendered(shows(remembers), {}, within=5)
    assert asked != [threading.current_thread()]


def a_request(**arguments: Any) -> ActionRequest:  # noqa: ANN401 - JSON
    return ActionRequest(
        tool="refund", arguments=arguments, description="", allowed=frozenset({DecisionKind.APPROVE})
    )


class Tools:
    """One tool that repeats what it is given, of plain types."""

    def __init__(self) -> None:
        self.given: list[Arguments] = []

    def renders(self, tool: str) -> bool:
        return tool == "refund"

    async def rendered(self, tool: str, arguments: Arguments, *, within: float) -> Rendered | None:
        def repeats(told: dict[str, Any]) -> Code:
            self.given.append(told)
            told.clear()
            return Code("shown")

        assert within == 5.0
        return await rendered(shows(repeats), arguments, within=within) if self.renders(tool) else None


async def test_a_tool_is_given_copies_in_which_everything_secret_is_masked() -> None:
    tools, kept = Tools(), {"iban": "DE02120300000000202051"}
    asked = Interrupt(
        id=InterruptId("0" * 32),
        shape=Shape.BATCHED,
        requests=(a_request(**kept, n=1), a_request(note="to DE02120300000000202051", password=["a", "b"])),
    )
    told = await shown_by_tools(tools, Masking(redact=lambda _: ("iban",)), asked)
    assert [one.rendered for one in told.requests] == [Rendered(parts=(Code("shown"),))] * 2
    assert [one.arguments for one in told.requests] == [one.arguments for one in asked.requests]
    assert kept == {"iban": "DE02120300000000202051"}


async def test_what_it_is_given_is_plain_text_where_something_is_masked() -> None:
    given: list[Any] = []

    def remembers(told: dict[str, Any]) -> Fields:
        given.append(told)
        return Fields(told)

    masked = Masking().arguments("refund", {"password": "swordfish", "n": 1})
    await rendered(shows(remembers), masked, within=5)
    assert given == [{"password": "(masked, 9 characters)", "n": 1}]
    assert [type(one) for one in given[0].values()] == [str, int]
