"""Asked about each call by itself, in Slack: what is decided runs at once, whatever else still waits."""

import asyncio
import json
from pathlib import Path
from typing import Any

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS, WAITING
from tests.system.house import POLICY, House, a_house, decisions

EACH = "tests.system.agents:each"
FIRST = ("transfer", {"amount": 1.0, "to": "first"})
SECOND = ("transfer", {"amount": 2.0, "to": "second"})
THIRD = ("store", {"data": {"a": 1}})
FREE = ("lookup", {"what": "free"})
RAN_THIRD = ("store", {"size": 8})


def has(shown: str) -> Any:  # noqa: ANN401 - a predicate
    return lambda one: decisions(one) != [] and shown in text_of(one)


async def follows(house: House, line: str) -> None:
    """Once the thread's message about the turn says so."""
    await house.alice.sees(line, channel="#general")


async def test_what_nobody_has_to_approve_runs_at_once_and_each_decision_at_once(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=EACH) as house:
        await house.asks([FIRST, FREE, THIRD, SECOND])
        burst = await house.card("2 of 2 open")
        stored = await house.card(has("store"))
        await follows(house, "lookup: Done")
        assert RUNS == [FREE]
        await house.bob.press(burst, "Edit", nth=1)
        assert await house.bob.submit(await house.bob.form(), {"amount": "7"}) == {}
        burst = await house.bob.sees_change(burst, "1 of 2 open")
        await follows(house, "transfer: Done")
        assert RUNS[1:] == [("transfer", {"amount": 7.0, "to": "second"})]
        await house.carol.press(stored, "Reject")
        assert await house.carol.submit(await house.carol.form(), {"Reason": "not that"}) == {}
        await house.bob.sees_change(stored, lambda one: decisions(one) == [])
        await house.bob.press(burst, "Approve")
        answer = await house.answer("done with")
        assert [run for run in RUNS if run != FREE] == [("transfer", {"amount": 7.0, "to": "second"}), FIRST]
        assert "with reason: not that" in answer
        assert "a human reviewer replaced this tool call" in answer


async def test_a_double_click_runs_a_call_once(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=EACH) as house:
        await house.asks([FIRST, THIRD])
        card = await house.card(has("transfer"))
        await asyncio.gather(*(house.bob.press(card, "Approve") for _ in range(2)))
        await house.bob.sees("Already approved by you.", channel="#general")
        await house.bob.press(await house.card(has("store")), "Approve")
        await house.answer()
        assert sorted(RUNS) == [RAN_THIRD, FIRST]


async def test_after_a_restart_what_ran_has_run_and_what_waits_can_be_decided(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=EACH) as house:
        await house.asks([FIRST, FREE, THIRD])
        await house.bob.press(await house.card(has("transfer")), "Approve")
        await follows(house, "transfer: Done")
        stored = await house.card(has("store"))
    async with a_house(tmp_path, agent=EACH) as house:
        assert RUNS == [FREE, FIRST]
        await house.bob.press(stored, "Approve")
        answer = await house.answer("store done with")
        assert RUNS == [FREE, FIRST, RAN_THIRD]
        assert 'transfer done with {"amount": 1.0, "to": "first"}' in answer


async def test_while_one_runs_the_next_is_decided_and_stop_ends_what_waits(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=EACH) as house:
        await house.asks([("wait", {"name": "one"}), FIRST, THIRD])
        stored = await house.card(has("store"))
        await house.bob.press(await house.card(has("wait")), "Approve")
        await WAITING[0].begins.wait()
        await house.bob.press(stored, "Reject")
        assert await house.bob.submit(await house.bob.form(), {"Reason": "no"}) == {}
        stored = await house.bob.sees_change(stored, "Rejected by")
        WAITING[0].may_end.set()
        card = await house.card(has("transfer"))
        await house.bob.press(card, "Stop")
        await house.alice.sees("Nothing that waited was run", channel="#general")
        gone = await house.bob.sees_change(card, "Withdrawn")
        assert buttons(gone) == []
        assert RUNS == [("wait", {"name": "one"})]


async def test_what_expires_alone_leaves_the_others_and_the_agent_is_told(tmp_path: Path) -> None:
    policy = f'{POLICY}[[rules]]\ntools = ["store"]\nexpires_after = "3s"\n'
    async with a_house(tmp_path, agent=EACH, policy=policy) as house:
        await house.asks([FIRST, THIRD])
        card = await house.card(has("transfer"))
        await house.bob.sees(lambda one: "Expired" in text_of(one), channel="#general", timeout=20)
        await house.bob.press(card, "Approve")
        answer = await house.answer("transfer done with")
        assert "store: Nobody decided in time, so the tool did not run." in answer
        assert RUNS == [FIRST]


async def test_other_gates_after_a_restart_ask_again_about_what_waits_and_run_nothing_twice(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, agent=EACH) as house:
        await house.asks([FIRST, FREE, THIRD])
        await house.bob.press(await house.card(has("transfer")), "Approve")
        await follows(house, "transfer: Done")
        stored = await house.card(has("store"))
    async with a_house(tmp_path, agent="tests.system.agents:each_stricter") as house:
        await house.bob.press(stored, "Approve")
        ended = await house.bob.sees_change(stored, "it is asked again")
        assert buttons(ended) == []
        anew = await house.card(lambda one: decisions(one) == ["Approve", "Reject"])
        await house.bob.press(anew, "Approve")
        await house.answer("store done with")
        assert RUNS == [FREE, FIRST, RAN_THIRD]


async def test_a_call_is_turned_into_another_tool_and_asked_once_in_a_conversation(tmp_path: Path) -> None:
    policy = f'{POLICY}ask = "once"\n[[rules]]\ntools = ["store"]\nedit_to = ["lookup"]\n'
    async with a_house(tmp_path, agent=EACH, policy=policy) as house:
        await house.asks([FIRST, THIRD], [FIRST, FREE])
        stored = await house.card(has("store"))
        await house.bob.press(stored, "Edit")
        form = await house.bob.form()
        assert "lookup" in json.dumps(form)
        await house.bob.close(form)
        await house.bob.press(stored, "Approve")
        await house.bob.press(await house.card(has("transfer")), "Approve")
        await house.answer("free")
        assert sorted(RUNS) == sorted([RAN_THIRD, FIRST, FIRST, FREE])
        await house.alice.sees("Not asked again in this conversation", channel="#general")
