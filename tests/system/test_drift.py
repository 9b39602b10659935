"""The agent is deployed anew with other gates while people are asked: they are asked again."""

from pathlib import Path

from bot.sandbox import buttons, text_of
from tests.system.agents import RUNS
from tests.system.house import a_house, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})


async def test_a_decision_for_gates_that_are_gone_is_not_guessed_to_fit(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        assert decisions(card) == ["Approve", "Edit", "Respond", "Reject"]
    async with a_house(tmp_path, agent="tests.system.agents:stricter") as house:
        await house.bob.press(card, "Approve")
        ended = await house.bob.sees_change(card, lambda one: "it is asked again" in text_of(one))
        assert "takes have changed since this was asked" in text_of(ended)
        assert buttons(ended) == []
        anew = await house.card(lambda one: decisions(one) == ["Approve", "Reject"])
        assert RUNS == []
        await house.bob.press(anew, "Approve")
        await house.answer()
        assert RUNS == [TRANSFER]
