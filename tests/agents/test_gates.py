from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel

from bot.agents.errors import BadAgent
from bot.agents.gates import expand
from bot.approvals.decision import DecisionKind


@tool
def read_file(path: str) -> str:
    """Read."""
    return path


@tool
def write_file(path: str) -> str:
    """Write."""
    return path


@tool
def delete_file(path: str) -> str:
    """Delete."""
    return path


TOOLS: dict[str, BaseTool] = {tool.name: tool for tool in (read_file, write_file, delete_file)}
APPROVE = {"allowed_decisions": ["approve"]}


async def is_odd(_request: object) -> bool:
    return True


class Form(BaseModel):
    path: str


@pytest.mark.parametrize(
    ("interrupt_on", "gated"),
    [
        ({}, {}),
        ({"write_file": True}, {"write_file": 4}),
        ({"write_file": False}, {}),
        ({"write_file": APPROVE}, {"write_file": 1}),
        ({("write_file", "delete_file"): APPROVE}, {"write_file": 1, "delete_file": 1}),
        ({"*": True}, {"read_file": 4, "write_file": 4, "delete_file": 4}),
        ({"*": APPROVE, "read_file": False}, {"write_file": 1, "delete_file": 1}),
        ({"*": False, "read_file": APPROVE}, {"read_file": 1}),
        (
            {"*": APPROVE, ("read_file", "write_file"): True},
            {"read_file": 4, "write_file": 4, "delete_file": 1},
        ),
        ({"write_file": {"allowed_decisions": ("approve", "approve", "reject")}}, {"write_file": 2}),
    ],
)
def test_entries_are_expanded_and_the_more_specific_one_wins(
    interrupt_on: dict[Any, Any], gated: dict[str, int]
) -> None:
    assert {name: len(gate.allowed) for name, gate in expand(interrupt_on, TOOLS).items()} == gated


def test_a_gate_keeps_decisions_in_order_and_everything_else_it_was_given() -> None:
    def when(_request: object) -> bool:
        return True

    entry = {
        "allowed_decisions": ["reject", "approve"],
        "description": "d",
        "when": when,
        "args_schema": Form,
    }
    gate = expand({"write_file": entry}, TOOLS)["write_file"]
    assert gate.allowed == (DecisionKind.REJECT, DecisionKind.APPROVE)
    assert (gate.description, gate.when, gate.args_schema) == ("d", when, Form)


BAD: list[tuple[Any, str]] = [
    ([], "must be a mapping by tool name"),
    ({"writefile": True}, "does not have; did you mean 'write_file'"),
    ({"zzz": False}, "does not have (its tools:"),
    ({("write_file", "zzz"): True}, "'zzz'"),
    ({("write_file",): True, "write_file": True}, "names the tool 'write_file' twice"),
    ({("write_file", "write_file"): True}, "twice"),
    ({(): True}, "a tuple of them"),
    ({("*", "write_file"): True}, "'*' by itself"),
    ({7: True}, "not 7"),
    ({"write_file": "yes"}, "True, False or a mapping, not str"),
    ({"write_file": None}, "not NoneType"),
    ({"write_file": {}}, "needs `allowed_decisions`"),
    ({"write_file": {"allowed_decisions": []}}, "needs `allowed_decisions`"),
    ({"write_file": {"allowed_decisions": "approve"}}, "needs `allowed_decisions`"),
    (
        {"write_file": {"allowed_decisions": ["aprove"]}},
        "none of approve, edit, reject, respond; did you mean 'approve'",
    ),
    ({"write_file": {"allowed_decisions": [["approve"]]}}, "none of"),
    ({"write_file": {**APPROVE, "descripton": "x"}}, "unknown key 'descripton'; did you mean 'description'"),
    ({"write_file": {**APPROVE, "description": 7}}, "`description` of 'write_file' must be text"),
    ({"write_file": {**APPROVE, "when": True}}, "`when` of 'write_file' must be a plain"),
    ({"write_file": {**APPROVE, "when": is_odd}}, "not an async function"),
    ({"write_file": {**APPROVE, "description": is_odd}}, "not an async function"),
    ({"write_file": {**APPROVE, "args_schema": str}}, "must be a pydantic model or a JSON schema"),
    ({"write_file": {**APPROVE, "args_schema": {"type": 7}}}, "is not a JSON schema"),
    ({"write_file": {**APPROVE, "args_schema": {"type": "array"}}}, "must describe an object"),
    (
        {"*": {"allowed_decisions": ["nope"]}, "read_file": True, "write_file": True, "delete_file": True},
        "'nope'",
    ),
]


@pytest.mark.parametrize(("interrupt_on", "problem"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_a_gate_that_cannot_work_is_refused_in_one_sentence(interrupt_on: object, problem: str) -> None:
    with pytest.raises(BadAgent) as refused:
        expand(interrupt_on, TOOLS)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
