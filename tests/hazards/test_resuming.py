"""Answers that come twice, at once, too late, or to something else: H1, H2, H12, and a gate that is gone."""

import asyncio
from pathlib import Path

import pytest

from bot.approvals.decision import Approve
from bot.sandbox import text_of
from tests.agents.guarded import guarded
from tests.agents.stage import calls
from tests.agents.test_guard import TURN, Bank
from tests.agents.test_pruning import a_saver
from tests.hazards.bare import APPROVE, REJECT, Bare, changed
from tests.hazards.table import still
from tests.system.agents import RUNS
from tests.system.house import House, both_databases, decisions
from tests.system.test_growth import only_thread

SEND, WIPE = ("send", {"to": "ann"}), ("wipe", {"disk": "a"})
TRANSFER, OTHER = ("transfer", {"amount": 5.0, "to": "bob"}), ("store", {"data": {"a": 1}})
CLICK = {"decisions": [APPROVE]}


async def test_h1_without_the_bot_a_second_click_approves_the_next_call() -> None:
    bare = Bare([calls(SEND), calls(WIPE)])
    await bare.go()
    await bare.answer(CLICK)
    await bare.answer(CLICK)
    still("h1", shown=bare.ran == [("send", "ann"), ("wipe", "a")])


async def test_h1_behind_the_bot_a_second_click_leaves_the_next_call_alone(house: House) -> None:
    await house.asks([TRANSFER], [OTHER])
    card = await house.card()
    await house.bob.press(card, "Approve")
    following = await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) != [])
    await house.bob.press(card, "Approve", stale=True)
    await house.bob.sees_privately("Already approved by you")
    # What is decided now comes after whatever the second click had done.
    await house.bob.press(following, "Reject")
    assert await house.bob.submit(await house.bob.form(), {"Reason": "no"}) == {}
    assert "with reason: no" in await house.answer("store:")
    assert RUNS == [TRANSFER]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_h2_without_the_bot_five_resumes_at_once_run_the_tool_more_than_once(
    kind: str, tmp_path: Path
) -> None:
    async with a_saver(tmp_path, kind) as saver:
        bare = Bare([calls(SEND)], saver=saver)
        [asked] = await bare.go()
        await asyncio.gather(*(bare.answer({asked.id: CLICK}) for _ in range(5)))
        still("h2", shown=len(bare.ran) > 1)


async def test_h2_behind_the_bot_five_resumes_at_once_run_it_once_and_all_get_its_result(
    tmp_path: Path,
) -> None:
    """Past the lane in which a thread's work is done one after the other, at the guard alone."""
    bank = Bank()
    async with guarded(tmp_path, bank.agent(), TURN) as play:
        await play.say("go")
        approval = await play.filed(Approve())
        await asyncio.gather(*(play.resume_past_all_checks(approval) for _ in range(5)))
        assert bank.runs == [1]
        assert await play.results() == ["paid 1"]
        assert len(await play.executions()) == 1


async def test_h12_without_the_bot_a_changed_state_drops_the_interrupt_and_its_answer_goes_nowhere() -> None:
    bare = Bare([calls(SEND)])
    [asked] = await bare.go()
    await changed(bare.graph, to="eve")
    assert await bare.pending() == ()
    await bare.answer({asked.id: CLICK})
    [anew] = await bare.pending()
    still("h12", shown=bare.ran == [] and anew.id != asked.id)


async def test_h12_without_the_bot_an_answer_by_position_lets_the_changed_call_run_unseen() -> None:
    bare = Bare([calls(SEND)])
    await bare.go()
    await changed(bare.graph, to="eve")
    await bare.answer(CLICK)
    still("h12", shown=bare.ran == [("send", "eve")])


@both_databases
@pytest.mark.parametrize("change", [{"amount": 5000.0, "to": "eve"}, {}], ids=["another", "the same"])
async def test_h12_behind_the_bot_the_card_of_a_changed_state_says_so_and_what_is_new_is_asked(
    change: dict[str, object], house: House
) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await changed(house.bot.agent.graph, await only_thread(house), **change)
    await house.bob.press(card, "Approve")
    anew = await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) != [])
    # Bob approved it, and it was not what the agent got: a card that said "Approved" would be a lie.
    ended = await house.bob.sees_change(card, lambda one: "Withdrawn" in text_of(one))
    assert "the agent no longer waits for it" in text_of(ended)
    assert RUNS == []
    await house.bob.press(anew, "Reject")
    assert await house.bob.submit(await house.bob.form(), {"Reason": "no"}) == {}
    assert "with reason: no" in await house.answer("transfer:")
    assert RUNS == []


async def test_h12_behind_the_bot_an_answer_after_the_end_changes_nothing_and_is_told(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Approve")
    await house.answer()
    await house.bob.press(card, "Approve", stale=True)
    await house.bob.sees_privately("Already approved by you")
    assert RUNS == [TRANSFER]


async def test_gate_without_the_bot_a_rejected_call_runs_when_its_gate_is_gone() -> None:
    asking = Bare([calls(SEND)])
    [asked] = await asking.go()
    later = Bare([calls(SEND)], {}, saver=asking.saver)
    await later.answer({asked.id: {"decisions": [REJECT]}})
    still("gate", shown=later.ran == [("send", "ann")])
