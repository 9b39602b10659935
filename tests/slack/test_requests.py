"""What is asked, within the room there is: the call, what the agent says, and when it is not read yet."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.decision import Arguments, DecisionKind
from bot.approvals.referents import Referents
from bot.approvals.thread import UNDESCRIBED
from bot.approvals.words import spoken
from bot.slack.requests import description, name, number_of, request, title
from tests.slack.reading import marked
from tests.slack.samples import action, approval
from tests.slack.unspoken import Bracketed

ROOM = 9_000
TITLE = "**`write_file`**__  digest 01234567__"
LETTERS = "".join(chr(97 + number % 26) for number in range(3_000))
LOOK = "**⚠️ Look twice: letters here only look like those of another alphabet, View all shows which.**"
P = "p\u0430y.com"


def told(room: int = ROOM, arguments: Arguments | None = None, **more: Any) -> tuple[list[str], bool, bool]:  # noqa: ANN401
    """The lines below the title, whether something is cut, and whether something is not read yet."""
    drawn = request(replace(action(arguments=arguments or {}), **more), 1, 1, room)
    first, *lines = marked(drawn.elements)
    assert first == TITLE
    return lines, drawn.cut, drawn.unread


@pytest.mark.parametrize(
    ("number", "total", "line"),
    [(1, 1, TITLE), (2, 3, f"2 of 3  {TITLE}")],
)
def test_the_title_says_which_call_of_how_many_it_is(number: int, total: int, line: str) -> None:
    assert marked([title(action(), number, total)]) == [line]


@pytest.mark.parametrize(("tool", "shown"), [("t" * 80, "t" * 80), ("t" * 81, "t" * 74 + "…"), ("", '""')])
def test_a_tool_has_a_name_of_80_characters_at_most(tool: str, shown: str) -> None:
    assert name(action(tool=tool)) == shown


def test_a_digest_that_is_none_of_ours_stays_on_its_line() -> None:
    odd = replace(action(), digest="\u202e\n" * 20)
    assert marked([title(odd, 1, 1)])[0].endswith("  digest ⟨U+202E⟩⏎…__")


def test_langchains_opening_is_left_out_of_what_the_agent_says() -> None:
    opening = "Tool execution requires approval"
    asked = action(arguments={"a": 1})
    for said, shown in (
        (opening, ""),
        (f"{opening}\n\nTool: write_file\nArgs: {{'a': 1}}", ""),
        (f"{opening} because. ", "because."),
        (f"Because {opening}", f"Because {opening}"),
    ):
        assert description(replace(asked, description=said)) == shown


def test_that_a_team_gave_no_description_is_said() -> None:
    asked = replace(action(), description=UNDESCRIBED)
    assert description(asked) == "No description: the function that writes it failed."
    with spoken(Bracketed()):
        assert description(asked) == "⟦No description: the function that writes it failed.⟧"
        assert description(replace(asked, description="Wipes b.")) == "Wipes b."


def test_a_call_has_the_number_of_its_place() -> None:
    asked = approval(action(0), action(1))
    assert [number_of(asked, one) for one in asked.actions] == [1, 2]


QUESTION = frozenset({DecisionKind.RESPOND})


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        ({}, ["__No arguments.__"]),
        ({"arguments": {"a": 1}}, ["**a**: `1`"]),
        ({"description": "why"}, ["__The agent asks:__", "> why"]),
        ({"description": "why", "allowed": QUESTION}, ["__The agent asks:__", "> why"]),
        (
            {"description": "why", "allowed": frozenset({DecisionKind.APPROVE})},
            ["__The agent says:__", "> why"],
        ),
        ({"description": "why", "arguments": {"a": 1}}, ["__The agent says:__", "> why", "**a**: `1`"]),
        (
            {"arguments": {"host": P}},
            [f"**host**: `{P}`", f"**⚠️ Look twice: **`{P}` mixes Cyrillic and Latin letters: U+0430."],
        ),
        (
            {"arguments": {"a": 1}, "referents": Referents(texts={"x": "y"})},
            ["**a**: `1`", "__Points at: __`x` → `y`"],
        ),
        (
            {"description": "why", "referents": Referents(texts={"x": "y"})},
            ["__The agent asks:__", "> why", "__Points at: __`x` → `y`"],
        ),
    ],
)
def test_with_room_everything_stands_there(more: dict[str, Any], lines: list[str]) -> None:
    doubtful = "host" in more.get("arguments", {})
    assert told(**more) == (lines, doubtful, False)


@pytest.mark.parametrize(
    ("room", "length", "head"),
    [
        (9_000, 900, 900),
        (9_000, 901, 600),
        (2_699, 899, 899),
        (2_699, 900, 599),
        (500, 166, 166),
        (500, 167, 110),
    ],
)
def test_beside_arguments_a_description_has_a_third_of_the_room_and_900_characters_at_most(
    room: int, length: int, head: int
) -> None:
    lines, cut, unread = told(room, {"a": 1}, description=LETTERS[:length])
    assert lines[1] == f"> {LETTERS[:head]}"
    assert lines[2].endswith("characters left out here …__") is cut is (head < length)
    assert unread is False


def test_without_arguments_a_description_has_all_of_the_room() -> None:
    assert told(2_000, description=LETTERS[:2_000]) == (
        ["__The agent asks:__", f"> {LETTERS[:2_000]}"],
        False,
        False,
    )
    [_, *quoted], cut, unread = told(2_000, description=LETTERS[:2_001])
    # What is left out is told outside of the quotation: whoever wrote the description cannot say it.
    left_out = "__… 1 characters left out here …__"
    assert quoted == [f"> {LETTERS[:1_333]}", left_out, f"> {LETTERS[1_334:2_001]}"]
    assert (cut, unread) == (True, False)
    assert told(2_000, description=LETTERS + "x")[0][2] == "__… 1,001 characters left out here …__"


def test_what_a_description_takes_its_arguments_do_not_have() -> None:
    long: Arguments = {"a": LETTERS[:400]}
    needs = 480 + 400
    assert told(needs + 300, long, description="x" * 300)[1:] == (False, False)
    assert told(needs + 299, long, description="x" * 300)[1:] == (True, True)


def test_what_points_somewhere_and_is_cut_is_not_read_yet() -> None:
    long = Referents(texts={"x": LETTERS})
    for more in ({"arguments": {"a": 1}}, {"description": "why"}, {}):
        assert told(600, **more, referents=long)[1:] == (True, True)
        assert told(400, **more, referents=long)[1:] == (True, True)


@pytest.mark.parametrize(
    ("arguments", "room", "line", "cut", "unread"),
    [
        ({"a": 1, "b": "x y"}, 499, "a: 1, b: x y", False, False),
        ({"a": LETTERS[:117]}, 240, f"a: {LETTERS[:117]}", False, False),
        ({"a": LETTERS[:118]}, 240, f"a: {LETTERS[:111]}…", True, True),
        ({"a": LETTERS[:21]}, 0, f"a: {LETTERS[:21]}", False, False),
        ({"a": LETTERS[:22]}, 0, f"a: {LETTERS[:15]}…", True, True),
        ({"a": " " * 497 + "xy" + "z"}, 499, f"a:⟨·\u00d7{498}⟩xyz", False, False),
        ({"a": " " * 498 + "xyz"}, 499, f"a:⟨·\u00d7{499}⟩xy…", True, True),
        ({f"a{n}": " " * 300 for n in range(4)}, 499, None, True, True),
    ],
)  # fmt: skip
def test_with_little_room_the_arguments_stand_in_one_line(
    arguments: Arguments,
    room: int,
    line: str | None,
    cut: bool,  # noqa: FBT001 - a table
    unread: bool,  # noqa: FBT001 - a table
) -> None:
    lines, was_cut, was_unread = told(room, arguments)
    assert lines == [f"`{line}`"] if line else lines[0].endswith("…`")
    assert (was_cut, was_unread) == (cut, unread)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"arguments": {"a": 1}, "description": "why"}, (["`a: 1`"], True, False)),
        ({"description": "why"}, (["`why`"], True, False)),
        ({}, (["__No arguments.__"], False, False)),
        ({"arguments": {"host": P}}, ([f"`host: {P}`", LOOK], True, False)),
        (
            {"arguments": {"a": 1}, "referents": Referents(texts={"x": "y"})},
            (["`a: 1`", "__Points at: __`x` → `y`"], False, False),
        ),
        (
            {"referents": Referents(texts={"x": "y"})},
            (["__No arguments.__", "__Points at: __`x` → `y`"], False, False),
        ),
    ],
)
def test_what_stands_below_that_line(more: dict[str, Any], expected: tuple[list[str], bool, bool]) -> None:
    assert told(499, **more) == expected


def test_from_500_on_they_stand_one_by_one() -> None:
    assert told(500, {"a": 1})[0] == ["**a**: `1`"]
    assert told(499, {"a": 1})[0] == ["`a: 1`"]
