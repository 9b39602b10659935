"""What pydantic, jsonschema and Python's own JSON say of a value, in the language that is spoken.

They speak English. Their sentences are in our catalogues, with places for what they fill in; what is none of
these stays as it is.
"""

import re
from functools import cache
from string import Formatter
from typing import Final

from bot.approvals.words import phrase, say

SENTENCES: Final = (
    # pydantic
    phrase("Field required"),
    phrase("Extra inputs are not permitted"),
    phrase("Input should be a valid string"),
    phrase("Input should be a valid boolean"),
    phrase("Input should be a valid boolean, unable to interpret input"),
    phrase("Input should be a valid integer"),
    phrase("Input should be a valid integer, unable to parse string as an integer"),
    phrase("Input should be a valid integer, got a number with a fractional part"),
    phrase("Input should be a valid number"),
    phrase("Input should be a valid number, unable to parse string as a number"),
    phrase("Input should be a valid list"),
    phrase("Input should be a valid dictionary"),
    phrase("Input should be greater than or equal to {limit}"),
    phrase("Input should be greater than {limit}"),
    phrase("Input should be less than or equal to {limit}"),
    phrase("Input should be less than {limit}"),
    phrase("Input should be a multiple of {step}"),
    phrase("Input should be a valid date or datetime, {why}"),
    phrase("Input should be a valid URL, {why}"),
    phrase("Input should be {expected}"),
    phrase("String should have at least {count} character"),
    phrase("String should have at least {count} characters"),
    phrase("String should have at most {count} character"),
    phrase("String should have at most {count} characters"),
    phrase("String should match pattern '{pattern}'"),
    phrase("Value error, {why}"),
    # jsonschema
    phrase("{value} is not of type {type}"),
    phrase("{value} is not one of {choices}"),
    phrase("{value} is less than the minimum of {limit}"),
    phrase("{value} is greater than the maximum of {limit}"),
    phrase("{value} is not a multiple of {step}"),
    phrase("{value} is too short"),
    phrase("{value} is too long"),
    phrase("{value} should be non-empty"),
    phrase("{value} does not match {pattern}"),
    phrase("{value} is not a {format}"),
    phrase("{name} is a required property"),
    # JSON
    phrase("Expecting value"),
    phrase("Expecting property name enclosed in double quotes"),
    phrase("Expecting ',' delimiter"),
    phrase("Expecting ':' delimiter"),
    phrase("Unterminated string starting at"),
    phrase("Extra data"),
)
"""The first that fits is it."""


def borrowed(told: str) -> str:
    """The sentence of one of them, of at most some hundred characters."""
    for sentence in SENTENCES:
        if found := _form(sentence).fullmatch(told):
            return say(sentence, **found.groupdict())
    return told


@cache
def _form(sentence: str) -> re.Pattern[str]:
    parts = Formatter().parse(sentence)
    return re.compile("".join(re.escape(words) + _place(name) for words, name, _, _ in parts), re.DOTALL)


def _place(name: str | None) -> str:
    if name is None:
        return ""
    # What is expected are values; words are a sentence that is not here.
    return f"(?P<{name}>{'[^A-Za-z].*' if name == 'expected' else '.+'})"
