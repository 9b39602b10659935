"""Arguments on a card: each by name, within the room there is, and never less than it seems."""

import json
import re
from collections.abc import Mapping

import pytest

from bot.approvals.action import LetThrough, Remembered
from bot.approvals.decision import Arguments, Json
from bot.approvals.masking import Masked
from bot.slack.arguments import (
    are_long,
    as_json_text,
    as_text,
    doubts_about,
    drawn,
    extent,
    is_short,
    need_of_doubts,
    shares,
)
from bot.slack.cards import card
from bot.slack.crowds import ended
from bot.slack.not_asked import not_asked
from bot.slack.requests import request
from tests.slack.reading import marked, readable
from tests.slack.samples import ALICE, NOW, action, approval

LETTERS = "".join(chr(97 + number % 26) for number in range(400))
ROOM = 100_000


def told(arguments: Arguments, room: int = ROOM) -> tuple[list[str], bool, bool]:
    made = drawn(arguments, room)
    return marked(made.elements), made.cut, made.unread


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        ("", '""'),
        (" x", '" x"'),
        ("x\n", '"x\\n"'),
        ("1", '"1"'),
        ("true", '"true"'),
        ("null", '"null"'),
        ('"x', '"\\"x"'),
        ("[x", '"[x"'),
        ("{x", '"{x"'),
        ("NaN", '"NaN"'),
        ("x y", "x y"),
        (7, "7"),
        (None, "null"),
        ({"ä": [1]}, '{"ä": [1]}'),
        ("[" + "x" * 117, '"[' + "x" * 117 + '"'),
        (" " + "x" * 119, '" ' + "x" * 119 + '"'),
        (" " + "x" * 120, " " + "x" * 120),
        ("[" * 5_000, "[" * 5_000),
    ],
)
def test_a_text_is_read_as_it_is_unless_it_could_be_taken_for_something_else(value: Json, text: str) -> None:
    assert as_text(value) == text


def test_json_stands_on_one_line_or_is_indented_unless_that_would_be_most_of_it() -> None:
    short, long = ["x" * 116], ["x" * 117]
    assert as_json_text([*short]) == f'["{"x" * 116}"]'
    assert as_json_text([*long]) == f'[\n  "{"x" * 117}"\n]'
    assert as_json_text("x" * 200) == f'"{"x" * 200}"'
    assert as_json_text({"ä": "ö" * 120}) == '{\n  "ä": "' + "ö" * 120 + '"\n}'
    deep: Json = "x"
    for _ in range(60):
        deep = [deep]
    assert as_json_text(deep) == json.dumps(deep)
    for _ in range(400):
        deep = [deep]
    assert as_json_text(deep) == json.dumps(deep, indent=1)


@pytest.mark.parametrize(
    ("value", "short"), [("x" * 120, True), ("x" * 121, False), ("x\ny", False), ([1], True), ("", True)]
)
def test_120_characters_on_one_line_are_short(value: Json, short: bool) -> None:  # noqa: FBT001 - a table
    assert is_short(value) is short


def test_800_characters_of_names_and_values_are_not_long_yet() -> None:
    assert not are_long({"a": "x" * 399, "b": "x" * 399})
    assert are_long({"a": "x" * 399, "b": "x" * 400})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 characters"),
        ("x" * 1_000, "1,000 characters"),
        ("a\nb", "3 characters, 2 lines"),
        ("\n" * 1_000, "1,000 characters, 1,001 lines"),
    ],
)
def test_how_long_a_text_is_is_told_in_words(text: str, words: str) -> None:
    assert extent(text) == words


@pytest.mark.parametrize(
    ("needs", "room", "given"),
    [
        ([], 100, []),
        ([10, 20], 100, [10, 20]),
        ([10, 90, 90], 100, [10, 45, 45]),
        ([90, 10, 90], 100, [45, 10, 45]),
        ([90, 90, 90], 100, [33, 33, 34]),
        ([5, 5], 0, [0, 0]),
    ],
)
def test_whoever_needs_little_gets_it_and_the_others_share_the_rest(
    needs: list[int], room: int, given: list[int]
) -> None:
    assert shares(needs, room) == given


MASKED = Masked.of("(masked, 7 characters)", "hunter2", whole=True)
PARTLY = Masked.of("token=(masked, 8 characters)", "token=abc12345", whole=False)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({}, ["__No arguments.__"]),
        ({"a": "x", "b": 1}, ["**a**: `x`", "**b**: `1`"]),
        ({"": "x"}, ['**""**: `x`']),
        ({"": "a\nb"}, ['**""** (3 characters, 2 lines):', "| a\nb"]),
        ({"a": "x" * 121}, ["**a** (121 characters):", "| " + "x" * 121]),
        ({"n" * 120: 1}, [f"**{'n' * 120}**: `1`"]),
        ({"a": MASKED}, ["**a**: __(masked, 7 characters)__"]),
        ({"a": PARTLY}, ["**a**: `token=(masked, 8 characters)`"]),
    ],
)
def test_each_argument_stands_by_its_name(arguments: Arguments, lines: list[str]) -> None:
    assert told(arguments) == (lines, False, False)


@pytest.mark.parametrize(
    ("arguments", "room", "lines"),
    [
        ({"n" * 121: 1}, ROOM, [f"**{'n' * 114}…**: `1`"]),
        ({"n" * 121: "a\nb"}, ROOM, [f"**{'n' * 114}…** (3 characters, 2 lines):", "| a\nb"]),
        ({"a": "é" * 100}, 480, [f"**a**: `{'é' * 40}`__ … cut here__"]),
        ({"a": "é" * 120}, 831, [f"**a**: `{'é' * 99}`__ … cut here__"]),
        ({"a": LETTERS[:300]}, 479, [f"| a: {LETTERS[:114]}…"]),
        (
            {"a": LETTERS[:300]},
            480,
            [
                "**a** (300 characters):",
                f"| {LETTERS[:80]}",
                "__… 180 characters left out here, View all shows them …__",
                f"| {LETTERS[260:300]}",
            ],
        ),
        (
            {"a": LETTERS[:300]},
            480 + 299,
            [
                "**a** (300 characters):",
                f"| {LETTERS[:199]}",
                "__… 1 characters left out here, View all shows them …__",
                f"| {LETTERS[200:300]}",
            ],
        ),
    ],
)
def test_what_does_not_fit_is_told_to_be_cut_and_is_not_read_yet(
    arguments: Arguments, room: int, lines: list[str]
) -> None:
    assert told(arguments, room) == (lines, True, True)


def test_where_there_is_just_enough_room_nothing_is_cut() -> None:
    assert told({"a": "é" * 120}, 950)[1:] == (False, False)
    assert told({"a": "é" * 120}, 949)[1:] == (True, True)
    assert told({"a": LETTERS[:300]}, 480 + 300)[1:] == (False, False)


def test_of_several_arguments_one_that_is_cut_makes_all_of_it_unread() -> None:
    assert told({"a": 1, "b": "x" * 5_000, "c": 1}, 3_000)[1:] == (True, True)
    assert told({"a": 1, "b": "x" * 1_000, "c": 1}, 3_000)[1:] == (False, False)


def numbered(count: int, value: Json = 1) -> dict[str, Json]:
    return {f"a{number}": value for number in range(count)}


def lines(numbers: range, value: str = "1") -> str:
    return "| " + "\n".join(f"a{number}: {value}" for number in numbers)


def test_twelve_arguments_stand_by_themselves_and_thirteen_in_a_list() -> None:
    assert told(numbered(12))[0] == [f"**a{number}**: `1`" for number in range(12)]
    assert told(numbered(13)) == ([lines(range(13))], False, False)
    assert told(numbered(40)) == ([lines(range(40))], False, False)


def test_of_more_than_forty_the_first_26_and_the_last_13_are_listed() -> None:
    assert told(numbered(41)) == (
        [
            lines(range(26)),
            "__… 2 of 41 arguments left out here, View all shows them …__",
            lines(range(28, 41)),
        ],
        True,
        True,
    )
    assert "__… 1,061 of 1,100 arguments left out here, View all shows them …__" in told(numbered(1_100))[0]


def test_few_arguments_with_little_room_for_each_are_listed_too() -> None:
    few = numbered(4, "x" * 200)
    assert told(few, 4 * 480)[0][0].startswith("**a0**")
    assert told(few, 4 * 480 - 1)[0][0] == lines(range(4), "x" * 114 + "…")
    assert told(few, 4 * 480 - 1)[1:] == (True, True)


def test_of_a_list_that_has_no_room_the_beginning_and_the_end_are_kept() -> None:
    """A line weighs two more with its end; 400 are for what stands around the list, 120 the least for it."""
    thirteen = numbered(13, "wxyz")
    assert told(thirteen, 400 + 133) == ([lines(range(13), "wxyz")], False, False)
    for room, left in ((400 + 132, 1), (0, 2)):
        assert told(thirteen, room) == (
            [
                lines(range(8), "wxyz"),
                f"__… {left} of 13 arguments left out here, View all shows them …__",
                lines(range(8 + left, 13), "wxyz"),
            ],
            True,
            True,
        )


def test_the_first_of_a_list_is_shown_even_if_it_is_larger_than_its_room() -> None:
    wide = numbered(13, "\u202e" * 30)
    made, cut, unread = told(wide, 0)
    assert made[0].startswith("| a0: ⟨U+202E⟩")
    assert made[1] == "__… 12 of 13 arguments left out here, View all shows them …__"
    assert len(made) == 2
    assert (cut, unread) == (True, True)


def test_names_and_values_of_a_list_are_cut_with_a_mark_and_not_read_yet() -> None:
    base = numbered(12)
    for name, value, line in (
        ("n" * 60, 1, f"{'n' * 60}: 1"),
        ("n" * 61, 1, f"{'n' * 54}…: 1"),
        ("n", "x" * 120, f"n: {'x' * 120}"),
        ("n", "x" * 121, f"n: {'x' * 114}…"),
    ):
        [shown], cut, unread = told({**base, name: value})
        assert shown.split("\n")[-1] == line
        assert cut is unread is ("…" in line)


@pytest.mark.parametrize("blank", [" ", "\n", "\t"])
def test_what_stands_behind_very_many_blanks_is_not_left_out_in_silence(blank: str) -> None:
    """Blanks are shown as counts, so a long text can be short as it is shown."""
    hiding = {**numbered(12), "command": "ls" + blank * 600 + "; rm -rf /"}
    [shown], cut, unread = told(hiding)
    assert shown.endswith("…")
    assert (cut, unread) == (True, True)
    asked = approval(action(arguments=hiding))
    assert "approve_unread" in str(card(asked, requester=ALICE).blocks)


@pytest.mark.parametrize("blank", [" ", "\n", "\t"])
def test_nor_where_a_call_has_a_line_alone(blank: str) -> None:
    hiding: Arguments = {"command": "ls" + blank * 600 + "; rm -rf /"}
    one = action(arguments=hiding)
    drawn = request(one, 1, 1, 400)
    assert marked(drawn.elements)[1].endswith("…`")
    assert (drawn.cut, drawn.unread) == (True, True)
    [line] = ended(approval(one), ROOM)
    assert line.endswith("…` not decided")
    through = LetThrough(at=NOW, because=Remembered(action=one.id, by=(ALICE,), at=NOW))
    told = not_asked(approval(one).let_through({one.id: through}))
    assert re.search("⟩(?:⏎)?…` approved by", readable(told.blocks))


P = "\u0430"
WARNING = f"**⚠️ Look twice: **`p{P}y.com` mixes Cyrillic and Latin letters: U+0430."


def test_up_to_three_words_that_are_not_what_they_look_like_are_told_and_the_others_counted() -> None:
    def hosts(count: int) -> Mapping[str, Json]:
        return {f"h{number}": f"{number}p{P}y.com" for number in range(count)}

    assert marked(doubts_about({"a": f"p{P}y.com"}, 1_500)) == [WARNING]
    assert doubts_about({"a": "pay.com"}, 1_500) == []
    assert len(doubts_about(hosts(3), 1_500)) == 3
    assert marked(doubts_about(hosts(4), 1_500))[3] == "**⚠️ … and at 1 more word.**"
    assert marked(doubts_about(hosts(1_503), 1_500))[3] == "**⚠️ … and at 1,500 more words.**"
    assert marked(doubts_about({"a": f"p{P}y.com"}, 1_499)) == [
        "**⚠️ Look twice: letters here only look like those of another alphabet, View all shows which.**"
    ]
    assert (need_of_doubts({"a": f"p{P}y.com"}), need_of_doubts({"a": "x"})) == (1_500, 0)


def test_a_long_word_is_cut_and_all_of_a_long_text_is_read_where_there_is_room() -> None:
    [shown] = marked(doubts_about({"a": f"{'x' * 130}.{P}b.com"}, 1_500))
    assert f"`{'x' * 114}…` mixes" in shown
    far = {"a": " " * 20_000 + f"p{P}y.com"}
    assert doubts_about(far, 20_000) == []
    assert marked(doubts_about(far, 20_010)) == [WARNING]
