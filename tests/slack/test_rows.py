"""A burst of calls of one tool on one card: rows with buttons, lines for the rest, and who waits behind."""

import json
import re

import pytest

from bot.approvals.approval import Approval, State
from bot.sandbox import buttons, text_of
from bot.slack.cards import LARGEST, MOST_BLOCKS, card
from bot.slack.message import Message, size
from tests.store.samples import ALICE, action, approval


def burst(count: int, *, tools: int = 1, **changes: object) -> Approval:
    actions = [
        action(f"a{number}", {"path": f"/srv/reports/{number:03}.csv"}, tool=f"delete_{number % tools}")
        for number in range(count)
    ]
    return approval("p1", *actions, **changes)


def said(message: Message) -> str:
    return text_of({"blocks": message.blocks})


@pytest.mark.parametrize("count", [13, 20, 30, 50])
def test_every_call_of_a_burst_has_a_row_and_the_first_ones_have_buttons(count: int) -> None:
    drawn = card(burst(count), requester=ALICE)
    rows = re.findall(r"path: /srv/reports/(\d+)\.csv", said(drawn))
    assert [int(row) for row in rows] == [*range(count)]
    assert buttons({"blocks": drawn.blocks}).count("Approve") >= 4
    assert size(drawn.blocks) <= LARGEST
    assert len(drawn.blocks) <= MOST_BLOCKS


def test_calls_of_several_tools_are_counted_instead() -> None:
    told = said(card(burst(30, tools=2), requester=ALICE))
    assert "/srv/reports/029.csv" not in told
    assert re.search(r"\d+ more wait: delete_0 \(\d+ times\) and delete_1 \(\d+ times\)\.", told)


@pytest.mark.parametrize(
    ("behind", "told"),
    [
        (1, "1 more request of this conversation waits; it comes as these are decided."),
        (3, "3 more requests of this conversation wait; they come as these are decided."),
        (1_200, "1,200 more requests of this conversation wait; they come as these are decided."),
    ],
)
def test_the_last_open_card_says_how_many_wait_behind_it(behind: int, told: str) -> None:
    assert told in said(card(burst(2), requester=ALICE, behind=behind))


def test_nothing_is_said_where_nothing_waits_or_nobody_decides_any_more() -> None:
    assert "of this conversation" not in said(card(burst(2), requester=ALICE))
    gone = burst(2, state=State.WITHDRAWN)
    assert "of this conversation" not in said(card(gone, requester=ALICE, behind=3))


def test_what_an_argument_says_stays_text_in_a_line_of_a_burst() -> None:
    hostile = [action(f"a{number}", {"path": f"`<!channel> *{number}*"}, tool="t") for number in range(30)]
    drawn = card(approval("p1", *hostile), requester=ALICE)
    lines = [one for one in drawn.blocks if one["type"] == "section"]
    assert lines
    assert "<!channel>" not in json.dumps(lines)
    assert "&lt;!channel&gt;" in json.dumps(lines)
