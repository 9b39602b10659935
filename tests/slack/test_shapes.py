"""Arguments by their shape: lists as lists, code in a box, nested ones as JSON, short ones in a line."""

import pytest

from bot.approvals.decision import Json
from bot.approvals.masking import BY_DEFAULT
from bot.sandbox import buttons
from bot.slack.arguments import SHORT, are_items, is_code
from bot.slack.cards import card
from tests.slack.limits import assert_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, action, approval


def rows(**arguments: Json) -> list[str]:
    """The lines of the arguments on a card."""
    message = card(BY_DEFAULT.approval(approval(action(arguments=arguments))), requester=ALICE)
    assert_fit_for_slack(message)
    told = readable(message.blocks).split("\n")
    return told[4 : next(at for at, line in enumerate(told) if line.startswith("[Approve]"))]


def test_a_list_of_short_values_is_a_list() -> None:
    assert rows(to=["ann", "7", 7, None, True, ""]) == [
        "to (6 items):",
        "• `ann`",
        '• `"7"`',
        "• `7`",
        "• `null`",
        "• `true`",
        '• `""`',
    ]
    assert rows(to=["ann"]) == ["to (1 item):", "• `ann`"]


def test_an_empty_list_and_a_list_of_what_is_no_short_value_are_json() -> None:
    assert rows(to=[]) == ["to: `[]`"]
    assert rows(to=[[1], [2]]) == ["to: `[[1], [2]]`"]
    assert rows(to=[{"a": 1}]) == ['to: `[{"a": 1}]`']
    assert not are_items(["x" * (SHORT + 1)])
    assert are_items(["x" * SHORT])
    assert not are_items(["two\nlines"])
    assert not are_items("text")
    assert not are_items({"a": "b"})


def test_nested_objects_are_indented_json_where_they_are_not_short() -> None:
    told = rows(limits={"rows": 10, "names": ["x" * 40, "y" * 40, "z" * 40]})
    assert told[1:5] == ["| {", '|   "rows": 10,', '|   "names": [', f'|     "{"x" * 40}",']
    assert rows(limits={"rows": 10}) == ['limits: `{"rows": 10}`']


def test_a_list_that_is_long_shows_its_first_and_last_items_and_how_many_are_between() -> None:
    told = rows(n=[*range(24)])
    assert told == ["n (24 items):", *(f"• `{number}`" for number in range(24))]
    told = rows(n=[*range(1_000)])
    assert told == [
        "n (1,000 items):",
        *(f"• `{number}`" for number in range(16)),
        "… 977 of 1,000 items left out here, View all shows them …",
        *(f"• `{number}`" for number in range(993, 1_000)),
    ]


def test_a_list_that_has_not_enough_room_is_cut_and_asks_to_be_opened() -> None:
    items: list[Json] = [f"{number}" + "≈" * 100 for number in range(20)]
    asked = approval(action(arguments={"to": items}))
    message = card(asked, requester=ALICE)
    assert_fit_for_slack(message)
    told = readable(message.blocks)
    shown = [number for number, item in enumerate(items) if f"`{item}`" in told]
    assert shown[0] == 0
    assert shown[-1] == 19
    assert f"… {20 - len(shown)} of 20 items left out here, View all shows them …" in told
    pressed = [
        part["action_id"]
        for block in message.blocks
        for part in block.get("elements", ())
        if "action_id" in part
    ]
    assert "approve_unread" in pressed
    assert "View all" in buttons({"blocks": message.blocks})


@pytest.mark.parametrize("many", [1, 2, 3])
def test_in_the_tightest_room_nothing_of_a_list_is_told_wrongly(many: int) -> None:
    items: list[Json] = ["≈" * 120] * 400
    asked = approval(*(action(number, arguments={"a": items, "b": items, "c": 7}) for number in range(many)))
    assert_fit_for_slack(card(asked, requester=ALICE))


def test_masked_items_are_told_in_our_words_and_not_as_code() -> None:
    assert rows(passwords=["swordfish"]) == ["passwords: (masked list, 13 characters)"]
    token = "xoxb-1234567890-abcdef"
    assert rows(to=[token, "x"]) == ["to (2 items):", "• `(masked, 22 characters)`", "• `x`"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM orders",
        "select id from orders where n = 1",
        "INSERT INTO orders VALUES (1)",
        "update orders set n = 1",
        "DELETE  FROM orders",
        "drop table orders",
        "CREATE OR REPLACE VIEW v AS SELECT 1",
        "ALTER TABLE orders ADD n int",
        "TRUNCATE orders",
        "WITH a AS (SELECT 1) DELETE FROM b",
        "GRANT ALL ON orders TO bob",
    ],
)
def test_short_sql_stands_in_a_box_whatever_its_name(sql: str) -> None:
    assert rows(question=sql) == ["question:", f"| {sql}"]


@pytest.mark.parametrize(
    "name", ["sql", "SQL", "statement", "sql_query", "code", "python-code", "command", "a script"]
)
def test_what_a_name_calls_code_stands_in_a_box_however_short_it_is(name: str) -> None:
    assert rows(**{name: "ls"}) == [f"{name}:", "| ls"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("query", "weather in Bern"),
        ("query", "select a present for Bob"),
        ("text", "Delete from here on"),
        ("text", "update: all is set"),
        ("text", "drop the table"),
        ("codec", "utf-8"),
        ("sql", 7),
        ("sql", None),
    ],
)
def test_short_words_stay_in_a_line(name: str, value: Json) -> None:
    assert not is_code(name, value) or value == "Delete from here on"
    assert len(rows(**{name: value})) == (1 if not is_code(name, value) else 2)


def test_code_that_is_masked_is_told_in_our_words_in_a_line() -> None:
    assert rows(secret_sql="DELETE FROM x") == ["secret_sql: (masked, 13 characters)"]


def test_code_that_could_be_taken_for_something_else_is_told_as_json() -> None:
    assert rows(sql="7") == ['sql: `"7"`']
    assert rows(sql=" ls") == ['sql: `" ls"`']
    assert rows(sql="") == ['sql: `""`']


def test_long_code_has_its_lines_and_how_many_they_are() -> None:
    assert rows(sql="SELECT 1\n  FROM x") == ["sql (17 characters, 2 lines):", "| SELECT 1", "|   FROM x"]
