"""Composition objects: texts, options, confirmations, with the numbers of Slack's reference."""

from collections.abc import Iterator

from bot.sandbox.blocks.problem import Problem
from bot.sandbox.blocks.rules import (
    Rule,
    Shape,
    boolean,
    items,
    length,
    needs_one_of,
    one_of,
    problem,
    string,
    typed,
)
from bot.sandbox.records import Json

ID = string(255)
URL = string(3000)


def plain_text(most: int) -> Rule:
    """A plain_text object of 1 to `most` characters."""
    return typed({"plain_text": _plain(most)}, "a text")


def any_text(most: int) -> Rule:
    """A plain_text or mrkdwn object of 1 to `most` characters."""
    markdown = Shape(required={"text": string(most)}, optional={"verbatim": boolean})
    return typed({"plain_text": _plain(most), "mrkdwn": markdown}, "a text")


def _plain(most: int) -> Shape:
    return Shape(required={"text": string(most)}, optional={"emoji": boolean})


CONFIRM = Shape(
    required={
        "title": plain_text(100),
        "text": any_text(300),
        "confirm": plain_text(30),
        "deny": plain_text(30),
    },
    optional={"style": one_of("primary", "danger")},
)

IMAGE = Shape(
    required={"alt_text": string(2000)},
    optional={"image_url": URL, "slack_file": Shape(optional={"id": ID, "url": URL})},
    checks=(needs_one_of("image_url", "slack_file"),),
)

OPTION = Shape(
    required={"text": plain_text(75), "value": string(150)}, optional={"description": plain_text(75)}
)
RICH_OPTION = Shape(
    required={"text": any_text(75), "value": string(150)}, optional={"description": any_text(75)}
)
OVERFLOW_OPTION = Shape(
    required={"text": plain_text(75)},
    optional={"value": string(150), "description": plain_text(75), "url": URL},
)
OPTION_GROUP = Shape(required={"label": plain_text(75), "options": items(OPTION, 1, 100)})


def initial_among_options(value: Json, pointer: str) -> Iterator[Problem]:
    """An initial option has to be one of the options, field by field."""
    groups = value.get("option_groups") or []
    known = [*(value.get("options") or []), *(option for group in groups for option in group["options"])]
    if value.get("initial_option") is not None and value["initial_option"] not in known:
        yield problem(f"{pointer}/initial_option", "must be one of the provided options")
    for place, option in enumerate(value.get("initial_options") or []):
        if option not in known:
            yield problem(f"{pointer}/initial_options/{place}", "must be one of the provided options")


def initial_fits(value: Json, pointer: str) -> Iterator[Problem]:
    """A text that stands in an input from the start keeps the input's own limits."""
    least, most = value.get("min_length") or 0, value.get("max_length") or 3000
    if least > most:
        yield problem(f"{pointer}/min_length", "must not be greater than max_length")
    if length(value.get("initial_value") or "") > most:
        yield problem(f"{pointer}/initial_value", f"must be less than {most + 1} characters")
