"""What a person may put into an element, and what Slack says when a form is not filled in."""

import re
from datetime import date
from decimal import Decimal, InvalidOperation

from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.modals import VALUE_NAMES, initial_values
from bot.sandbox.records import Json

CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
LINK = re.compile(r"https?://\S+")


class ImpossibleError(Exception):
    """A person in Slack could not have done this; the sentence says why."""


def chosen(element: Json, given: Json) -> Json:
    """The state value that results from `given`; whole options are taken from the element itself."""
    names = VALUE_NAMES.get(element["type"])
    if names is None:
        return {"type": element["type"]}
    name = names[0]
    if given.get("type", element["type"]) != element["type"]:
        raise ImpossibleError(f"{element['action_id']} is a {element['type']}, not a {given['type']}.")
    value = given.get(name)
    if name.endswith("s") and not isinstance(value or [], list):
        raise ImpossibleError(f"{name} is a list.")
    if name == "selected_option":
        value = None if value is None else one_option(element, value)
    elif name == "selected_options":
        value = [one_option(element, option) for option in value or []]
    elif name.endswith("s"):
        value = value or []
    elif value == "":
        value = None  # as Slack sends an emptied field
    _check_shape(element["type"], value)
    return {"type": element["type"], name: value}


def overlaid(blocks: list[Json], values: Json, given: Json) -> Json:
    """The values with what the person put in laid over them.

    What is given for elements that are not there any more is left out, as the form of a client may be older.
    """
    elements = {(block["block_id"], element["action_id"]): element for block, element in elements_of(blocks)}
    result = {block_id: dict(actions) for block_id, actions in (initial_values(blocks) | values).items()}
    for block_id, actions in given.items():
        for action_id, value in actions.items():
            element = elements.get((block_id, action_id))
            if element is not None and element["type"] in VALUE_NAMES:
                result.setdefault(block_id, {})[action_id] = chosen(element, value)
    return result


def complaints(blocks: list[Json], values: Json) -> dict[str, str]:
    """What the client says at a field before anything is sent, by block id."""
    found: dict[str, str] = {}
    for block, element in elements_of(blocks):
        if block["type"] != "input":
            continue
        state = values.get(block["block_id"], {}).get(element["action_id"], {})
        value = state.get(VALUE_NAMES[element["type"]][0]) if element["type"] in VALUE_NAMES else None
        if value in (None, "", []):
            if not block.get("optional", False):
                found[block["block_id"]] = "This field has to be filled in."
        elif (sentence := _complaint(element, value)) is not None:
            found[block["block_id"]] = sentence
    return found


def options_of(element: Json) -> list[Json]:
    """All options of a select, radio, checkbox or overflow element, groups opened."""
    groups = element.get("option_groups", [])
    return [*element.get("options", []), *(option for group in groups for option in group["options"])]


def one_option(element: Json, wanted: object) -> Json:
    """The option of the element that has the wanted one's value."""
    if not isinstance(wanted, dict):
        raise ImpossibleError("An option is an object with a value.")
    if element["type"] in {"external_select", "multi_external_select"}:
        return wanted
    value = wanted.get("value")
    for option in options_of(element):
        if option.get("value") == value:
            return option
    raise ImpossibleError(f"{value!r} is not among the options of {element['action_id']}.")


def _check_shape(sort: str, value: object) -> None:
    if value in (None, "", []):
        return
    match sort:
        case "datepicker":
            try:
                date.fromisoformat(str(value))
            except ValueError:
                raise ImpossibleError(f"{value!r} is not a date like 2026-01-31.") from None
        case "timepicker":
            if not CLOCK.fullmatch(str(value)):
                raise ImpossibleError(f"{value!r} is not a time like 09:30.")
        case "datetimepicker":
            if isinstance(value, bool) or not isinstance(value, int):
                raise ImpossibleError(f"{value!r} is not a time in whole seconds.")
        case "plain_text_input" | "number_input" | "email_text_input" | "url_text_input":
            if not isinstance(value, str):
                raise ImpossibleError(f"{value!r} is not text.")


def _complaint(element: Json, value: object) -> str | None:
    match element["type"]:
        case "plain_text_input":
            return _length(str(value), element.get("min_length", 0), element.get("max_length", 3000))
        case "number_input":
            return _number(str(value), element)
        case "email_text_input":
            return None if EMAIL.fullmatch(str(value)) else "This is not an email address."
        case "url_text_input":
            return None if LINK.fullmatch(str(value)) else "This is not a web address."
        case _:
            most = element.get("max_selected_items")
            too_many = isinstance(value, list) and most is not None and len(value) > most
            return f"Choose at most {most}." if too_many else None


def _length(text: str, least: int, most: int) -> str | None:
    if len(text) < least:
        return f"Write at least {least} characters."
    return f"Write at most {most} characters." if len(text) > most else None


def _number(text: str, element: Json) -> str | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return "This is not a number."
    if not number.is_finite():
        return "This is not a number."
    if not element.get("is_decimal_allowed") and number != number.to_integral_value():
        return "This has to be a whole number."
    if "min_value" in element and number < Decimal(element["min_value"]):
        return f"This has to be {element['min_value']} or more."
    if "max_value" in element and number > Decimal(element["max_value"]):
        return f"This has to be {element['max_value']} or less."
    return None
