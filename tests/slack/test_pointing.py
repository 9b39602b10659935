"""What a call points at, on its card and in View all: whole, or asked once more; always literal."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.approval import Action, Approval
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.referents import LONGEST, MOST, Referents
from bot.slack.cards import card
from bot.slack.viewing import view_all
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, action, approval


def pointing(number: int = 0, *, problem: str = "", **texts: str) -> Action:
    return replace(action(number), referents=Referents(texts=texts, problem=problem))


def drawn(asked: Approval) -> str:
    message = card(BY_DEFAULT.approval(asked), requester=ALICE)
    assert_fit_for_slack(message)
    return readable(message.blocks)


def viewed(asked: Approval) -> str:
    view: Mapping[str, Any] = view_all(asked, asked.actions[0])
    assert_view_fit_for_slack(dict(view))
    return readable(view["blocks"])


def test_it_stands_on_the_card_and_in_the_view_a_line_for_each() -> None:
    asked = approval(pointing(path="sha256 1a2b", owner="bob"))
    for told in (drawn(asked), viewed(asked)):
        assert "Points at: `path` → `sha256 1a2b`\nPoints at: `owner` → `bob`" in told


def test_a_tool_that_says_nothing_has_no_such_line_and_one_that_points_at_nothing_has() -> None:
    assert "Points at" not in drawn(approval(action()))
    assert "Points at: nothing" in drawn(approval(pointing()))


def test_what_could_not_be_looked_up_is_said_and_cannot_be_approved() -> None:
    told = drawn(approval(pointing(problem="the disk is away")))
    assert "⚠️ What this points at could not be looked up: `the disk is away`" in told
    assert "[Approve]" not in told
    assert "[Edit] [Respond] [Reject]" in told


@pytest.mark.parametrize("number", [1, 6, 12, 40])
@pytest.mark.parametrize("letter", ["a", "&", "\u202e", "🏴"])
def test_however_much_it_is_the_card_fits_and_what_is_cut_asks_once_more(number: int, letter: str) -> None:
    most = {f"{place}{letter * (LONGEST - 1)}": letter * LONGEST for place in range(MOST)}
    asked = approval(*(pointing(each, **most) for each in range(number)))
    message = card(asked, requester=ALICE)
    assert_fit_for_slack(message)
    told = str(message.blocks)
    assert "Points at" in told
    if number > 1:
        assert "approve_unread" in told
        assert "'approve'" not in told
    assert "Points at" in viewed(asked)


def test_a_secret_in_it_is_masked() -> None:
    secret = "ghp_" + "a1B2" * 9
    told = drawn(approval(pointing(remote=f"https://bob:{secret}@example.com")))
    assert secret not in told
    assert "masked" in told
