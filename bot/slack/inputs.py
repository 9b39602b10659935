"""One field of an edit form, drawn."""

from typing import Final, assert_never

from slack_sdk.models.blocks import (
    DatePickerElement,
    InputBlock,
    InputInteractiveElement,
    NumberInputElement,
    Option,
    PlainTextInputElement,
    PlainTextObject,
    RadioButtonsElement,
    StaticSelectElement,
)

from bot.approvals.words import say
from bot.slack.arguments import SHORT, as_text, is_short
from bot.slack.fields import Field
from bot.slack.literal import in_line, in_one_line
from bot.slack.schemas import LONGEST_CHOICE, Kind
from bot.slack.text import visible, within

VALUE: Final = "value"
"""The `action_id` of every input."""
NONE: Final = "none"
"""The option that says nothing, where nothing may be said."""
TRUE, FALSE = "true", "false"
_LONGEST_LABEL: Final = 1_900
_LONGEST_HINT: Final = 1_000


def input_block(field: Field) -> InputBlock:
    """The field as an input: labelled with the argument's name, starting with its value."""
    return InputBlock(
        block_id=field.block_id,
        label=literal(_label(field.name)),
        hint=literal(hint) if (hint := _hint(field)) else None,
        element=_element(field),
        optional=field.may_be_empty,
    )


def literal(text: str) -> PlainTextObject:
    """Plain text in which `:smile:` stays what it is."""
    return PlainTextObject(text=text, emoji=False)


def text_input(
    *, initial: str = "", multiline: bool = False, longest: int | None = None
) -> PlainTextInputElement:
    """A text field."""
    return PlainTextInputElement(
        action_id=VALUE, initial_value=initial or None, multiline=multiline, max_length=longest
    )


def _label(name: str) -> str:
    label = in_line(name, _LONGEST_LABEL)[0]
    return label if label.strip() else f'"{label}"'


def _hint(field: Field) -> str:
    parts = [in_line(field.expected.description.strip(), _LONGEST_HINT)[0]]
    if field.kind is Kind.JSON:
        parts.append(say("Written as JSON."))
    if field.masked:
        masked = in_line(field.masked, _LONGEST_HINT // 2)[0]
        parts.append(say("Now {masked}. Left empty, it stays as it is.", masked=masked))
    if visible(field.initial) != field.initial and field.kind in (Kind.TEXT, Kind.JSON):
        text = in_line(field.initial, _LONGEST_HINT // 2)[0]
        parts.append(say("Holds invisible characters: {text}", text=text))
    if field.present and not field.masked and is_short(field.value):
        parts.append(say("Before: {text}", text=in_line(as_text(field.value), SHORT)[0]))
    return " ".join(filter(None, parts))


def _element(field: Field) -> InputInteractiveElement:
    match field.kind:
        case Kind.TEXT | Kind.JSON:
            return text_input(initial=field.initial, multiline=field.is_long)
        case Kind.INTEGER | Kind.NUMBER if not field.is_plain_number:
            return text_input(initial=field.initial)
        case Kind.INTEGER | Kind.NUMBER:
            return NumberInputElement(
                action_id=VALUE,
                is_decimal_allowed=field.kind is Kind.NUMBER,
                initial_value=field.initial or None,
            )
        case Kind.BOOLEAN:
            options = [Option(value=TRUE, text=literal(TRUE)), Option(value=FALSE, text=literal(FALSE))]
            return _chosen(RadioButtonsElement, options, field)
        case Kind.CHOICE:
            options = [
                Option(value=str(place), text=literal(within(in_one_line(str(choice)), LONGEST_CHOICE)))
                for place, choice in enumerate(field.expected.choices)
            ]
            return _chosen(StaticSelectElement, options, field)
        case Kind.DATE:
            return DatePickerElement(action_id=VALUE, initial_date=field.initial or None)
        case _:
            assert_never(field.kind)


def _chosen(
    element: type[RadioButtonsElement | StaticSelectElement], options: list[Option], field: Field
) -> InputInteractiveElement:
    """A choice; where nothing may be chosen, nothing is an option, since a choice cannot be taken back."""
    if field.may_be_empty:
        nothing = say("(as it is)") if field.masked else say("(no value)")
        options = [*options, Option(value=NONE, text=literal(nothing))]
    start = field.initial or (NONE if field.may_be_empty else "")
    initial = next((option for option in options if option.value == start), None)
    return element(action_id=VALUE, options=options, initial_option=initial)
