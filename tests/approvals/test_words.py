"""A sentence is said in the language of whoever reads it."""

import asyncio
from gettext import NullTranslations

import pytest

from bot.approvals.words import (
    ENGLISH,
    in_public,
    listed,
    parts,
    phrase,
    public_language,
    say,
    say_many,
    speak,
    spoken,
)


class Shouted(NullTranslations):
    """A language in which words come in capitals and in another order."""

    def gettext(self, message: str) -> str:
        return {"{who} asks for {what}": "{what}, ASKS {who}", ", ": "; "}.get(message, message.upper())

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        del msgid1, n
        return msgid2.upper().replace("{COUNT", "{count")


SHOUTED = Shouted()


def test_without_any_language_it_is_english() -> None:
    assert say("{who} asks for {what}", who="Alice", what="tea") == "Alice asks for tea"


def test_within_a_language_the_words_are_translated_and_what_is_filled_in_is_not() -> None:
    with spoken(SHOUTED):
        assert say("{who} asks for {what}", who="Alice", what="{tea}") == "{tea}, ASKS Alice"
    assert say("done") == "done"


def test_a_number_chooses_the_words() -> None:
    assert say_many("{count} vote", "{count:,} votes", 1) == "1 vote"
    assert say_many("{count} vote", "{count:,} votes", 1000) == "1,000 votes"
    with spoken(SHOUTED):
        assert say_many("{count} vote", "{count:,} votes", 1) == "1 VOTES"


def test_a_message_without_values_may_have_braces() -> None:
    assert say("write {this}") == "write {this}"


def test_a_marked_phrase_is_the_phrase_itself() -> None:
    assert phrase("kept") == "kept"


def test_the_public_language_holds_where_nobody_alone_reads() -> None:
    with public_language(SHOUTED):
        assert say("done") == "DONE"
        with spoken(ENGLISH):
            assert say("done") == "done"
            with in_public():
                assert say("done") == "DONE"
            assert say("done") == "done"
    assert say("done") == "done"


async def test_what_one_task_speaks_no_other_one_hears() -> None:
    async def task(language: NullTranslations | None) -> str:
        speak(language, public=ENGLISH)
        await asyncio.sleep(0)  # the other one's turn
        return say("done")

    loud, plain = await asyncio.gather(task(SHOUTED), task(None))
    assert (loud, plain) == ("DONE", "done")
    assert say("done") == "done"


def test_a_language_is_left_when_what_was_said_in_it_fails() -> None:
    with pytest.raises(KeyError), spoken(SHOUTED):
        say("{missing}", other=1)
    with pytest.raises(KeyError), public_language(SHOUTED):
        say("{missing}", other=1)
    assert say("done") == "done"


@pytest.mark.parametrize(
    ("told", "expected"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_things_are_listed(told: list[str], expected: str) -> None:
    assert listed(told) == expected


def test_things_are_listed_with_another_word() -> None:
    assert listed(["a", "b", "c"], phrase("{before} or {last}")) == "a, b or c"


def test_a_message_comes_in_pieces_around_what_is_no_string() -> None:
    it = object()
    assert list(parts("{n:,} of {it}, {who}", n=1000, it=it, who="Bob")) == ["1,000 of ", it, ", Bob"]
    assert list(parts("{it}{it}", it=it)) == [it, it]
    assert list(parts("{who} asks for {what}", who="Bob", what=it)) == ["Bob asks for ", it]
    with spoken(SHOUTED):
        assert list(parts("{who} asks for {what}", who="Bob", what=it)) == [it, ", ASKS Bob"]
