"""What a tool may show of a call: which parts are fit, that they are kept as they are, and masked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.briefing import Briefing
from bot.approvals.masking import Masking
from bot.approvals.parts import LONGEST_ADDRESS, LONGEST_FIELD, LONGEST_TEXT, is_address
from bot.approvals.rendered import LARGEST, MOST_PARTS, Rendered, as_parts
from bot.render import Code, Fields, Link, Table, Text
from tests.slack.samples import action, approval

EVERY: Sequence[Any] = [
    Text("words"),
    Code("SELECT 1\nFROM x"),
    Fields({"order": "A-17", "amount": 12.5, "paid": True, "by": None}),
    Link("Order", "https://shop.example/o/17?a=b#c"),
    Table(["article", "count"], [["kettle", 1], ["", None]]),
]


def test_every_part_is_fit_and_its_values_become_texts() -> None:
    assert as_parts(EVERY) == Rendered(
        parts=(
            Text("words"),
            Code("SELECT 1\nFROM x"),
            Fields({"order": "A-17", "amount": "12.5", "paid": "true", "by": "null"}),
            Link("Order", "https://shop.example/o/17?a=b#c"),
            Table(("article", "count"), (("kettle", "1"), ("", "null"))),
        )
    )


def test_one_part_needs_no_list() -> None:
    assert as_parts(Text("words")) == as_parts([Text("words")]) == as_parts((Text("words"),))


def test_what_was_kept_is_what_was_told() -> None:
    for told in (as_parts(EVERY), Rendered(problem="it failed with ValueError")):
        assert Rendered.from_json(told.to_json()) == told
        assert Briefing.from_json(Briefing(rendered=told).to_json()).rendered == told


@pytest.mark.parametrize(
    "row", [None, [], "x", {}, {"parts": []}, {"parts": "x"}, {"problem": ""}, {"problem": 7}]
)
def test_a_row_that_holds_nothing_of_the_kind_shows_nothing(row: Any) -> None:  # noqa: ANN401 - any JSON
    assert Rendered.from_json(row) is None
    assert Briefing.from_json({"rendered": row}).rendered is None


ODD = "`render` gave something else than Text, Code, Fields, Link and Table, or an odd one"
LONG_TEXT = f"one text has more than {LONGEST_TEXT:,} characters"
LONG_FIELD = f"one text has more than {LONGEST_FIELD:,} characters"


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (None, ODD),
        ("words", ODD),
        ({"text": "words"}, ODD),
        (7, ODD),
        (Text(7), ODD),  # type: ignore[arg-type] # that is the point
        (Fields({}), ODD),
        (Fields([("a", "b")]), ODD),  # type: ignore[arg-type] # as above
        (Fields({str(number): "" for number in range(11)}), ODD),
        (Table("ab", [["1", "2"]]), ODD),
        (Link("label", None), ODD),  # type: ignore[arg-type] # as above
        ([], f"`render` gave 0 parts, and 1 to {MOST_PARTS} can be shown"),
        ([Text("x")] * (MOST_PARTS + 1), f"`render` gave 9 parts, and 1 to {MOST_PARTS} can be shown"),
        (Text(" \n"), "a text is empty"),
        (Code(""), "a text is empty"),
        (Fields({"": "x"}), "a text is empty"),
        (Link(" ", "https://a.example"), "a text is empty"),
        (Text("x" * (LONGEST_TEXT + 1)), LONG_TEXT),
        (Code("x" * (LONGEST_TEXT + 1)), LONG_TEXT),
        (Fields({"x" * (LONGEST_FIELD + 1): ""}), LONG_FIELD),
        (Fields({"x": "y" * (LONGEST_FIELD + 1)}), LONG_FIELD),
        (Link("x" * (LONGEST_FIELD + 1), "https://a.example"), LONG_FIELD),
        (Table(["x" * (LONGEST_FIELD + 1)], [[1]]), LONG_FIELD),
        (Table(["x"], [["y" * (LONGEST_FIELD + 1)]]), LONG_FIELD),
        (Link("x", "https://a.example/" + "y" * LONGEST_ADDRESS), "one text has more than 500 characters"),
        (Fields({1: "x"}), "a name or a heading is no text"),  # type: ignore[dict-item] # as above
        (Table([1], [[1]]), "a name or a heading is no text"),  # type: ignore[list-item] # as above
        (Fields({"x": ["y"]}), "a value is neither text nor number, true, false or nothing"),  # type: ignore[dict-item] # as above
        (Table(["x"], [[{}]]), "a value is neither text nor number, true, false or nothing"),  # type: ignore[list-item] # as above
        (Fields({"x": 10**5_000}), "a number is too long"),
        (Table([], [[]]), "a table has 1 to 6 columns and 1 to 20 rows, and this one 0 and 1"),
        (Table(["x"], []), "a table has 1 to 6 columns and 1 to 20 rows, and this one 1 and 0"),
        (Table(["x"] * 7, [[1] * 7]), "a table has 1 to 6 columns and 1 to 20 rows, and this one 7 and 1"),
        (Table(["x"], [[1]] * 21), "a table has 1 to 6 columns and 1 to 20 rows, and this one 1 and 21"),
        (Table(["x", "y"], [[1]]), "a row of a table has not as many cells as there are columns"),
        (Table(["x"], ["y"]), "a row of a table has not as many cells as there are columns"),
        (Text("\ud800"), "`render` gave half a character"),
        ([Text("x" * 1_667)] * 3, f"`render` gave more than {LARGEST:,} characters"),
    ],
)
def test_what_is_not_as_it_has_to_be_is_said_in_words(told: object, why: str) -> None:
    assert as_parts(told) == Rendered(problem=why)


def test_the_largest_that_can_be_shown_is_shown() -> None:
    for told in (
        Text("x" * LONGEST_TEXT),
        [Text("x")] * MOST_PARTS,
        [Text("x" * 1_666), Text("x" * 1_667), Text("x" * 1_667)],
        Fields({str(number): "y" * LONGEST_FIELD for number in range(10)}),
        Table(["x"] * 6, [[1] * 6] * 20),
        Link("x" * LONGEST_FIELD, "https://a.example/" + "y" * (LONGEST_ADDRESS - 18)),
    ):
        assert as_parts(told).problem == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example",
        "http://shop.example:8080/a/b?c=d&e=f#g",
        "https://xn--pple-43d.com/",
        "https://10.0.0.1/x%20y",
        "https://shop.example/a@b",
    ],
)
def test_an_address_that_leads_where_it_says_is_one(url: str) -> None:
    assert is_address(url)
    assert as_parts(Link("x", url)).problem == ""


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "mailto:a@b.example",
        "slack://open",
        "file:///etc/passwd",
        "//shop.example",
        "shop.example",
        "https:shop.example",
        "https://",
        "https:///shop.example",
        "HTTPS://shop.example",
        " https://shop.example",
        "https://bank.example@evil.example/",
        "https://bank.example:pass@evil.example/",
        "https://bank.example\\@evil.example/",
        "https://p\u0430ypal.example/",
        "https://shop.example/\u202egnp.exe",
        "https://shop.example/a b",
        "https://shop.example/\n",
        "https://shop.example/<x|y>",
        'https://shop.example/"',
        "https://shop.example:port/",
        "https://[::1",
        "https://sh%6fp.example/",
        "https://shop_example/",
    ],
)
def test_an_address_that_could_mislead_is_none(url: str) -> None:
    assert not is_address(url)
    assert as_parts(Link("x", url)) == Rendered(problem="an address is not plain http or https")


def masked(told: object, redact: tuple[str, ...] = (), **arguments: str) -> Rendered | None:
    asked = approval(replace(action(arguments=arguments), briefing=Briefing(rendered=as_parts(told))))
    return Masking(redact=lambda _: redact).approval(asked).actions[0].briefing.rendered


def test_secrets_are_masked_by_shape_by_name_and_where_they_are_said_again() -> None:
    token = "xoxb-1234567890-abcdef"
    assert masked(
        [
            Text(f"with {token}"),
            Code("the pass is hunter2hunter2"),
            Fields({"password": "swordfish", "iban": "DE02", "n": "hunter2hunter2"}),
            Table(["who", "api_key"], [["Bob", "k1"]]),
        ],
        ("iban",),
        secret="hunter2hunter2",
    ) == Rendered(
        parts=(
            Text("with (masked, 22 characters)"),
            Code("the pass is (masked, 14 characters)"),
            Fields(
                {
                    "password": "(masked, 9 characters)",
                    "iban": "(masked, 4 characters)",
                    "n": "(masked, 14 characters)",
                }
            ),
            Table(("who", "api_key"), (("Bob", "(masked, 2 characters)"),)),
        )
    )


def test_what_is_masked_already_is_not_masked_again() -> None:
    fields = {"password": "(masked, 1,234 characters)", "token": "(masked number, 1 character)"}
    assert masked(Fields({**fields})) == Rendered(parts=(Fields(fields),))
    assert masked(Fields({"password": "(masked, 9 characters) swordfish"})) == Rendered(
        parts=(Fields({"password": "(masked, 32 characters)"}),)
    )


def test_an_address_with_a_secret_in_it_is_a_link_no_more() -> None:
    assert masked(Link("Open", "https://a.example/?token=abcd1234efgh")) == Rendered(
        parts=(Text("Open: https://a.example/?token=(masked, 12 characters)"),)
    )


def test_no_field_disappears_because_its_name_is_masked() -> None:
    names = [f"xoxb-1234567890-abcde{letter}" for letter in "fg"]
    assert masked(Fields(dict.fromkeys(names, "x"))) == Rendered(
        parts=(Fields({"(masked, 22 characters)": "x", "(masked, 22 characters)'": "x"}),)
    )
