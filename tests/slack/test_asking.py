"""The first lines of a card, its sentence, and what its buttons are called for those who hear them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.approvals.approval import Action, Approval
from bot.approvals.briefing import Briefing
from bot.approvals.decision import Approve, Arguments, DecisionKind, Edit, Json
from bot.approvals.ids import UserId
from bot.approvals.masking import BY_DEFAULT
from bot.slack import glance
from bot.slack.cards import card
from tests.slack.limits import assert_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, BOB, NOW, TWO, action, approval, decided, voted

ASKED = "Asked <!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>."


def lines(asked: Approval) -> list[str]:
    message = card(BY_DEFAULT.approval(asked), requester=ALICE)
    assert_fit_for_slack(message)
    return readable(message.blocks).split("\n")[:3]


def briefed(one: Action, deciders: str) -> Action:
    return replace(one, briefing=Briefing(deciders=deciders))


def test_the_first_two_lines_say_who_wants_what_done_to_what() -> None:
    asked = approval(action(0, "delete_file", {"path": "notes.txt"}))
    assert lines(asked)[:2] == ["# ✋ Approval needed", "@U0ALICE asks for `delete_file` `notes.txt`"]
    done = decided(asked, [Approve()])
    assert lines(done)[:2] == ["# ✅ Approved", "@U0ALICE asked for `delete_file` `notes.txt`"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("п" * 48, "п" * 48),
        ("п" * 49, "п" * 47 + "…"),
        ("報" * 24, "報" * 24),
        ("報" * 25, "報" * 23 + "…"),
    ],
    ids=["all of it", "cut", "all of it, twice as broad", "cut, twice as broad"],
)
def test_as_much_is_told_in_every_alphabet_as_the_eye_has_room_for(path: str, told: str) -> None:
    asked = approval(action(0, "delete_file", {"path": path}))
    assert lines(asked)[1] == f"@U0ALICE asks for `delete_file` `{told}`"


def test_a_question_stands_there_itself() -> None:
    only = frozenset({DecisionKind.RESPOND})
    asked = approval(action(0, "ask_user", {"question": "Keep data.csv?"}, allowed=only))
    assert lines(asked)[:2] == ["# ✋ Answer needed", "For @U0ALICE the agent asks: `Keep data.csv?`"]
    assert lines(asked.withdraw("gone"))[1] == "For @U0ALICE the agent asked: `Keep data.csv?`"


def test_of_many_calls_the_tools_are_counted_and_of_three_each_is_told() -> None:
    asked = approval(*(action(number, "delete_file", {"path": f"{number}.log"}) for number in range(5)))
    assert lines(asked)[1] == "@U0ALICE asks for 5 calls: `delete_file` (5 times)"
    many = approval(*(action(number, f"tool {number % 5}") for number in range(9)))
    assert lines(many)[1] == (
        "@U0ALICE asks for 9 calls: `tool 0` (2 times), `tool 1` (2 times), `tool 2` (2 times) and 2 more"
    )
    assert lines(decided(asked, [Approve()], first=3))[1] == (
        "@U0ALICE asks for 2 calls: `delete_file` `3.log` and `delete_file` `4.log`"
    )


def test_what_a_tool_is_for_is_said_once_on_a_card() -> None:
    told = [action(number, "send", description="Sends money.") for number in range(2)]
    asked = approval(
        *told, action(2, "send", description="Sends it back."), action(3, "take", description="Sends money.")
    )
    drawn = [line for line in readable(card(asked, requester=ALICE).blocks).splitlines() if "Sends" in line]
    assert [line.strip("> ") for line in drawn] == ["Sends money.", "Sends it back.", "Sends money."]


def test_what_is_asked_now_is_what_somebody_made_of_it() -> None:
    asked = approval(replace(action(0, "delete_file", {"path": "a.txt"}), needs=TWO))
    edited = voted(asked, asked.actions[0].id, [Edit({"path": "b.txt"})], TWO)
    assert lines(edited)[1] == "@U0ALICE asks for `delete_file` `b.txt`"


def test_who_may_decide_how_many_are_missing_and_until_when_stand_below() -> None:
    one = briefed(replace(action(), needs=TWO), "2 votes, each by <@U0BOB> or a member of @dba <!here>")
    asked = replace(approval(one), expires_at=NOW + timedelta(hours=1))
    until = "<!date^1772447400^{date_short_pretty}, {time}|2026-03-02 10:30 UTC>"
    who = "To decide: 2 votes, each by <@U0BOB> or a member of @dba &lt;!here&gt;"
    assert readable(card(asked, requester=ALICE).blocks).split("\n")[2] == (
        f"({who}. 2 more votes are needed. Open until {until}. {ASKED})"
    )
    half = voted(asked, one.id, [Approve()], TWO)
    assert f"({who}. 1 more vote is needed. Open until" in readable(card(half, requester=ALICE).blocks)
    called = replace(asked, escalated_to=frozenset({BOB}))
    assert f"{until}. Called in: <@U0BOB>. {ASKED})" in readable(card(called, requester=ALICE).blocks)


def test_calls_under_several_rules_say_whom_each_needs() -> None:
    rules = ["Bob", "Bob", "Carol", "Dan", "Eve"]
    asked = approval(*(briefed(action(n, f"tool_{n}"), who) for n, who in enumerate(rules)))
    assert lines(asked)[2] == (
        "(To decide about tool_0 and 1 more: Bob. To decide about tool_2: Carol. "
        f"To decide about tool_3: Dan. 1 more rule, which its call tells. {ASKED})"
    )
    some = approval(briefed(action(0, "a"), "Bob"), action(1, "b"))
    assert lines(some)[2] == f"(To decide about a: Bob. {ASKED})"
    assert lines(decided(asked, [Approve()]))[2] == f"({ASKED})"


def test_the_sentence_is_whole_without_the_blocks() -> None:
    asked = approval(briefed(action(0, "delete_file", {"path": "<!here>.txt"}), "<@U0BOB>"))
    assert card(asked, requester=ALICE).text == (
        "Approval needed: <@U0ALICE> asks for delete_file &lt;!here&gt;.txt. To decide: <@U0BOB>."
    )
    assert card(decided(asked, [Approve()]), requester=ALICE).text == (
        "Decided: delete_file &lt;!here&gt;.txt approved by <@U0BOB>, asked by <@U0ALICE>."
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "t"),
        ({"path": "a.txt", "content": "x"}, "t a.txt"),
        ({"content": "x", "PATH": "a.txt"}, "t a.txt"),
        ({"amount": 5.0, "to": "bob", "note": "n"}, "t amount: 5.0, to: bob"),
        ({"to": "bob", "name": "n", "path": "p"}, "t to: bob, path: p"),
        ({"one": "x"}, "t"),
        ({"one": "x", "two": 2, "three": 3}, "t two: 2"),
        ({"one": True, "two": "y"}, "t"),
        ({"one": True, "two": None}, "t one: true"),
        ({"path": ""}, 't ""'),
        ({"path": "true"}, 't "true"'),
        ({"path": 9007199254740993}, "t 9007199254740993"),
        ({"sql": "DELETE\nFROM people"}, "t DELETE⏎FROM people"),
        ({"path": "x" * 48}, f"t {'x' * 48}"),
        ({"password": "hunter2", "one": "x"}, "t"),
        ({"password": "hunter2"}, "t (masked, 7 characters)"),
    ],
)
def test_the_arguments_that_tell_most_are_told(arguments: Arguments, told: str) -> None:
    masked = BY_DEFAULT.approval(approval(action(0, "t", arguments)))
    assert glance.in_words(masked.actions[0]) == told


def test_a_long_value_is_cut_and_says_so() -> None:
    words = glance.in_words(action(0, "t", {"path": "y" * 5_000}))
    assert words == f"t {'y' * 47}…"
    hidden = glance.in_words(action(0, "t", {"path": "a\u202eb", "more": 1}))
    assert hidden == "t a⟨U+202E⟩b"


def test_a_button_is_called_by_what_it_does_to_what_and_stays_short() -> None:
    def labels(arguments: dict[str, Json]) -> list[str]:
        blocks: list[dict[str, Any]] = card(
            BY_DEFAULT.approval(approval(action(0, "delete_file", arguments))), requester=UserId("U0ALICE")
        ).blocks
        return [
            one["accessibility_label"]
            for row in blocks
            if row["type"] == "actions"
            for one in row["elements"]
        ]

    assert labels({"path": "notes.txt"})[:4] == [
        "Approve delete_file notes.txt",
        "Edit delete_file notes.txt",
        "Respond to delete_file notes.txt",
        "Reject delete_file notes.txt",
    ]
    assert labels({"password": "hunter2"})[0] == "Approve delete_file (masked, 7 characters)"
    assert all(len(label) <= 75 for label in labels({"path": "👩🏽‍💻" * 90}))


def ruled(*rules: tuple[str, str]) -> Approval:
    """Calls of these tools, each with these words about who may decide."""
    return approval(*(briefed(action(n, tool), words) for n, (tool, words) in enumerate(rules)))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (ruled(("a", "Ann"), ("b", "Ann")), "To decide: Ann."),
        (ruled(("a", "Ann"), ("b", "Ben")), "To decide about a: Ann. To decide about b: Ben."),
        (ruled(("a", "Ann"), ("b", "")), "To decide about a: Ann."),
        (ruled(("a<", "Ann"), ("b", "Ann"), ("c", "")), "To decide about a&lt; and 1 more: Ann."),
        (
            ruled(("t" * 61, "Ann"), ("b", "Ben"), ("c", "")),
            f"To decide about {'t' * 54}…: Ann. To decide about b: Ben.",
        ),
        (
            ruled(*((f"t{n}", f"P{n}") for n in range(4))),
            (
                "To decide about t0: P0. To decide about t1: P1. To decide about t2: P2. "
                "1 more rule, which its call tells."
            ),
        ),
        (
            ruled(*((f"t{n}", f"P{n}") for n in range(5))),
            (
                "To decide about t0: P0. To decide about t1: P1. To decide about t2: P2. "
                "2 more rules, which each call tells."
            ),
        ),
        (ruled(("a", "x" * 600)), f"To decide: {'x' * 600}."),
        (ruled(("a", "x" * 601)), f"To decide: {'x' * 594}…."),
    ],
)
def test_whom_each_rule_lets_decide_is_said_for_three_rules_at_most(asked: Approval, told: str) -> None:
    assert lines(asked)[2] == f"({told} {ASKED})"


@pytest.mark.parametrize(("tool", "named"), [("t" * 60, "t" * 60), ("t" * 61, "t" * 54 + "…"), ("", '""')])
def test_of_many_calls_a_tool_has_a_name_of_60_characters_at_most(tool: str, named: str) -> None:
    many = approval(*(action(number, tool) for number in range(5)))
    assert lines(many)[1] == f"@U0ALICE asks for 5 calls: `{named}` (5 times)"


def test_three_tools_are_named_and_a_fourth_is_counted() -> None:
    def many(tools: int) -> str:
        return lines(approval(*(action(number, f"t{number % tools}") for number in range(4 * tools))))[1]

    assert many(3).endswith("`t0` (4 times), `t1` (4 times) and `t2` (4 times)")
    assert many(4).endswith("`t2` (4 times) and 1 more")


@pytest.mark.parametrize(("length", "shown"), [(160, "x" * 160), (161, "x" * 159 + "…")])
def test_a_question_has_160_characters(length: int, shown: str) -> None:
    only = frozenset({DecisionKind.RESPOND})
    asked = approval(action(0, "ask_user", {"question": "x" * length}, allowed=only))
    assert lines(asked)[1] == f"For @U0ALICE the agent asks: `{shown}`"


def test_only_what_can_be_answered_alone_and_has_a_question_is_one() -> None:
    only = frozenset({DecisionKind.RESPOND})
    assert "asks for" in lines(approval(action(0, "ask", {"text": "x"}, allowed=only)))[1]
    assert "asks for" in lines(approval(action(0, "ask", {"question": "x"})))[1]


def test_three_calls_are_told_in_the_sentence_and_a_fourth_is_counted() -> None:
    def said(count: int) -> str:
        asked = approval(*(action(n, "rm", {"path": f"f{n}"}) for n in range(count)))
        return card(asked, requester=ALICE).text

    assert said(3) == "Approval needed: <@U0ALICE> asks for rm f0, rm f1 and rm f2."
    assert said(4) == "Approval needed: <@U0ALICE> asks for rm f0, rm f1, rm f2 and 1 more."
