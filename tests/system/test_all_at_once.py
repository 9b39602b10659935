"""Several open calls decided with one press: what is listed is decided, each on its own, and nothing else."""

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS, WORDS
from tests.system.house import House, a_house

TOGETHER = '[defaults]\napprovers = ["channel"]\nall_at_once = true\n'
LONG = "a line of what runs\n" * 400
THREE = [("transfer", {"amount": float(n), "to": f"payee{n}"}) for n in (1, 2, 3)]
Json = dict[str, Any]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path, policy=TOGETHER) as made:
        yield made


async def record(house: House, *kinds: str) -> list[tuple[str, str]]:
    def look() -> list[tuple[str, str]]:
        with closing(sqlite3.connect(house.bot.settings.bot_database_url.removeprefix("sqlite:///"))) as rows:
            return [
                (kind, actor)
                for kind, actor in rows.execute("SELECT kind, actor FROM audit ORDER BY seq")
                if kind in kinds
            ]

    return await asyncio.to_thread(look)


async def test_approve_all_lists_every_call_and_each_is_a_vote_of_its_own(house: House) -> None:
    await house.asks(THREE)
    card = await house.card()
    assert {"Approve all", "Reject all"} <= set(buttons(card))
    await house.bob.press(card, "Approve all")
    form = await house.bob.form("Approve these 3 calls? What runs is what is listed here.")
    assert all(f"payee{n}" in text_of(form) for n in (1, 2, 3))
    assert RUNS == []
    assert await house.bob.submit(form) == {}
    await house.answer()
    assert sorted(args["to"] for _, args in RUNS) == ["payee1", "payee2", "payee3"]
    assert await record(house, "decided") == [("decided", house.bob.id)] * 3
    assert await record(house, "opened") == [("opened", house.bob.id)] * 3


async def test_reject_all_gives_each_of_them_the_reason(house: House) -> None:
    await house.asks(THREE)
    await house.bob.press(await house.card(), "Reject all")
    form = await house.bob.form("Reject these 3 calls? None of what is listed here will run.")
    assert await house.bob.submit(form, {"Reason": "not on a Friday"}) == {}
    assert (await house.answer("not on a Friday")).count("not on a Friday") == 3
    assert RUNS == []


async def test_reject_all_offers_the_ready_made_reasons_that_all_of_them_have(tmp_path: Path) -> None:
    policy = (
        f'{TOGETHER}reasons = ["Not now", "Too expensive", "Ask finance"]\n'
        '[[rules]]\ntools = ["store"]\nreasons = ["Ask finance", "Too large", "Not now"]\n'
    )
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([THREE[0], ("store", {"data": {"a": 1}})])
        await house.bob.press(await house.card(), "Reject all")
        form = await house.bob.form("Reject these 2 calls?")
        [ready] = [block for block in form["blocks"] if block["block_id"] == "ready"]
        offered = [option["text"]["text"] for option in ready["element"]["options"]]
        assert offered == ["Not now", "Ask finance", "(none of these)"]
        filled = {"Ready-made reason": "Ask finance", "Reason": "they know more"}
        assert await house.bob.submit(form, filled) == {}
        answer = await house.answer("Ask finance")
        assert answer.count("with reason: Ask finance. they know more") == 2
        assert RUNS == []


async def test_what_was_decided_meanwhile_is_left_out_and_told(house: House) -> None:
    await house.asks(THREE)
    card = await house.card()
    await house.bob.press(card, "Approve all")
    form = await house.bob.form("Approve these 3 calls?")
    await house.carol.press(card, "Reject")
    await house.carol.submit(await house.carol.form("Reject"), {"Reason": "no"})
    await house.card("2 of 3 open")
    await house.bob.submit(form)
    told = await house.bob.form("2 approved")
    assert f"2 approved, 1 was decided by <@{house.carol.id}> meanwhile." in text_of(told)
    await house.answer()
    assert sorted(args["to"] for _, args in RUNS) == ["payee2", "payee3"]


async def test_two_people_and_a_double_submit_decide_nothing_twice(house: House) -> None:
    await house.asks(THREE)
    card = await house.card()
    forms = []
    for person in (house.bob, house.carol):
        await person.press(card, "Approve all")
        forms.append(await person.form("Approve these 3 calls?"))
    await asyncio.gather(
        *(house.bob.submit(forms[0]) for _ in range(2)), house.carol.submit(forms[1]), return_exceptions=True
    )
    await house.answer()
    assert sorted(args["to"] for _, args in RUNS) == ["payee1", "payee2", "payee3"]
    made = await record(house, "decided")
    assert len(made) == 3
    assert len(set(made)) == 1


async def test_a_call_that_nobody_opened_is_left_out_until_somebody_has(house: House) -> None:
    WORDS["long"] = {"text": LONG}
    await house.asks([("store", {"data": "$long"}), *THREE[:2]])
    card = await house.card()
    await house.bob.press(card, "Approve all")
    form = await house.bob.form("Approve these 2 calls?")
    assert re.findall(
        r"Left out, the next one: its (.*?) characters are not shown whole here, and you have", text_of(form)
    ) == ["8,416"]
    await house.bob.close(form)
    await house.bob.press(card, "View all")
    await house.bob.close(await house.bob.form("a line of what runs"))
    await house.bob.press(card, "Approve all")
    form = await house.bob.form("Approve these 3 calls?")
    assert "You have opened the whole of it" in text_of(form)
    assert await house.bob.submit(form) == {}
    await house.answer()
    assert len(RUNS) == 3


async def test_it_can_be_pressed_in_view_all(house: House) -> None:
    await house.asks([("transfer", {"amount": float(n), "to": f"payee{n}"}) for n in range(14)])
    card = await house.card()
    view = await open_every(house, card)
    await house.bob.press(view, "Approve all")
    form = await house.bob.form("Approve these 14 calls?")
    assert await house.bob.submit(form) == {}
    await house.answer()
    assert len(RUNS) == 14


async def open_every(house: House, card: Json) -> Json:
    await house.slack.deliver(forged(house, card, "view_every"), "interactive")
    return await house.bob.form("payee6")


def forged(house: House, card: Json, verb: str) -> Json:
    payload = house.slack.click(house.bob, card, "Approve all")
    [action] = payload["actions"]
    return payload | {"actions": [action | {"action_id": verb}]}


@pytest.mark.parametrize("fault", ["of another card", "never listed", "of another edition", "nothing"])
async def test_a_form_that_lists_something_else_decides_nothing_of_it(house: House, fault: str) -> None:
    await house.asks(THREE[:2])
    await house.card()
    await house.asks([("transfer", {"amount": 8.0, "to": "eve"}), ("transfer", {"amount": 9.0, "to": "mal"})])
    card = await house.bob.sees(
        lambda one: "eve" in text_of(one) and "Approve all" in buttons(one), channel="#general"
    )
    await house.bob.press(card, "Approve all")
    form = await house.bob.form("Approve these 2 calls?")
    sent = submitted(house, card, form)
    opened = [call for call in house.slack.calls() if call.method == "views.open"]
    place = json.loads(opened[-1].arguments["view"]["private_metadata"])
    others = await ids_of(house, "payee1")
    place["listed"] = {
        "of another card": others,
        "never listed": {"x" * 22: "0" * 16},
        "of another edition": dict.fromkeys(place["listed"], "0" * 16),
        "nothing": {},
    }[fault]
    sent["view"] = form | {"private_metadata": json.dumps(place), "state": {"values": {}}}
    await house.slack.deliver(sent, "interactive")
    assert await record(house, "decided") == []
    refused = {"of another card": 2, "of another edition": 2}.get(fault, 0)
    assert len(await record(house, "refused")) == refused
    assert RUNS == []


def submitted(house: House, card: Json, form: Json) -> Json:
    payload = house.slack.click(house.bob, card, "Approve all")
    del payload["actions"]
    return payload | {"type": "view_submission", "view": form}


async def ids_of(house: House, word: str) -> dict[str, str]:
    def look() -> dict[str, str]:
        with closing(sqlite3.connect(house.bot.settings.bot_database_url.removeprefix("sqlite:///"))) as rows:
            found = list(rows.execute("SELECT approval, id, request FROM actions"))
        [approval] = {approval for approval, _, request in found if word in str(request)}
        return {id: json.loads(request)["digest"][:16] for one, id, request in found if one == approval}

    return await asyncio.to_thread(look)


@pytest.mark.parametrize(
    "policy", ["", "all_at_once = true\n[[rules]]\ntools = ['transfer']\nall_at_once = false"]
)
async def test_without_the_policy_there_is_no_such_button(tmp_path: Path, policy: str) -> None:
    async with a_house(tmp_path, policy=f'[defaults]\napprovers = ["channel"]\n{policy}') as house:
        await house.asks(THREE)
        assert "Approve all" not in buttons(await house.card())


async def test_what_is_dangerous_is_never_approved_with_others_and_asks_once_more(tmp_path: Path) -> None:
    policy = f"{TOGETHER}[[rules]]\ntools = ['store']\ndanger = true\n"
    async with a_house(tmp_path, policy=policy) as house:
        await house.asks([*THREE[:2], ("store", {"data": {"text": "x"}})])
        card = await house.card()
        press = [one for block in card["blocks"] if block["type"] == "actions" for one in block["elements"]]
        [asking] = [one for one in press if one.get("confirm", {}).get("title", {}).get("text") == "Run it?"]
        assert asking["action_id"] == "approve"
        assert asking["confirm"]["text"]["text"] == 'Run store {"text": "x"}? This is marked as dangerous.'
        assert "style" not in asking
        await house.bob.press(card, "Approve all")
        form = await house.bob.form("Approve these 2 calls?")
        assert "1 more open call on this card is not covered, and decided on its own." in text_of(form)
        await house.bob.close(form)
        await house.bob.press(card, "Reject all")
        await house.bob.submit(await house.bob.form("Reject these 3 calls?"))
        await house.answer("")
        assert RUNS == []


async def test_a_vote_of_a_quorum_counts_for_each_and_is_not_offered_twice(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=f"{TOGETHER}quorum = 2\n") as house:
        await house.asks(THREE[:2])
        card = await house.card()
        for person in (house.bob, house.carol):
            assert RUNS == []
            await person.press(card, "Approve all")
            assert await person.submit(await person.form("Approve these 2 calls?")) == {}
            if person.id == house.bob.id:
                card = await house.bob.sees_change(card, lambda one: "Change" in buttons(one))
                await house.bob.press(card, "Approve all")
                await house.bob.sees("Nothing here can be decided together", channel="#general")
        await house.answer()
        assert len(RUNS) == 2


async def test_who_asked_cannot_open_it(house: House) -> None:
    await house.asks(THREE)
    card = await house.card()
    await house.alice.press(card, "Approve all")
    await house.alice.sees("You asked for this yourself", channel="#general")
    await house.alice.no_form()
    assert [kind for kind, _ in await record(house, "refused")] == ["refused"]
