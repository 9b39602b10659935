"""A masked argument in the edit form, on the card after an edit, and in the words about it."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.approvals.decision import Edit, Json
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.slack.cards import card
from bot.slack.forms import edit_form, errors_by_block, read_edit
from bot.slack.turning import hidden_in
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, BOB, NOW, action, approval
from tests.slack.test_forms import inputs, sent

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "password": {"type": "string"},
        "pin": {"type": "integer"},
        "secret_mode": {"enum": ["red", "blue"]},
        "secret_flag": {"type": "boolean"},
        "secret_day": {"type": "string", "format": "date"},
        "headers": {"type": "object"},
        "path": {"type": "string"},
    },
    "required": ["password", "pin", "secret_mode", "secret_flag", "secret_day", "headers", "path"],
}
ARGUMENTS: dict[str, Json] = {
    "password": "hunter2",
    "pin": 97531,
    "secret_mode": "red",
    "secret_flag": True,
    "secret_day": "2026-01-31",
    "headers": {"Authorization": "hunter2", "Accept": "text"},
    "path": "a.txt",
}
MASKING = Masking(redact=lambda _: ("secret_*",))


def edited(**typed: str | None) -> object:
    made = approval(action(arguments=ARGUMENTS, schema=SCHEMA))
    [one] = made.actions
    hidden = MASKING.hidden(one)
    form = edit_form(made, one, hidden)
    assert_view_fit_for_slack(form)
    return read_edit(one, sent(form, **typed), hidden)


def test_a_masked_argument_starts_empty_and_says_what_it_is() -> None:
    made = approval(action(arguments=ARGUMENTS, schema=SCHEMA))
    form = edit_form(made, made.actions[0], MASKING.hidden(made.actions[0]))
    fields = inputs(form)
    assert "hunter2" not in str(form)
    assert "97531" not in str(form)
    assert fields["password"]["hint"]["text"] == "Now (masked, 7 characters). Left empty, it stays as it is."
    assert "initial_value" not in fields["password"]["element"]
    assert "initial_date" not in fields["secret_day"]["element"]
    assert fields["secret_mode"]["element"]["initial_option"]["text"]["text"] == "(as it is)"
    assert all(fields[name]["optional"] for name in ARGUMENTS if name != "path")
    assert fields["path"]["element"]["initial_value"] == "a.txt"


def test_untouched_it_stays_as_it_is_to_the_last_byte() -> None:
    assert edited() == ARGUMENTS
    assert edited(path="b.txt") == {**ARGUMENTS, "path": "b.txt"}


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("password", "new", "new"),
        ("pin", "7", 7),
        ("secret_mode", "1", "blue"),
        ("secret_flag", "false", False),
        ("secret_day", "2026-02-01", "2026-02-01"),
        ("headers", '{"Accept": "json"}', {"Accept": "json"}),
    ],
)
def test_what_is_typed_takes_its_place(name: str, typed: str, value: Json) -> None:
    assert edited(**{name: typed}) == {**ARGUMENTS, name: value}


@pytest.mark.parametrize(("drawn", "read"), [(MASKING, Masking()), (Masking(), MASKING)])
def test_a_form_from_before_the_policy_changed_loses_nothing(drawn: Masking, read: Masking) -> None:
    made = approval(action(arguments=ARGUMENTS, schema=SCHEMA))
    [one] = made.actions
    values: Mapping[str, object] = sent(edit_form(made, one, drawn.hidden(one)))
    assert read_edit(one, values, read.hidden(one)) == ARGUMENTS


def test_a_secret_that_another_argument_or_call_quotes_is_masked_in_the_form_as_it_is_on_the_card() -> None:
    quoting: dict[str, Json] = {
        "password": "hunter2x",
        "note": "it is hunter2x",
        "list": ["hunter2x", "tok3n-of-two"],
    }
    one = action(0, "pay", quoting)
    asked = approval(one, action(1, "log", {"token": "tok3n-of-two"}))
    hidden = hidden_in(BY_DEFAULT, asked, one, "pay")
    assert hidden["note"] == "it is (masked, 8 characters)"
    form = edit_form(asked, one, hidden)
    assert_view_fit_for_slack(form)
    drawn = str(form) + str(card(BY_DEFAULT.approval(asked), requester=ALICE))
    assert "hunter2x" not in drawn
    assert "tok3n" not in drawn
    assert read_edit(one, sent(form), hidden) == quoting


def test_a_sentence_about_a_masked_field_stands_at_it() -> None:
    one = action(arguments=ARGUMENTS, schema=SCHEMA)
    assert errors_by_block(one, {"pin": "Bad."}, MASKING.hidden(one)) == {"argument.1.masked": "Bad."}


def test_the_card_tells_that_a_secret_was_changed_and_not_to_what() -> None:
    asked = approval(action(arguments={"password": "hunter2", "path": "a.txt"}))
    after = asked.decide(asked.actions[0].id, Edit({"password": "hunter3", "path": "a.txt"}), by=BOB, at=NOW)
    message = card(BY_DEFAULT.approval(after), requester=ALICE)
    assert_fit_for_slack(message)
    text = readable(message.blocks)
    assert "password: `(masked, 7 characters)` → `(masked, 7 characters)`" in text
    assert "path: `a.txt` →" not in text
    same = asked.decide(asked.actions[0].id, Edit(asked.actions[0].arguments), by=BOB, at=NOW)
    assert "Nothing was changed." in readable(card(BY_DEFAULT.approval(same), requester=ALICE).blocks)


def test_a_mask_is_ours_and_looks_like_it() -> None:
    asked = approval(action(arguments={"password": "hunter2", "path": "(masked, 7 characters)"}))
    text = readable(card(BY_DEFAULT.approval(asked), requester=ALICE).blocks)
    assert "password: (masked, 7 characters)" in text
    assert "path: `(masked, 7 characters)`" in text
