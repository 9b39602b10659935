"""What a card says of a decision, to the letter: words, changes, and what is left out where room is short."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.action import Action, Decided, Expired, LetThrough, Vote
from bot.approvals.decision import Approve, Arguments, Decision, Edit, Json, Reject, Respond
from bot.approvals.masking import Masked
from bot.slack.outcomes import changes, edited, is_same, need, outcome, word
from tests.slack.reading import marked
from tests.slack.samples import BOB, BOTH, NOW, TWO, action, approval, voted

WHEN = "2026-03-02 09:30 UTC"
ROOM = 5_000
LETTERS = "".join(chr(97 + number % 26) for number in range(100))


def made(decision: Decision, arguments: Arguments | None = None) -> Action:
    return replace(action(arguments=arguments), outcome=Decided(decision=decision, by=BOB, at=NOW))


def told(decision: Decision, room: int = ROOM, *, in_doubt: bool = False) -> tuple[list[str], bool]:
    one = made(decision)
    drawn = outcome(one, one.outcome, room, in_doubt=in_doubt) if one.outcome else None
    assert drawn
    return marked(drawn.elements), drawn.cut


@pytest.mark.parametrize(
    ("decision", "lines"),
    [
        (Approve(), ["**✅ Approved** by @U0BOB, " + WHEN]),
        (Reject("no"), ["**⛔ Rejected** by @U0BOB, " + WHEN, "__Reason:__", "> no"]),
        (Reject(""), ["**⛔ Rejected** by @U0BOB, " + WHEN, "__No reason was given.__"]),
        (Respond("7"), ["**💬 Answered** by @U0BOB, " + WHEN, "__Response:__", "> 7"]),
        (Respond(""), ["**💬 Answered** by @U0BOB, " + WHEN, "__The response is empty.__"]),
        (
            Edit({"path": "notes.txt", "content": "done"}),
            ["**✏️ Edited and approved** by @U0BOB, " + WHEN, "__Nothing was changed.__"],
        ),
    ],
)
def test_a_decision_is_told_with_who_when_and_why(decision: Decision, lines: list[str]) -> None:
    assert told(decision) == (lines, False)


@pytest.mark.parametrize(
    ("decision", "lines"),
    [
        (Approve(), ["**🔁 Run again**, says @U0BOB, " + WHEN]),
        (Reject(""), ["**⏭️ Skipped** by @U0BOB, " + WHEN]),
        (Reject("no"), ["**⏭️ Skipped** by @U0BOB, " + WHEN, "__Reason:__", "> no"]),
        (Respond("7"), ["**☑️ It ran**, says @U0BOB, " + WHEN, "__Response:__", "> 7"]),
    ],
)
def test_of_a_call_in_doubt_the_words_are_others_and_nobody_misses_a_reason(
    decision: Decision, lines: list[str]
) -> None:
    assert told(decision, in_doubt=True) == (lines, False)


def test_in_time_and_by_the_policy_have_words_of_their_own() -> None:
    expired, through = Expired(at=NOW), LetThrough(at=NOW)
    assert marked(outcome(action(), expired, ROOM).elements) == [f"**⌛ Expired** unanswered, {WHEN}"]
    assert marked(outcome(action(), through, ROOM).elements) == [
        "**↪️ Let through by the policy**, nobody is asked about **`write_file`**"
    ]


@pytest.mark.parametrize("draw", [word, lambda kind: outcome(action(), kind, ROOM), told])
def test_what_is_none_of_the_kinds_is_an_error_and_not_an_empty_card(draw: Any) -> None:  # noqa: ANN401
    with pytest.raises(AssertionError, match="a kind of tomorrow"):
        draw("a kind of tomorrow")


@pytest.mark.parametrize(
    ("room", "quoted", "cut"),
    [
        (520, [f"> {LETTERS}"], False),
        (519, [f"> {LETTERS[:66]}", "__… 1 characters left out here …__", f"> {LETTERS[67:]}"], True),
        (450, [f"> {LETTERS[:20]}", "__… 70 characters left out here …__", f"> {LETTERS[90:]}"], True),
        (0, [f"> {LETTERS[:16]}", "__… 76 characters left out here …__", f"> {LETTERS[92:]}"], True),
    ],
)
@pytest.mark.parametrize("kind", [Reject, Respond])
def test_words_that_do_not_fit_are_told_by_beginning_and_end(
    kind: type[Reject] | type[Respond],
    room: int,
    quoted: list[str],
    cut: bool,  # noqa: FBT001 - a table
) -> None:
    lines, was_cut = told(kind(LETTERS), room)
    assert lines[2:] == quoted
    assert was_cut is cut


def test_thousands_of_characters_are_counted_with_a_comma() -> None:
    assert "__… 4,900 characters left out here …__" in told(Reject("x" * 5_000), 520)[0]


def change(
    before: Arguments, after: Arguments, room: int = ROOM, tool: str | None = None
) -> tuple[list[str], bool]:
    drawn = changes(action(arguments=before), Edit(after, tool), room)
    return marked(drawn.elements), drawn.cut


LONG = "0123456789" * 30
NAME = "n" * 120
CHANGES: list[tuple[Arguments, Arguments, list[str]]] = [
    ({"a": 1}, {"a": 2}, ["**a**: `1` → `2`"]),
    ({"a": 1}, {"a": 1.0}, ["**a**: `1` → `1.0`"]),
    ({"a": True}, {"a": 1}, ["**a**: `true` → `1`"]),
    ({"a": "1"}, {"a": 1}, ['**a**: `"1"` → `1`']),
    ({"a": ""}, {"a": "x"}, ['**a**: `""` → `x`']),
    ({"a": None}, {}, ["**a**: `null` → __(absent)__"]),
    ({}, {"a": "x"}, ["**a**: __(absent)__ → `x`"]),
    ({}, {"a": "x\ny"}, ["**a** (2 lines added (+)):", "| + x\n+ y"]),
    ({"a": "x\ny"}, {}, ["**a** (2 lines removed (-)):", "| - x\n- y"]),
    ({"": 1}, {"": 2}, ['**""**: `1` → `2`']),
    ({"": "a\nb"}, {"": "a\nc"}, ['**""** (1 line removed (-), 1 line added (+)):', "|   a\n- b\n+ c"]),
    (
        {"a": 1, "b": 2},
        {"b": 3, "c": 4},
        ["**a**: `1` → __(absent)__", "**b**: `2` → `3`", "**c**: __(absent)__ → `4`"],
    ),
    ({"a": "x"}, {"a": "y\nz"}, ["**a** (1 line removed (-), 2 lines added (+)):", "| - x\n+ y\n+ z"]),
    ({"a": "y\nz"}, {"a": "x"}, ["**a** (2 lines removed (-), 1 line added (+)):", "| - y\n- z\n+ x"]),
    (
        {"a": "x\ny"},
        {"a": ["ä"]},
        ["**a** (2 lines removed (-), 3 lines added (+)):", '| - x\n- y\n+ [\n+   "ä"\n+ ]'],
    ),
    (
        {"a": "x\ny"},
        {"a": {"k": "ü"}},
        ["**a** (2 lines removed (-), 3 lines added (+)):", '| - x\n- y\n+ {\n+   "k": "ü"\n+ }'],
    ),
    ({"a": ["x"]}, {"a": ["y"]}, ['**a**: `["x"]` → `["y"]`']),
]


@pytest.mark.parametrize(("before", "after", "lines"), CHANGES)
def test_a_change_shows_both_sides(before: Arguments, after: Arguments, lines: list[str]) -> None:
    assert change(before, after) == (lines, False)


def test_an_edit_into_another_tool_begins_with_both_names() -> None:
    assert change({"a": 1}, {"a": 2}, tool="archive") == (
        [
            "Instead of `write_file` it runs **`archive`**, under that tool's rule.",
            "**a**: `1` → `2`",
        ],
        False,
    )
    assert change({"a": 1}, {"a": 1}, tool="")[0][0] == (
        'Instead of `write_file` it runs **`""`**, under that tool\'s rule.'
    )
    for length, shown in ((80, "t" * 80), (81, "t" * 74 + "…")):
        assert f"it runs **`{shown}`**," in change({}, {}, tool="t" * length)[0][0]


@pytest.mark.parametrize(
    ("old", "new", "was", "becomes"),
    [
        (LONG[:200], LONG[:199], LONG[:200], LONG[:199]),
        (LONG[:201], LONG[:200], f"…{LONG[176:201]}", f"…{LONG[176:200]}"),
        (LONG[:200], LONG[:201], f"…{LONG[176:200]}", f"…{LONG[176:201]}"),
        (f"!{LONG}", LONG, f"!{LONG[:24]}…", f"{LONG[:24]}…"),
        (
            f"{LONG}<old>{LONG}",
            f"{LONG}<new!>{LONG}",
            f"…{LONG[-23:]}<old>{LONG[:23]}…",
            f"…{LONG[-23:]}<new!>{LONG[:23]}…",
        ),
        ("x" * 201, "x" * 203, "…" + "x" * 24, "…" + "x" * 26),
        ("ab" * 120, "ab" * 121, "…" + "ab" * 12, "…" + "ab" * 13),
        (
            f"{'x' * 24}1{'y' * 200}",
            f"{'x' * 24}2{'y' * 200}",
            f"{'x' * 24}1{'y' * 24}…",
            f"{'x' * 24}2{'y' * 24}…",
        ),
        (
            f"{'x' * 25}1{'y' * 200}",
            f"{'x' * 25}2{'y' * 200}",
            f"…{'x' * 24}1{'y' * 24}…",
            f"…{'x' * 24}2{'y' * 24}…",
        ),
        (
            f"{'x' * 200}1{'y' * 24}",
            f"{'x' * 200}2{'y' * 24}",
            f"…{'x' * 24}1{'y' * 24}",
            f"…{'x' * 24}2{'y' * 24}",
        ),
        (
            f"{'x' * 200}1{'y' * 25}",
            f"{'x' * 200}2{'y' * 25}",
            f"…{'x' * 24}1{'y' * 24}…",
            f"…{'x' * 24}2{'y' * 24}…",
        ),
    ],
)
def test_of_long_texts_only_what_differs_is_shown_with_24_characters_around_it(
    old: str, new: str, was: str, becomes: str
) -> None:
    assert change({"a": old}, {"a": new}) == ([f"**a**: `{was}` → `{becomes}`"], False)


def masked(told: str, hidden: Json) -> Masked:
    return Masked.of(told, hidden, whole=False)


def test_where_only_what_is_masked_differs_nothing_else_is_shown() -> None:
    before, after = masked("a\n(masked)", 1), masked("a\n(masked)", 2)
    assert change({"text": before}, {"text": after}) == (
        ["**text** (what is masked in it was changed):"],
        False,
    )


@pytest.mark.parametrize(
    ("before", "after", "room", "line", "cut"),
    [
        ({NAME: 1}, {NAME: 2}, ROOM, f"**{NAME}**: `1` → `2`", False),
        ({f"{NAME}n": 1}, {f"{NAME}n": 2}, ROOM, f"**{NAME[:114]}…**: `1` → `2`", True),
        ({"a": LETTERS}, {"a": "x"}, 620, f"**a**: `{LETTERS}` → `x`", False),
        ({"a": LETTERS}, {"a": "x"}, 618, f"**a**: `{LETTERS[:93]}…` → `x`", True),
        ({"a": "x"}, {"a": LETTERS}, 618, f"**a**: `x` → `{LETTERS[:93]}…`", True),
        ({"a": LETTERS}, {"a": "x"}, 0, f"**a**: `{LETTERS[:42]}…` → `x`", True),
    ],
)
def test_a_change_that_does_not_fit_ends_in_a_mark_and_is_told_to_be_cut(
    before: Arguments,
    after: Arguments,
    room: int,
    line: str,
    cut: bool,  # noqa: FBT001 - a table
) -> None:
    assert change(before, after, room) == ([line], cut)


def test_of_a_change_by_lines_what_is_left_out_is_counted() -> None:
    old, new = "\n".join("abcdefgh"), "\n".join("ABCDEFGH")
    everything = "| " + "\n".join([*(f"- {one}" for one in "abcdefgh"), *(f"+ {one}" for one in "ABCDEFGH")])
    counts = "**a** (8 lines removed (-), 8 lines added (+)):"
    assert change({"a": old}, {"a": new}, 630) == ([counts, everything], False)
    assert change({"a": old}, {"a": new}, 629) == (
        [counts, everything.removesuffix("\n+ H"), "__… 1 line added (+) more, View all shows both …__"],
        True,
    )


def test_a_name_that_is_cut_counts_where_its_value_is_told_by_lines() -> None:
    long = "n" * 121
    lines, cut = change({long: "a\nb"}, {long: "a\nc"})
    assert lines[0] == f"**{'n' * 114}…** (1 line removed (-), 1 line added (+)):"
    assert cut is True


@pytest.mark.parametrize(
    ("count", "room", "shown", "rest"),
    [
        (20, 100_000, 20, ""),
        (21, 100_000, 20, "__… and 1 more change, View all shows it.__"),
        (2, 840, 2, ""),
        (2, 839, 1, "__… and 1 more change, View all shows it.__"),
        (2, 0, 1, "__… and 1 more change, View all shows it.__"),
        (1_100, 100_000, 20, "__… and 1,080 more changes, View all shows them.__"),
    ],
)
def test_many_changes_are_counted_beyond_twenty_or_what_there_is_room_for(
    count: int, room: int, shown: int, rest: str
) -> None:
    before: dict[str, Json] = {f"a{number}": 1 for number in range(count)}
    lines, cut = change(before, dict.fromkeys(before, 2), room)
    assert lines == [f"**a{number}**: `1` → `2`" for number in range(shown)] + ([rest] if rest else [])
    assert cut is bool(rest)


def test_one_of_several_changes_that_is_cut_makes_the_whole_cut() -> None:
    before: dict[str, Json] = {"a": 1, "b": "x" * 300, "c": 1}
    assert change(before, {"a": 2, "b": "y", "c": 2}, 1_400)[1] is True
    assert change(before, {"a": 2, "b": "x" * 300, "c": 2}, 1_400)[1] is False


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({}, {"a": 1}, False),
        ({"a": 1}, {}, False),
        ({"a": masked("(masked)", 1)}, {"a": masked("(masked)", 1)}, True),
        ({"a": masked("(masked)", 1)}, {"a": masked("(masked)", 2)}, False),
    ],
)
def test_the_same_is_what_is_equal_in_value_and_type_though_it_be_masked(
    before: Arguments,
    after: Arguments,
    same: bool,  # noqa: FBT001 - a table
) -> None:
    assert is_same(before, after, "a") is same


def test_what_somebody_made_of_the_arguments_is_told_while_others_have_to_agree() -> None:
    asked = approval(replace(action(arguments={"a": LETTERS}), needs=TWO))
    edit = voted(asked, asked.actions[0].id, [Edit({"a": "x"})], TWO).actions[0]
    head = f"**✏️ Edited** by @U0VOTER0, {WHEN}"
    for room, line, cut in (
        (620, f"**a**: `{LETTERS}` → `x`", False),
        (618, f"**a**: `{LETTERS[:93]}…` → `x`", True),
    ):
        drawn = edited(edit, room)
        assert (marked(drawn.elements), drawn.cut) == ([head, line], cut)
    over = replace(edit, outcome=Expired(at=NOW))
    assert [edited(one, ROOM).elements for one in (action(), over)] == [[], []]


def test_who_approved_before_a_rejection_is_told_below_it() -> None:
    asked = approval(replace(action(), needs=TWO))
    rejected = voted(asked, asked.actions[0].id, [Approve(), Reject("no")], TWO).actions[0]
    assert rejected.outcome
    assert marked(outcome(rejected, rejected.outcome, ROOM).elements) == [
        f"**⛔ Rejected** by @U0VOTER1, {WHEN}",
        "__Reason:__",
        "> no",
        "Approved before by @U0VOTER0",
    ]


def votes(count: int) -> tuple[Vote, ...]:
    return tuple(Vote(decision=Approve(), by=BOB, at=NOW, digest=action().digest) for _ in range(count))


def test_room_is_kept_for_what_is_going_to_be_said_and_no_more() -> None:
    """A line of votes may weigh 1,200, what stands around a change 420; of a long side 2,000 are shown."""
    plain: Mapping[str, Json] = {"path": "notes.txt", "content": "done"}
    lines: Mapping[str, Json] = {"path": "notes.txt", "content": "a\nb"}
    assert [need(one) for one in (
        action(),
        replace(action(), votes=votes(1)),
        replace(action(), votes=votes(2)),
        replace(action(), needs=TWO),
        replace(action(), needs=BOTH, votes=votes(1)),
        made(Approve()),
        replace(action(), outcome=Expired(at=NOW)),
        made(Reject("1234567")),
        made(Respond("x" * 2_001)),
        made(Edit(plain)),
        made(Edit({**plain, "path": "ab"})),
        made(Edit({**plain, "content": "x" * 2_001})),
        made(Edit({**plain, "new": "abc"})),
        made(Edit({"path": "notes.txt"})),
        made(Edit(lines)),
        made(Edit({**lines, "path": "new"})),
        replace(action(), votes=(Vote(decision=Edit({**plain, "path": "ab"}), by=BOB, at=NOW),)),
    )] == [
        0, 0, 1_200, 1_200, 1_200, 420, 420, 427, 2_420, 0, 438, 4_420, 426, 428, 1_028, 1_466, 438,
    ]  # fmt: skip
