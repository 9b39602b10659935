"""What a call points at, on its card and in View all: whole, or asked once more; always literal."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.approval import Action, Approval
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.referents import LONGEST, MOST, Referents
from bot.slack.cards import card
from bot.slack.pointing import need, points_at
from bot.slack.viewing import view_all
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import marked, readable
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


def pointed(texts: dict[str, str], room: int = 5_000, problem: str = "") -> tuple[list[str], bool, bool]:
    one = replace(action(), referents=Referents(texts=texts, problem=problem))
    drawn = points_at(one, room)
    return marked(drawn.elements), drawn.cut, drawn.unread


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        ({}, ["__Points at: ____nothing__"]),
        ({"commit": "1234567"}, ["__Points at: __`commit` → `1234567`"]),
        ({"": "x", "a": ""}, ['__Points at: __`""` → `x`', '__Points at: __`a` → `""`']),
    ],
)
def test_each_thing_that_it_points_at_has_a_line(texts: dict[str, str], lines: list[str]) -> None:
    assert pointed(texts) == (lines, False, False)


@pytest.mark.parametrize(
    ("texts", "room", "shown", "cut"),
    [
        ({"a": "x" * 100}, 620, "x" * 100, False),
        ({"a": "x" * 100}, 619, "x" * 93 + "…", True),
        ({"a": "x" * 30}, 0, "x" * 18 + "…", True),
        ({"a": "x" * 24}, 0, "x" * 24, False),
        ({"a": "x" * 100, "b": "y"}, 1_241, "x" * 100, False),
        ({"a": "x" * 100, "b": "y"}, 1_239, "x" * 93 + "…", True),
    ],
)
def test_name_and_text_share_what_room_there_is_for_a_line(
    texts: dict[str, str],
    room: int,
    shown: str,
    cut: bool,  # noqa: FBT001 - a table
) -> None:
    lines, was_cut, unread = pointed(texts, room)
    assert lines[0] == f"__Points at: __`a` → `{shown}`"
    assert (was_cut, unread) == (cut, cut)


def test_one_line_that_is_cut_makes_it_unread_whether_name_or_text_and_whichever_it_is() -> None:
    long = "x" * 30
    for texts in (
        {long: "y"},
        {"a": long},
        {"a": "y", long: "y"},
        {long: "y", "b": "y"},
        {"a": long, "b": "y"},
    ):
        assert pointed(texts, 0)[1:] == (True, True)


@pytest.mark.parametrize(
    ("problem", "room", "shown"),
    [
        ("gone", 5_000, "gone"),
        ("x" * 100, 520, "x" * 100),
        ("x" * 100, 519, "x" * 93 + "…"),
        ("x" * 30, 0, "x" * 18 + "…"),
    ],
)
def test_where_it_could_not_be_looked_up_the_reason_is_told(problem: str, room: int, shown: str) -> None:
    lines, cut, unread = pointed({}, room, problem)
    assert lines == [
        (
            f"__⚠️ What this points at could not be looked up: __`{shown}`"
            "__. So it cannot be approved as it is; the agent can ask again.__"
        )
    ]
    assert (cut, unread) == (False, False)


def test_room_is_kept_for_lines_and_twice_for_what_stands_in_them() -> None:
    wanted = [
        None,
        Referents(),
        Referents(problem="gone"),
        Referents(texts={"ab": "cde"}),
        Referents(texts={"a": "b", "c": "d"}),
    ]
    assert [need(replace(action(), referents=one)) for one in wanted] == [0, 420, 428, 430, 848]
    assert points_at(action(), 5_000).elements == []
