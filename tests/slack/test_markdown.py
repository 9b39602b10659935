"""The agent's Markdown at the borders: what is code, which links are honest, what is taken back."""

import pytest

from bot.slack.markdown import JOINT, defuse, fence_after, marks_of, undefused


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("```", "", "```"),
        ("```python", "", "```python"),
        ("   ````", "", "````"),
        ("    ```", "", ""),
        ("``", "", ""),
        ("~~~ a `tick`", "", "~~~ a `tick`"),
        ("``` a `tick`", "", ""),
        ("text", "", ""),
        ("text", "```", "```"),
        ("```", "```python", ""),
        ("````", "```", ""),
        ("```", "````", "````"),
        ("``` ", "```", ""),
        ("```python", "```", "```"),
        ("~~~", "```", "```"),
        ("~~~", "~~~", ""),
        ("`~~", "~~~", "~~~"),
    ],
)
def test_a_code_block_ends_with_as_many_of_the_same_marks_and_nothing_else(
    line: str, before: str, after: str
) -> None:
    assert fence_after(line, before) == after


@pytest.mark.parametrize(
    ("fence", "marks"), [("```python", "```"), ("~~~~", "~~~~"), ("", ""), ("no fence", "")]
)
def test_the_marks_of_a_code_block_are_its_backticks_or_tildes(fence: str, marks: str) -> None:
    assert marks_of(fence) == marks


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("```\n<!here>\n```\n<!here>", "```\n< !here>\n```\n&lt;!here&gt;"),
        ("``` `x`\n<b>", "``` `x`\n&lt;b&gt;"),
        ("~~~ `x`\n<b>\n~~~", "~~~ `x`\n<b>\n~~~"),
        ("> `<b>` <i>", "> `<b>` &lt;i&gt;"),
        ("> ` > <b> `", "> ` > <b> `"),
        ("[a](https://a.example) [b](https://b.example)", "[a](https://a.example) [b](https://b.example)"),
        ("<x> [a](https://a.example) <y> [b](https://b.example) <z>",
         "&lt;x&gt; [a](https://a.example) &lt;y&gt; [b](https://b.example) &lt;z&gt;"),
        ("`a` <x> `b` <y>", "`a` &lt;x&gt; `b` &lt;y&gt;"),
        ("[](https://a.example)", "[https://a.example](https://a.example)"),
        ("[label]()", "label"),
        ("[<b>](x)", "&lt;b&gt; (x)"),
    ],
)  # fmt: skip
def test_code_prose_and_links_of_a_line_are_told_apart(markdown: str, expected: str) -> None:
    assert defuse(markdown) == expected


HONEST = [
    ("HTTPS here", "HTTPS://a.example/x"),
    ("mail", "MAILTO:a@b.example"),
    ("b.example", "mailto:a@b.example"),
    ("B.example", "mailto:a@B.Example"),
    ("b.example", "mailto:x@y@b.example"),
    ("a.example", "https://www.a.example/"),
    ("www.a.example", "https://a.example/"),
    ("a.example", "https://sub.a.example"),
    ("report.final.pdf", "https://a.example"),
    ("x" * 500, "https://a.example"),
]
DISHONEST = [
    ("a.example", "https://b.example"),
    ("a.example", "https://a.example.evil.example"),
    ("a.example", "https://evi\u043b\u0430.example"),
    ("a.example", "mailto:a.example@b.example"),
    ("www.a.example", "https://www.b.example"),
    ("txt.example", "https://b.example"),
    ("x" * 501, "https://a.example"),
    ("bad", "https://[::1"),
    ("none", "https://"),
    ("user", "https://a@b.example"),
    ("empty user", "https://@b.example"),
    ("blank", "https://"),
    ("file", "file:///etc/passwd"),
]


@pytest.mark.parametrize(("label", "url"), HONEST)
def test_a_link_stays_one_where_it_goes_where_its_label_says(label: str, url: str) -> None:
    assert defuse(f"[{label}]({url})") == f"[{label}]({url})"


@pytest.mark.parametrize(("label", "url"), DISHONEST)
def test_any_other_link_is_written_out(label: str, url: str) -> None:
    assert defuse(f"[{label}]({url})") == f"{label} ({url})"


def test_what_was_written_otherwise_is_taken_back_for_places_that_escape_by_themselves() -> None:
    text = "<b> @here [a](javascript:x) [x][1]\n[1]: y"
    assert undefused(defuse(text)) == "<b> @here a (javascript:x) [x][1]\n[1]: y"
    assert undefused(f"a{JOINT}b&lt;&gt;") == "ab<>"
