"""The agent is followed: one message per turn, drawn at a pace, and what all of it costs in requests."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.approvals import following, watching
from bot.sandbox import Fault, Person, buttons, text_of
from bot.slack import courier
from tests.system.agents import FAIL, WAITING
from tests.system.house import House, a_house, decisions

PACE = 0.4
Json = dict[str, Any]


def transfer(amount: float) -> tuple[str, Json]:
    return "transfer", {"amount": amount, "to": "bob"}


def lookup(what: str) -> tuple[str, Json]:
    return "lookup", {"what": what}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds become tenths: the looks at a run, and the pace of the drawings."""
    monkeypatch.setattr(watching, "EVERY", 0.02)
    monkeypatch.setattr(following, "SOON", timedelta(seconds=0.05))
    for module in (following, courier):
        monkeypatch.setattr(module, "PACE", timedelta(seconds=PACE))


@pytest.fixture
async def office(tmp_path: Path, quick: None) -> AsyncIterator[House]:  # noqa: ARG001 - it sets the pace
    async with a_house(tmp_path, agent="tests.system.steps:busy") as house:
        yield house


def is_progress(message: Json) -> bool:
    return any(block.get("block_id", "").startswith("plan-") for block in message.get("blocks") or [])


def tasks(message: Json) -> list[tuple[str, str]]:
    """What the plan says of each call, and Slack's word for it."""
    [plan] = [block for block in message["blocks"] if block["type"] == "plan"]
    return [(task["title"], task["status"]) for task in plan["tasks"]]


def titled(message: Json) -> str:
    return next((block["title"] for block in message.get("blocks") or [] if block["type"] == "plan"), "")


def reads(*wanted: str) -> Any:  # noqa: ANN401 - a question to a message
    """Whether it is a plan whose calls stand like this."""

    def look(message: Json) -> bool:
        return is_progress(message) and [title for title, _ in tasks(message)] == [*wanted]

    return look


def requests(house: House) -> Counter[str]:
    """What the bot asked of Slack in order to show something."""
    return Counter(call.method for call in house.slack.calls() if call.method.startswith("chat."))


def drawings(house: House, ts: str) -> list[float]:
    """When the message was drawn anew."""
    return [
        call.at
        for call in house.slack.calls()
        if call.method == "chat.update" and call.arguments["ts"] == ts and call.outcome == "ok"
    ]


async def decides(person: Person, card: Json, word: str, *, why: str = "No.") -> None:
    await person.press(card, word)
    if word == "Reject":
        await person.submit(await person.form(), {"Reason": why})


async def test_a_run_of_seven_calls_is_followed_in_one_message(office: House) -> None:
    begun = time.monotonic()
    FAIL.append("lookup")
    rounds = [[lookup("one")], [lookup("two")], [lookup("three"), lookup("four")]]
    await office.asks(*rounds, [("wait", {"name": "five"})], [transfer(6)], [transfer(7)])
    four = ("lookup: Failed", "lookup: Done", "lookup: Done", "lookup: Done")
    shown = await office.bob.sees(reads(*four, "wait: Running"), channel="#general")
    assert titled(shown) == "The agent is at work"
    assert buttons(shown) == ["Stop"]
    assert shown["text"] == "The agent is at work: 4 of 5 calls ended (1 running, 3 done, 1 failed)."
    WAITING[0].may_end.set()

    card = await office.card()
    five = (*four, "wait: Done")
    shown = await office.bob.sees_change(shown, reads(*five, "transfer: Waits for approval"))
    assert titled(shown) == "The agent waits for people"
    assert tasks(shown)[-1] == ("transfer: Waits for approval", "pending")
    await decides(office.bob, card, "Reject")
    second = await office.card(lambda one: "amount: 7" in text_of(one) and decisions(one) != [])
    shown = await office.bob.sees_change(
        shown, reads(*five, "transfer: Rejected", "transfer: Waits for approval")
    )
    await decides(office.bob, second, "Approve")
    await office.answer("transfer done with")
    shown = await office.bob.sees_change(shown, reads(*five, "transfer: Rejected", "transfer: Done"))
    assert [status for _, status in tasks(shown)] == [
        "error",
        "complete",
        "complete",
        "complete",
        "complete",
        "error",
        "complete",
    ]
    assert (titled(shown), buttons(shown)) == ("What the agent did", [])
    assert 'lookup done with {"what": "two"}' in text_of(shown)
    assert "lookup failed" in text_of(shown).replace("`", "")

    thread = await office.bob.thread("#general", shown["thread_ts"])
    assert len([message for message in thread if is_progress(message)]) == 1
    drawn = drawings(office, shown["ts"])
    assert len(drawn) <= 1 + (time.monotonic() - begun) / PACE
    assert all(later - earlier > PACE / 2 for earlier, later in pairwise(drawn))
    print(f"7 calls, 2 cards, 1 failed: {dict(requests(office))}, {len(drawn)} drawings of the plan")  # noqa: T201 - a figure of the README


async def test_what_is_said_without_tools_and_what_one_card_tells_is_not_said_twice(house: House) -> None:
    await house.asks()
    await house.answer("heard")
    plain = requests(house)
    await house.asks([transfer(1)])
    card = await house.card()
    await decides(house.bob, card, "Approve")
    await house.answer("transfer done with")
    await house.bob.sees_change(card, lambda one: decisions(one) == [])
    one = requests(house) - plain
    await house.asks([transfer(2), transfer(3)])
    card = await house.card(lambda one: decisions(one) != [])
    await house.bob.press(card, "Approve")
    card = await house.bob.sees_change(card, lambda one: "Change" in decisions(one))
    await house.bob.press(card, "Approve")
    await house.answer('"amount": 3')
    assert not any(is_progress(each) for each in await house.bob.messages("#general"))
    assert plain == {"chat.postMessage": 2}
    assert one == {"chat.postMessage": 3, "chat.update": 1}
    print(f"A question: {dict(plain)}. One call, approved: {dict(one)}")  # noqa: T201 - a figure of the README


@pytest.mark.parametrize("steps", [5, 40])
async def test_what_a_run_costs_does_not_grow_with_its_steps(office: House, steps: int) -> None:
    begun = time.monotonic()
    await office.asks(*([lookup(f"number {number}")] for number in range(steps)))
    await office.answer("number 4")
    shown = await office.bob.sees(lambda one: titled(one) == "What the agent did", channel="#general")
    asked = requests(office)
    most = 1 + int((time.monotonic() - begun) / PACE)
    assert asked["chat.postMessage"] == 3
    assert asked["chat.update"] <= most
    if steps > 20:
        assert tasks(shown)[0] == ("20 earlier calls: 20 done", "complete")
    assert f"number {steps - 1}" in text_of(shown)
    print(f"{steps} calls in {time.monotonic() - begun:.1f} s: {dict(asked)}")  # noqa: T201 - a figure of the README


async def test_a_single_call_that_takes_its_time_is_shown_with_stop(office: House) -> None:
    await office.asks([("wait", {"name": "long"})])
    shown = await office.bob.sees(reads("wait: Running"), channel="#general")
    assert await office.alice.press(shown, "Stop") == {"ok": True}
    WAITING[0].may_end.set()
    await office.bob.sees("Stopped by <@U0ALICE>", channel="#general")
    ended = await office.bob.sees_change(shown, lambda one: titled(one) == "The agent was stopped")
    assert buttons(ended) == []


async def test_a_plan_stays_true_when_the_agent_fails_and_goes_on(office: House) -> None:
    await office.asks([lookup("one")], [("wait", {"name": "two"})])
    shown = await office.bob.sees(reads("lookup: Done", "wait: Running"), channel="#general")
    FAIL.append("model")
    WAITING[0].may_end.set()
    shown = await office.bob.sees_change(shown, lambda one: titled(one) == "The agent was halted")
    assert buttons(shown) == []
    failed = await office.bob.sees("could not be used", channel="#general")
    await office.alice.press(failed, "Retry")
    await office.answer("waited")
    await office.bob.sees_change(shown, lambda one: titled(one) == "What the agent did")
    progress = [each for each in await office.bob.messages("#general") if is_progress(each)]
    assert len(progress) == 1


async def test_where_slack_refuses_the_block_there_are_lines_from_then_on(office: House) -> None:
    await office.asks([("wait", {"name": "one"})], [lookup("two")])
    await asyncio.wait_for(WAITING[0].begins.wait(), 10)
    refused = Fault(kind="error", method="chat.postMessage", error="invalid_blocks", times=1)
    await office.slack.fault(refused)
    shown = await office.bob.sees("wait: Running", channel="#general")
    assert [block["type"] for block in shown["blocks"]] == ["section", "actions"]
    assert "• wait: Running · `name: one`" in text_of(shown)
    WAITING[0].may_end.set()
    await office.answer("waited")
    ended = await office.bob.sees_change(shown, lambda one: "What the agent did" in text_of(one))
    assert [block["type"] for block in ended["blocks"]] == ["section"]
    await office.asks([lookup("three")], [lookup("four")])
    await office.bob.sees("• lookup: Done · `what: four`", channel="#general")
    plans = [call for call in office.slack.calls() if is_progress(call.arguments)]
    assert [call.outcome for call in plans].count("invalid_blocks") == 1
    office.slack.core.calls.clear()  # the house takes a refusal for a fault of ours


async def test_no_secret_of_a_call_is_in_its_plan(office: House) -> None:
    secret = "hunter2-hunter2"
    await office.asks(
        [("lookup", {"what": f"password={secret}"})],
        [("store", {"data": {"token": secret}})],
        [lookup(secret)],
    )
    card = await office.card()
    await office.bob.sees(reads("lookup: Done", "store: Waits for approval"), channel="#general")
    await decides(office.bob, card, "Approve")
    shown = await office.bob.sees(reads("lookup: Done", "store: Done", "lookup: Done"), channel="#general")
    assert secret not in str([each for each in office.slack.calls() if is_progress(each.arguments)])
    assert "(masked, 15 characters)" in text_of(shown)


async def test_a_lost_answer_to_the_first_drawing_makes_no_second_message(office: House) -> None:
    await office.asks([("wait", {"name": "one"})], [lookup("two")])
    await asyncio.wait_for(WAITING[0].begins.wait(), 10)
    await office.slack.fault(Fault(kind="lost_response", method="chat.postMessage", times=1))
    await office.bob.sees(reads("wait: Running"), channel="#general", timeout=30)
    WAITING[0].may_end.set()
    await office.answer("waited", timeout=30)
    await office.bob.sees(reads("wait: Done", "lookup: Done"), channel="#general", timeout=30)
    progress = [each for each in await office.bob.messages("#general") if is_progress(each)]
    assert len(progress) == 1


async def test_after_a_restart_it_goes_on_in_the_same_message(tmp_path: Path, quick: None) -> None:  # noqa: ARG001 - the pace
    async with a_house(tmp_path, agent="tests.system.steps:busy") as house:
        await house.asks([lookup("one")], [transfer(2)])
        shown = await house.bob.sees(
            reads("lookup: Done", "transfer: Waits for approval"), channel="#general"
        )
    async with a_house(tmp_path, agent="tests.system.steps:busy") as house:
        await decides(house.bob, await house.card(), "Approve")
        await house.answer("transfer done with")
        ended = await house.bob.sees_change(shown, reads("lookup: Done", "transfer: Done"))
        assert (titled(ended), buttons(ended)) == ("What the agent did", [])
        progress = [each for each in await house.bob.messages("#general") if is_progress(each)]
        assert len(progress) == 1
