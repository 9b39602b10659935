"""The question about a call that may have run: our own interrupt, from the guard to people and back. Pure.

{"type": "in_doubt", "name", "args", "tool_call_id", "message_id"}    asks
{"type": "in_doubt", "answer": "ran", "result": …}                    it ran, and returned this
{"type": "in_doubt", "answer": "again" | "skip"}                      run it again; leave it
{"type": "in_doubt", "answer": "late"}                                nobody said in time; leave it
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bot.approvals.approval import Action, Decided, Expired
from bot.approvals.decision import Approve, DecisionKind, Respond
from bot.approvals.journal import Call
from bot.approvals.thread import ActionRequest

TYPE: Final = "in_doubt"


@dataclass(frozen=True, slots=True)
class Ran:
    """It ran, and this is what it returned."""

    result: str


@dataclass(frozen=True, slots=True)
class Again:
    """It is to run again."""


@dataclass(frozen=True, slots=True)
class Skip:
    """It is not to run again."""


@dataclass(frozen=True, slots=True)
class Late:
    """Nobody said in time. It stays in doubt, and does not run again."""


Resolution: TypeAlias = Ran | Again | Skip | Late


def question(call: Call) -> dict[str, Any]:
    """The interrupt's value."""
    return {
        "type": TYPE,
        "name": call.tool,
        "args": dict(call.arguments),
        "tool_call_id": call.id,
        "message_id": call.message,
    }


def request_from(value: Mapping[Any, Any]) -> ActionRequest | None:
    """What people are asked; None if the value is no such question."""
    match value:
        case {
            "type": "in_doubt",
            "name": str(tool),
            "args": dict(arguments),
            "tool_call_id": str(call),
            "message_id": str(message),
        }:
            return ActionRequest(
                tool=tool,
                arguments=arguments,
                description="",
                allowed=frozenset({DecisionKind.APPROVE, DecisionKind.RESPOND, DecisionKind.REJECT}),
                call=call,
                message=message,
            )
        case _:
            return None


def answer_to(action: Action) -> dict[str, Any]:
    """What the interrupt gets. Without a decision nothing runs again."""
    match action.outcome:
        case Decided(decision=Respond(message=message)):
            return {"type": TYPE, "answer": "ran", "result": message}
        case Decided(decision=Approve()):
            return {"type": TYPE, "answer": "again"}
        case Expired():
            return {"type": TYPE, "answer": "late"}
        case _:
            return {"type": TYPE, "answer": "skip"}


def resolution_from(value: object) -> Resolution | None:
    """What people decided; None if this is an answer to something else."""
    match value:
        case {"type": "in_doubt", "answer": "ran", "result": str(result)}:
            return Ran(result)
        case {"type": "in_doubt", "answer": "again"}:
            return Again()
        case {"type": "in_doubt", "answer": "skip"}:
            return Skip()
        case {"type": "in_doubt", "answer": "late"}:
            return Late()
        case _:
            return None
