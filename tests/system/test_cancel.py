"""`/agent status` and `/agent cancel`: what stands where, a Stop at each, and a thread that goes on."""

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, ToolMessage

from bot.agents.settling import CUT_SHORT
from bot.approvals.steps import STOPPED
from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS, WAITING
from tests.system.house import House, a_house, decisions
from tests.system.unhurried import CALLS, THINKING

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
WAIT = ("wait", {"name": "one"})
PAY = ("pay", {"to": "carol"})
UNHURRIED = "tests.system.unhurried:unhurried"


@pytest.fixture(autouse=True)
def _nothing_was_thought_yet() -> None:
    CALLS.clear()
    THINKING.clear()


async def mentions(house: House, text: str, thread: str) -> None:
    await house.alice.say("#general", f"<@{house.bot.identity.bot_user}> {text}", thread=thread)


async def test_status_has_a_stop_at_each_of_ones_own_and_pressing_it_ends_that_one_alone(
    house: House,
) -> None:
    await house.asks([TRANSFER])
    first = await house.card()
    await house.asks([("transfer", {"amount": 7.0, "to": "eve"})])
    second = await house.card(lambda one: "Approval needed" in text_of(one) and one["ts"] != first["ts"])
    await house.alice.say("#general", "/agent status")
    told = await house.alice.sees_privately("What you asked for:")
    assert text_of(told).count("waits for a decision about transfer. Open the thread") == 2
    assert buttons(told) == ["Stop", "Stop"]
    await house.alice.press(told, "Stop", nth=1)  # the newest stand first
    await house.alice.sees("Stopped by <@U0ALICE>.", thread=first["thread_ts"])
    again = await house.alice.sees_change(told, lambda one: buttons(one) == ["Stop"])
    assert "is being stopped" in text_of(again) or "finished" in text_of(again)
    assert decisions(await house.card_with(first)) == []
    await house.bob.press(second, "Approve")
    await house.answer("transfer done with")
    assert [run[1]["to"] for run in RUNS] == ["eve"]


async def test_status_shows_what_others_have_under_way_here_without_a_stop(house: House) -> None:
    await house.asks([TRANSFER])
    await house.card()
    await house.bob.say("#general", "/agent status")
    told = await house.bob.sees_privately("What others have under way in this channel:")
    assert "You have not asked for anything yet." in text_of(told)
    assert "Asked by <@U0ALICE>" in text_of(told)
    assert buttons(told) == []


async def test_the_stop_of_a_list_is_for_whoever_asked_and_for_what_is_under_way(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.alice.say("#general", "/agent status")
    told = await house.alice.sees_privately("What you asked for:")
    forged = house.slack.click(house.alice, told, "Stop")
    forged["user"] = {"id": "U0BOB", "team_id": "T0SANDBOX"}
    await house.slack.deliver(forged, "interactive")
    await house.bob.sees_privately(
        "Only who asked for it can stop it here; approvers use the Stop on its card."
    )
    await house.bob.press(card, "Approve")
    await house.answer("transfer done with")
    await house.alice.press(told, "Stop")
    await house.alice.sees_privately("This is finished already, so there was nothing to stop.")
    assert len(RUNS) == 1


async def test_cancel_asks_which_one_if_there_are_several(house: House) -> None:
    await house.asks([TRANSFER])
    first = await house.card()
    await house.asks([("transfer", {"amount": 7.0, "to": "eve"})])
    await house.card(lambda one: "Approval needed" in text_of(one) and one["ts"] != first["ts"])
    await house.alice.say("#general", "/agent cancel")
    told = await house.alice.sees_privately("Which of these is to be stopped?")
    assert buttons(told) == ["Stop", "Stop"]
    await house.alice.press(told, "Stop", nth=1)
    await house.alice.sees("Stopped by <@U0ALICE>.", thread=first["thread_ts"])
    await house.alice.say("#general", "/agent cancel")  # one is left, which is meant then
    await house.alice.sees_privately("Stopping what you asked for; its thread says when it is done.")


async def test_cancel_tells_of_what_is_under_way_elsewhere(house: House) -> None:
    await house.asks([TRANSFER])
    await house.card()
    await house.alice.say("#random", "/agent cancel")
    told = await house.alice.sees_privately("Nothing that you asked for in this channel is under way.")
    assert "Elsewhere there is:" in text_of(told)
    assert buttons(told) == ["Stop"]


async def test_the_agent_knows_that_its_call_was_cancelled_when_it_is_spoken_to_again(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=UNHURRIED) as house:
        await house.asks([PAY])
        card = await house.card()
        await house.alice.say("#general", "/agent cancel")
        await house.alice.sees("Stopped by <@U0ALICE>.", thread=card["thread_ts"])
        await mentions(house, "still there?", card["thread_ts"])
        await house.answer("heard still there?", thread=card["thread_ts"])
        [told] = [one for one in CALLS[-1] if isinstance(one, ToolMessage)]
        assert (told.content, told.status) == (STOPPED, "error")
        assert not any(one.content == CUT_SHORT for one in CALLS[-1])
        assert RUNS == []


async def test_a_long_running_tool_ends_and_the_agent_knows_that_it_was_cut_short_after_it(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, agent=UNHURRIED) as house:
        await house.asks([WAIT], [PAY])
        opening = await house.alice.sees("asked:", channel="#general")
        await WAITING[0].begins.wait()
        await house.alice.say("#general", "/agent cancel")
        await house.alice.sees_privately("Stopping what you asked for; its thread says when it is done.")
        await house.alice.say("#general", "/agent status")
        status = await house.alice.sees_privately("is being stopped")
        assert buttons(status) == []
        await house.alice.say("#general", "/agent cancel")
        await house.alice.sees_privately("This is being stopped already")
        WAITING[0].may_end.set()
        await house.alice.sees("Stopped by <@U0ALICE>.", thread=opening["ts"])
        assert RUNS == [WAIT]
        await mentions(house, "still there?", opening["ts"])
        await house.answer("heard still there?", thread=opening["ts"])
        kinds = [(type(one), one.content) for one in CALLS[-1][-3:]]
        assert kinds == [
            (ToolMessage, "waited"),
            (HumanMessage, CUT_SHORT),
            (HumanMessage, "still there?"),
        ]
        assert not any("Approval needed" in text_of(one) for one in await house.bob.messages("#general"))
