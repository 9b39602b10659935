from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bot.agents.agent import Agent, ArgsSchema
from bot.agents.build import build
from bot.agents.savers import strict_serde
from bot.agents.schemas import ToolSchemas, check, shape_of
from bot.approvals.errors import InvalidArguments
from tests.agents.stage import Scripted


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    number: int


class Order(BaseModel):
    amount: float
    count: int = 1
    when: date | None = None
    kind: Literal["cash", "card"] = "cash"
    colour: Colour = Colour.RED
    urgent: bool = False
    tags: list[str] = Field(default_factory=list)
    to: Address | None = None
    short: str = Field(default="", alias="s")

    @field_validator("count")
    @classmethod
    def not_negative(cls, count: int) -> int:
        if count < 0:
            raise ValueError("must not be negative")
        return count


class Pair(BaseModel):
    low: int
    high: int

    @model_validator(mode="after")
    def ordered(self) -> "Pair":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


JSON_ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "count": {"type": "integer", "minimum": 0},
        "when": {"type": "string", "format": "date"},
        "urgent": {"type": "boolean"},
        "note": {"type": ["string", "null"]},
        "kind": {"enum": ["cash", "card"]},
        "to": {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["amount"],
}


@pytest.mark.parametrize(
    ("shape", "given", "checked"),
    [
        (Order, {"amount": "7.5"}, {"amount": 7.5}),
        (Order, {"amount": 7, "count": "3"}, {"amount": 7.0, "count": 3}),
        (Order, {"amount": 1, "when": "2026-02-28"}, {"amount": 1.0, "when": "2026-02-28"}),
        (Order, {"amount": 1, "when": None}, {"amount": 1.0, "when": None}),
        (
            Order,
            {"amount": 1, "colour": "blue", "kind": "card"},
            {"amount": 1.0, "colour": "blue", "kind": "card"},
        ),
        (
            Order,
            {"amount": 1, "urgent": "true", "tags": ["a"]},
            {"amount": 1.0, "urgent": True, "tags": ["a"]},
        ),
        (
            Order,
            {"amount": 1, "to": {"street": "x", "number": "2"}},
            {"amount": 1.0, "to": {"street": "x", "number": 2}},
        ),
        (Order, {"amount": 1, "s": "x"}, {"amount": 1.0, "s": "x"}),
        (Open, {"name": "x", "more": [1]}, {"name": "x", "more": [1]}),
        (JSON_ORDER, {"amount": "7.5", "count": "3"}, {"amount": 7.5, "count": 3}),
        (
            JSON_ORDER,
            {"amount": 1, "urgent": "false", "note": "7"},
            {"amount": 1, "urgent": False, "note": "7"},
        ),
        (JSON_ORDER, {"amount": 1, "count": 2.0}, {"amount": 1, "count": 2}),
        (
            JSON_ORDER,
            {"amount": 1, "when": "2026-02-28", "kind": "card"},
            {"amount": 1, "when": "2026-02-28", "kind": "card"},
        ),
        ({"type": "object", "additionalProperties": True}, {"any": {"thing": 1}}, {"any": {"thing": 1}}),
        ({"type": "object"}, {}, {}),
        (JSON_ORDER, {"amount": 2**64 - 1}, {"amount": 2**64 - 1}),
        (JSON_ORDER, {"amount": -(2**63)}, {"amount": -(2**63)}),
        (Open, {"name": "x", "more": [1e300, True]}, {"name": "x", "more": [1e300, True]}),
    ],
)
def test_what_fits_comes_out_in_the_schemas_types(
    shape: ArgsSchema, given: dict[str, Any], checked: dict[str, Any]
) -> None:
    told = check(shape, given)
    assert told == checked
    assert [type(value) for value in told.values()] == [type(value) for value in checked.values()]


@pytest.mark.parametrize(
    ("shape", "given", "fields"),
    [
        (Order, {}, {"amount": "Field required"}),
        (Order, {"amount": "much"}, {"amount": "valid number"}),
        (Order, {"amount": 1, "zzz": 2}, {"zzz": "not an argument"}),
        (Order, {"amount": 1, "short": "x"}, {"short": "not an argument"}),
        (Order, {"amount": 1, "count": -1}, {"count": "must not be negative"}),
        (Order, {"amount": 1, "when": "2026-02-30"}, {"when": "valid date"}),
        (Order, {"amount": 1, "kind": "gold"}, {"kind": "'cash' or 'card'"}),
        (
            Order,
            {"amount": 1, "to": {"street": "x", "number": "y"}},
            {"to": "number: Input should be a valid integer"},
        ),
        (Order, {"amount": 1, "tags": ["a", 2]}, {"tags": "1: Input should be a valid string"}),
        (Order, {"amount": float("nan")}, {"amount": "not a JSON value"}),
        (Order, {"amount": 1, "s": "\udfff"}, {"s": "half a character"}),
        (Order, {"amount": 1, "count": 2**64}, {"count": "too large to be stored"}),
        (Open, {"name": "x", "more": [{"a": [0, {"b": -(2**63) - 1}]}]}, {"more": "too large to be stored"}),
        (JSON_ORDER, {"amount": 2**64}, {"amount": "too large to be stored"}),
        (JSON_ORDER, {"amount": 1, "count": "18446744073709551616"}, {"count": "too large to be stored"}),
        (Order, {"amount": "x", "count": "y"}, {"amount": "valid number", "count": "valid integer"}),
        (Pair, {"low": 2, "high": 1}, {"": "low is above high"}),
        (JSON_ORDER, {}, {"amount": "required"}),
        (JSON_ORDER, {"amount": "much"}, {"amount": "is not of type 'number'"}),
        (JSON_ORDER, {"amount": 1, "zzz": 2}, {"zzz": "not an argument"}),
        (JSON_ORDER, {"amount": 1, "count": -1}, {"count": "less than the minimum"}),
        (JSON_ORDER, {"amount": 1, "count": "2.5"}, {"count": "is not of type 'integer'"}),
        (JSON_ORDER, {"amount": 1, "urgent": "1"}, {"urgent": "is not of type 'boolean'"}),
        (JSON_ORDER, {"amount": 1, "when": "2026-02-30"}, {"when": "is not a 'date'"}),
        (JSON_ORDER, {"amount": 1, "kind": "gold"}, {"kind": "is not one of"}),
        (JSON_ORDER, {"amount": 1, "to": {}}, {"to": "'street' is a required property"}),
        (JSON_ORDER, {"amount": 1, "tags": ["a", 2]}, {"tags": "1: 2 is not of type 'string'"}),
        ({"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}, {"a": 1}, {"": "cannot be used"}),
    ],
)
def test_what_does_not_fit_is_said_at_its_field(
    shape: ArgsSchema, given: dict[str, Any], fields: dict[str, str]
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        check(shape, given)
    assert refused.value.fields.keys() == fields.keys()
    for name, part in fields.items():
        assert part in refused.value.fields[name]


@pytest.mark.parametrize("number", [2**64 - 1, -(2**63)])
def test_what_is_storable_is_what_a_thread_can_hold(number: int) -> None:
    """A decision that cannot be written would be told to the agent again and again, and never reach it."""
    assert check(JSON_ORDER, {"amount": number}) == {"amount": number}
    assert strict_serde().loads_typed(strict_serde().dumps_typed({"amount": number})) == {"amount": number}
    outside = number + 1 if number > 0 else number - 1
    with pytest.raises(TypeError):
        strict_serde().dumps_typed({"amount": outside})
    with pytest.raises(InvalidArguments):
        check(JSON_ORDER, {"amount": outside})


@tool
def send(
    to: str,
    runtime: ToolRuntime,
    call: Annotated[str, InjectedToolCallId],
    secret: Annotated[str, InjectedToolArg] = "",
    times: int = 1,
) -> str:
    """Send something."""
    return f"{to} {runtime} {call} {secret} {times}"


def tools_of(gates: dict[str, Any], *tools: BaseTool) -> ToolSchemas:
    agent = Agent(tools=list(tools), interrupt_on=gates)
    return ToolSchemas(build(agent, name="x", model=Scripted(script=[]), checkpointer=InMemorySaver()))


def test_injected_arguments_are_neither_shown_nor_taken() -> None:
    tools = tools_of({}, send)
    schema: Any = tools.schema("send")
    assert set(schema["properties"]) == {"to", "times"}
    assert tools.check("send", {"to": "x", "times": "2"}) == {"to": "x", "times": 2}
    with pytest.raises(InvalidArguments, match="secret"):
        tools.check("send", {"to": "x", "secret": "y"})


def test_the_validators_of_the_tools_own_model_run() -> None:
    order = StructuredTool.from_function(lambda **_: "", name="order", description="x", args_schema=Order)
    assert shape_of(order) is Order
    with pytest.raises(InvalidArguments, match="must not be negative"):
        tools_of({}, order).check("order", {"amount": 1, "count": -1})


def test_the_gates_args_schema_wins_over_the_tools_own() -> None:
    gates = {"send": {"allowed_decisions": ["edit"], "args_schema": JSON_ORDER}}
    tools = tools_of(gates, send)
    assert tools.schema("send") == JSON_ORDER
    assert tools.check("send", {"amount": "1"}) == {"amount": 1}


def test_a_tool_with_a_json_schema_is_checked_by_it() -> None:
    remote = StructuredTool(name="remote", description="x", args_schema=JSON_ORDER, func=lambda **_: "")
    tools = tools_of({}, remote)
    schema: Any = tools.schema("remote")
    assert schema["properties"] == JSON_ORDER["properties"]
    with pytest.raises(InvalidArguments, match="amount"):
        tools.check("remote", {"amount": "x"})


def test_an_unknown_tool_has_no_schema_and_takes_nothing() -> None:
    tools = tools_of({})
    assert tools.schema("question") is None
    with pytest.raises(InvalidArguments, match="no tool 'question'"):
        tools.check("question", {})
