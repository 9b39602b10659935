"""Where a long answer is cut, what is a code block, which links are honest: to the letter."""

import pytest

from bot.slack.markdown import JOINT, defuse, fence_after, marks_of, undefused
from bot.slack.scripts import suspicions
from bot.slack.splitting import split
from bot.slack.text import units

WORD = "word "


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("plain", "", ""),
        ("plain", "```", "```"),
        ("```", "", "```"),
        ("  ```py  ", "", "```py"),
        ("    ```", "", ""),
        ("``", "", ""),
        ("```a`b", "", ""),
        ("~~~a`b", "", "~~~a`b"),
        ("```", "```py", ""),
        ("`````", "```py", ""),
        ("```  ", "```", ""),
        ("```py", "```", "```"),
        ("~~~", "```", "```"),
        ("```", "~~~", "~~~"),
        ("```", "````", "````"),
    ],
)
def test_a_code_block_opens_and_closes_as_in_markdown(line: str, before: str, after: str) -> None:
    assert fence_after(line, before) == after


def test_the_marks_of_a_fence_are_its_backticks_or_tildes() -> None:
    assert [marks_of(line) for line in ("```py", "  ~~~~ a", "plain", "")] == ["```", "~~~~", "", ""]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[a](HTTPS://ok.example)", "[a](HTTPS://ok.example)"),
        ("[a](MAILTO:a@ok.example)", "[a](MAILTO:a@ok.example)"),
        ("[a](ftp://ok.example)", "a (ftp://ok.example)"),
        ("[a]()", "a"),
        ("[](https://ok.example)", "[https://ok.example](https://ok.example)"),
        ("[WWW.ok.example](https://ok.example)", "[WWW.ok.example](https://ok.example)"),
        ("[ok.example](https://www.ok.example)", "[ok.example](https://www.ok.example)"),
        ("[ok.example](https://a.ok.example)", "[ok.example](https://a.ok.example)"),
        ("[a.ok.example](https://ok.example)", "a.ok.example (https://ok.example)"),
        ("[notok.example](https://ok.example)", "notok.example (https://ok.example)"),
        ("[OK.example](https://ok.EXAMPLE)", "[OK.example](https://ok.EXAMPLE)"),
        ("[a@ok.example](mailto:a@OK.example)", "[a@ok.example](mailto:a@OK.example)"),
        (
            "[bank.example](mailto:bank.example@evil.example)",
            "bank.example (mailto:bank.example@evil.example)",
        ),
        ("[my.notes.txt](https://ok.example)", "[my.notes.txt](https://ok.example)"),
        ("[x](https://user@ok.example)", "x (https://user@ok.example)"),
        ("[x](https://[::1)", "x (https://[::1)"),
        ("[x](https://b\u0430nk.example)", "x (https://b\u0430nk.example)"),
        (f"[{'a' * 500}](https://ok.example)", f"[{'a' * 500}](https://ok.example)"),
        (f"[{'a' * 501}](https://ok.example)", f"{'a' * 501} (https://ok.example)"),
        ("see [a](https://a.example) and [b](https://b.example)", None),
        ("> `<b>` and <b>", "> `<b>` and &lt;b&gt;"),
        ("`a` and `<!here>`", "`a` and `< !here>`"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n&lt;b&gt;"),
        ("@Everyone @group a@here", f"@{JOINT}Everyone @{JOINT}group a@here"),
    ],
)
def test_a_link_is_kept_where_it_goes_where_it_says(markdown: str, expected: str | None) -> None:
    assert defuse(markdown) == (markdown if expected is None else expected)


def test_what_was_made_harmless_can_be_read_as_it_was() -> None:
    text = "if a < b > c: @here and <!channel>"
    assert undefused(defuse(text)) == text


def test_length_is_counted_in_utf_16() -> None:
    assert [units(text) for text in ("", "abc", "é", "🙂", "\ud800")] == [0, 3, 1, 2, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n", []),
        ("a" * 339, ["a" * 339]),
        (WORD * 80, [WORD * 54, WORD * 26]),
        ("a" * 340, ["a" * 278, "a" * 62]),
        ("🙂" * 300, ["🙂" * 138, "🙂" * 162]),
        ("one\n" * 84 + "xyz", ["one\n" * 84 + "xyz"]),
        ("one\n" * 84 + "wxyz", ["one\n" * 84, "wxyz"]),
        ("one\n" * 85, ["one\n" * 84, "one\n"]),
    ],
)
def test_a_text_is_cut_after_words_and_lines_as_late_as_they_fit(text: str, expected: list[str]) -> None:
    assert split(text, 400) == expected


def test_a_cut_between_paragraphs_is_taken_only_in_the_second_half() -> None:
    late = "one\n" * 50 + "\n" + "two\n" * 40
    assert split(late, 400) == ["one\n" * 50 + "\n", "two\n" * 40]
    early = "one\n" * 10 + "\n" + "two\n" * 80
    assert split(early, 400)[0] == "one\n" * 10 + "\n" + "two\n" * 74


def test_a_code_block_that_is_cut_is_closed_with_its_own_marks_and_opened_with_its_own_language() -> None:
    first, *others, last = split("~~~~py\n" + "one\n" * 150 + "~~~~\nEnd.", 400)
    assert first == "~~~~py\n" + "one\n" * 83 + "~~~~"
    assert all(part.startswith("~~~~py\none\n") for part in [*others, last])
    assert last.endswith("one\n~~~~\nEnd.")


def test_a_line_of_code_that_is_cut_is_closed_on_a_line_of_its_own() -> None:
    first, second = split("```\n" + "x" * 400 + "\n```", 400)
    assert first == "```\n" + "x" * 278 + "\n```"
    assert second == "```\n" + "x" * 122 + "\n```"


@pytest.mark.parametrize("length", [60, 61])
def test_a_very_long_first_line_of_a_code_block_is_opened_again_without_its_words(length: int) -> None:
    opening = "```" + "l" * (length - 3)
    parts = split(f"{opening}\n" + "one\n" * 100 + "```", 400)
    assert parts[1].startswith(f"{opening if length == 60 else '```'}\none\n")


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("xn--a9999999999", "is the encoded form of nothing at all"),
        ("xn--abc-", "is the encoded form of nothing but Latin letters"),
        (
            "xn--80ak6aa92e.com",
            "is the encoded form of U+0430, U+0440, U+0440, U+04CF, U+0435",
        ),
        (
            "\u0430\u0431\u0432\u0433\u0434\u0435\u0436z.com",
            "mixes Cyrillic and Latin letters: U+0430, U+0431, U+0432, U+0433 …",
        ),
        (
            "\u0430\u0431\u0432\u0433z.com",
            "mixes Cyrillic and Latin letters: U+0430, U+0431, U+0432, U+0433",
        ),
    ],
)
def test_the_letters_of_a_word_are_told_by_their_codes_as_far_as_they_fit(word: str, why: str) -> None:
    assert [one.why for one in suspicions({"host": word})] == [why]
