import sys
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.approvals.approval import Shape
from bot.approvals.decision import Approve
from bot.slack.headlines import sentence
from bot.slack.literal import excerpt, pieces, shown
from bot.slack.text import border, breadth, clip, escape, head, own_words, visible, weight
from tests.slack.samples import ALICE, TEXTS, action, approval, decided


def test_every_invisible_character_of_unicode_is_shown() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if (
            unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
            and character not in "\n\t"
        ):
            assert visible(f"a{character}b") == f"a⟨U+{code:04X}⟩b"


@pytest.mark.parametrize(
    "code", [0x34F, 0x115F, 0x1160, 0x17B4, 0x2800, 0x3164, 0xFFA0, 0xFE0F, 0xE0100, 0xFFFE]
)
def test_what_has_no_look_of_its_own_is_shown_too(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"


@pytest.mark.parametrize("emoji", ["👩🏽‍💻", "❤️", "1️⃣", "🏳️‍🌈", "👨‍👩‍👧‍👦", "🙂‍↔️", "‼️", "™️"])
def test_emoji_stay_whole(emoji: str) -> None:
    assert visible(emoji) == emoji


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_what_is_made_visible_can_be_read_back(text: str) -> None:
    def read(written: str) -> str:
        if not written.startswith("U+") or "⟩" not in written:
            return f"⟨{written}"
        code, _, rest = written.partition("⟩")
        return chr(int(code.removeprefix("U+"), base=16)) + rest

    first, *others = visible(text).split("⟨")
    assert first + "".join(read(other) for other in others) == text


def test_nobody_can_write_our_notation() -> None:
    assert visible("⟨U+202E⟩") == "⟨U+27E8⟩U+202E⟩"


def test_blanks_that_push_something_out_of_sight_become_a_count() -> None:
    assert shown("rm" + " " * 300 + "-rf /") == "rm⟨·\u00d7300⟩-rf /"
    assert shown("a" + "\n" * 50 + "b") == "a\n⟨↵\u00d750⟩\nb"
    assert shown("def f():\n            return 1") == "def f():\n            return 1"


@settings(deadline=None)
@given(TEXTS)
def test_escaped_text_has_no_live_character(text: str) -> None:
    escaped = escape(text)
    assert "<" not in escaped
    assert ">" not in escaped
    assert escape("a & <b>") == "a &amp; &lt;b&gt;"


def test_our_own_sentences_mention_people_and_nothing_else() -> None:
    assert own_words("By <@U0BOB>, not <!here> <@U0|x>") == "By <@U0BOB>, not &lt;!here&gt; &lt;@U0|x&gt;"


@settings(deadline=None)
@given(TEXTS, st.integers(0, 500))
def test_a_cut_never_exceeds_its_room_and_is_a_beginning(text: str, limit: int) -> None:
    assert weight(head(text, limit)) <= limit
    assert text.startswith(head(text, limit))
    assert weight(clip(escape(text), 100)) <= 100


def test_a_cut_never_goes_through_an_emoji_an_entity_or_a_mention() -> None:
    assert border("ab👩🏽‍💻", 4) == 2
    assert border("x&lt;y", 3) == 1
    assert clip("a" * 10 + " <@U0ALICE> and more", 25) == "a" * 10 + "…"


@settings(deadline=None)
@given(TEXTS, st.integers(10, 400))
def test_an_excerpt_tells_exactly_how_much_it_leaves_out(text: str, room: int) -> None:
    part = excerpt(text, room)
    if part.left_out:
        kept = len(text) - part.left_out
        ends = [len(text) - (kept - at) for at in range(kept + 1) if shown(text[:at]) == part.head]
        assert any(shown(text[end:]) == part.tail for end in ends)
    else:
        assert part.head == shown(text)


@settings(deadline=None)
@given(TEXTS, st.integers(40, 300))
def test_pieces_are_the_text_in_order(text: str, limit: int) -> None:
    parts = pieces(text, limit)
    assert "".join(parts) == text
    assert all(0 < len(part) <= limit for part in parts)


@pytest.mark.parametrize("asked", [Shape.BATCHED, Shape.IN_DOUBT])
def test_in_a_sentence_an_invisible_character_has_its_code_and_not_the_code_of_our_mark(asked: Shape) -> None:
    odd = action(tool="pay\u202e<", arguments={"path": "\u202egnp.exe"})
    waiting = replace(approval(odd), shape=asked)
    ended = decided(waiting, [Approve()])
    told = [sentence(each, ALICE) for each in (waiting, ended, waiting.withdraw(""))]
    assert all("pay⟨U+202E⟩&lt;" in text for text in told)
    assert not any("27E8" in text for text in told)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("notes.txt", 9),
        ("приказ", 6),
        ("季度报告", 8),
        ("🙂", 2),
        ("\uff45", 2),
        ("\x1b" * 6, 6),
        ("\U0001d400" * 2, 4),
    ],
)
def test_breadth_is_what_the_eye_sees_in_any_alphabet(text: str, columns: int) -> None:
    assert breadth(text) == columns


@settings(deadline=None)
@given(TEXTS)
def test_what_is_narrow_does_not_weigh_much_more_than_it_is_broad(text: str) -> None:
    assert weight(text) <= 6 * breadth(text) + 5
