"""What a row keeps of a sentence is the sentence: English as a string, and every language once it is read."""

import json
from copy import deepcopy
from dataclasses import replace
from gettext import NullTranslations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.masking import BY_DEFAULT
from bot.approvals.sayings import (
    OR,
    Saying,
    from_json,
    joined,
    reworded,
    saying,
    saying_many,
    to_json,
    uttered,
)
from bot.approvals.words import AND, spoken
from tests.slack.unspoken import Bracketed
from tests.store.samples import action, approval

STOPPED = saying("stopped by {who}", who=saying("an operator"))


class Backwards(NullTranslations):
    """A language in which the last comes first."""

    def gettext(self, message: str) -> str:
        return "{last} OR {before}" if message == OR else message


def test_it_is_english_as_a_string_whatever_is_spoken() -> None:
    with spoken(Bracketed()):
        told = saying("stopped by {who}", who=saying("an operator"))
        assert told == "stopped by an operator"
        assert json.dumps({"note": told}) == '{"note": "stopped by an operator"}'


def test_it_is_uttered_in_the_language_that_is_spoken_and_so_is_what_is_in_it() -> None:
    assert uttered(STOPPED) == "stopped by an operator"
    with spoken(Bracketed()):
        assert uttered(STOPPED) == "⟦stopped by ⟦an operator⟧⟧"
        assert uttered("stopped by an operator") == "stopped by an operator"


def test_what_is_filled_in_is_never_taken_for_a_place() -> None:
    told = saying("stopped by {who}", who="{0} {who!r} {")
    assert told == uttered(told) == uttered(from_json(to_json(told))) == "stopped by {0} {who!r} {"


@pytest.mark.parametrize(
    ("each", "words"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a or b"),
        (["a", "b", "c"], "a or b or c"),
        ([f"{n}" for n in range(7)], "0 or 1 or 2 or 3 or 4 or 5 or 6"),
    ],
)
def test_a_list_has_its_word_between_any_two(each: list[str], words: str) -> None:
    assert joined(OR, each) == uttered(joined(OR, each)) == words


def test_the_only_one_of_a_list_stays_what_it_is() -> None:
    assert joined(AND, [STOPPED]) is STOPPED
    with spoken(Backwards()):
        assert uttered(joined(OR, ["a", STOPPED])) == "stopped by an operator OR a"


def test_a_sentence_with_a_number_is_said_as_the_number_wants_it() -> None:
    one, many = (
        saying_many("{count:,} vote of {all}", "{count:,} votes of {all}", n, all=9_000) for n in (1, 5_000)
    )
    assert (one, many) == ("1 vote of 9000", "5,000 votes of 9000")
    assert [uttered(from_json(to_json(words))) for words in (one, many)] == [one, many]
    with spoken(Bracketed()):
        assert uttered(many) == "⟦5,000 votes of 9000⟧"
        assert uttered(reworded(one, str.upper)) == "⟦1 vote of 9000⟧"


def test_a_long_list_is_not_deep() -> None:
    many = [saying("a member of {group}", group=f"@{n}") for n in range(5_000)]
    kept = to_json(joined(OR, many))
    assert uttered(from_json(json.loads(json.dumps(kept)))).endswith("@4998 or a member of @4999")


values = (
    st.text(st.characters(exclude_categories=()), max_size=9) | st.integers() | st.floats(allow_nan=False)
)
sayings = st.recursive(
    st.just(saying("stopped")),
    lambda inner: st.dictionaries(st.sampled_from("abc"), values | inner, min_size=1).map(
        lambda filled: Saying.of(" ".join(f"{{{name}}}" for name in filled), filled)
    ),
    max_leaves=4,
)


@given(words=sayings | st.text(st.characters(exclude_categories=())))
def test_json_says_it_again(words: str) -> None:
    again = from_json(json.loads(json.dumps(to_json(words))))
    assert (type(again), again) == (type(words), words)
    with spoken(Bracketed()):
        assert uttered(again) == uttered(words)


@pytest.mark.parametrize(
    "odd", [None, 7, [], {}, {"say": 7, "with": {}}, {"say": "x"}, {"say": "x", "with": []}]
)
def test_what_is_no_words_is_none(odd: object) -> None:
    assert from_json(odd) == ""  # type: ignore[arg-type]


def test_a_copy_is_said_as_well() -> None:
    with spoken(Bracketed()):
        assert uttered(deepcopy(STOPPED)) == uttered(STOPPED)


def test_what_is_changed_is_what_is_filled_in_and_never_our_own_words() -> None:
    told = reworded(saying("a {who} of {many:,}", who=saying("b {c}", c="a b"), many=5_000), str.upper)
    assert told == "a b A B of 5,000"
    assert reworded("a b", str.upper) == "A B"
    with spoken(Bracketed()):
        assert uttered(told) == "⟦a ⟦b A B⟧ of 5,000⟧"


def test_what_is_masked_in_a_note_is_masked_in_every_language() -> None:
    about = action("a1", arguments={"password": "hunter2-hunter2"})
    note = saying(
        "{why}; it is asked again", why=saying("`{tool}` failed: {why}", tool="x", why="hunter2-hunter2!")
    )
    masked = BY_DEFAULT.approval(replace(approval("p1", about), note=note)).note
    assert masked == "`x` failed: (masked, 15 characters)!; it is asked again"
    with spoken(Bracketed()):
        assert "hunter2" not in uttered(masked)
        assert uttered(masked).startswith("⟦⟦`x` failed: ")
