"""A call of any bound tool written out: `call TOOL with a=1, b="x"`, `TOOL(a=1)`, `TOOL {"a": 1}`. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bot.agents.offline.plan import Call
from bot.approvals.decision import Json

Schemas = Mapping[str, Mapping[str, Any]]
"""JSON schema of the arguments by tool name."""

_LEAD: Final = re.compile(r"(?:call|use|run|execute|invoke)\s+(?:the\s+)?(?:tool\s+)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[\"'`]?([A-Za-z_][\w.-]*)[\"'`]?(?:\s+tool\b)?", re.IGNORECASE)
_WITH: Final = re.compile(r"\s*(?:with|on|for|:)?\s*", re.IGNORECASE)
_KEY: Final = re.compile(r"\s*(?:(?:,|;|\band\b)\s*)*[\"'`]?([A-Za-z_][\w-]*)[\"'`]?\s*[=:]\s*")
_BARE: Final = re.compile(
    r".*?(?=\s*(?:,|;|\s+and\b|\s)\s*[\"'`]?[A-Za-z_][\w-]*[\"'`]?\s*[=:]|\s*$)", re.DOTALL
)
_QUOTED: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|“([^”]*)”|`([^`]*)`", re.DOTALL)


def named_call(clause: str, schemas: Schemas) -> Call | None:
    """The call that the instruction writes out, its arguments in the types of the tool's schema."""
    text = clause.strip().rstrip(".!;")
    led = _LEAD.match(text)
    name = _NAME.match(text, led.end() if led else 0)
    if not name or name[1] not in schemas:
        return None
    schema = schemas[name[1]]
    told = _told(text[name.end() :])
    arguments = _arguments(told, schema)
    return None if arguments is None else Call(name[1], {**arguments})


def _told(rest: str) -> str:
    rest = rest.strip()
    if rest.startswith("(") and rest.endswith(")"):
        return rest[1:-1].strip()
    return rest[with_.end() :] if (with_ := _WITH.match(rest)) else rest


def _arguments(told: str, schema: Mapping[str, Any]) -> dict[str, Json] | None:
    if not told:
        return {}
    properties: dict[str, Any] = schema.get("properties") or {}
    if told.startswith("{"):
        try:
            read = json.loads(told)
        except ValueError:
            return None
        return read if isinstance(read, dict) else None
    pairs = list(_pairs(told))
    if pairs and None not in pairs:
        return {key: typed(raw, properties.get(key)) for key, raw in filter(None, pairs)}
    wanted = schema.get("required") or list(properties)
    if len(wanted) != 1:
        return None
    quoted = _QUOTED.fullmatch(told)
    return {wanted[0]: typed(_inner(quoted) if quoted else told, properties.get(wanted[0]))}


def _pairs(told: str) -> Iterator[tuple[str, str] | None]:
    """Names with their raw values; ends with None where the text is no list of pairs."""
    position = 0
    while told[position:].strip(" ,;"):
        key = _KEY.match(told, position)
        if not key:
            yield None
            return
        raw, position = _value(told, key.end())
        yield key[1], raw


def _value(told: str, position: int) -> tuple[str, int]:
    if quoted := _QUOTED.match(told, position):
        return _inner(quoted), quoted.end()
    if told[position : position + 1] in {"[", "{"}:
        try:
            _, end = json.JSONDecoder().raw_decode(told, position)
        except ValueError:
            pass
        else:
            return told[position:end], end
    bare = _BARE.match(told, position)
    end = bare.end() if bare else len(told)
    return told[position:end].strip(), max(end, position + 1)


def _inner(quoted: re.Match[str]) -> str:
    return next(part for part in quoted.groups() if part is not None).replace('\\"', '"').replace("\\n", "\n")


def typed(raw: str, schema: object) -> Json:
    """The written value in the schema's type; as text where the schema takes text or fits nothing."""
    if "string" in _types(schema):
        return raw
    try:
        read: Json = json.loads(raw)
    except ValueError:
        return {"true": True, "yes": True, "false": False, "no": False, "none": None}.get(raw.lower(), raw)
    return read


def _types(schema: object) -> set[str]:
    """The JSON types that a property takes, through `anyOf` as optional arguments have it."""
    if not isinstance(schema, dict):
        return set()
    told = schema.get("type")
    types = {told} if isinstance(told, str) else set(told or ())
    for part in schema.get("anyOf") or ():
        types |= _types(part)
    return types | ({"string"} if "enum" in schema and not types else set())
