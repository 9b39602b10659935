"""What a text looks like to the letter: counts, cuts, ends and what stands between them."""

from datetime import UTC, datetime

import pytest

from bot.approvals.ids import UserId
from bot.slack.literal import (
    Excerpt,
    block,
    boxed,
    date,
    excerpt,
    in_line,
    in_one_line,
    person,
    pieces,
    plain,
    quote,
    shown,
)

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\nc", "a⇥b⏎c"),
        ("⏎⇥", "⟨U+23CE⟩⟨U+21E5⟩"),
        ("a" + "\t" * 9 + "b", "a⟨⇥\u00d79⟩b"),
        ("a" + "\n" * 9 + "b", "a⏎⟨↵\u00d79⟩⏎b"),
        ("\u202e", "⟨U+202E⟩"),
    ],
)
def test_in_one_line_ends_of_lines_and_tabs_are_signs_that_nobody_else_can_write(
    text: str, expected: str
) -> None:
    assert in_one_line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" + " " * 8 + "b", "a" + " " * 8 + "b"),
        ("a" + " " * 9 + "b", "a⟨·\u00d79⟩b"),
        ("a" + " " * 5 + "\t" * 5 + "b", "a⟨·\u00d75⟩⟨⇥\u00d75⟩b"),
        ("a" + "\u00a0" * 9 + "b", "a⟨U+00A0\u00d79⟩b"),
        (" " * 40 + "b", " " * 40 + "b"),
        (" " * 41 + "b", "⟨·\u00d741⟩b"),
        ("a\n" + " " * 40 + "b", "a\n" + " " * 40 + "b"),
        ("a\n" + " " * 41 + "b", "a\n⟨·\u00d741⟩b"),
        ("\t" * 9 + "b", "⟨⇥\u00d79⟩b"),
        ("a\n" + "\u00a0" * 12 + "b", "a\n⟨U+00A0\u00d712⟩b"),
        ("X" + " " * 12 + "b", "X⟨·\u00d712⟩b"),
        ("a" + "\n" * 8 + "b", "a" + "\n" * 8 + "b"),
        ("a" + "\n" * 9 + "b", "a\n⟨↵\u00d79⟩\nb"),
        ("a\n" + " \n" * 8 + "b", "a\n" + "⟨↵\u00d71⟩" + "⟨·\u00d71⟩⟨↵\u00d71⟩" * 8 + "\nb"),
    ],
)
def test_a_run_of_blanks_is_counted_from_the_ninth_and_an_indentation_from_the_forty_first(
    text: str, expected: str
) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 10, []),
        ("1234567890", 10, ["1234567890"]),
        ("12345678901", 10, ["1234567890", "1"]),
        ("1234567890" * 2, 10, ["1234567890"] * 2),
        ("1234\n678901", 10, ["1234\n67890", "1"]),
        ("12345\n78901", 10, ["12345\n", "78901"]),
        ("12345\n7\n9012", 10, ["12345\n7\n", "9012"]),
        ("123456789\n12", 10, ["123456789\n", "12"]),
        ("1234567890\n2", 10, ["1234567890", "\n2"]),
        ("12345\n78901234\n67890", 10, ["12345\n", "78901234\n", "67890"]),
        ("X" * 6 + "\n" + "Y" * 20, 10, ["X" * 6 + "\n", "Y" * 10, "Y" * 10]),
        ("123456789👩🏽‍💻", 10, ["123456789", "👩🏽‍💻"]),
    ],
)
def test_pieces_end_where_a_line_ends_in_their_second_half(
    text: str, limit: int, expected: list[str]
) -> None:
    assert pieces(text, limit) == expected


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        (LETTERS[:24], 24, Excerpt(head=LETTERS[:24])),
        (LETTERS[:24], 1, Excerpt(head=LETTERS[:24])),
        (LETTERS[:25], 24, Excerpt(head=LETTERS[:16], tail="rstuvwxy", left_out=1)),
        (LETTERS * 2, 30, Excerpt(head=LETTERS[:20], tail=LETTERS[16:], left_out=22)),
        ("0" * 30 + "\u202e" * 5, 30, Excerpt(head="0" * 20, left_out=15)),
        ("first line\n" * 9, 40, Excerpt(head="first line\n" * 2, tail="first line\n", left_out=66)),
        ("12345\n" * 5, 34, Excerpt(head="12345\n" * 3, tail="12345\n", left_out=6)),
        ("12345\n" * 5, 35, Excerpt(head="12345\n" * 5)),
    ],
)
def test_an_excerpt_has_two_thirds_for_its_beginning_and_one_for_its_end(
    text: str, room: int, expected: Excerpt
) -> None:
    assert excerpt(text, room) == expected


NUMBERED = [f"line {number}" for number in range(30)]


@pytest.mark.parametrize(
    ("count", "lines", "head", "tail"),
    [
        (9, 9, range(9), range(0)),
        (10, 9, range(6), range(7, 10)),
        (30, 12, range(8), range(26, 30)),
        (30, 3, range(2), range(29, 30)),
    ],
)
def test_an_excerpt_counts_lines_as_it_counts_letters(
    count: int, lines: int, head: range, tail: range
) -> None:
    part = excerpt("\n".join(NUMBERED[:count]), 1_000, lines)
    ends = "\n" if tail else ""
    assert part.head == "\n".join(NUMBERED[number] for number in head) + ends
    assert part.tail == "\n".join(NUMBERED[number] for number in tail)
    kept = len(part.head) + len(part.tail)
    assert part.left_out == len("\n".join(NUMBERED[:count])) - kept


def test_a_short_text_is_one_box_and_nothing_is_left_out() -> None:
    boxes, cut = boxed("one\ntwo", 100)
    assert [box.to_dict() for box in boxes] == [block("one\ntwo").to_dict()]
    assert cut is False


def test_between_the_boxes_of_a_long_text_stands_in_our_words_how_much_is_missing() -> None:
    boxes, cut = boxed("x" * 3_000, 300)
    assert [box.to_dict() for box in boxes] == [
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x" * 200}]},
        {
            "type": "rich_text_section",
            "elements": [
                {
                    "type": "text",
                    "text": "… 2,700 characters left out here, View all shows them …",
                    "style": {"italic": True},
                }
            ],
        },
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x" * 100}]},
    ]
    assert cut is True


def test_a_beginning_without_anything_to_show_is_no_empty_box() -> None:
    """Slack refuses an empty text, and with it the whole card."""
    wide = "\u202e" * 3
    boxes, cut = boxed(wide + "x" * 500, 1)
    told = [box.to_dict() for box in boxes]
    assert cut is True
    assert all(element["text"] for box in told for element in box["elements"])


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        (LETTERS, 26, (LETTERS, False)),
        (LETTERS + LETTERS, 40, (LETTERS + LETTERS[:8] + "…", True)),
        (LETTERS + LETTERS, 10, (LETTERS[:18] + "…", True)),
        ("a\n" * 40, 30, ("a⏎a⏎a⏎a…", True)),
        ("\t" * 5 + LETTERS, 30, ("⇥⇥⇥⇥…", True)),
    ],
)
def test_within_a_line_a_text_ends_in_a_mark_where_it_is_cut(
    text: str, room: int, expected: tuple[str, bool]
) -> None:
    assert in_line(text, room) == expected


def test_only_the_id_of_a_person_becomes_a_person() -> None:
    assert person(UserId("U0BOB")).to_dict() == {"type": "user", "user_id": "U0BOB"}
    assert person(UserId("<!here>")).to_dict() == {"type": "text", "text": "<!here>"}
    assert person(UserId("")).to_dict() == {"type": "text", "text": "?"}


def test_a_time_is_the_readers_own_and_has_words_for_who_cannot_read_it() -> None:
    assert date(datetime(2026, 3, 2, 9, 30, 59, tzinfo=UTC)).to_dict() == {
        "type": "date",
        "timestamp": 1772443859,
        "format": "{date_short_pretty}, {time}",
        "fallback": "2026-03-02 09:30 UTC",
    }


@pytest.mark.parametrize("mark", ["bold", "italic", "code"])
def test_a_piece_of_text_is_plain_unless_it_is_marked(mark: str) -> None:
    assert plain("a").to_dict() == {"type": "text", "text": "a"}
    assert plain("a", **{mark: True}).to_dict() == {"type": "text", "text": "a", "style": {mark: True}}


def test_a_quote_and_a_box_hold_long_texts_in_elements_of_at_most_2_800_characters() -> None:
    for made, kind in ((block, "rich_text_preformatted"), (quote, "rich_text_quote")):
        told = made("y" * 2_801).to_dict()
        assert told["type"] == kind
        assert [element["text"] for element in told["elements"]] == ["y" * 2_800, "y"]
