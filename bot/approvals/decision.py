"""What a person can decide about one action request, in LangChain's words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

from bot.approvals.words import phrase

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Arguments: TypeAlias = Mapping[str, Json]
"""The arguments of a tool call, as JSON values by name."""


class DecisionKind(StrEnum):
    """LangChain's four decisions; the values are the `type` that goes to the agent."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RESPOND = "respond"


@dataclass(frozen=True, slots=True)
class Approve:
    """Run the call as it was shown."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Run the tool with these arguments instead; or another tool, where the policy names it."""

    arguments: Arguments
    tool: str | None = None
    """The other tool; None for the one that was asked about."""


@dataclass(frozen=True, slots=True)
class Reject:
    """Do not run the call; the agent is told why, if a reason was given."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Respond:
    """Do not run the call; this text is its result."""

    message: str


Decision: TypeAlias = Approve | Edit | Reject | Respond

PAST: Final[Mapping[DecisionKind, str]] = {
    DecisionKind.APPROVE: phrase("approved"),
    DecisionKind.EDIT: phrase("edited"),
    DecisionKind.REJECT: phrase("rejected"),
    DecisionKind.RESPOND: phrase("answered"),
}
"""How a decision reads once it is made."""


def kind_of(decision: Decision) -> DecisionKind:
    """Which of the four a decision is."""
    match decision:
        case Approve():
            return DecisionKind.APPROVE
        case Edit():
            return DecisionKind.EDIT
        case Reject():
            return DecisionKind.REJECT
        case Respond():
            return DecisionKind.RESPOND
        case _:
            assert_never(decision)


def decision_to_json(decision: Decision) -> dict[str, Json]:
    """The decision as a JSON object with its `type`, for a row or the record."""
    told: dict[str, Json] = {"type": kind_of(decision).value}
    match decision:
        case Approve():
            pass
        case Edit(arguments=arguments, tool=tool):
            told["arguments"] = dict(arguments)
            if tool is not None:
                told["tool"] = tool
        case Reject(reason=reason):
            told["reason"] = reason
        case Respond(message=message):
            told["message"] = message
        case _:
            assert_never(decision)
    return told


def decision_from_json(told: Mapping[str, Json]) -> Decision:
    """The decision that `decision_to_json` wrote; `ValueError` if it is none."""
    match dict(told):
        case {"type": "approve"}:
            return Approve()
        case {"type": "edit", "arguments": dict(arguments), "tool": str(tool)}:
            return Edit(arguments, tool)
        case {"type": "edit", "arguments": dict(arguments)}:
            return Edit(arguments)
        case {"type": "reject", "reason": str(reason)}:
            return Reject(reason)
        case {"type": "respond", "message": str(message)}:
            return Respond(message)
        case _:
            raise ValueError("not a decision")


def strict(value: Json) -> Json:
    """The value without the numbers that JSON itself cannot say: infinities and such become text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case list():
            return [strict(item) for item in value]
        case dict():
            return {name: strict(item) for name, item in value.items()}
        case _:
            return value
