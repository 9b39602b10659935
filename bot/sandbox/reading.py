"""Messages and views as a person reads them: their text, their buttons, their fields."""

import re
from collections.abc import Callable, Iterator

from bot.sandbox.answers import options_of
from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.modals import VALUE_NAMES
from bot.sandbox.records import Json

BEFORE_THE_WORD = re.compile(r"^(?::[a-z0-9_+'-]+:|[^\w])+", re.IGNORECASE)
TEXT_NAMES = (
    "title",
    "rich_text_title",
    "subtitle",
    "text",
    "label",
    "hint",
    "body",
    "details",
    "output",
    "subtext",
)
LIST_NAMES = ("fields", "elements", "tasks", "child_blocks", "blocks", "actions")


def text_of(shown: Json) -> str:
    """All the text of a message, view or Home, a line for each piece, in the order of reading."""
    if shown.get("blocks"):
        title = [_join(shown["title"])] if isinstance(shown.get("title"), dict) else []
        return "\n".join(line for line in [*title, *map(_join, shown["blocks"])] if line)
    return str(shown.get("text", ""))


def buttons(shown: Json) -> list[str]:
    """The words on the buttons, emoji before the word left out, in the order of reading."""
    return [word(element) for _, element in elements_of(shown.get("blocks") or []) if is_button(element)]


def labels(form: Json) -> list[str]:
    """The labels of a form's fields."""
    return [plain(block["label"]["text"]) for block in form["blocks"] if block["type"] == "input"]


def value_of(form: Json, label: str) -> object:
    """What stands in the field with this label now; options by their values."""
    block, element = field(form, label)
    state = form["values"][block["block_id"]][element["action_id"]]
    value = state[VALUE_NAMES[element["type"]][0]]
    if isinstance(value, dict):
        return value.get("value", value)
    if isinstance(value, list):
        return [option["value"] if isinstance(option, dict) else option for option in value]
    return value


def field(form: Json, label: str) -> tuple[Json, Json]:
    """The input block with this label (or block id, or action id) and its element; else LookupError."""
    for block in form["blocks"]:
        if block["type"] == "input":
            element = block["element"]
            names = (block["label"]["text"], block["block_id"], element["action_id"])
            if label in names or plain(label) == plain(block["label"]["text"]):
                return block, element
    raise LookupError(f"the form has no field {label!r}, only {labels(form)}")


def is_button(element: Json) -> bool:
    """Whether it can be pressed."""
    return element["type"] in {"button", "icon_button"}


def word(element: Json) -> str:
    """What is written on a button."""
    return plain(element.get("text", {}).get("text", ""))


def plain(text: str) -> str:
    """The text without the emoji and signs before its first word."""
    return BEFORE_THE_WORD.sub("", text).strip() or text.strip()


def option_named(element: Json, wanted: object) -> Json:
    """The option with this text or value; True and False also stand for "true"/"yes" and "false"/"no"."""
    names = (
        {True: ("true", "yes"), False: ("false", "no")}[wanted]
        if isinstance(wanted, bool)
        else (str(wanted),)
    )
    options = options_of(element)
    for option in options:
        if str(option.get("value")) in names or plain(option["text"]["text"]).lower() in {
            plain(name).lower() for name in names
        }:
            return option
    raise LookupError(f"no option {wanted!r}, only {[option['text']['text'] for option in options]}")


def _join(piece: object) -> str:
    return " ".join(part for part in _parts(piece) if part.strip())


def _parts(piece: object) -> Iterator[str]:
    if isinstance(piece, str):
        yield piece
    elif isinstance(piece, list):
        for item in piece:
            yield from _parts(item)
    elif isinstance(piece, dict):
        yield from _leaf(piece) if piece.get("type") in LEAVES else _branches(piece)


LEAVES: dict[str, Callable[[Json], object]] = {
    **dict.fromkeys(("text", "plain_text", "mrkdwn", "markdown", "raw_text"), lambda piece: piece["text"]),
    "raw_number": lambda piece: piece.get("text") or piece["value"],
    "link": lambda piece: piece.get("text") or piece["url"],
    "user": lambda piece: f"<@{piece['user_id']}>",
    "usergroup": lambda piece: f"<!subteam^{piece['usergroup_id']}>",
    "channel": lambda piece: f"<#{piece['channel_id']}>",
    "emoji": lambda piece: f":{piece['name']}:",
    "broadcast": lambda piece: f"<!{piece['range']}>",
    "date": lambda piece: piece.get("fallback") or piece["timestamp"],
    "image": lambda piece: piece["alt_text"],
}
RUNS = frozenset({"rich_text_section", "rich_text_preformatted", "rich_text_quote"})


def _leaf(piece: Json) -> Iterator[str]:
    yield str(LEAVES[piece["type"]](piece))


def _branches(piece: Json) -> Iterator[str]:
    if piece.get("type") in RUNS:
        # runs of one sentence have no space between them but their own
        yield "".join("".join(_parts(item)) for item in piece["elements"])
        return
    if piece.get("type") == "table":
        yield from _parts(piece["rows"])
        return
    for name in (*TEXT_NAMES, *LIST_NAMES, "accessory", "element"):
        if name in piece:
            yield from _parts(piece[name])
