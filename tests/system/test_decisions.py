"""Each of the four decisions: what the tool received and what the model was told."""

from functools import partial
from typing import Any

from bot.sandbox import buttons, labels, text_of
from tests.system.agents import RUNS
from tests.system.house import House, both_databases, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
INVOICE = (
    "invoice",
    {
        "number": 7,
        "customer": "Müller & Söhne",
        "total": 19.5,
        "urgent": True,
        "currency": "CHF",
        "due": "2026-12-24",
        "lines": [{"text": "work", "amount": 19.5}],
        "note": None,
    },
)


@both_databases
async def test_an_approved_call_runs_as_it_was_shown(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    assert decisions(card) == ["Approve", "Edit", "Respond", "Reject"]
    assert await house.bob.press(card, "Approve") == {"ok": True}
    assert 'transfer done with {"amount": 5.0, "to": "bob"}' in await house.answer()
    assert RUNS == [("transfer", {"amount": 5.0, "to": "bob"})]
    ended = await house.card_with(card)
    assert "Approved by <@U0BOB>" in text_of(ended)
    assert buttons(ended) == []


@both_databases
async def test_a_rejected_call_does_not_run_and_the_model_is_told_why(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Reject")
    form = await house.bob.form()
    assert await house.bob.submit(form, {"Reason": "Too much."}) == {}
    answer = await house.answer("rejected")
    assert "User rejected the tool call for `transfer` with reason: Too much." in answer
    assert RUNS == []
    assert "Too much." in text_of(await house.card_with(card))


async def test_closing_the_reject_form_changes_nothing(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Reject")
    await house.bob.close(await house.bob.form())
    await house.bob.press(card, "Approve")
    await house.answer()
    assert len(RUNS) == 1


@both_databases
async def test_an_edited_call_runs_with_the_new_arguments_in_the_types_of_the_schema(house: House) -> None:
    await house.asks([INVOICE])
    card = await house.card()
    await house.bob.press(card, "Edit")
    form = await house.bob.form()
    assert labels(form) == list(INVOICE[1])
    filled = {"number": 8, "total": "21", "currency": "EUR", "due": "2027-01-31", "note": "thanks"}
    assert await house.bob.submit(form, {**filled, "lines": '[{"text": "more", "amount": 21}]'}) == {}
    answer = await house.answer()
    assert "a human reviewer replaced this tool call" in answer
    [(_, ran)] = RUNS
    assert ran == {
        **INVOICE[1],
        **filled,
        "total": 21.0,
        "lines": [{"text": "more", "amount": 21.0}],
    }
    assert [type(ran[name]) for name in ("number", "total", "urgent")] == [int, float, bool]
    told = text_of(await house.card_with(card))
    assert "Edited and approved by <@U0BOB>" in told
    assert "2026-12-24" in told
    assert "2027-01-31" in told


async def test_an_edit_of_the_wrong_type_is_said_at_its_field_and_nothing_typed_is_lost(house: House) -> None:
    await house.asks([INVOICE])
    card = await house.card()
    await house.bob.press(card, "Edit")
    form = await house.bob.form()
    errors = await house.bob.submit(form, {"lines": '[{"text": ', "customer": "Meier"})
    assert list(errors) == ["lines"]
    errors = await house.bob.submit(form, {"lines": '[{"amount": 1}]', "customer": "Meier"})
    assert list(errors) == ["lines"]
    right = '[{"text": "work", "amount": 19.5}]'
    errors = await house.bob.submit(form, {"total": "-1", "customer": "Meier", "lines": right})
    assert list(errors) == ["total"]
    assert RUNS == []
    assert await house.bob.submit(form, {"total": "20"}) == {}
    await house.answer()
    [(_, ran)] = RUNS
    assert (ran["customer"], ran["total"]) == ("Meier", 20.0)


async def test_an_answer_takes_the_place_of_the_tools_result(house: House) -> None:
    await house.asks([("ask_user", {"question": "Keep data.csv?"})])
    card = await house.card("Answer needed")
    assert decisions(card) == ["Respond"]
    await house.bob.press(card, "Respond")
    form = await house.bob.form()
    assert "Keep data.csv?" in text_of(form)
    assert await house.bob.submit(form, {"Response": ""}) != {}
    assert await house.bob.submit(form, {"Response": "Yes, <keep> it & more"}) == {}
    assert "ask_user: Yes, " in await house.answer("ask_user:")
    assert RUNS == []


@both_databases
async def test_three_calls_decided_out_of_order_by_two_people_reach_the_agent_in_order(house: House) -> None:
    await house.asks(
        [
            ("transfer", {"amount": 1.0, "to": "first"}),
            ("lookup", {"what": "free"}),
            ("transfer", {"amount": 2.0, "to": "second"}),
            ("ask_user", {"question": "third?"}),
        ]
    )
    card = await house.card("1 of 3")
    await house.bob.press(card, "Respond", nth=2)
    assert await house.bob.submit(await house.bob.form(), {"Response": "the third"}) == {}
    every = ["Approve", "Edit", "Respond", "Reject"]
    card = await house.card_with(card, *every, *every, "Change")
    await house.carol.press(card, "Reject", nth=1)
    assert await house.carol.submit(await house.carol.form(), {"Reason": "not the second"}) == {}
    card = await house.card_with(card, *every, "Change", "Change")
    assert RUNS == []
    await house.bob.press(card, "Approve")
    answer = await house.answer("third")
    assert sorted(RUNS) == [("lookup", {"what": "free"}), ("transfer", {"amount": 1.0, "to": "first"})]
    assert 'transfer done with {"amount": 1.0' in answer
    assert "with reason: not the second" in answer
    assert "ask_user: the third" in answer


async def test_ones_own_decision_can_be_changed_until_the_last_one_is_in(house: House) -> None:
    await house.asks([TRANSFER, ("lookup", {"what": "x"}), ("transfer", {"amount": 9.0, "to": "eve"})])
    card = await house.card("1 of 2")
    await house.bob.press(card, "Approve", nth=1)
    every = ["Approve", "Edit", "Respond", "Reject"]
    card = await house.card_with(card, *every, "Change")
    await house.carol.press(card, "Change")
    await house.carol.sees_privately("Already approved by <@U0BOB>")
    await house.bob.press(card, "Change")
    card = await house.card_with(card, *every, *every)
    await house.carol.press(card, "Reject", nth=1)
    await house.carol.submit(await house.carol.form(), {})
    card = await house.card_with(card, *every, "Change")
    await house.bob.press(card, "Approve")
    await house.answer()
    assert ("transfer", {"amount": 9.0, "to": "eve"}) not in RUNS


def asks_for(shown: str, card: dict[str, Any]) -> bool:
    return decisions(card) != [] and shown in text_of(card)


async def test_five_rounds_in_one_thread(house: House) -> None:
    await house.asks(*[[("transfer", {"amount": float(number), "to": "bob"})] for number in range(5)])
    for number in range(5):
        shown = f"amount: {number}"
        card = await house.card(partial(asks_for, shown))
        await house.bob.press(card, "Approve")
    await house.answer('"amount": 4.0')
    assert [run[1]["amount"] for run in RUNS] == [0.0, 1.0, 2.0, 3.0, 4.0]
