"""Durations as a policy file says them: `90s`, `15m`, `24h`, `7d`, and `never`."""

import re
from datetime import timedelta
from typing import Annotated, Final

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from bot.approvals.times import NEVER

LONGEST: Final = timedelta(days=365)
"""What is meant to take longer says `never`."""

_WRITTEN: Final = re.compile(r"(?P<count>[0-9]{1,9})(?P<unit>[smhd])", re.ASCII)
_UNITS: Final = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}


def duration(text: object) -> timedelta:
    """The duration that is written so, or a `timedelta` as it is.

    Otherwise a `ValueError` of pydantic's that completes "the key …".
    """
    found = text if isinstance(text, timedelta) else _read(text)
    if not timedelta() < found <= LONGEST:
        raise PydanticCustomError("duration", "is not a duration from 1s to 365d")
    return found


def _read(text: object) -> timedelta:
    written = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if written is None:
        raise PydanticCustomError("duration", "is not a duration such as 90s, 15m, 24h or 7d")
    return int(written["count"]) * _UNITS[written["unit"]]


def _or_never(text: object) -> timedelta:
    if isinstance(text, timedelta):
        return text  # a setting's default
    return NEVER if text == "never" else duration(text)


def _said(text: object) -> timedelta:
    return NEVER if text == "never" else duration(text)


Delay = Annotated[timedelta, BeforeValidator(duration)]
DelayOrNever = Annotated[timedelta, BeforeValidator(_or_never)]
SaidOrNever = Annotated[timedelta, BeforeValidator(_said)]
"""The same from a function, whose `timedelta` is looked at as well."""
