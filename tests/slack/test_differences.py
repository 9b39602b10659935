"""What an edit changes: line by line on the card, and in the form before it is sent."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.approvals.decision import Arguments, Edit, Json
from bot.approvals.masking import BY_DEFAULT
from bot.slack.arguments import Drawn
from bot.slack.cards import card
from bot.slack.differences import MOST_COMPARED, MOST_LINES, difference, in_words, lines_of
from bot.slack.forms import edit_form
from bot.slack.place import Place
from bot.slack.reviewing import CHANGED, UNSEEN, is_in_view, leaves_out, mark, review
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, BOB, NOW, TEXTS, action, approval


def read(drawn: Drawn) -> str:
    return readable([{"type": "rich_text", "elements": [one.to_dict() for one in drawn.elements]}])


def numbered(*changed: int, total: int = 30) -> str:
    return "\n".join(f"line {n}{'!' if n in changed else ''}" for n in range(total))


def test_lines_are_marked_by_signs_and_counted_in_words() -> None:
    lines = lines_of("a\nb\nc", "a\nB\nBB\nc")
    assert [f"{line.sign}{line.text}" for line in lines] == ["  a", "- b", "+ B", "+ BB", "  c"]
    assert in_words(lines) == "1 line removed (-), 2 lines added (+)"
    assert in_words(lines_of("a", "a\nb")) == "1 line added (+)"
    assert in_words(lines_of("a\nb\nc", "a")) == "2 lines removed (-)"
    assert in_words(lines_of("a", "a")) == ""


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_both_sides_can_be_read_back(one: list[str], other: list[str]) -> None:
    lines = lines_of("\n".join(one), "\n".join(other))
    assert [line.text for line in lines if line.sign != "+ "] == (one or [""])
    assert [line.text for line in lines if line.sign != "- "] == (other or [""])


def test_what_stays_the_same_is_counted_between_the_boxes() -> None:
    assert read(difference(numbered(), numbered(10, 25), 5_000)) == (
        "… 8 lines the same …\n"
        "|   line 8\n|   line 9\n| - line 10\n| + line 10!\n|   line 11\n|   line 12\n"
        "… 10 lines the same …\n"
        "|   line 23\n|   line 24\n| - line 25\n| + line 25!\n|   line 26\n|   line 27\n"
        "… 2 lines the same …"
    )
    near = read(difference(numbered(), numbered(10, 14), 5_000))
    assert near.count("the same …") == 2
    far = read(difference(numbered(), numbered(10, 15), 5_000))
    assert "|   line 12\n|   line 13\n" in far.replace("… 0 lines the same …\n", "")


def test_a_long_difference_is_cut_with_counts() -> None:
    drawn = difference(numbered(total=100), numbered(*range(100), total=100), 5_000)
    assert drawn.cut
    text = read(drawn)
    assert text.count("\n| ") + text.startswith("| ") == MOST_LINES
    assert text.endswith("\n… 60 lines removed (-), 100 lines added (+) more, View all shows both …")
    tight = difference(numbered(total=100), numbered(*range(100), total=100), 400)
    assert tight.cut
    assert 0 < read(tight).count("| ") < MOST_LINES
    assert not difference("a\nb", "a\nc", 5_000).cut


def test_of_very_many_lines_all_count_as_changed() -> None:
    many = "\n".join(str(n) for n in range(MOST_COMPARED + 1))
    shuffled = "\n".join(str(n) for n in reversed(range(MOST_COMPARED + 1)))
    assert in_words(lines_of(many, shuffled)) == "1,001 lines removed (-), 1,001 lines added (+)"
    assert in_words(lines_of(f"{many}\nx", f"{many}\ny")) == "1 line removed (-), 1 line added (+)"


def test_blanks_at_the_end_and_invisible_characters_are_seen() -> None:
    text = read(difference("a\nb", "a  \nb\u200b\t", 5_000))
    assert text == ("| - a\n| - b\n| + a⟨·\u00d72⟩\n| + b⟨U+200B⟩⟨⇥\u00d71⟩")
    assert "⟨U+000D⟩" in read(difference("a\nb", "a\r\nb", 5_000))


@settings(deadline=None, max_examples=60)
@given(TEXTS, TEXTS, st.sampled_from([0, 300, 4_000]))
def test_no_difference_is_too_large_or_alive(one: str, other: str, room: int) -> None:
    drawn = difference(one, other, room)
    assert sum(len(str(each.to_dict())) for each in drawn.elements) < 2 * room + 2_000


def after(before: Arguments, changed: Arguments) -> str:
    asked = approval(action(arguments=before))
    message = card(
        BY_DEFAULT.approval(asked.decide(asked.actions[0].id, Edit(changed), by=BOB, at=NOW)), requester=ALICE
    )
    assert_fit_for_slack(message)
    return readable(message.blocks)


def test_the_card_shows_texts_and_lists_line_by_line_and_short_values_side_by_side() -> None:
    before: dict[str, Json] = {"text": "a\nb", "tags": ["x" * 60, "y" * 60], "n": 1}
    text = after(before, {"text": "a\nc", "tags": ["x" * 60], "n": 2})
    assert "text (1 line removed (-), 1 line added (+)):\n|   a\n| - b\n| + c\n" in text
    assert f'| - {" " * 2}"{"x" * 60}",\n| - {" " * 2}"{"y" * 60}"\n' in text
    assert "n: `1` → `2`" in text


def test_a_secret_inside_lines_is_told_to_have_changed_and_not_how() -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    text = after({"text": f"a\n{key}"}, {"text": f"a\n{key[:-1]}Q"})
    assert "text (what is masked in it was changed):" in text
    assert "AKIAABCD" not in text


@pytest.mark.parametrize(
    ("before", "changed", "in_view"),
    [
        ({"a": "x"}, {"a": "y"}, True),
        ({"a": "x"}, {"a": "y\nz"}, True),
        ({"a": "x\ny"}, {"a": "x"}, False),
        ({"a": "x" * 121}, {"a": "x"}, False),
        ({"a": "x" * 120}, {"a": "x"}, True),
        ({"a": "x\ny"}, {"a": "x\ny"}, True),
        ({}, {"a": "long\ntext"}, True),
        ({"a": "x", "b": "y\nz"}, {"a": "z", "b": "y\nz"}, True),
        ({"a": "x", "b": "y\nz"}, {"a": "z", "b": "y"}, False),
        ({"secret": "a\nb"}, {"secret": "c"}, True),
    ],
)
def test_only_what_the_form_cannot_show_itself_takes_a_second_step(
    before: Arguments,
    changed: Arguments,
    in_view: bool,  # noqa: FBT001 - a table
) -> None:
    assert is_in_view(before, changed, {"secret": "(masked)"}) is in_view


@pytest.mark.parametrize(
    ("arguments", "left_out"),
    [
        ({"content": "x" * 3_000}, False),
        ({"content": "x" * 3_001}, True),
        ({"content": "bell \x07 rings"}, False),  # nobody can type it, but a card shows it whole
        ({f"a{number}": number for number in range(90)}, False),
        ({f"a{number}": number for number in range(91)}, True),
        ({"password": "x" * 3_001}, False),
    ],
)
def test_a_form_leaves_out_what_it_has_no_field_for_and_no_card_shows_whole(
    arguments: Arguments,
    left_out: bool,  # noqa: FBT001 - a table
) -> None:
    call = action(arguments=arguments)
    assert leaves_out(call, BY_DEFAULT.hidden(call)) is left_out


def test_what_was_not_seen_is_said_once_more_and_can_be_opened() -> None:
    asked = approval(action(arguments={"to": "bob", "content": "x" * 4_000}))
    edit = Edit({"to": "eve", "content": "x" * 4_000})
    made = review(BY_DEFAULT, asked, asked.actions[0], edit, BOB, is_unread=True)
    text = readable(edit_form(asked, asked.actions[0], review=made)["blocks"])
    assert UNSEEN.format(tool="`write_file`") in text.replace("**", "")
    assert "[View all]" in text
    assert "to: `bob` → `eve`" in text


def test_the_form_shows_the_difference_above_the_same_fields() -> None:
    asked = approval(action(arguments={"content": "a\nb", "password": "hunter2"}))
    [one] = asked.actions
    edit = Edit({"content": "a\nc", "password": "hunter3"})
    made = review(BY_DEFAULT, asked, one, edit, BOB)
    hidden = BY_DEFAULT.hidden(one)
    view = edit_form(asked, one, hidden, review=made)
    assert_view_fit_for_slack(view)
    assert "hunter" not in str(view)
    text = readable(view["blocks"])
    assert f"{CHANGED}\ncontent (1 line removed (-), 1 line added (+)):\n|   a\n| - b\n| + c\n" in text
    assert "password: `(masked, 7 characters)` → `(masked, 7 characters)`" in text
    first = edit_form(asked, one, hidden)
    ids = [block["block_id"] for block in first["blocks"]]
    assert [
        block["block_id"] for block in view["blocks"] if not block["block_id"].startswith("changes.")
    ] == ids
    place = Place.read(view["private_metadata"])
    assert place
    assert place.shown == mark(asked, one, edit) != mark(asked, one, Edit({"content": "a\nd"}))
    assert len(place.shown) == 16


def weighs(*counts: int) -> str:
    """A text with lines of so many characters each."""
    return "\n".join("x" * count for count in counts)


def test_two_changes_are_one_box_where_what_is_around_them_touches() -> None:
    def boxes(first: int, second: int) -> int:
        return read(difference(numbered(), numbered(first, second), 5_000)).count("- line")

    for apart in range(1, 8):
        drawn = difference(numbered(), numbered(10, 10 + apart), 5_000)
        kinds = [one.to_dict()["type"] for one in drawn.elements]
        assert kinds.count("rich_text_preformatted") == (1 if apart <= 5 else 2)
        assert ("rich_text_section" in kinds[1:-1]) is (apart > 5)
    assert boxes(10, 11) == 2


@pytest.mark.parametrize("at", [0, 1, 2, 3, 28, 29])
def test_a_change_at_either_end_has_what_there_is_around_it(at: int) -> None:
    text = read(difference(numbered(), numbered(at), 5_000))
    shown = [line.removeprefix("| ") for line in text.split("\n") if line.startswith("| ")]
    around = [*range(max(at - 2, 0), at), *range(at + 1, min(at + 3, 30))]
    assert [line for line in shown if line.startswith("  ")] == [f"  line {n}" for n in around]
    before, after = max(at - 2, 0), 30 - min(at + 3, 30)
    told = [f"… {n} line{'s' * (n != 1)} the same …" for n in (before, after) if n]
    assert [line for line in text.split("\n") if line.startswith("…")] == told


def test_the_first_line_changed_and_the_last_one_removed() -> None:
    assert read(difference("a\nb", "c\nb", 5_000)) == "| - a\n| + c\n|   b"
    assert read(difference("a\nb", "a", 5_000)) == "|   a\n| - b"
    assert read(difference("", "a", 5_000)) == "| - \n| + a"
    assert [(line.sign, line.text) for line in lines_of("a\nx\na", "a\na")] == [
        ("  ", "a"),
        ("- ", "x"),
        ("  ", "a"),
    ]


@pytest.mark.parametrize(
    ("room", "removed", "rest"),
    [
        (130 + 3 * 12 + 5, 3, ""),
        (130 + 3 * 12, 3, "… 1 line the same …"),
        (130 + 3 * 12 - 1, 2, "… 1 line removed (-) more, View all shows both …"),
        (130 + 12, 1, "… 2 lines removed (-) more, View all shows both …"),
        (130 + 11, 0, "… 3 lines removed (-) more, View all shows both …"),
    ],
)
def test_a_line_takes_its_characters_its_sign_and_its_end(room: int, removed: int, rest: str) -> None:
    drawn = difference(weighs(8, 8, 8, 1), "x", room)
    lines = read(drawn).split("\n")
    assert lines.count("| - xxxxxxxx") == removed
    assert lines[-1] == (rest or "|   x")
    assert drawn.cut is rest.endswith("shows both …")


def test_each_box_leaves_less_room_for_the_next() -> None:
    """A box takes 130 beside its lines; what only stays the same around the last change may be left out."""
    lines = ["  line 8", "  line 9", "- line 10", "+ line 10!", "  line 11", "  line 12"]
    lines += ["  line 23", "  line 24", "- line 25", "+ line 25!"]
    fits = 2 * 130 + sum(len(line) + 2 for line in lines) - 2
    cut = [difference(numbered(), numbered(10, 25), room).cut for room in (fits - 1, fits)]
    assert cut == [True, False]


def test_a_line_that_is_cut_makes_the_difference_cut_wherever_it_stands() -> None:
    long, short = "x" * 401, "y"
    for before, after in (
        (long, short),
        (short, long),
        (f"a\n{long}", f"a\n{short}"),
        (f"{long}\na", f"{short}\na"),
    ):
        assert difference(before, after, 50_000).cut is True
    twice = numbered().replace("line 3\n", f"{long}\n")
    assert difference(twice, twice.replace(long, short).replace("line 25", "line 25!"), 50_000).cut is True
    assert difference("x" * 400, short, 50_000).cut is False


def test_a_thousand_lines_of_either_side_are_compared_and_of_more_all_have_changed() -> None:
    def sides(count: int) -> tuple[str, str]:
        lines = [f"{n}" for n in range(count)]
        return "\n".join(["a", *lines, "b"]), "\n".join(["c", *lines, "d"])

    fits = lines_of(*sides(MOST_COMPARED - 2))
    assert [line.sign for line in fits].count("  ") == MOST_COMPARED - 2
    over = lines_of(*sides(MOST_COMPARED - 1))
    assert in_words(over) == "1,001 lines removed (-), 1,001 lines added (+)"
    assert [line.text for line in over[:2]] == ["a", "0"]
    assert over[1_001].text == "c"


def test_lines_that_are_very_frequent_are_compared_as_all_others() -> None:
    before = "\n".join(["x", *["}"] * 300, "y"])
    after = "\n".join(["z", *["}"] * 300, "w"])
    assert in_words(lines_of(before, after)) == "2 lines removed (-), 2 lines added (+)"
