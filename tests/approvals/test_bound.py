"""Digests that stand in rows: what an older version bound has to be found by a newer one."""

import hashlib

import pytest
import rfc8785

from bot.approvals.binding import digest, fingerprint
from bot.approvals.decision import Json
from bot.approvals.ids import ConversationId, InterruptId
from bot.approvals.referents import LONGEST, MOST, Referents, still_stands, unfit

LARGE = 2**60


def bound(arguments: dict[str, Json], tool: str = "pay", referents: Referents | None = None) -> str:
    return digest(
        tool=tool,
        arguments=arguments,
        thread=ConversationId("thread-1"),
        interrupt=InterruptId("interrupt-1"),
        call="call-1",
        referents=referents,
    )


def form(arguments: Json, numbers: list[Json], tool: str = "pay", **more: Json) -> str:
    told = {
        "tool": tool,
        "arguments": arguments,
        "numbers": numbers,
        "thread": "thread-1",
        "interrupt": "interrupt-1",
        "call": "call-1",
        **more,
    }
    return hashlib.sha256(rfc8785.dumps(told)).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "plain", "numbers"),
    [
        ({}, {}, []),
        ({"b": 1, "a": [True, None, 0.5]}, {"b": 1, "a": [True, None, 0.5]}, []),
        ({"n": 2**53 - 1, "m": 1 - 2**53}, {"n": 2**53 - 1, "m": 1 - 2**53}, []),
        ({"n": 2**53}, {"n": None}, [["/0", str(2**53)]]),
        ({"n": -LARGE}, {"n": None}, [["/0", str(-LARGE)]]),
        ({"n": float("inf")}, {"n": None}, [["/0", "inf"]]),
        ({"b": LARGE, "a": "x"}, {"b": None, "a": "x"}, [["/1", str(LARGE)]]),
        ({"a": [1, [LARGE]]}, {"a": [1, [None]]}, [["/0/1/0", str(LARGE)]]),
        ({"a": {"x": 1, "y": LARGE}}, {"a": {"x": 1, "y": None}}, [["/0/1", str(LARGE)]]),
        ({"t": "\ud800"}, {"t": "\\ud800"}, [["/0", "surrogates"]]),
        ({"t": ["\udfff"]}, {"t": ["\\udfff"]}, [["/0/0", "surrogates"]]),
        ({"\ud800": 1, "a": 1}, {"\\ud800": 1, "a": 1}, [["/1~name", "surrogates"]]),
    ],
)
def test_the_form_that_is_bound_stays_the_same_from_version_to_version(
    arguments: dict[str, Json], plain: Json, numbers: list[Json]
) -> None:
    assert bound(arguments) == form(plain, numbers)


def test_a_tools_name_and_what_a_call_points_at_are_in_the_form() -> None:
    assert bound({}, "p\ud800") == form({}, [["~tool", "surrogates"]], "p\\ud800")
    found, lost = Referents(texts={"a": "1"}), Referents(problem="It is away.")
    assert bound({}, referents=found) == form({}, [], referents={"texts": {"a": "1"}})
    assert bound({}, referents=lost) == form({}, [], referents={"problem": "It is away."})
    assert bound({}, referents=Referents()) == form({}, [], referents={"texts": {}})


def test_a_digest_that_was_written_down_once_is_still_the_same() -> None:
    assert bound({"amount": 7, "to": "Bob"}) == DIGEST


DIGEST = "15dea73b0c68f2b58a2a21491fb629ac5a07209fd562aecc0c8fa746ca30ca3a"


def test_a_fingerprint_is_that_of_the_values_shortest_json() -> None:
    assert (
        fingerprint({"b": [1, "ü"], "a": None}) == hashlib.sha256(b'{"a":null,"b":[1,"\\u00fc"]}').hexdigest()
    )
    one, other = Referents(texts={"b": "2", "a": "1"}), Referents(problem="Away.")
    assert one.fingerprint == hashlib.sha256(b'{"texts":{"a":"1","b":"2"}}').hexdigest()
    assert other.fingerprint == hashlib.sha256(b'{"problem":"Away."}').hexdigest()


@pytest.mark.parametrize("found", [Referents(), Referents(texts={"a": "1"}), Referents(problem="Away.")])
def test_what_a_call_points_at_comes_back_from_its_row(found: Referents) -> None:
    assert Referents.from_json(found.to_json()) == found


@pytest.mark.parametrize("told", [{}, {"problem": ""}, {"problem": 7}, {"texts": []}, {"other": "a"}])
def test_a_row_that_tells_nothing_of_the_kind_is_refused(told: dict[str, Json]) -> None:
    with pytest.raises(ValueError, match=r"^not what a call points at$"):
        Referents.from_json(told)


def test_as_much_as_can_be_shown_is_fit_and_anything_more_is_not() -> None:
    assert unfit({f"name {number}": "text" for number in range(MOST)}) == ""
    assert unfit({f"name {number}": "text" for number in range(7)}) == (
        "it told 7 things, and at most 6 can be shown"
    )
    assert unfit({"n" * LONGEST: "t" * LONGEST}) == ""
    assert unfit({"n" * 161: "t"}) == "it told more than 160 characters of one thing"
    assert unfit({"n": "t" * 161}) == "it told more than 160 characters of one thing"
    assert unfit({"n": "\ud7ff\ue000"}) == ""
    for half in ("\ud800", "\udc00", "\udfff"):
        assert unfit({"n": f"a{half}"}) == unfit({f"{half}b": "t"}) == "it told half a character"


def test_only_what_is_known_both_times_and_the_same_still_stands() -> None:
    known, other, lost = Referents(texts={"a": "1"}), Referents(texts={"a": "2"}), Referents(problem="Away.")
    assert still_stands(None, None)
    assert still_stands(known, Referents(texts={"a": "1"}))
    for before, now in (
        (known, other),
        (known, lost),
        (lost, known),
        (lost, lost),
        (None, known),
        (known, None),
    ):
        assert not still_stands(before, now)
