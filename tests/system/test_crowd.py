"""Many conversations at once, and approvals of any size."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS, WORDS
from tests.system.house import House, decisions, is_answer


async def test_fifty_conversations_at_once_and_no_card_in_a_foreign_thread(house: House) -> None:
    people = [f"person-{number:02}" for number in range(50)]

    def script(to: str) -> str:
        return json.dumps([[("transfer", {"amount": amount, "to": to})] for amount in (1.0, 2.0)])

    await asyncio.gather(*(house.alice.say("#general", f"/agent {script(to)}") for to in people))
    pressed: set[str] = set()

    def is_new(message: dict[str, Any]) -> bool:
        return decisions(message) != [] and message["ts"] not in pressed

    while len(pressed) < 100:
        await house.card(is_new, timeout=30)
        cards = [message for message in await house.bob.messages("#general") if is_new(message)]
        pressed |= {card["ts"] for card in cards}
        await asyncio.gather(*(house.bob.press(card, "Approve") for card in cards))
    for to in people:
        await house.answer(f'"amount": 2.0, "to": "{to}"', timeout=30)
    assert sorted((run[1]["to"], run[1]["amount"]) for run in RUNS) == [
        (to, amount) for to in people for amount in (1.0, 2.0)
    ]
    threads: dict[str, set[str]] = {}
    for message in await house.bob.messages("#general"):
        named = re.findall(r"person-\d\d", json.dumps(message))
        threads.setdefault(str(message.get("thread_ts") or message["ts"]), set()).update(named)
    assert sorted(map(len, threads.values())) == [1] * 50


HOSTILE = "<!channel> <@U0BOB> `code` ``` *bold* <https://evil.example|bank> \u202egnp.exe \u200b 🙂 שלום"


MARKUP = {"context", "markdown", "section"}
"""Blocks in which it would be alive; what buttons are called, and rich text, is plain."""


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({}, ""),
        ({"text": "x" * 100_000}, "characters left out"),
        ({f"key-{number}": number for number in range(200)}, "key-0"),
        ({"text": HOSTILE}, "⟨U+202E⟩gnp.exe"),
        ({HOSTILE: HOSTILE}, "⟨U+202E⟩gnp.exe"),
        ({"nested": json.loads("[" * 60 + "]" * 60)}, "nested"),
        ({"lines": "one\ntwo\n\n\tthree"}, "two"),
        ({"empty": "", "none": None, "zero": 0, "no": False}, "zero"),
    ],
)
async def test_arguments_of_any_kind_are_posted_readable_and_run_as_they_were(
    house: House, data: dict[str, Any], shown: str
) -> None:
    WORDS["data"] = data
    await house.asks([("store", {"data": "$data"})])
    card = await house.card()
    assert shown in text_of(card)
    assert "<!channel>" not in json.dumps([block for block in card["blocks"] if block["type"] in MARKUP])
    if "View all" in buttons(card):
        await house.carol.press(card, "View all")
        everything = text_of(await house.carol.form("store"))
        async for page in next_pages(house):
            everything += text_of(page)
        for value in data.values():
            assert "".join(str(value)[-40:].split()) in "".join(everything.split())
    await house.bob.press(card, "Approve")
    if "left out here" in text_of(card):
        await house.bob.submit(await house.bob.form("You have not seen the whole of it"))
    await house.answer("store done with")
    assert [("store", {"size": len(json.dumps(data))})] == RUNS


async def test_fifty_actions_in_one_interrupt_are_decided_on_one_card(house: House) -> None:
    await house.asks([("transfer", {"amount": float(number), "to": f"p{number}"}) for number in range(50)])
    card = await house.card()
    for left in range(50, 0, -1):
        word = "Approve" if left % 2 else "Reject"
        await house.bob.press(card, word)
        if word == "Reject":
            await house.bob.submit(await house.bob.form(), {"Reason": f"not {50 - left}"})
        if left > 1:
            card = await house.bob.sees_change(card, f"{left - 1} of 50 open")
    await house.answer("not 0", timeout=30)
    assert sorted(run[1]["amount"] for run in RUNS) == [float(number) for number in range(1, 50, 2)]
    ended = await house.bob.sees_change(card, lambda one: "Approve" not in buttons(one))
    assert len(ended["blocks"]) <= 50


async def test_one_of_many_actions_can_be_decided_from_view_all(house: House) -> None:
    await house.asks([("transfer", {"amount": float(number), "to": f"p{number}"}) for number in range(30)])
    card = await house.card()
    await house.carol.press(card, "View all", nth=-1)
    *_, last = [page async for page in next_pages(house)]
    assert "p29" in text_of(last)
    await house.carol.press(last, "Approve", nth=-1)
    await house.carol.form(lambda form: "Approved by <@U0CAROL>" in text_of(form))
    await house.bob.sees_change(card, "29 of 30 open")
    assert RUNS == []


async def next_pages(house: House) -> AsyncIterator[dict[str, Any]]:
    """What Carol sees when she goes on to the end of the view that is open."""
    page = await house.carol.form()
    while "Next" in buttons(page):
        await house.carol.press(page, "Next")
        page = await house.carol.form(lambda one, last=page: one["hash"] != last["hash"])  # type: ignore[misc]
        yield page


async def test_a_long_answer_comes_in_parts_and_whole(house: House) -> None:
    bot = house.bot.identity.bot_user
    text = " ".join(f"word{number}" for number in range(1_600))
    said = await house.alice.say("#general", f"<@{bot}> {text}")
    await house.answer("word1599", thread=said["ts"])
    thread = await house.alice.thread("#general", said["ts"])
    parts = [text_of(message) for message in thread if is_answer(message)]
    assert len(parts) > 1
    assert re.findall(r"word\d+", "\n".join(parts)) == text.split()
