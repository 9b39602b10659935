"""Binds what was shown to what runs: one digest over the call and where it stands."""

import hashlib
import json
import math
from typing import Final

import rfc8785

from bot.approvals.decision import Arguments, Json
from bot.approvals.ids import ConversationId, InterruptId
from bot.approvals.referents import Referents

LARGEST_EXACT: Final = 2**53 - 1
"""RFC 8785 takes numbers as IEEE 754 doubles; integers beyond this are not exact in them."""


NO_JSON: Final = (rfc8785.CanonicalizationError, AttributeError, TypeError, RecursionError)
"""What `digest` raises for arguments that are no JSON."""

_canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def digest(
    *,
    tool: str,
    arguments: Arguments,
    thread: ConversationId,
    interrupt: InterruptId,
    call: str,
    referents: Referents | None = None,
) -> str:
    """SHA-256, in hex, of the RFC 8785 form of the call; equal exactly when everything is equal.

    What the arguments point at is a part of it, where the tool tells that.

    Numbers that RFC 8785 cannot say (large integers, infinities) are set apart with their place,
    so that no two different argument sets share a form.
    """
    apart: list[Json] = []
    plain = _plain(dict(arguments), "", apart)
    form: dict[str, Json] = {
        "tool": _encodable(tool, "~tool", apart),
        "arguments": plain,
        "numbers": apart,
        "thread": thread,
        "interrupt": interrupt,
        "call": call,
    }
    if referents is not None:
        form["referents"] = referents.to_json()
    return hashlib.sha256(rfc8785.dumps(form)).hexdigest()


def fingerprint(value: object) -> str:
    """SHA-256, in hex, of a JSON value's text: for the record, which keeps no value. It binds nothing."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _plain(value: Json, place: str, apart: list[Json]) -> Json:
    match value:
        case str():
            return _encodable(value, place, apart)
        case int() if not isinstance(value, bool) and abs(value) > LARGEST_EXACT:
            apart.append([place, str(value)])
            return None
        case float() if not math.isfinite(value):
            apart.append([place, repr(value)])
            return None
        case list():
            return [_plain(item, f"{place}/{index}", apart) for index, item in enumerate(value)]
        case dict():
            return {
                str(_encodable(name, f"{place}/{index}~name", apart)): _plain(item, f"{place}/{index}", apart)
                for index, (name, item) in enumerate(sorted(value.items()))
            }
        case _:
            return value


def _encodable(text: str, place: str, apart: list[Json]) -> str:
    """The text, or its escaped form where it holds a lone surrogate, which UTF-8 cannot say."""
    try:
        text.encode()
    except UnicodeEncodeError:
        apart.append([place, "surrogates"])
        return text.encode("unicode_escape").decode()
    return text
