import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.approvals.conversation import Post, PostKind
from bot.approvals.ids import ConversationId, PostId, UserId
from bot.slack import verbs
from bot.slack.answers import answer, failure, notice, opening, plain, refusal
from bot.slack.markdown import JOINT, defuse
from bot.slack.message import File
from bot.slack.splitting import in_messages, split
from bot.slack.text import units
from tests.slack.limits import ALIVE, OURS, assert_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, ANSWER, BOB, TEXTS


def post(text: str, settled_by: UserId | None = None) -> Post:
    made = Post(id=PostId("post-1"), conversation=ConversationId("c"), kind=PostKind.FAILURE, text=text)
    return replace(made, settled_by=settled_by)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("<!here> <!channel> <@U1> <#C1>", "&lt;!here&gt; &lt;!channel&gt; &lt;@U1&gt; &lt;#C1&gt;"),
        ("<https://evil.example|bank.example>", "&lt;https://evil.example|bank.example&gt;"),
        ("see <https://ok.example/a>", "see https://ok.example/a"),
        ("> a quote\n> > in a quote", "> a quote\n> > in a quote"),
        ("if a < b > c", "if a &lt; b &gt; c"),
        ("@channel @here a@here.example", f"@{JOINT}channel @{JOINT}here a@here.example"),
        ("[docs](https://ok.example/a_(b))", "[docs](https://ok.example/a_(b))"),
        ("[mail](mailto:a@ok.example)", "[mail](mailto:a@ok.example)"),
        ("[x](javascript:alert)", "x (javascript:alert)"),
        ("[x](javascript&#58;alert)", "x (javascript&#58;alert)"),
        ("[bank.example](https://evil.example)", "bank.example (https://evil.example)"),
        (
            "[https://bank.example/x](https://evil.example/x)",
            "https://bank.example/x (https://evil.example/x)",
        ),
        ("[in](https://bank.example@evil.example)", "in (https://bank.example@evil.example)"),
        ("[ok.example](https://www.ok.example/a)", "[ok.example](https://www.ok.example/a)"),
        ("[notes.txt](https://ok.example/notes.txt)", "[notes.txt](https://ok.example/notes.txt)"),
        ("![a](https://ok.example/p.png)", "[a](https://ok.example/p.png)"),
        ("[x\n](javascript:alert)", f"[x\n]{JOINT}(javascript:alert)"),
        ("[x][1]\n\n[1]: javascript:alert", f"[x][1]\n\n[1]{JOINT}: javascript:alert"),
        ("```\nif a < b: List<int>\n```", "```\nif a < b: List<int>\n```"),
        ("```html\n<!here> <https://a|b>\n```", "```html\n< !here> < https://a|b>\n```"),
        ("`a < b` and `<!here>`", "`a < b` and `< !here>`"),
        ("~~~\n```\n<b>\n~~~\n<b>", "~~~\n```\n<b>\n~~~\n&lt;b&gt;"),
    ],
)
def test_markdown_is_defused_like_this(markdown: str, expected: str) -> None:
    assert defuse(markdown) == expected


BELOW = "(Written by an AI agent, which can be wrong.)\n[Helpful] [Not helpful]"
PARTS = [
    "<",
    ">",
    "!here",
    "@U0BOB",
    "<!channel>",
    "`",
    "```",
    "~~~",
    "[a](",
    "](",
    ")",
    "|",
    "x",
    "\\",
    "]: ",
]
PARTS += ["javascript:x", "https://a.example", "<javascript:x>", "<https://a.example|b>", "@channel"]
PIECES = st.lists(st.sampled_from([*PARTS, " ", "\n", "> "]), max_size=25).map("".join)
UNSAFE_LINK = re.compile(r"\]\((?!https?://|mailto:)", re.IGNORECASE)


@settings(max_examples=400, deadline=None)
@given(PIECES | TEXTS)
def test_nothing_is_alive_in_any_answer(text: str) -> None:
    for message in answer(text, ANSWER):
        assert_fit_for_slack(message)
        [block] = [one for one in message.blocks if one["type"] in {"markdown", "section"}]
        rest = readable([one for one in message.blocks if one is not block])
        rest = re.sub(
            r"\(This is the beginning; the whole answer, [\d,]+ characters, follows below\.\)\n", "", rest
        )
        assert rest in ("(The agent says:)", "", f"(The agent says:)\n{BELOW}")
        words = block["text"] if block["type"] == "markdown" else block["text"]["text"]
        assert not UNSAFE_LINK.search(words) or "`" in words or "~~~" in words
        assert not re.search(r"(?<![\w.])@(channel|here|everyone)\b", words)


def test_what_needs_four_messages_is_a_beginning_and_a_file_with_all_of_it() -> None:
    text = "\n\n".join("x" * 10_000 for _ in range(4))
    assert len(answer(text[:30_000], ANSWER, files=True)) == 3
    assert all(one.file is None for one in answer(text, ANSWER))
    first, file = answer(f"{text}\u202e", ANSWER, files=True)
    assert_fit_for_slack(first)
    assert "This is the beginning; the whole answer, 40,007 characters, follows below." in readable(
        first.blocks
    )
    assert readable(first.blocks).endswith(BELOW)
    assert file.file == File(title="The agent's whole answer", content=f"{text}⟨U+202E⟩")
    beginning, *rest = answer(text, ANSWER)
    assert readable(beginning.blocks).endswith(BELOW)
    assert len(rest) == 3
    assert not any("Helpful" in readable(one.blocks) for one in rest)


@settings(deadline=None)
@given(PIECES | TEXTS, st.integers(400, 900))
def test_a_split_loses_nothing_but_blank_parts(text: str, limit: int) -> None:
    parts = split(text * 7, limit)
    assert all(units(part) <= limit for part in parts)
    if "```" not in text and "~~~" not in text:
        assert "".join("".join(parts).split()) == "".join((text * 7).split())


def test_a_split_prefers_the_border_of_a_paragraph() -> None:
    paragraphs = [f"{number} word\n" + "and more\n" * 14 + "and the end" for number in range(20)]
    parts = split("\n\n".join(paragraphs), 700)
    assert all(re.match(r"\d+ word", part) for part in parts)
    assert "".join(parts) == "\n\n".join(paragraphs)


def test_a_code_block_that_is_cut_is_closed_and_opened_again() -> None:
    lines = [f"line_{number} = {number}" for number in range(200)]
    parts = split("Before.\n\n```python\n" + "\n".join(lines) + "\n```\n\nAfter.", 600)
    assert len(parts) > 4
    assert all(part.count("```") == 2 for part in parts)
    assert all(part.startswith("```python\n") for part in parts[1:])
    assert [line for part in parts for line in part.split("\n") if line.startswith("line_")] == lines


def test_a_very_long_answer_becomes_several_messages_in_order() -> None:
    text = "\n\n".join(f"Paragraph {number}: " + "words <and> more " * 40 for number in range(100))
    messages = answer(text, ANSWER)
    assert len(messages) > 5
    for message in messages:
        assert_fit_for_slack(message)
    numbers = re.findall(r"Paragraph (\d+)", "".join(message.blocks[1]["text"] for message in messages))
    assert numbers == [str(number) for number in range(100)]


@pytest.mark.parametrize(
    "text",
    [
        "[a." + "b." * 30_000 + "](https://x.example)",
        "[x](" + "(a)" * 20_000,
        "`a" * 30_000,
        "[a](b" * 20_000,
    ],
)
@pytest.mark.timeout(10)
def test_no_answer_takes_long_to_make_harmless(text: str) -> None:
    assert answer(text, ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"id": str(number), "name": "a", "on": "x"} for number in range(2_000)], indent=1),
        "```\n" + "1\n" * 20_000 + "```",
        '"' * 40_000,
        "\\" * 40_000,
        "plain words, " * 3_000 + "\n\n" + "x\n" * 6_000,
    ],
    ids=["json", "short lines", "quotation marks", "backslashes", "the end of it"],
)
def test_an_answer_full_of_what_json_escapes_fits_into_its_messages(text: str) -> None:
    messages = answer(text, ANSWER)
    assert len(messages) > 2
    for message in messages:
        assert units(json.dumps(message.blocks, ensure_ascii=False)) <= 13_000
    said = "".join(message.blocks[1]["text"] for message in messages)
    assert said.replace("```", "").split() == text.replace("```", "").split()


def test_plain_words_take_as_few_messages_as_ever() -> None:
    assert in_messages("word " * 6_000) == split("word " * 6_000)


def test_emoji_are_not_cut_in_two() -> None:
    messages = answer("👩🏽‍💻" * 4_000, ANSWER)
    assert "".join(message.blocks[1]["text"] for message in messages) == "👩🏽‍💻" * 4_000
    assert all(message.blocks[1]["text"].startswith("👩🏽‍💻") for message in messages)


def test_an_empty_answer_is_said() -> None:
    assert [readable(message.blocks) for message in answer(" \n ", ANSWER)] == [
        "The agent finished without saying anything."
    ]


def test_a_failure_can_be_retried_until_somebody_did() -> None:
    failed = failure(post("The model failed: <!here> 500."))
    assert_fit_for_slack(failed)
    assert readable(failed.blocks) == "⚠️ The model failed: &lt;!here&gt; 500.\n[Retry]"
    [retry] = failed.blocks[1]["elements"]
    assert (retry["action_id"], retry["value"]) == (verbs.RETRY, "post-1")
    settled = failure(post("The model failed.", settled_by=BOB))
    assert readable(settled.blocks) == "⚠️ The model failed.\n(Retried by <@U0BOB>.)"
    assert settled.text == "⚠️ The model failed. Retried by <@U0BOB>."
    over = failure(post("The model failed.", settled_by=UserId("")))
    assert readable(over.blocks) == "⚠️ The model failed.\n(Over by now.)"


@settings(deadline=None)
@given(TEXTS)
def test_other_sentences_are_fit_for_slack(text: str) -> None:
    for message in (
        notice(text),
        failure(post(text)),
        opening(ALICE, text),
        *map(plain, answer(text, ANSWER)),
    ):
        assert_fit_for_slack(message)
    assert not ALIVE.search(OURS.sub("", refusal(text)))


def test_the_opening_says_who_asked_what_literally() -> None:
    message = opening(ALICE, "delete *tmp.log* <!here>")
    assert readable(message.blocks) == "@U0ALICE asked:\n> delete *tmp.log* <!here>"
    assert message.text == "<@U0ALICE> asked: delete *tmp.log* &lt;!here&gt;"


@pytest.mark.parametrize("piece", ["<!here> ", "\ud800", "👩🏽‍💻", "&", "`", "\u202e", "\n", "word "])
def test_very_long_sentences_are_fit_for_slack_too(piece: str) -> None:
    text = piece * 9_000
    for message in (
        notice(text),
        failure(post(text)),
        opening(ALICE, text),
        *map(plain, answer(text, ANSWER)),
    ):
        assert_fit_for_slack(message)
    assert len(refusal(text)) <= 3_000


def test_a_table_that_is_cut_goes_on_below_its_head() -> None:
    head = "| name | size |\n|:---|---:|\n"
    rows = [f"| file_{number}.txt | {number} |\n" for number in range(100)]
    parts = split("Before.\n\n" + head + "".join(rows) + "\nAfter.", 600)
    assert len(parts) > 3
    assert all(part.startswith(head) for part in parts[1:])
    assert all(units(part) <= 600 for part in parts)
    told = "".join(part.removeprefix(head) for part in parts[1:])
    assert parts[0] + told == "Before.\n\n" + head + "".join(rows) + "\nAfter."
