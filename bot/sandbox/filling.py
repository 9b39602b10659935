"""What a program puts into an element, as the state that Slack's client would send."""

from bot.sandbox import reading
from bot.sandbox.modals import VALUE_NAMES
from bot.sandbox.records import Json


def filled_in(element: Json, value: object) -> Json:
    """The state of an element that a person has put `value` into."""
    sort = element["type"]
    if sort == "overflow":
        return {"type": sort, "selected_option": reading.option_named(element, value)}
    name = VALUE_NAMES[sort][0]
    if value is None:
        return {"type": sort, name: None}
    match name:
        case "selected_option" if sort != "external_select":
            return {"type": sort, name: reading.option_named(element, value)}
        case "selected_options" if isinstance(value, bool):
            return {"type": sort, name: element["options"] if value else []}
        case "selected_options" if isinstance(value, list) and sort != "multi_external_select":
            return {"type": sort, name: [reading.option_named(element, one) for one in value]}
        case "value" | "selected_date" | "selected_time":
            return {"type": sort, name: str(value)}
        case _:
            return {"type": sort, name: value}
