"""More calls than fit on one card: a line for each, whole lines, and counts of what has none."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.action import Expired, LetThrough
from bot.approvals.approval import Approval, Outcome
from bot.approvals.decision import Approve, Arguments, Decision, Edit, Reject, Respond
from bot.approvals.ids import ActionId
from bot.slack.crowds import LONGEST, TO_CHANGE, decided, ended, next_rows, waiting
from bot.slack.votes import by_whom_in_words
from tests.slack.samples import BOB, NOW, TWO, action, approval, voted
from tests.slack.samples import decided as decided_by_bob

WHEN = "<!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>"
ROOM = 100_000


def calls(count: int, arguments: Arguments | None = None, tool: str = "tool") -> Approval:
    return approval(*(action(number, tool, arguments or {"n": number}) for number in range(count)))


def became(outcome: Outcome) -> str:
    asked = calls(1)
    [line] = ended(replace(asked, actions=(replace(asked.actions[0], outcome=outcome),)), ROOM)
    return line


def said(decision: Decision, room: int = ROOM) -> str:
    asked = calls(1)
    asked = replace(asked, actions=(replace(asked.actions[0], targets={"other": {"properties": {}}}),))
    [line] = ended(decided_by_bob(asked, [decision]), room)
    return line


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Approve(), f"approved by <@U0BOB>, {WHEN}"),
        (Reject(), f"rejected by <@U0BOB>, {WHEN}"),
        (Reject("not `today`"), f"rejected by <@U0BOB>, {WHEN} `not \u02cbtoday\u02cb`"),
        (Respond("<7>"), f"answered by <@U0BOB>, {WHEN} `&lt;7&gt;`"),
        (Edit({"n": 1, "m": "x"}), f"edited and approved by <@U0BOB>, {WHEN} `n: 1, m: x`"),
        (Edit({"n": 1}, "other"), f"edited and approved by <@U0BOB>, {WHEN} `other: n: 1`"),
    ],
)
def test_a_line_tells_call_decision_person_time_and_words(decision: Decision, words: str) -> None:
    assert said(decision) == f"1. `tool` `n: 0` {words}"


def test_what_nobody_decided_has_its_own_words() -> None:
    assert ended(calls(1), ROOM) == ["1. `tool` `n: 0` not decided"]
    assert became(Expired(at=NOW)) == f"1. `tool` `n: 0` expired {WHEN}"
    assert became(LetThrough(at=NOW)) == "1. `tool` `n: 0` let through by the policy"


def test_what_is_none_of_the_outcomes_is_an_error_and_not_a_line() -> None:
    odd: Any = "an outcome of tomorrow"
    with pytest.raises(AssertionError, match=odd):
        became(odd)


def test_a_tool_without_a_name_is_told_to_be_one_and_a_long_one_is_cut_at_64() -> None:
    assert ended(calls(1, tool=" "), ROOM) == ['1. `""` `n: 0` not decided']
    assert ended(calls(1, tool="t" * 64), ROOM) == [f"1. `{'t' * 64}` `n: 0` not decided"]
    assert ended(calls(1, tool="t" * 65), ROOM) == [f"1. `{'t' * 58}…` `n: 0` not decided"]


@pytest.mark.parametrize(
    ("room", "words"),
    [
        (ROOM, f"`n: {'x' * 71}…`"),
        (130 + 160, f"`n: {'x' * 71}…`"),
        (130 + 159, f"`n: {'x' * 70}…`"),
        (130 + 48, f"`n: {'x' * 15}…`"),
    ],
)
def test_of_arguments_as_much_is_told_as_each_line_has_room_for_and_80_at_most(room: int, words: str) -> None:
    assert ended(calls(1, {"n": "x" * 100}), room) == [f"1. `tool` {words} not decided"]


def test_with_less_than_24_characters_arguments_are_not_told_at_all() -> None:
    assert ended(calls(1), 130 + 48) == ["1. `tool` `n: 0` not decided"]
    assert ended(calls(1), 130 + 47) == ["1. `tool` not decided"]
    assert ended(calls(1), 0) == ["1. `tool` not decided"]


def test_a_line_that_tells_more_than_80_ends_in_a_mark() -> None:
    assert ended(calls(1, {"k" * 76: "vw"}), ROOM) == [f"1. `tool` `{'k' * 76}: vw` not decided"]
    assert ended(calls(1, {"k" * 81: "v"}), ROOM) == [f"1. `tool` `{'k' * 74}…` not decided"]


def test_what_is_invisible_has_its_code_and_not_the_code_of_our_mark() -> None:
    assert ended(calls(1, {"a": "\u202e\u202e"}, "\u200b"), ROOM) == [
        "1. `⟨U+200B⟩` `a: ⟨U+202E⟩⟨U+202E⟩` not decided"
    ]
    assert said(Reject("a\u202eb<")).endswith("`a⟨U+202E⟩b&lt;`")


def test_of_more_lines_than_there_is_room_for_the_rest_is_counted() -> None:
    assert ended(calls(10), 0)[0].endswith("10. `tool` not decided")
    assert ended(calls(11), 0)[0].endswith("10. `tool` not decided\n… and 1 more, View all shows them.")
    assert ended(calls(1_500), 0)[0].endswith("… and 1,490 more, View all shows them.")
    assert ended(calls(12), 130 * 12)[0].endswith("\n12. `tool` not decided")
    assert ended(calls(12), 130 * 12 - 1)[0].endswith("\n… and 1 more, View all shows them.")


def test_while_some_are_open_only_what_is_decided_has_a_line_with_its_own_number() -> None:
    asked = calls(3)
    assert decided(asked, ROOM) == []
    second = asked.decide(asked.actions[1].id, Approve(), by=BOB, at=NOW)
    line = f"2. `tool` `n: 1` approved by <@U0BOB>, {WHEN}"
    assert decided(second, ROOM) == [f"{line}\n{TO_CHANGE}"]
    closed = replace(second, closed=frozenset({asked.actions[1].id}))
    assert decided(closed, ROOM) == [line]


def test_a_text_is_filled_up_to_2_800_characters_and_never_beyond() -> None:
    lines = ended(approval(*(action(number, "t" * 64, {}) for number in range(60))), ROOM)
    assert [text.count("\n") + 1 for text in lines] == [33, 27]
    assert all(len(text) <= LONGEST for text in lines)


@pytest.mark.parametrize(
    ("arguments", "room", "rows"),
    [
        ({"n": 7}, 80, "2. `n: 7`\n3. `n: 7`"),
        ({"n": 7}, 79, ""),
        ({}, 80, "2. No arguments.\n3. No arguments."),
        ({"n": "x" * 30}, 80, f"2. `n: {'x' * 15}…`\n3. `n: {'x' * 15}…`"),
        ({"n": "x" * 30}, 89, f"2. `n: {'x' * 19}…`\n3. `n: {'x' * 19}…`"),
        ({"n": "x" * 100}, 5_000, f"2. `n: {'x' * 71}…`\n3. `n: {'x' * 71}…`"),
    ],
)
def test_the_next_calls_of_a_burst_have_a_line_each_if_all_of_them_have_room(
    arguments: Arguments, room: int, rows: str
) -> None:
    asked = approval(*(action(number, arguments=arguments) for number in range(3)))
    assert next_rows(asked, asked.actions[1:], room) == ([rows] if rows else [])


def test_calls_of_two_tools_have_no_such_lines() -> None:
    asked = approval(action(0, "one", {"n": 1}), action(1, "two", {"n": 1}))
    assert next_rows(asked, asked.actions[1:], ROOM) == []


def test_the_row_of_an_edited_call_tells_what_is_asked_now() -> None:
    asked = approval(replace(action(0), needs=TWO), replace(action(1), needs=TWO))
    edit = voted(asked, asked.actions[1].id, [Edit({"path": "other"})], TWO)
    assert next_rows(edit, edit.actions[1:], ROOM) == ["2. `path: other`"]


def test_those_that_wait_are_counted_by_tool() -> None:
    told = waiting([*calls(1_200).actions, *calls(1, tool="<b>").actions]).to_dict()
    assert told == {
        "type": "mrkdwn",
        "text": "1,201 more wait: tool (1200 times) and &lt;b&gt;. They move up as these are decided; "
        "View all shows and decides every one.",
        "verbatim": True,
    }


def test_in_words_eight_people_are_named_and_the_others_counted() -> None:
    asked = approval(replace(action(), id=ActionId("a")))
    many = replace(TWO[0], count=20)
    for count, more in ((8, ""), (9, " and 1 more"), (12, " and 4 more")):
        votes = [Approve()] * count
        needs = (replace(many, count=count),)
        one = voted(
            replace(asked, actions=(replace(asked.actions[0], needs=needs),)), ActionId("a"), votes, needs
        )
        [call] = one.actions
        assert call.decided
        first = ", ".join(f"<@U0VOTER{number}>" for number in range(7))
        people = f"{first}, <@U0VOTER7>" if more else f"{first} and <@U0VOTER7>"
        assert by_whom_in_words(call, call.decided) == people + more
