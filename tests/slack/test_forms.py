import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.approvals.approval import Action, Approval
from bot.approvals.decision import Arguments, Json
from bot.slack import verbs
from bot.slack.edits import FieldErrors, errors_by_block, read_edit
from bot.slack.forms import edit_form, message_form, read_message, read_reason, reject_form, respond_form
from bot.slack.place import Place
from bot.slack.viewing import view_all
from tests.slack.limits import assert_harmless, assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ARGUMENTS, TEXTS, VALUES, action, approval, approvals, decided

View = dict[str, Any]
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where to write."},
        "content": {"type": "string"},
        "times": {"type": "integer"},
        "ratio": {"type": "number"},
        "force": {"type": "boolean"},
        "mode": {"enum": ["append", "replace"]},
        "on": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "level": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "dry": {"type": "boolean", "default": False},
    },
    "required": ["path", "content", "times", "ratio", "force", "mode", "on", "tags", "either"],
    "$defs": {"Level": {"enum": [1, 2, 3], "type": "integer"}},
}
ARGS: dict[str, Json] = {
    "content": "one\ntwo",
    "path": "a.txt",
    "times": 3,
    "ratio": 0.5,
    "force": False,
    "mode": "replace",
    "on": "2026-01-31",
    "tags": ["x", {"y": 1}],
    "note": "hello",
    "level": 2,
    "either": "5",
}


def asked(arguments: Arguments, schema: Mapping[str, Any] | None = SCHEMA) -> tuple[Approval, Action]:
    made = approval(action(0, arguments=arguments, schema=schema))
    return made, made.actions[0]


def inputs(view: View) -> dict[str, dict[str, Any]]:
    return {block["label"]["text"]: block for block in view["blocks"] if block["type"] == "input"}


def sent(view: View, **typed: str | None) -> dict[str, object]:
    """The form's state as Slack sends it: what it started with, and what was typed at these labels."""
    values: dict[str, object] = {}
    for label, block in inputs(view).items():
        element = block["element"]
        match element["type"]:
            case "static_select" | "radio_buttons":
                chosen = typed.get(label, (element.get("initial_option") or {}).get("value"))
                state: dict[str, object] = {
                    "selected_option": {"value": chosen} if chosen is not None else None
                }
            case "datepicker":
                state = {"selected_date": typed.get(label, element.get("initial_date"))}
            case _:
                state = {"value": typed.get(label, element.get("initial_value"))}
        values[block["block_id"]] = {element["action_id"]: {"type": element["type"], **state}}
    return values


def edited(arguments: Arguments, schema: Mapping[str, Any] | None = SCHEMA, **typed: str | None) -> object:
    made, action_ = asked(arguments, schema)
    read = read_edit(action_, sent(edit_form(made, action_), **typed))
    if isinstance(read, FieldErrors):
        labels = {block["block_id"]: label for label, block in inputs(edit_form(made, action_)).items()}
        return {labels[block]: sentence for block, sentence in read.by_block.items()}
    return dict(read)


def test_each_argument_has_a_field_of_its_type_with_its_name_and_value() -> None:
    fields = inputs(edit_form(*asked(ARGS)))
    elements = {label: block["element"] for label, block in fields.items()}
    assert list(fields) == [*ARGS, "dry"]
    assert elements["path"] == {
        "type": "plain_text_input",
        "action_id": "value",
        "initial_value": "a.txt",
    } | {key: value for key, value in elements["path"].items() if key == "multiline"}
    assert elements["content"]["multiline"] is True
    assert (elements["times"]["type"], elements["times"]["is_decimal_allowed"]) == ("number_input", False)
    assert (elements["ratio"]["initial_value"], elements["ratio"]["is_decimal_allowed"]) == ("0.5", True)
    assert elements["force"]["type"] == "radio_buttons"
    assert elements["force"]["initial_option"]["text"]["text"] == "false"
    assert [option["text"]["text"] for option in elements["force"]["options"]] == ["true", "false"]
    assert elements["mode"]["type"] == "static_select"
    assert elements["mode"]["initial_option"]["text"]["text"] == "replace"
    assert elements["on"] == {"type": "datepicker", "action_id": "value", "initial_date": "2026-01-31"}
    assert json.loads(elements["tags"]["initial_value"]) == ARGS["tags"]
    assert elements["either"]["initial_value"] == '"5"'
    assert elements["dry"]["initial_option"]["text"]["text"] == "(no value)"
    assert fields["path"]["hint"]["text"] == "Where to write. Before: a.txt"
    assert fields["force"]["hint"]["text"] == "Before: false"
    assert "hint" not in fields["content"]
    assert "hint" not in fields["dry"]
    assert [label for label, block in fields.items() if block.get("optional")] == ["note", "level", "dry"]


def test_an_untouched_form_changes_nothing_at_all() -> None:
    hard: dict[str, Json] = {
        **ARGS,
        "times": 2**80,
        "ratio": 1e-300,
        "extra": 1.0,
        "deep": {"b": 1, "a": [2**70, 1.0]},
    }
    read = edited(hard)
    assert json.dumps(read) == json.dumps(hard)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(ARGUMENTS, st.sampled_from([None, SCHEMA]))
def test_no_arguments_change_by_being_looked_at(
    arguments: Arguments, schema: Mapping[str, Any] | None
) -> None:
    made, action_ = asked(arguments, schema)
    view = edit_form(made, action_)
    assert_view_fit_for_slack(view)
    values = {
        block["block_id"]: {
            "value": {
                "type": block["element"]["type"],
                "value": block["element"].get("initial_value"),
                "selected_date": block["element"].get("initial_date"),
                "selected_option": block["element"].get("initial_option"),
            }
        }
        for block in view["blocks"]
        if block["type"] == "input"
    }
    read = read_edit(action_, values)
    assert not isinstance(read, FieldErrors) or all(
        "needs a value" in each for each in read.by_block.values()
    )
    if not isinstance(read, FieldErrors):
        assert repr(dict(read)) == repr(dict(arguments))


def test_what_is_typed_gets_the_types_of_the_schema() -> None:
    changed: object = edited(
        ARGS,
        times="7",
        ratio="2.25",
        force="true",
        mode="0",
        on="2027-02-28",
        tags='["a", {"n": 12345678901234567890}]',
        level="0",
        either="6",
        dry="false",
    )
    expected: dict[str, object] = {
        **ARGS,
        "times": 7,
        "ratio": 2.25,
        "force": True,
        "mode": "append",
        "on": "2027-02-28",
        "tags": ["a", {"n": 12345678901234567890}],
        "level": 1,
        "either": 6,
        "dry": False,
    }
    assert changed == expected


def test_what_is_emptied_becomes_null_or_absent_as_the_schema_says() -> None:
    assert edited(ARGS, note=None, level="none") == {**ARGS, "note": None, "level": None}
    assert edited({**ARGS, "dry": True}, dry="none") == ARGS
    assert edited(ARGS, content=None) == {**ARGS, "content": ""}
    assert edited({**ARGS, "content": ""}) == {**ARGS, "content": ""}


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"times": "3.5"}, {"times": "This needs a whole number."}),
        ({"times": "9" * 5_000}, {"times": "This needs a whole number."}),
        ({"ratio": "much"}, {"ratio": "This needs a number."}),
        ({"ratio": "inf"}, {"ratio": "This needs a number that is not infinite."}),
        ({"tags": '["a",\n  b]'}, {"tags": "This is not JSON: Expecting value at line 2, column 3."}),
        ({"tags": "[NaN]"}, {"tags": "This is not JSON: NaN is not a number."}),
        (
            {"tags": "[" * 3_000},
            {"tags": "This is not JSON that can be used: a number is too large, or it is nested too deeply."},
        ),
        ({"tags": "[" * 250 + "]" * 250}, {"tags": "This is nested more than 200 levels deep."}),
        ({"on": "soon"}, {"on": "This needs a date, such as 2026-01-31."}),
        ({"mode": "9"}, {"mode": "Please choose one."}),
        ({"force": "maybe", "times": ""}, {"force": "Please choose one.", "times": "This needs a value."}),
    ],
)
def test_what_does_not_fit_is_said_at_the_field(typed: dict[str, str | None], told: dict[str, str]) -> None:
    assert edited(ARGS, SCHEMA, **typed) == told


@settings(deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=4), VALUES)
def test_a_forged_state_never_raises(state: dict[str, object], odd: object) -> None:
    _, action_ = asked(ARGS)
    for values in (
        state,
        {"argument.0": odd},
        {"argument.0": {"value": odd}},
        {"argument.2": {"value": {"value": odd}}},
    ):
        assert isinstance(read_edit(action_, values), dict | FieldErrors)
        assert isinstance(read_reason({"reason": odd, **state}), str)
        assert isinstance(read_message({"response": {"value": odd}}), str | FieldErrors)


def test_without_a_schema_the_fields_follow_the_values() -> None:
    values: dict[str, Json] = {"a": "x", "b": True, "c": 3, "d": 1.5, "e": None, "f": [1]}
    elements = {
        label: block["element"]["type"] for label, block in inputs(edit_form(*asked(values, None))).items()
    }
    assert list(elements.values()) == [
        "plain_text_input",
        "radio_buttons",
        "number_input",
        "number_input",
        "plain_text_input",
        "plain_text_input",
    ]
    assert edited(values, None, b="false", c="4", d="2.5", e='"now"', f="[2]") == {
        "a": "x", "b": False, "c": 4, "d": 2.5, "e": "now", "f": [2]
    }  # fmt: skip


def test_a_value_that_breaks_its_own_schema_is_shown_as_json() -> None:
    made, action_ = asked({**ARGS, "times": "many", "mode": "other", "force": "yes"})
    elements = {label: block["element"] for label, block in inputs(edit_form(made, action_)).items()}
    assert elements["times"]["initial_value"] == '"many"'
    assert elements["mode"]["initial_value"] == '"other"'
    assert edited({**ARGS, "times": "many"}, times="4") == {**ARGS, "times": 4}


def test_what_no_form_can_hold_stays_as_it_is_and_the_form_says_so() -> None:
    arguments: dict[str, Json] = {
        "big": "x" * 100_000,
        "small": "y",
        "bell": "a\x07b",
        "half": "\ud800",
        "crlf": "a\r\nb",
    }
    made, action_ = asked(arguments, None)
    view = edit_form(made, action_)
    assert list(inputs(view)) == ["small"]
    assert (
        "(Not in this form and left as they are: big (100,000 characters are too many for a form), "
        "bell (it holds characters that nobody can type)"
    ) in readable(view["blocks"])
    assert edited(arguments, None, small="z") == {**arguments, "small": "z"}


def test_of_very_many_arguments_the_first_ninety_can_be_edited() -> None:
    many: dict[str, Json] = {f"n{number}": "v" * 2_990 for number in range(200)}
    made, action_ = asked(many, None)
    view = edit_form(made, action_)
    assert_view_fit_for_slack(view)
    assert 50 <= len(inputs(view)) <= 61
    assert "more." in readable(view["blocks"]).splitlines()[-1]
    assert edited(many, None, n0="w") == {**many, "n0": "w"}


def test_no_arguments_make_a_form_without_a_button_to_send_it() -> None:
    view = edit_form(*asked({}, None))
    assert_view_fit_for_slack(view)
    assert "submit" not in view
    assert "no arguments" in readable(view["blocks"])


def test_sentences_by_argument_find_their_inputs() -> None:
    _, action_ = asked({"a": 1, "b": "x" * 9_000}, None)
    assert errors_by_block(action_, {"a": "Too small."}) == {"argument.0": "Too small."}
    assert errors_by_block(action_, {"b": "Bad.", "": "All bad."}) == {"argument.0": "b: Bad. All bad."}
    assert errors_by_block(asked({}, None)[1], {"": "Bad."}) == {}


def test_forms_carry_opaque_ids_and_nothing_else() -> None:
    made, action_ = asked({"password": "hunter2"}, None)
    views = (
        reject_form(made, action_),
        respond_form(made, action_),
        edit_form(made, action_),
        view_all(made, action_),
    )
    for view in views:
        assert Place.read(view["private_metadata"]) == Place(action=action_.id, approval=made.id)
        assert "hunter2" not in view["private_metadata"]


@settings(deadline=None)
@given(TEXTS)
def test_a_forged_place_never_raises(text: str) -> None:
    for each in (text, json.dumps({"action": 1}), json.dumps({"page": text}), "[" * 5_000, '{"page": true}'):
        assert Place.read(each) is None or isinstance(Place.read(each), Place)
    assert Place.read(str(Place(page=3))) == Place(page=3)


def test_reject_asks_for_a_reason_that_may_be_left_out() -> None:
    view = reject_form(*asked(ARGS))
    assert inputs(view)["Reason"]["optional"] is True
    assert view["callback_id"] == verbs.REJECT_FORM
    assert read_reason(sent(view, Reason=" Not today. ")) == "Not today."
    assert read_reason(sent(view)) == ""


def test_respond_shows_the_question_and_needs_an_answer() -> None:
    made = approval(action(0, "ask_user", {"question": "Keep data.csv?"}))
    view = respond_form(made, made.actions[0])
    assert "Keep data.csv?" in readable(view["blocks"])
    assert not inputs(view)["Response"].get("optional")
    assert read_message(sent(view, Response="yes")) == "yes"
    assert read_message(sent(view, Response="  ")) == FieldErrors({"response": "This needs an answer."})


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(approvals(), TEXTS, st.integers(0, 3))
def test_every_view_is_fit_for_slack(asked_: Approval, sentence: str, page: int) -> None:
    first = asked_.actions[0]
    for view in (
        reject_form(asked_, first),
        respond_form(asked_, first),
        edit_form(asked_, first),
        view_all(asked_, first, page),
        view_all(asked_, None, page),
        message_form(sentence),
    ):
        assert_view_fit_for_slack(view)


def test_view_all_shows_every_character_over_its_pages() -> None:
    content = "".join(f"line {number}: some text\n" for number in range(20_000))
    made = approval(action(0, arguments={"content": content}), action(1))
    pages, page = [], 0
    while page < 50:
        view = view_all(made, made.actions[0], page)
        assert_view_fit_for_slack(view)
        pages.append(view)
        page += 1
        if f"[{'Next'}]" not in readable(view["blocks"]) and "Next" not in readable(view["blocks"]):
            break
    boxes = [
        piece["text"]
        for view in pages
        for block in view["blocks"]
        if block["type"] == "rich_text"
        for part in block["elements"]
        if part["type"] == "rich_text_preformatted"
        for piece in part["elements"]
    ]
    assert "".join(boxes) == content
    assert len(pages) > 3
    assert f"(Page 2 of {len(pages)})\n[Previous] [Next]" in readable(pages[1]["blocks"])
    assert all("[Approve] [Edit] [Respond] [Reject]" in readable(view["blocks"]) for view in pages)
    assert Place.read(pages[1]["private_metadata"]) == Place(
        action=made.actions[0].id, approval=made.id, page=1
    )


def test_view_all_of_an_approval_decides_every_action() -> None:
    made = approval(*(action(number) for number in range(50)))
    made = decided(made, [], first=0)
    verbs_seen: dict[str, set[str]] = {}
    for page in range(5):
        for block in view_all(made, None, page)["blocks"]:
            if block["type"] == "actions":
                for each in block["elements"]:
                    verbs_seen.setdefault(each["value"], set()).add(each["action_id"])
    approve = {verbs.APPROVE, verbs.APPROVE_UNREAD}
    assert all(verbs_seen[each.id] & approve for each in made.actions)


def test_a_refusal_in_a_form_is_a_plain_sentence() -> None:
    view = message_form("Already approved by <@U0BOB>. <!here>")
    assert readable(view["blocks"]) == "Already approved by <@U0BOB>. &lt;!here&gt;"
    assert_harmless(view["blocks"])
