"""Answers that are wrong, or name another tool, or belong to two calls at once: H4, H5, H6, H9, H11."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.types import Command
from pydantic import ValidationError

from bot.agents.agent import Agent
from bot.approvals.decision import Edit
from bot.approvals.errors import Stale
from bot.approvals.thread import Condition
from bot.sandbox import buttons, labels, text_of
from tests.agents.guarded import CONFIG, guarded
from tests.agents.stage import THREAD, calls, stage
from tests.hazards.bare import APPROVE, Bare, edit
from tests.hazards.table import still
from tests.system.agents import RUNS
from tests.system.house import House, a_house, both_databases, decisions
from tests.system.test_growth import only_thread

SEND, WIPE = ("send", {"to": "ann"}), ("wipe", {"disk": "a"})
TRANSFER, OTHER = ("transfer", {"amount": 5.0, "to": "bob"}), ("store", {"data": {"a": 1}})
EVERY = ["Approve", "Edit", "Respond", "Reject"]
WRONG: Sequence[Any] = ({"decisions": []}, {"decisions": [{"type": "bless"}]}, {})


@pytest.mark.parametrize("wrong", WRONG, ids=["too few", "unknown", "none"])
async def test_h4_without_the_bot_a_wrong_answer_is_the_last_one(wrong: Any) -> None:  # noqa: ANN401 - any JSON
    bare = Bare([calls(SEND)])
    [asked] = await bare.go()
    told = []
    for answer in (wrong, {"decisions": [APPROVE]}, {"decisions": [APPROVE]}):
        with pytest.raises((ValueError, KeyError)) as failed:
            await bare.answer({asked.id: answer})
        told.append(repr(failed.value))
    still("h4", shown=len(set(told)) == 1 and bare.ran == [])


@both_databases
async def test_h4_behind_the_bot_nothing_is_answered_before_everything_is_decided(house: House) -> None:
    await house.asks([TRANSFER, OTHER])
    card = await house.card()
    await house.bob.press(card, "Approve", nth=1)
    card = await house.card_with(card, *EVERY, "Change")
    [asked] = (await house.bot.agent.graph.aget_state(await _config(house))).interrupts
    assert RUNS == []
    await house.bob.press(card, "Approve")
    assert "transfer done" in await house.answer()
    assert len(RUNS) == len(asked.value["action_requests"]) == 2


@pytest.mark.parametrize("wrong", WRONG, ids=["too few", "unknown", "none"])
async def test_h4_behind_the_bot_a_thread_that_somebody_else_answered_wrongly_is_asked_again(
    wrong: Any,  # noqa: ANN401 - any JSON
    house: House,
) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    graph, config = house.bot.agent.graph, await _config(house)
    [asked] = (await graph.aget_state(config)).interrupts
    with suppress(ValueError, KeyError):
        await graph.ainvoke(Command(resume={asked.id: wrong}), config)
    await house.bob.press(card, "Approve")
    stuck = await house.alice.sees("is stuck; Retry makes it ask again", channel="#general")
    await house.bob.sees_change(card, lambda one: "Withdrawn" in text_of(one))
    await house.alice.press(stuck, "Retry")
    anew = await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) == EVERY)
    assert RUNS == []
    await house.bob.press(anew, "Approve")
    await house.answer()
    assert RUNS == [TRANSFER]


async def _config(house: House) -> Any:  # noqa: ANN401 - LangGraph's
    return {"configurable": {"thread_id": await only_thread(house)}}


async def test_h5_without_the_bot_an_edit_to_no_tool_is_found_out_after_its_sibling_ran() -> None:
    bare = Bare([calls(SEND, WIPE)])
    await bare.go()
    with pytest.raises(ValueError, match="not an available tool"):
        await bare.decide(APPROVE, edit("nothing", disk="b"))
    with pytest.raises(ValueError, match="not an available tool"):
        await bare.graph.ainvoke(None, {"configurable": {"thread_id": "thread-1"}})
    still("h5", shown=("send", "ann") in bare.ran)


async def test_h6_without_the_bot_an_edit_runs_another_tool_past_its_gate() -> None:
    bare = Bare([calls(SEND)], {"send": True, "wipe": {"allowed_decisions": ["reject"]}})
    await bare.go()
    await bare.decide(edit("wipe", disk="all"))
    still("h6", shown=bare.ran == [("wipe", "all")])


async def test_h5_behind_the_bot_people_change_arguments_and_never_the_tool(house: House) -> None:
    await house.asks([OTHER, TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Edit", nth=1)
    form = await house.bob.form()
    assert labels(form) == ["amount", "to"]
    assert await house.bob.submit(form, {"amount": "7", "to": "store"}) == {}
    card = await house.card_with(card, *EVERY, "Change")
    await house.bob.press(card, "Approve")
    await house.answer()
    assert sorted(name for name, _ in RUNS) == ["store", "transfer"]
    assert ("transfer", {"amount": 7.0, "to": "store"}) in RUNS


def two_tools(ran: list[str]) -> Agent:
    def noting(name: str) -> BaseTool:
        @tool(name)
        async def note(to: str) -> str:
            """Do it."""
            ran.append(f"{name} {to}")
            return f"{name} done"

        return note

    return Agent(
        tools=[noting("send"), noting("wipe")],
        interrupt_on={"send": True, "wipe": {"allowed_decisions": ["reject"]}},
    )


@pytest.mark.parametrize("other", ["wipe", "nothing"], ids=["h6", "h5"])
async def test_h6_behind_the_bot_a_row_that_names_another_tool_is_not_told(
    other: str, tmp_path: Path
) -> None:
    ran: list[str] = []
    async with stage(tmp_path, two_tools(ran), [calls(SEND)]) as play:
        await play.say("go")
        approval = await play.approval(Edit({"to": "eve"}))
        forged = replace(approval, actions=(replace(approval.actions[0], tool=other),))
        with pytest.raises(Stale):
            await play.threads.resume(THREAD, forged)
        assert (ran, (await play.threads.read(THREAD)).condition) == ([], Condition.WAITING)
        assert await play.threads.resume(THREAD, approval) is None
        assert ran == ["send eve"]


async def test_h6_behind_the_bot_another_tool_is_stopped_at_its_door(tmp_path: Path) -> None:
    """Past every check before: as if somebody else had answered."""
    ran: list[str] = []
    async with guarded(tmp_path, two_tools(ran), [calls(SEND)]) as play:
        await play.say("go")
        approval = await play.filed(Edit({"to": "eve"}))
        told = {approval.interrupt: {"decisions": [edit("wipe", to="eve")]}}
        await play.built.graph.ainvoke(Command(resume=told), CONFIG)
        assert ran == []
        assert "it is not the call that was decided about" in (await play.results())[0]


async def test_h9_without_the_bot_the_edit_of_one_call_runs_for_the_other_with_its_id() -> None:
    bare = Bare([calls(SEND, WIPE, ids=["same", "same"])])
    await bare.go()
    await bare.decide(edit("send", to="eve"), APPROVE)
    still("h9", shown=bare.ran == [("send", "eve"), ("send", "eve")])


async def test_h9_behind_the_bot_each_of_two_calls_with_one_id_gets_its_own_decision(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent="tests.hazards.agents:repeating") as house:
        await house.asks([TRANSFER, OTHER])
        card = await house.card()
        await house.bob.press(card, "Edit")
        assert await house.bob.submit(await house.bob.form(), {"amount": "7"}) == {}
        card = await house.card_with(card, "Change", *EVERY)
        await house.bob.press(card, "Approve")
        await house.answer()
        assert sorted(RUNS) == [("store", {"size": 8}), ("transfer", {"amount": 7.0, "to": "bob"})]


async def test_h11_without_the_bot_a_bad_answer_of_several_fails_a_run_in_which_the_others_ran() -> None:
    bare = Bare([calls(SEND, WIPE)], interrupt_mode="per_call")
    one, two = await bare.go()
    with pytest.raises(ValidationError):
        await bare.answer({one.id: APPROVE, two.id: {"type": "bless"}})
    still("h11", shown=bare.ran == [("send", "ann")])


async def test_h11_behind_the_bot_what_is_asked_call_by_call_is_never_answered_and_does_not_run(
    tmp_path: Path,
) -> None:
    """LangChain's own middleware in a graph of one's own; an `Agent` asks otherwise."""
    async with a_house(tmp_path, agent="tests.hazards.agents:one_by_one") as house:
        await house.asks([TRANSFER, TRANSFER])
        for _ in range(2):
            failed = await house.alice.sees(_can_retry, channel="#general")
            assert "waits for something that cannot be shown here" in text_of(failed)
            assert RUNS == []
            await house.alice.press(failed, "Retry")
            await house.alice.sees_change(failed, lambda one: buttons(one) == [])
        failed = await house.alice.sees(_can_retry, channel="#general")
        bot = house.bot.identity.bot_user
        await house.alice.say("#general", f"<@{bot}> without it", thread=failed["thread_ts"])
        await house.answer("heard without it", thread=failed["thread_ts"])
        assert RUNS == []


def _can_retry(message: dict[str, Any]) -> bool:
    return buttons(message) == ["Retry"]
