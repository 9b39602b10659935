"""Hosts, paths and addresses that are not what they look like are pointed at; honest ones are not."""

from typing import Any

import pytest

from bot.slack.cards import card
from bot.slack.scripts import suspicions
from bot.slack.viewing import view_all
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, action, approval

A, E, O, P, Y = "\u0430", "\u0435", "\u043e", "\u0440", "\u0443"  # noqa: E741 - Cyrillic, as they look
SUSPICIOUS = [
    (f"p{A}ypal.com", "mixes Cyrillic and Latin letters: U+0430"),
    (f"/etc/{P}{A}sswd", "mixes Cyrillic and Latin letters: U+0440, U+0430"),
    (f"C:\\Us{E}rs\\bob", "mixes Cyrillic and Latin letters: U+0435"),
    (f"bob@g{O}{O}gle.com", "mixes Cyrillic and Latin letters: U+043E"),
    (f"payl{O}ad", "mixes Cyrillic and Latin letters: U+043E"),
    (f"{P}{A}{Y}.com", "is read as Latin letters and is not: U+0440, U+0430, U+0443"),
    ("g\u03bf\u03bfgle.com", "mixes Greek and Latin letters: U+03BF"),
    ("\uff45vil.com", "holds letters that only look like Latin ones: U+FF45"),
    ("x/\ufb01le", "holds letters that only look like Latin ones: U+FB01"),
    ("good.com\u2215evil", "holds U+2215, which looks like a sign of an address and is none"),
    ("xn--pple-43d", "is the encoded form of U+0430"),
]
HONEST = [
    "paypal.com",
    "https://пример.com/дом",
    "файл.txt",
    "東京tower.jp",
    "日本語。次",
    "straße.de/größe",
    "naïve.txt",
    "и/или, например Hello/Привет",
    "שלום.txt",
    "αβγ.gr",
    "👩🏽‍💻.txt",
    "e\u0301t\u00e9.fr",
]


@pytest.mark.parametrize(("word", "why"), SUSPICIOUS)
def test_a_word_of_several_alphabets_is_told_with_its_letters(word: str, why: str) -> None:
    found = suspicions({"path": word})
    assert [(one.argument, one.word, one.why) for one in found] == [("path", word, why)]
    found = suspicions({"deep": [{"at": word}], "keys": {word: 1}})
    assert [(one.argument, one.word) for one in found] == [("deep", word), ("keys", word)]


def test_it_is_found_in_the_middle_of_a_text() -> None:
    assert [one.word for one in suspicions({"text": f'see p{A}ypal.com, and "/b{O}ot"'})] == [
        f"p{A}ypal.com",
        f"/b{O}ot",
    ]


@pytest.mark.parametrize("word", HONEST)
def test_what_people_write_is_not(word: str) -> None:
    assert suspicions({"path": word, "text": f"see {word} please"}) == []


@pytest.mark.parametrize("piece", ["日本語.", "п/", f"a.{A} ", "xn--a ", f"{A}b"])
@pytest.mark.timeout(10)
def test_no_text_takes_long(piece: str) -> None:
    suspicions({"a": piece * (100_000 // len(piece))})


def test_the_card_and_view_all_warn_outside_of_what_the_agent_wrote() -> None:
    asked = approval(action(arguments={"host": f"p{A}ypal.com"}))
    message = card(asked, requester=ALICE)
    assert_fit_for_slack(message)
    warning = f"⚠️ Look twice: `p{A}ypal.com` mixes Cyrillic and Latin letters: U+0430."
    assert warning in readable(message.blocks)
    view = view_all(asked, asked.actions[0])
    assert_view_fit_for_slack(view)
    assert warning in readable(view["blocks"])
    assert "[View all]" not in readable(approval_without_doubt())


def approval_without_doubt() -> list[dict[str, Any]]:
    return card(approval(action(arguments={"host": "paypal.com"})), requester=ALICE).blocks


def test_many_warnings_are_counted_and_with_little_room_there_is_one() -> None:
    words = {f"host_{number}": f"{number}p{A}ypal.com" for number in range(9)}
    text = readable(card(approval(action(arguments=words)), requester=ALICE).blocks)
    assert text.count("⚠️ Look twice") == 3
    assert "6 more words" in text
    crowd = [action(number, arguments={"host": f"p{A}ypal.com", "x": "y" * 300}) for number in range(40)]
    message = card(approval(*crowd), requester=ALICE)
    assert_fit_for_slack(message)
    assert "Look twice" in readable(message.blocks)
