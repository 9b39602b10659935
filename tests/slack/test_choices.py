"""Choosing an answer and a reason: what is offered, what a form says, what the agent is told."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from langchain_core.tools import tool

from bot.agents.answering import IN_SCHEMA, with_answer
from bot.approvals.briefing import Briefing
from bot.approvals.decision import Json
from bot.slack.choices import ANSWER, choices, sentences
from bot.slack.edits import FieldErrors
from bot.slack.forms import read_message, read_reason, reject_form, respond_form
from bot.slack.text import units
from tests.slack.limits import assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import VALUES, action, approval
from tests.slack.test_forms import inputs

Json_ = dict[str, Any]


def asking(arguments: dict[str, Json], answer: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - a pair
    schema = {"type": "object", "properties": {}} | ({ANSWER: answer} if answer else {})
    made = approval(action(0, "ask_user", {"question": "Which?", **arguments}, schema=schema))
    return made, made.actions[0]


def form(arguments: dict[str, Json], answer: Mapping[str, Any] | None = None) -> Json_:
    view = respond_form(*asking(arguments, answer))
    assert_view_fit_for_slack(view)
    return view


def words(element: Json_) -> list[str]:
    return [option["text"]["text"] for option in element["options"]]


def picked(block: str, *places: str, several: bool = False, text: str | None = None) -> dict[str, object]:
    options = [{"value": place} for place in places]
    state = {"selected_options": options} if several else {"selected_option": options[0] if options else None}
    kind = "checkboxes" if several else "radio_buttons"
    typed = {"type": "plain_text_input", "value": text}
    return {
        block: {"value": {"type": kind, **state}},
        "response": {"value": typed},
        "reason": {"value": typed},
    }


def test_a_question_with_choices_shows_them_below_it_and_leaves_room_for_own_words() -> None:
    view = form({"choices": ["Keep it", "Drop it"]})
    fields = inputs(view)
    assert list(fields) == ["Choose one", "Response"]
    assert fields["Choose one"]["element"]["type"] == "radio_buttons"
    assert words(fields["Choose one"]["element"]) == ["Keep it", "Drop it"]
    assert (fields["Choose one"]["optional"], fields["Response"]["optional"]) == (True, True)
    assert fields["Response"]["hint"]["text"] == (
        "In your own words: instead of a choice, or beside it. "
        "The agent gets this as the result; nothing runs."
    )
    assert "Which?" in readable(view["blocks"])


@pytest.mark.parametrize(
    ("arguments", "answer", "offered", "kind"),
    [
        ({"options": ["a", "b"]}, None, ["a", "b"], "radio_buttons"),
        ({"options": [{"label": "A", "value": 1}, {"value": "b"}]}, None, ["A", "b"], "radio_buttons"),
        ({"choices": [1, True]}, None, ["1", "true"], "radio_buttons"),
        ({"choices": ["a", "b"], "multiple": True}, None, ["a", "b"], "checkboxes"),
        ({"choices": ["a", "b"], "multiple": "yes"}, None, ["a", "b"], "radio_buttons"),
        ({"choices": [str(n) for n in range(10)]}, None, [str(n) for n in range(10)], "radio_buttons"),
        ({"choices": [str(n) for n in range(11)]}, None, [str(n) for n in range(11)], "static_select"),
        (
            {"choices": [str(n) for n in range(100)], "multi_select": True},
            None,
            [str(n) for n in range(100)],
            "multi_static_select",
        ),
        ({}, {"type": "boolean"}, ["true", "false"], "radio_buttons"),
        ({}, {"enum": ["red", 2]}, ["red", "2"], "radio_buttons"),
        ({}, {"type": "integer", "minimum": 1, "maximum": 3}, ["1", "2", "3"], "radio_buttons"),
        ({}, {"type": "array", "items": {"enum": ["x", "y"]}}, ["x", "y"], "checkboxes"),
        (
            {},
            {"type": "array", "items": {"$ref": "#/$defs/L"}, "$defs": {"L": {"enum": ["p"]}}},
            ["p"],
            "checkboxes",
        ),
        ({"choices": ["other"]}, {"enum": ["mine"]}, ["mine"], "radio_buttons"),
    ],
)
def test_each_kind_of_choice_has_the_input_that_fits(
    arguments: dict[str, Json], answer: Mapping[str, Any] | None, offered: list[str], kind: str
) -> None:
    [label, _] = fields = inputs(form(arguments, answer))
    assert label == ("Choose any" if kind in {"checkboxes", "multi_static_select"} else "Choose one")
    assert fields[label]["element"]["type"] == kind
    assert words(fields[label]["element"]) == offered


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({}, None),
        ({"choices": []}, None),
        ({"choices": "yes or no"}, None),
        ({"choices": ["a", None]}, None),
        ({"choices": ["a", " "]}, None),
        ({"choices": ["a", {"x": "y"}]}, None),
        ({"choices": [str(n) for n in range(101)]}, None),
        ({}, {"type": "string"}),
        ({}, {"type": "integer", "minimum": 1}),
        ({}, {"type": "integer", "minimum": 1, "maximum": 1_000}),
        ({}, {"type": "array", "items": {"type": "string"}}),
    ],
)
def test_without_choices_the_answer_is_typed(
    arguments: dict[str, Json], answer: Mapping[str, Any] | None
) -> None:
    fields = inputs(form(arguments, answer))
    assert list(fields) == ["Response"]
    assert not fields["Response"].get("optional")


def test_the_agent_is_told_what_was_chosen_and_what_was_said_beside_it() -> None:
    _, one = asking({"choices": ["Keep it", "Drop it"]})
    assert read_message(picked("choice", "1"), one) == "Drop it"
    assert read_message(picked("choice", "1", text=" today "), one) == "Drop it\ntoday"
    assert read_message(picked("choice", text="Neither."), one) == "Neither."
    assert read_message(picked("choice"), one) == FieldErrors({"response": "This needs an answer."})
    _, many = asking({"choices": ["a", "b", "ü"], "multiple": True})
    assert read_message(picked("choice", "2", "0", several=True), many) == '["a", "ü"]'


@pytest.mark.parametrize("place", ["2", "-1", "x", ""])
def test_an_option_that_was_not_offered_counts_for_nothing(place: str) -> None:
    _, one = asking({"choices": ["a", "b"]})
    assert isinstance(read_message(picked("choice", place), one), FieldErrors)
    assert isinstance(read_message(picked("choice", place, several=True), one), FieldErrors)


@given(VALUES)
def test_a_forged_choice_never_raises(odd: Json) -> None:
    _, one = asking({"choices": ["a", "b"]})
    for state in (
        odd,
        {"value": odd},
        {"value": {"selected_options": odd}},
        {"value": {"selected_options": [odd]}},
    ):
        assert isinstance(read_message({"choice": state}, one), FieldErrors)


@settings(deadline=None)
@given(VALUES)
def test_whatever_stands_in_choices_makes_a_form_that_slack_takes(value: Json) -> None:
    form({"choices": value})
    form({"choices": [value, "b"], "multiple": True})


def test_reasons_of_the_policy_can_be_chosen_and_added_to() -> None:
    one = replace(action(), briefing=Briefing(reasons=("Too risky", "Not now.")))
    view = reject_form(approval(one), one)
    assert_view_fit_for_slack(view)
    fields = inputs(view)
    assert list(fields) == ["Ready-made reason", "Reason"]
    assert words(fields["Ready-made reason"]["element"]) == ["Too risky", "Not now.", "(none of these)"]
    ready = one.briefing.reasons
    assert read_reason(picked("ready", "0"), ready) == "Too risky"
    assert read_reason(picked("ready", "0", text="Use staging."), ready) == "Too risky. Use staging."
    assert read_reason(picked("ready", "1", text="Use staging."), ready) == "Not now. Use staging."
    assert read_reason(picked("ready", "none", text="Use staging."), ready) == "Use staging."
    assert read_reason(picked("ready"), ready) == ""
    assert list(inputs(reject_form(approval(action()), action()))) == ["Reason"]
    assert sentences("太危险。", "x") == "太危险。 x"


def ask(question: str) -> str:
    """Ask."""
    return question


def sure(question: str) -> bool:
    """Ask."""
    return bool(question)


def which(question: str) -> Literal["a", "b"]:
    """Ask."""
    return "a" if question else "b"


async def those(question: str) -> list[Literal["a", "b"]]:
    """Ask."""
    return ["a"] if question else []


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        (ask, None),
        (sure, {"type": "boolean"}),
        (which, {"enum": ["a", "b"], "type": "string"}),
        (those, {"type": "array", "items": {"enum": ["a", "b"], "type": "string"}}),
    ],
)
def test_the_type_that_a_tool_returns_says_what_can_be_answered(function: Any, answer: object) -> None:  # noqa: ANN401 - functions
    assert with_answer({}, tool(function)).get(IN_SCHEMA) == answer


def test_a_team_can_say_what_can_be_answered() -> None:
    made = tool(ask)
    for told, answer in (
        (bool, {"type": "boolean"}),
        ({"enum": [1]}, {"enum": [1]}),
        (object(), None),
    ):
        made.metadata = {"answer": told}
        assert with_answer({}, made).get(IN_SCHEMA) == answer
    assert with_answer({"a": 1}, None) == {"a": 1}
    assert choices(asking({})[1]) is None
    assert IN_SCHEMA == ANSWER


def options(arguments: dict[str, Json], answer: Mapping[str, Any] | None = None) -> tuple[str, ...] | None:
    named = choices(asking(arguments, answer)[1])
    return named.options if named else None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 1}, None),
        ({"type": "integer", "minimum": 1, "maximum": 2}, ("1", "2")),
        ({"type": "integer", "minimum": 5, "maximum": 7}, ("5", "6", "7")),
        ({"type": "integer", "minimum": 7, "maximum": 5}, None),
        ({"type": "integer", "minimum": -1, "maximum": 1}, ("-1", "0", "1")),
        ({"type": "integer", "minimum": 1, "maximum": 100}, tuple(map(str, range(1, 101)))),
        ({"type": "integer", "minimum": 0, "maximum": 100}, None),
        ({"type": "integer", "minimum": 0}, None),
        ({"type": "integer", "maximum": 1}, None),
        ({"type": "number"}, None),
        ({"enum": ["ä", 1, True]}, ("ä", "1", "true")),
        ({"type": "array"}, None),
        ({"items": {"enum": ["a", "b"]}}, None),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ("a", "b")),
        ({"type": "array", "items": {"$ref": "#/$defs/kind"}, "$defs": {"kind": {"enum": ["a"]}}}, ("a",)),
        ({"type": "array", "items": {"type": "string"}}, None),
    ],
)
def test_what_the_schema_of_an_answer_allows_can_be_chosen(
    answer: Mapping[str, Any], expected: tuple[str, ...] | None
) -> None:
    assert options({}, answer) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a"], ("a",)),
        ([], None),
        ("a", None),
        (
            ["a", {"label": "b"}, {"title": "c"}, {"name": "d"}, {"value": "e"}, {"text": "f"}],
            tuple("abcdef"),
        ),
        ([{"label": " ", "text": "f"}], ("f",)),
        ([{"label": 7}], None),
        ([1, 0.5, True], ("1", "0.5", "true")),
        (["a", " "], None),
        (["a", None], None),
        (["a", ["b"]], None),
        ([*map(str, range(100))], tuple(map(str, range(100)))),
        ([*map(str, range(101))], None),
    ],
)
def test_what_an_argument_lists_can_be_chosen_if_each_of_it_has_a_label(
    given: Json, expected: tuple[str, ...] | None
) -> None:
    assert options({"choices": given}) == expected
    assert options({"options": given}) == expected


def test_what_was_chosen_is_told_as_it_is_named_and_several_as_a_list() -> None:
    several = asking({"choices": ["ä", "b"], "multiple": True})[1]
    assert read_message(picked("choice", "0", "1", several=True), several) == '["ä", "b"]'
    assert read_message(picked("choice", "1"), asking({"choices": ["ä", "b"]})[1]) == "b"
    plain = asking({})[1]
    assert read_message(picked("choice", "1", text="typed"), plain) == "typed"


def test_of_reasons_only_the_first_that_was_chosen_counts() -> None:
    one = ("Too large", "Not today")
    assert read_reason(picked("ready", "0", "1", several=True), one) == "Too large"
    assert read_reason(picked("ready", "1"), one) == "Not today"
    assert read_reason(picked("ready"), one) == ""


@pytest.mark.parametrize("letter", ["x", "保", "\u00e9", "\U0001f600"])
def test_an_option_shows_as_much_as_slack_takes_in_any_alphabet(letter: str) -> None:
    fits = 75 // units(letter)
    exactly, longer = letter * fits, letter * (fits + 1)
    asked = approval(action(arguments={"question": "Which?", "choices": [exactly, longer]}))
    view = respond_form(asked, asked.actions[0])
    [element] = [each["element"] for each in view["blocks"] if each.get("block_id") == "choice"]
    shown = [option["text"]["text"] for option in element["options"]]
    assert shown == [exactly, letter * (74 // units(letter)) + "…"]
    assert exactly in readable(view["blocks"])


def test_choices_that_the_inputs_show_whole_are_not_told_once_more() -> None:
    def told(**arguments: Json) -> str:
        asked = approval(action(arguments={"question": "Which?", **arguments}))
        return readable(respond_form(asked, asked.actions[0])["blocks"])

    assert "choices" not in told(choices=["a", "b"])
    assert "multiple" not in told(options=["a", "b"], multiple=True)
    assert "• `b`" in told(choices=["a", "b", "x" * 76])
    assert '"why": "dear"' in told(choices=[{"label": "a", "why": "dear"}])
    assert "multiple: `true`" in told(multiple=True)
