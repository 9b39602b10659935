"""Turns `interrupt_on` into one checked gate per tool. A gate that cannot work stops the start."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from bot.agents.agent import ArgsSchema, Describe, When
from bot.agents.errors import BadAgent, did_you_mean
from bot.approvals.decision import DecisionKind

EVERY_OTHER: Final = "*"
_KEYS: Final = ("allowed_decisions", "description", "when", "args_schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """How people are asked about one tool."""

    tool: str
    allowed: tuple[DecisionKind, ...]
    description: str | Describe | None = None
    when: When | None = None
    args_schema: ArgsSchema | None = None


def expand(interrupt_on: object, tools: Mapping[str, BaseTool]) -> dict[str, Gate]:
    """One gate per gated tool, in the tools' order; `BadAgent` for an entry that cannot work."""
    if not isinstance(interrupt_on, Mapping):
        raise BadAgent(f"`interrupt_on` must be a mapping by tool name, not {_kind(interrupt_on)}.")
    entries: dict[str, object] = {}
    for name, entry in _named(interrupt_on, tools):
        if name in entries:
            raise BadAgent(f"`interrupt_on` names the tool {name!r} twice; which entry holds is unclear.")
        entries[name] = entry
    gates = {}
    rest = interrupt_on.get(EVERY_OTHER, False)
    _gate(EVERY_OTHER, rest)  # a mistake in it counts even when every tool is named
    for name in tools:
        if gate := _gate(name, entries.get(name, rest)):
            gates[name] = gate
    for name, entry in entries.items():
        _gate(name, entry)
    return gates


def _named(interrupt_on: Mapping[Any, object], tools: Mapping[str, BaseTool]) -> Iterator[tuple[str, object]]:
    for key, entry in interrupt_on.items():
        if key == EVERY_OTHER:
            continue
        for name in _names(key):
            if name not in tools:
                known = ", ".join(sorted(tools)) or "none"
                raise BadAgent(
                    f"`interrupt_on` names the tool {name!r}, which the agent does not have"
                    f"{did_you_mean(name, tools)} (its tools: {known})."
                )
            yield name, entry


def _names(key: object) -> Iterable[str]:
    match key:
        case str():
            return (key,)
        case tuple() if key and all(isinstance(name, str) and name != EVERY_OTHER for name in key):
            return key
        case _:
            raise BadAgent(
                f"A key of `interrupt_on` is a tool name, a tuple of them, or '*' by itself, not {key!r}."
            )


def _gate(tool: str, entry: object) -> Gate | None:
    match entry:
        case False:
            return None
        case True:
            return Gate(tool=tool, allowed=tuple(DecisionKind))
        case Mapping():
            return _configured(tool, entry)
        case _:
            raise BadAgent(f"The gate of {tool!r} must be True, False or a mapping, not {_kind(entry)}.")


def _configured(tool: str, entry: Mapping[Any, Any]) -> Gate:
    for key in entry:
        if key not in _KEYS:
            hint = did_you_mean(str(key), _KEYS)
            raise BadAgent(f"The gate of {tool!r} has the unknown key {key!r}{hint}.")
    return Gate(
        tool=tool,
        allowed=_decisions(tool, entry.get("allowed_decisions")),
        description=_description(tool, entry.get("description")),
        when=_when(tool, entry.get("when")),
        args_schema=_args_schema(tool, entry.get("args_schema")),
    )


def _decisions(tool: str, told: object) -> tuple[DecisionKind, ...]:
    if not isinstance(told, list | tuple) or not told:
        raise BadAgent(
            f"The gate of {tool!r} needs `allowed_decisions`, a list with at least one of "
            f"{', '.join(DecisionKind)}."
        )
    for decision in told:
        if decision not in list(DecisionKind):
            hint = did_you_mean(str(decision), DecisionKind)
            raise BadAgent(
                f"The gate of {tool!r} allows {decision!r}, which is none of {', '.join(DecisionKind)}{hint}."
            )
    return tuple(dict.fromkeys(DecisionKind(decision) for decision in told))


def _description(tool: str, told: object) -> str | Describe | None:
    if told is None or isinstance(told, str):
        return told
    if not _plain_function(told):
        raise BadAgent(
            f"The `description` of {tool!r} must be text or a plain (not async) function, not {_kind(told)}."
        )
    return cast("Describe", told)


def _when(tool: str, told: object) -> When | None:
    if told is None:
        return None
    if not _plain_function(told):
        raise BadAgent(f"The `when` of {tool!r} must be a plain (not async) function, not {_kind(told)}.")
    return cast("When", told)


def _args_schema(tool: str, told: object) -> ArgsSchema | None:
    if told is None:
        return None
    if isinstance(told, type) and issubclass(told, BaseModel):
        return told
    if not isinstance(told, dict):
        raise BadAgent(
            f"The `args_schema` of {tool!r} must be a pydantic model or a JSON schema, not {_kind(told)}."
        )
    try:
        validator_for(told).check_schema(told)
    except SchemaError as error:
        raise BadAgent(f"The `args_schema` of {tool!r} is not a JSON schema: {error.message}.") from error
    if told.get("type", "object") != "object":
        raise BadAgent(f"The `args_schema` of {tool!r} must describe an object, the arguments by name.")
    return told


def _plain_function(told: object) -> bool:
    return (
        callable(told)
        and not inspect.iscoroutinefunction(told)
        and not inspect.iscoroutinefunction(getattr(told, "__call__", None))  # noqa: B004 - an object's own
    )


def _kind(told: object) -> str:
    return "an async function" if inspect.iscoroutinefunction(told) else f"{type(told).__name__}"
