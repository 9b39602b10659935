"""Ready-made words to choose from in a form: reasons of a rejection, and answers where the tool names some.

A tool names its answers in one of two ways: by a JSON schema of the answer, kept as `x-answer` in the schema
of its arguments; or by an argument `choices` or `options` of the call. What was chosen and what was typed
beside it are told together.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from slack_sdk.models.blocks import (
    CheckboxesElement,
    InputBlock,
    InputInteractiveElement,
    Option,
    RadioButtonsElement,
    StaticMultiSelectElement,
    StaticSelectElement,
)

from bot.approvals.action import Action
from bot.approvals.decision import Json
from bot.approvals.words import say
from bot.slack.edits import typed
from bot.slack.inputs import NONE, VALUE, literal
from bot.slack.literal import in_one_line
from bot.slack.schemas import MOST_CHOICES, Kind, Schema, expected
from bot.slack.text import units, within

ANSWER: Final = "x-answer"
"""Where the schema of a tool's arguments keeps that of its answer."""
CHOICE, READY = "choice", "ready"
"""The `block_id` of the choice of an answer, and of a reason."""
_ARGUMENTS: Final = ("choices", "options")
_SEVERAL: Final = ("multiple", "multi_select", "allow_multiple", "multi")
_LABELS: Final = ("label", "title", "name", "value", "text")
_MOST_TICKS: Final = 10
"""Radio buttons or checkboxes in one group; Slack takes no more, so a list takes the rest."""
_LONGEST: Final = 75
_STOPS: Final = (".", "!", "?", "…", ":", ";", "。", "！", "？")  # noqa: RUF001 - the ends of Chinese sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What can be chosen, as the agent is told it; one of it, or several."""

    options: tuple[str, ...]
    several: bool = False


def choices(action: Action) -> Choices | None:
    """The answers that the call names; None where it names none."""
    root = action.schema or {}
    answer = root.get(ANSWER)
    if isinstance(answer, Mapping) and (named := _by_schema(answer)):
        return named
    for name in _ARGUMENTS:
        options = _by_argument(action.arguments.get(name))
        if options:
            several = any(action.arguments.get(word) is True for word in _SEVERAL)
            return Choices(options=options, several=several)
    return None


def shown_beside(action: Action) -> Action:
    """The call without the arguments that the inputs for its answer show whole."""
    named, arguments = choices(action), action.arguments
    for name in _ARGUMENTS:
        value = arguments.get(name)
        if named is None or not isinstance(value, list) or _by_argument(value) != named.options:
            continue
        if any(isinstance(one, dict) or units(in_one_line(_said(one))) > _LONGEST for one in value):
            continue
        shown = {name, *(word for word in _SEVERAL if arguments.get(word) is True)}
        return replace(action, arguments={key: arguments[key] for key in arguments if key not in shown})
    return action


def answer_input(named: Choices) -> InputBlock:
    """The answers as radio buttons or checkboxes, as a list where there are many."""
    options = _options(named.options)
    few = len(options) <= _MOST_TICKS
    element: InputInteractiveElement
    if named.several:
        element = (CheckboxesElement if few else StaticMultiSelectElement)(action_id=VALUE, options=options)
    else:
        element = (RadioButtonsElement if few else StaticSelectElement)(action_id=VALUE, options=options)
    label = literal(say("Choose any") if named.several else say("Choose one"))
    return InputBlock(block_id=CHOICE, label=label, element=element, optional=True)


def reason_input(reasons: tuple[str, ...]) -> InputBlock:
    """The ready-made reasons, and that none of them is the one."""
    options = [*_options(reasons), Option(value=NONE, text=literal(say("(none of these)")))]
    shown = literal(say("Choose a reason"))
    element = StaticSelectElement(action_id=VALUE, options=options, placeholder=shown)
    return InputBlock(block_id=READY, label=literal(say("Ready-made reason")), element=element, optional=True)


def chosen_reason(reasons: tuple[str, ...], values: Mapping[str, object]) -> str:
    """The one of these ready-made reasons that was chosen; empty if none was."""
    return "".join(_picked(reasons, values, READY)[:1])


def chosen_answer(action: Action, values: Mapping[str, object]) -> str:
    """What was chosen as the agent is told it: several as a JSON list; empty if nothing was."""
    named = choices(action)
    picked = _picked(named.options, values, CHOICE) if named else []
    if named is None or not picked:
        return ""
    return json.dumps(picked, ensure_ascii=False) if named.several else picked[0]


def sentences(chosen: str, typed: str) -> str:
    """Two reasons as one text."""
    if not (chosen and typed):
        return chosen or typed
    return f"{chosen if chosen.endswith(_STOPS) else f'{chosen}.'} {typed}"


def lines(chosen: str, typed: str) -> str:
    """A chosen answer, and below it what was said about it."""
    return "\n".join(filter(None, [chosen, typed]))


def _by_schema(answer: Schema) -> Choices | None:
    items = answer.get("items")
    if answer.get("type") == "array" and isinstance(items, Mapping):
        inner = _by_schema({**items, "$defs": answer.get("$defs", {})})
        return Choices(options=inner.options, several=True) if inner else None
    wanted = expected(answer, answer)
    match wanted.kind:
        case Kind.BOOLEAN:
            return Choices(options=("true", "false"))
        case Kind.CHOICE:
            return Choices(options=tuple(_said(choice) for choice in wanted.choices))
        case Kind.INTEGER:
            return _by_range(answer.get("minimum"), answer.get("maximum"))
        case _:
            return None


def _by_range(least: object, most: object) -> Choices | None:
    if not (isinstance(least, int) and isinstance(most, int) and 0 < most - least < MOST_CHOICES):
        return None
    return Choices(options=tuple(map(str, range(least, most + 1))))


def _by_argument(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_CHOICES:
        return ()
    options = [_label(one) for one in value]
    return tuple(one for one in options if one is not None) if None not in options else ()


def _label(option: Json) -> str | None:
    match option:
        case str() if option.strip():
            return option
        case bool() | int() | float():
            return _said(option)
        case dict():
            labels = (option.get(name) for name in _LABELS)
            return next((label for label in labels if isinstance(label, str) and label.strip()), None)
        case _:
            return None


def _said(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _options(texts: tuple[str, ...]) -> list[Option]:
    return [
        Option(value=str(place), text=literal(within(in_one_line(text), _LONGEST) or '""'))
        for place, text in enumerate(texts)
    ]


def _picked(options: tuple[str, ...], values: Mapping[str, object], block_id: str) -> list[str]:
    """The options that a form was sent with, in their own order; what is odd counts for nothing."""
    known = {str(place): text for place, text in enumerate(options)}
    return [text for place, text in known.items() if place in _places(values, block_id)]


def _places(values: Mapping[str, object], block_id: str) -> set[str]:
    block = values.get(block_id)
    match block.get(VALUE) if isinstance(block, Mapping) else None:
        case {"selected_options": list(selected)}:
            return {one["value"] for one in selected if isinstance(one, dict) and _is_text(one.get("value"))}
        case Mapping():
            try:
                return {typed(values, block_id) or ""}
            except (ValueError, TypeError):
                return set()
        case _:
            return set()


def _is_text(value: object) -> bool:
    return isinstance(value, str)
