"""A long answer in parts: where it is cut, and what of code and tables goes on after a cut."""

import pytest

from bot.slack.splitting import split

LINE = "x" * 39 + "\n"
HEAD = "| a | b |\n|---|---|\n"
ROW = "| " + "r" * 33 + " | |\n"


def test_what_fits_is_one_part_and_nothing_is_none() -> None:
    assert split("a\nb", 400) == ["a\nb"]
    assert split("", 400) == []
    assert split(" \n", 400) == []


@pytest.mark.parametrize(("lines", "first"), [(3, 8), (4, 4), (6, 6)])
def test_a_part_ends_with_a_paragraph_in_its_second_half_and_else_with_a_line(lines: int, first: int) -> None:
    """400 characters less 61 for a code block that might have to be closed: eight lines of 40."""
    text = LINE * lines + "\n" + LINE * 12
    parts = split(text, 400)
    assert "".join(parts) == text
    assert parts[0].count(LINE) == first
    assert parts[0].endswith("\n\n") is (first == lines)


def test_a_line_that_is_too_long_is_cut_after_a_blank_or_else_anywhere() -> None:
    assert split("x" * 500, 400) == ["x" * 278, "x" * 222]
    words = ("w" * 99 + " ") * 6
    assert "".join(split(words, 400)) == words
    assert all(part.endswith(" ") for part in split(words, 400))
    early = "w" * 59 + " " + "x" * 400
    assert "".join(split(early, 400)) == early


@pytest.mark.parametrize("around", ["", "```\n", "`" * 60 + "\n"])
def test_a_long_line_is_in_as_few_parts_as_text_of_many_lines(around: str) -> None:
    parts = split(around + "x" * 30_000, 11_000)
    assert [part.count("x") for part in parts] == [10_878, 10_878, 8_244]
    assert all(len(part) <= 11_000 for part in parts)


def test_code_that_is_cut_is_closed_and_opened_again() -> None:
    parts = split("```python\n" + LINE * 12 + "```\nend", 400)
    assert parts == [
        "```python\n" + LINE * 8 + "```",
        "```python\n" + LINE * 4 + "```\nend",
    ]


def test_an_opening_that_is_too_long_is_not_repeated_but_for_its_marks() -> None:
    long = "```" + "l" * 58
    parts = split(f"{long}\n" + LINE * 12 + "```", 400)
    assert parts[1].startswith("```\nx")
    fits = "```" + "l" * 57
    assert split(f"{fits}\n" + LINE * 12 + "```", 400)[1].startswith(f"{fits}\nx")


def test_an_end_of_code_is_not_taken_for_another_beginning() -> None:
    parts = split("```\n" + LINE * 8 + "```\n" + LINE * 5, 400)
    assert parts == ["```\n" + LINE * 8 + "```\n", LINE * 5]


@pytest.mark.parametrize("before", ["", "text\n", "text\n\n"])
def test_a_table_that_is_cut_goes_on_below_its_head(before: str) -> None:
    rows = 12
    parts = split(before + HEAD + ROW * rows, 400)
    assert parts[0].startswith(before + HEAD)
    assert all(part.startswith(HEAD) for part in parts[1:])
    assert sum(part.count(ROW) for part in parts) == rows
    assert all(len(part) <= 400 for part in parts)


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("| a | b |\n" + ROW * 12, ROW),
        (HEAD + ROW * 7 + "no row\n" * 40, "no row"),
        ("| " + "h" * 70 + " |\n|---|---|---|---|---|---|\n" + ROW * 12, ROW),
    ],
)
def test_what_is_no_table_or_has_too_large_a_head_has_none_repeated(text: str, second: str) -> None:
    parts = split(text, 400)
    assert parts[1].startswith(second)
    assert "".join(parts) == text


@pytest.mark.parametrize(("width", "repeated"), [(88, True), (89, False)])
def test_a_head_may_take_a_quarter_of_a_part(width: int, repeated: bool) -> None:  # noqa: FBT001 - a table
    head = "|" + "h" * (width - 2) + "\n|--|--|--|-\n"
    assert len(head) == width + 12
    parts = split(head + ROW * 12, 400)
    assert parts[1].startswith(head if repeated else ROW)


def test_a_table_that_begins_with_the_part_has_its_head_once() -> None:
    text = LINE * 8 + HEAD + ROW * 3
    parts = split(text, 400)
    assert "".join(parts) == text
