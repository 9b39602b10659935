import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.binding import digest
from bot.approvals.ids import ConversationId, InterruptId
from tests.approvals.strategies import arguments


def bound(args: dict[str, object], **changed: str) -> str:
    where = {"tool": "t", "thread": "c", "interrupt": "i", "call": "x"} | changed
    return digest(
        tool=where["tool"],
        arguments=args,  # type: ignore[arg-type]
        thread=ConversationId(where["thread"]),
        interrupt=InterruptId(where["interrupt"]),
        call=where["call"],
    )


@given(arguments, arguments)
def test_two_digests_are_equal_exactly_when_the_arguments_are(
    one: dict[str, object], other: dict[str, object]
) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (bound(one) == bound(other)) is same or _equal_as_numbers(one, other)


def _equal_as_numbers(one: object, other: object) -> bool:
    """RFC 8785 writes 1.0 as 1 and -0.0 as 0: the same number, to JSON."""
    return one == other


@given(arguments)
def test_the_order_of_names_does_not_matter(args: dict[str, object]) -> None:
    assert bound(args) == bound(dict(reversed(args.items())))


@pytest.mark.parametrize("part", ["tool", "thread", "interrupt", "call"])
def test_the_digest_binds_where_the_call_stands(part: str) -> None:
    assert bound({"a": 1}) != bound({"a": 1}, **{part: "other"})


@given(st.integers(), st.integers())
def test_large_integers_are_told_apart_although_a_double_cannot(one: int, step: int) -> None:
    large = 2**60 + one
    assert (bound({"n": large}) == bound({"n": large + step})) is (step == 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"n": 2**60}, {"n": None}),
        ({"n": float("nan")}, {"n": None}),
        ({"n": float("inf")}, {"n": float("-inf")}),
        ({"t": "\ud800"}, {"t": "\\ud800"}),
        ({"\ud800": 1}, {"\\ud800": 1}),
        ({"a": True}, {"a": 1}),
        ({"a": "1"}, {"a": 1}),
        ({"a": []}, {"a": {}}),
    ],
)
def test_what_only_looks_alike_has_another_digest(one: dict[str, object], other: dict[str, object]) -> None:
    assert bound(one) != bound(other)
