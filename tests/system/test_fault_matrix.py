"""Every call that an approval makes, against everything that Slack may answer: 9 calls, 14 faults.

In each cell the fault meets the call in the middle of a conversation. However it comes: the approval is
decided and its tool runs once, its card is right at the end, no second one can be pressed, and the call that
failed was made at most three times more than without the fault.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from bot.sandbox import Fault, buttons, text_of
from bot.slack import app, refusals
from tests.system.agents import RUNS, WORDS
from tests.system.house import House, a_house, decisions
from tests.whole import WHOLE

Json = dict[str, Any]
Switch = Callable[[], Awaitable[None]]

FAULTS: Final[dict[str, Json]] = {
    "429": {"kind": "ratelimited", "retry_after": 1},
    "429 without a time": {"kind": "ratelimited", "retry_after": None},
    "429 in a burst": {"kind": "ratelimited", "retry_after": 1, "times": 3},
    "a server error": {"kind": "status", "status": 503},
    "a timeout": {"kind": "delay", "seconds": 3.0},
    "a lost response": {"kind": "lost_response"},
    "message_not_found": {"kind": "error", "error": "message_not_found"},
    "edit_window_closed": {"kind": "error", "error": "edit_window_closed"},
    "msg_too_long": {"kind": "error", "error": "msg_too_long"},
    "is_archived": {"kind": "error", "error": "is_archived"},
    "not_in_channel": {"kind": "error", "error": "not_in_channel"},
    "channel_not_found": {"kind": "error", "error": "channel_not_found"},
    "token_revoked": {"kind": "error", "error": "token_revoked"},
    "missing_scope": {"kind": "error", "error": "missing_scope"},
}
IN_CI: Final = ("429 without a time", "a lost response", "edit_window_closed", "is_archived", "token_revoked")
UNCHANGEABLE: Final = ("message_not_found", "edit_window_closed")
"""What leaves a message as it is: its buttons stay, and whoever presses them is told."""
MOST_RETRIES: Final = 3
PATIENCE: Final = 1.0
"""Seconds after which a request has timed out, and after which a refused token is tried again."""


USUAL: Final = {
    "chat.postMessage": 2,
    "chat.update": 1,
    "chat.postEphemeral": 2,  # a card stands in the thread and in the channel, and so does a refusal
    "views.open": 1,
    "views.push": 1,
    "views.update": 1,
    "users.info": 1,
    "conversations.members": 1,
    "conversations.replies": 1,  # the answer to the card is lost there
}
"""How often each is called from where the fault comes in, if none does."""

CALL: Final = ("transfer", {"amount": 5.0, "to": "bob"})


async def card_in(house: House, thread: str, call: object = CALL) -> Json:
    """What the agent asks for next in this thread."""
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> {json.dumps([[call]])}", thread=thread)
    return await house.card(lambda one: "Approve" in buttons(one), thread=thread, timeout=30)


async def approve(house: House, card: Json) -> None:
    """Bob presses Approve, and again where he is told that it did not work."""
    for _ in range(1 + MOST_RETRIES):
        told = [one["ts"] for one in await house.bob.ephemerals()]
        await house.bob.press(card, "Approve", stale=True)
        ends = [
            asyncio.create_task(house.answer("done with", thread=card["thread_ts"], timeout=30)),
            asyncio.create_task(
                house.bob.sees_privately(partial(_is_new, told), channel="#general", timeout=30)
            ),
        ]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        if RUNS:
            return


def _is_new(told: list[str], one: Json) -> bool:
    return one["ts"] not in told


async def posts(house: House, thread: str, switch: Switch) -> Json:
    await switch()
    card = await card_in(house, thread)
    await approve(house, card)
    return card


async def updates(house: House, thread: str, switch: Switch) -> Json:
    card = await card_in(house, thread)
    await switch()
    await approve(house, card)
    return card


async def refuses(house: House, thread: str, switch: Switch) -> Json:
    card = await card_in(house, thread)
    await switch()
    await house.alice.press(card, "Approve")
    await approve(house, card)
    return card


async def opens(house: House, thread: str, switch: Switch) -> Json:
    card = await card_in(house, thread)
    await switch()
    await house.bob.press(card, "Reject")
    await approve(house, card)
    return card


async def pushes(house: House, thread: str, switch: Switch) -> Json:
    card = await card_in(house, thread, ("store", {"data": {"text": "a line\n" * 200}}))
    await house.alice.press(card, "View all")
    view = await house.alice.form("a line")
    await switch()
    await house.alice.press(view, "Approve")
    await house.bob.press(card, "View all")
    await house.bob.close(await house.bob.form("a line"))
    await approve(house, card)
    return card


async def turns(house: House, thread: str, switch: Switch) -> Json:
    WORDS["data"] = {"text": "a line\n" * 25_000}
    card = await card_in(house, thread, ("store", {"data": "$data"}))
    await house.bob.press(card, "View all")
    view = await house.bob.form("Page 1 of")
    await switch()
    await house.bob.press(view, "Next")
    await house.bob.close(view)
    await house.bob.press(card, "Approve")
    await house.bob.submit(await house.bob.form("You have not seen the whole of it"))
    return card


async def searches(house: House, thread: str, switch: Switch) -> Json:
    await switch()
    await house.slack.fault(Fault(kind="lost_response", method="chat.postMessage", times=1))
    card = await card_in(house, thread)
    await approve(house, card)
    return card


STORIES: Final = {
    "chat.postMessage": posts,
    "chat.update": updates,
    "chat.postEphemeral": refuses,
    "views.open": opens,
    "views.push": pushes,
    "views.update": turns,
    "users.info": updates,
    "conversations.members": updates,
    "conversations.replies": searches,
}
CELLS: Final = [(call, fault) for call in STORIES for fault in FAULTS if WHOLE or fault in IN_CI]


@pytest.mark.parametrize(("call", "fault"), CELLS, ids=[" meets ".join(cell) for cell in CELLS])
async def test_the_approval_is_decided_and_the_card_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, fault: str
) -> None:
    monkeypatch.setattr(app, "TIMEOUT", PATIENCE)
    monkeypatch.setattr(refusals, "PAUSE", PATIENCE)
    async with a_house(tmp_path) as house:
        made = await story(house, call, Fault(**{"times": 1, "method": call, **FAULTS[fault]}))
        assert made <= USUAL[call] + MOST_RETRIES, house.slack.calls(call)
        assert len(RUNS) == 1


@pytest.mark.parametrize("call", STORIES)
async def test_without_a_fault_so_many_calls_are_made(house: House, call: str) -> None:
    made = await story(house, call, None)
    assert made == USUAL[call]


async def story(house: House, call: str, fault: Fault | None) -> int:
    """The calls that were made from the fault on, once everything is as it has to be."""
    bot, before = house.bot.identity.bot_user, 0

    async def switch() -> None:
        nonlocal before
        before = len(house.slack.calls(call))
        if fault:
            await house.slack.fault(fault)

    said = await house.alice.say("#general", f"<@{bot}> hello")
    await house.answer("heard hello", thread=said["ts"])
    card = await STORIES[call](house, said["ts"], switch)
    await house.answer("done with", thread=said["ts"], timeout=30)
    await house.bob.sees(lambda one: "Approved by" in text_of(one), thread=said["ts"], timeout=30)
    stays = fault is not None and call == "chat.update" and fault.error in UNCHANGEABLE
    cards = [
        one
        for one in await house.bob.thread("#general", said["ts"])
        if "Approved by" in text_of(one) or decisions(one)
    ]
    assert [decisions(one) for one in cards if decisions(one) not in ([], ["View all"])] == (
        [decisions(card)] if stays else []
    )
    assert len(cards) == 1 + stays
    return len(house.slack.calls(call)) - before


@pytest.mark.parametrize("error", ["is_archived", "not_in_channel", "channel_not_found"])
async def test_the_requester_is_told_once_of_a_channel_that_cannot_be_written_in(
    house: House, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    monkeypatch.setattr(refusals, "PAUSE", 0.2)
    bot = house.bot.identity.bot_user
    said = await house.alice.say("#general", f"<@{bot}> hello")
    await house.answer("heard hello", thread=said["ts"])
    await house.slack.fault(Fault(kind="error", method="chat.postMessage", error=error, times=1))
    card = await card_in(house, said["ts"])
    told = await house.alice.sees("I cannot write in the channel where you asked me", channel="im")
    assert "finds it on the Home tab" in text_of(told)
    await approve(house, card)
    await house.answer("done with", thread=said["ts"])
    assert len(await house.alice.messages("im")) == 1
