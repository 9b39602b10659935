"""The form of Approve all and Reject all: what it lists, what it says, and what is read of it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.briefing import Briefing
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import ActionId, UserId
from bot.approvals.places import Spot
from bot.approvals.together import Covered, Left, Listed, Together
from bot.sandbox import buttons, text_of
from bot.slack.all_at_once import MOST_LISTED, carrying, read, result, sheet
from tests.slack.limits import assert_view_fit_for_slack
from tests.store.samples import BOB, action, approval

APPROVE, REJECT = DecisionKind.APPROVE, DecisionKind.REJECT
LONG = "a line of what runs\n" * 400


def covering(count: int, *, long: tuple[int, ...] = (), others: int = 0) -> Covered:
    actions = [
        action(f"a{n}", {"path": LONG if n in long else f"file-{n}"}, digest=f"{n:016}" + "0" * 48)
        for n in range(count)
    ]
    asked = approval("p1", *actions)
    return Covered(calls=tuple((asked, one) for one in actions), others=others)


@pytest.mark.parametrize(
    ("kind", "count", "asked"),
    [
        (APPROVE, 1, "Approve this call? What runs is what is listed here."),
        (APPROVE, 2, "Approve these 2 calls? What runs is what is listed here."),
        (REJECT, 1, "Reject this call? None of what is listed here will run."),
        (REJECT, 3, "Reject these 3 calls? None of what is listed here will run."),
    ],
)
def test_the_form_asks_about_all_that_it_lists(kind: DecisionKind, count: int, asked: str) -> None:
    made = sheet(covering(count), kind, ())
    assert asked in text_of(made.view)
    assert [one.id for one in made.listed] == [f"a{n}" for n in range(count)]
    assert not made.cut
    assert all(f"file-{n}" in text_of(made.view) for n in range(count))
    assert made.view["callback_id"] == ("approve_every_form" if kind is APPROVE else "reject_every_form")


def test_a_call_that_is_not_shown_whole_is_left_out_until_the_person_has_opened_it() -> None:
    made = sheet(covering(3, long=(1,)), APPROVE, ())
    assert [one.id for one in made.listed] == ["a0", "a2"]
    assert made.cut
    assert (
        "Left out, the next one: its 8,000 characters are not shown whole here, and you have not opened "
        "them. Open them with View all, close this, and press Approve all again."
    ) in text_of(made.view)
    assert buttons(made.view).count("View all") == 1
    made = sheet(covering(3, long=(1,)), APPROVE, {ActionId("a1")})
    assert [one.id for one in made.listed] == ["a0", "a1", "a2"]
    assert (
        "The next one is not shown whole here. You have opened the whole of it, so it is among those."
        in text_of(made.view)
    )


def test_a_call_that_nobody_has_opened_is_rejected_with_the_others() -> None:
    made = sheet(covering(2, long=(1,)), REJECT, ())
    assert [one.id for one in made.listed] == ["a0", "a1"]
    assert "The next one is not shown whole here: 8,000 characters in all." in text_of(made.view)


def test_where_none_is_shown_whole_there_is_nothing_to_send() -> None:
    made = sheet(covering(2, long=(0, 1)), APPROVE, ())
    assert made.listed == ()
    assert "None of these can be approved together, since none is shown whole." in text_of(made.view)
    assert "submit" not in made.view
    assert made.view["callback_id"] not in {"approve_every_form", "reject_every_form"}


def test_what_is_beyond_the_form_is_counted() -> None:
    made = sheet(covering(MOST_LISTED + 2, others=1), APPROVE, ())
    assert len(made.listed) == MOST_LISTED == 40
    assert (
        "2 more can be decided like this; press Approve all again for them. "
        "1 more open call on this card is not covered, and decided on its own."
    ) in text_of(made.view)
    made = sheet(covering(2, others=3), REJECT, ())
    assert "3 more open calls on this card are not covered, and decided on their own." in text_of(made.view)


@pytest.mark.parametrize(
    ("long", "shown"), [(0, 40), (27, 40), (28, 40), (29, 38), (31, 34), (32, 32), (33, 32), (40, 32)]
)
@pytest.mark.parametrize("kind", [APPROVE, REJECT])
def test_no_more_calls_are_listed_than_a_view_takes_blocks(kind: DecisionKind, long: int, shown: int) -> None:
    several = covering(50, long=tuple(range(long)), others=2)
    reasons = Briefing(reasons=("Not today",))
    calls = tuple((asked, replace(one, briefing=reasons)) for asked, one in several.calls)
    made = sheet(Covered(calls=calls, others=2), kind, {one.id for _, one in calls})
    assert made.shown == len(made.listed) == shown
    assert f"{50 - shown} more can be decided like this" in text_of(made.view)
    assert_view_fit_for_slack(made.view)


def test_what_is_listed_goes_with_the_form_and_is_read_again() -> None:
    made = sheet(covering(MOST_LISTED), APPROVE, ())
    carried = carrying(made, Spot())
    assert len(carried["private_metadata"]) <= 3000
    assert read(carried["private_metadata"]) == made.listed


GOOD = {"a1": "0" * 16}


@pytest.mark.parametrize(
    "listed",
    [
        *(
            {},
            [],
            None,
            "a1",
            7,
            ["a1"],
            [GOOD],
            {"a1": "0" * 15},
            {"a1": "0" * 17},
            {"a1": None},
            {"a1": 16},
        ),
        {**GOOD, "a2": ["0" * 16]},
        {f"a{n}": "0" * 16 for n in range(MOST_LISTED + 1)},
    ],
)
def test_a_listing_of_another_form_lists_nothing(listed: Any) -> None:  # noqa: ANN401 - any JSON
    assert read(json.dumps({"listed": listed})) == ()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '"x"', "null", "[" * 100_000, "{}", '{"listed"'])
def test_what_is_no_listing_lists_nothing(text: str) -> None:
    assert read(text) == ()


def test_a_listing_is_read_as_it_is() -> None:
    assert read(json.dumps({"listed": GOOD, "more": 1})) == (Listed(id=ActionId("a1"), bound="0" * 16),)
    most = {f"a{n}": "0" * 16 for n in range(MOST_LISTED)}
    assert len(read(json.dumps({"listed": most}))) == MOST_LISTED


CAROL = UserId("U0CAROL")


@pytest.mark.parametrize(
    ("kind", "became", "told"),
    [
        (APPROVE, Together(decided=2), "2 approved."),
        (APPROVE, Together(decided=1, waiting=1), "1 approved (1 still needs others)."),
        (REJECT, Together(decided=3, waiting=2), "3 rejected (2 still need others)."),
        (
            APPROVE,
            Together(decided=0, left=(Left(why="x", by=BOB), Left(why="x", by=BOB), Left(why="y", by=CAROL))),
            f"0 approved, 2 were decided by <@{BOB}> meanwhile, 1 was decided by <@U0CAROL> meanwhile.",
        ),
        (
            APPROVE,
            Together(decided=1, left=(Left(why="Edited."),)),
            "1 approved, 1 was left as it is: Edited.",
        ),
        (
            APPROVE,
            Together(decided=1_000, left=tuple(Left(why=f"W{n}.") for n in range(8))),
            "1,000 approved, "
            + ", ".join(f"1 was left as it is: W{n}" for n in range(6))
            + ", 2 more were not decided for other reasons.",
        ),
    ],
)
def test_what_became_of_them_is_one_sentence(kind: DecisionKind, became: Together, told: str) -> None:
    assert result(kind, became) == told
