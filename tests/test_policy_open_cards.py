"""How many cards of a conversation may be open, as the policy file says it."""

import pytest

from bot.policy_file import BadPolicy, parse_policy

DEFAULTS = '[defaults]\napprovers = ["channel"]\n'


@pytest.mark.parametrize(
    ("written", "meant"), [("", 10), ("open_cards = 1\n", 1), ("open_cards = 100\n", 100)]
)
def test_the_policy_says_how_many_cards_are_open_at_once(written: str, meant: int) -> None:
    assert parse_policy(written + DEFAULTS, name="approvals.toml").resolve().open_cards == meant


@pytest.mark.parametrize("written", ["0", "101", "-1", "true", '"3"', "2.0"])
def test_a_number_of_open_cards_that_cannot_be_is_refused_with_its_line(written: str) -> None:
    with pytest.raises(BadPolicy) as told:
        parse_policy(f"open_cards = {written}\n{DEFAULTS}", name="approvals.toml")
    assert str(told.value) == "approvals.toml, line 1: `open_cards` is not a number from 1 to 100."
