"""The shape of a tool's arguments: for the edit form, and to check what comes out of it."""

import json
import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, Final, cast

from jsonschema import FormatChecker
from jsonschema.exceptions import SchemaError
from jsonschema.exceptions import ValidationError as SchemaMismatch
from jsonschema.validators import validator_for
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from bot.agents.agent import ArgsSchema
from bot.agents.answering import with_answer
from bot.agents.built import BuiltAgent
from bot.agents.referents import referents, resolves
from bot.agents.rendering import rendered, renders
from bot.approvals.borrowed import borrowed
from bot.approvals.decision import Arguments, Json
from bot.approvals.errors import InvalidArguments
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.words import phrase, say

FORMATS: Final = FormatChecker(formats=())
"""The formats that are checked for a JSON schema; others are only a hint to the form."""
FORMATS.checks("date", raises=ValueError)(
    lambda told: not isinstance(told, str) or bool(date.fromisoformat(told))
)
FORMATS.checks("date-time", raises=ValueError)(
    lambda told: not isinstance(told, str) or bool(datetime.fromisoformat(told))
)
FORMATS.checks("time", raises=ValueError)(
    lambda told: not isinstance(told, str) or time.fromisoformat(told) is not None
)


UNUSABLE: Final = phrase("The tool's schema cannot be used: {error}.")

TOO_LARGE: Final = phrase("This holds a whole number that is too large to be stored.")
"""What MessagePack cannot write, in which LangGraph keeps a thread: beyond 64 bits."""

_WORDS: Final = frozenset({"title", "description", "examples", "$comment"})
_NAMED: Final = ("properties", "$defs", "definitions", "patternProperties")
"""Keys of a schema under which names stand that a team chose, not words of the schema."""


class ToolSchemas:
    """The heart's `Tools` port for one agent."""

    def __init__(self, agent: BuiltAgent) -> None:
        self._tools = agent.tools
        self._shapes = {
            name: agent.args_schemas.get(name) or shape_of(tool) for name, tool in agent.tools.items()
        }
        self._schemas: dict[str, Mapping[str, Json]] = {}

    def schema(self, tool: str) -> Mapping[str, Json] | None:
        """JSON schema of the tool's arguments, made once; None if the tool is not known."""
        shape = self._shapes.get(tool)
        if shape is not None and tool not in self._schemas:
            self._schemas[tool] = with_answer(json_schema(shape), self._tools[tool])
        return self._schemas.get(tool)

    def check(self, tool: str, arguments: Arguments) -> Arguments:
        """The arguments in the schema's types; `InvalidArguments` with a sentence per field."""
        shape = self._shapes.get(tool)
        if shape is None:
            raise InvalidArguments({"": say("The agent has no tool {tool}.", tool=repr(tool))})
        return check(shape, arguments)

    def resolves(self, tool: str) -> bool:
        """Whether the tool tells what its arguments point at."""
        return resolves(self._tools.get(tool))

    async def referents(self, tool: str, arguments: Arguments, *, within: float) -> Referents | None:
        """What they point at now, or why that cannot be told within so many seconds; None if it never is."""
        return await referents(self._tools.get(tool), arguments, within=within)

    def renders(self, tool: str) -> bool:
        """Whether the tool says how its calls are shown."""
        return renders(self._tools.get(tool))

    async def rendered(self, tool: str, arguments: Arguments, *, within: float) -> Rendered | None:
        """The parts that it shows one by, or why there are none; None if it never has any."""
        return await rendered(self._tools.get(tool), arguments, within=within)


def meaning(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """A schema without its words: what it takes, not how it is told. For comparing two of one tool."""
    match schema:
        case dict():
            names = (key for key in _NAMED if isinstance(schema.get(key), dict))
            named = {key: {name: meaning(one) for name, one in schema[key].items()} for key in names}
            rest = {
                key: meaning(value) for key, value in schema.items() if key not in _WORDS and key not in named
            }
            return rest | named
        case list() | tuple():
            return [meaning(item) for item in schema]
        case _:
            return schema


def shape_of(tool: BaseTool) -> ArgsSchema:
    """What the tool takes, without injected arguments; the tool's own model where it has none of those.

    The model's own class has its validators, which the reduced class that the language model sees lacks.
    """
    seen = tool.tool_call_schema
    if isinstance(seen, dict):
        return seen
    if not issubclass(seen, BaseModel):
        return dict(seen.schema())  # a model of pydantic 1
    own = tool.args_schema
    if (
        isinstance(own, type)
        and issubclass(own, BaseModel)
        and own.model_fields.keys() == seen.model_fields.keys()
    ):
        return own
    return seen


def json_schema(shape: ArgsSchema) -> dict[str, Any]:
    """The shape as JSON schema."""
    return shape if isinstance(shape, dict) else shape.model_json_schema()


def check(shape: ArgsSchema, arguments: Arguments) -> dict[str, Json]:
    """The arguments as JSON values of the schema's types; `InvalidArguments` by argument name."""
    problems = dict.fromkeys(_unknown(shape, arguments), say("This is not an argument of the tool."))
    problems |= {name: problem for name, value in arguments.items() if (problem := _not_json(value))}
    if problems:
        raise InvalidArguments(problems)
    told = _by_schema(shape, arguments) if isinstance(shape, dict) else _by_model(shape, arguments)
    if large := {name: say(TOO_LARGE) for name, value in told.items() if not _is_storable(value)}:
        raise InvalidArguments(large)
    return told


def _unknown(shape: ArgsSchema, arguments: Arguments) -> Iterator[str]:
    schema = json_schema(shape)
    if schema.get("additionalProperties") or schema.get("patternProperties"):
        return
    known = set(_properties(schema))
    if not isinstance(shape, dict) and (
        shape.model_config.get("populate_by_name") or shape.model_config.get("validate_by_name")
    ):
        known |= shape.model_fields.keys()
    yield from (name for name in arguments if name not in known)


def _not_json(value: object) -> str | None:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return say("This holds half a character, which cannot be stored.")
    except (TypeError, ValueError, RecursionError):
        return say("This is not a JSON value (NaN and infinity are none).")
    return None


def _is_storable(value: Json) -> bool:
    """Whether a checkpoint can hold all its integers; one that cannot is never written again."""
    level = [value]
    while level:
        if any(isinstance(one, int) and not -(2**63) <= one < 2**64 for one in level):
            return False
        level = [
            inner
            for one in level
            if isinstance(one, list | dict)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return True


def _by_model(model: type[BaseModel], arguments: Arguments) -> dict[str, Json]:
    try:
        checked = model.model_validate(dict(arguments))
    except ValidationError as error:
        problems: dict[str, str] = {}
        for found in error.errors(include_url=False, include_context=False, include_input=False):
            top, *nested = found["loc"] or ("",)
            problems.setdefault(str(top), _sentence(nested, found["msg"]))
        raise InvalidArguments(problems) from error
    # Only what was given: the tool fills in its defaults itself, and the card shows no value nobody typed.
    told: dict[str, Json] = checked.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return told


def _by_schema(schema: dict[str, Any], arguments: Arguments) -> dict[str, Json]:
    properties = _properties(schema)
    told = {name: _typed(value, properties.get(name)) for name, value in arguments.items()}
    problems: dict[str, str] = {}
    try:
        validator = validator_for(schema)(schema, format_checker=FORMATS)
        for found in sorted(
            validator.iter_errors(told), key=lambda found: list(map(str, found.absolute_path))
        ):
            for top, sentence in _placed(found):
                problems.setdefault(top, sentence)
    except (SchemaError, TypeError, AttributeError) as error:
        raise InvalidArguments({"": say(UNUSABLE, error=type(error).__name__)}) from error
    except Exception as error:
        # jsonschema's resolver has exceptions of its own for a `$ref` that leads nowhere
        raise InvalidArguments({"": say(UNUSABLE, error=type(error).__name__)}) from error
    if problems:
        raise InvalidArguments(problems)
    return told


def _placed(found: SchemaMismatch) -> Iterator[tuple[str, str]]:
    path = list(found.absolute_path)
    if path:
        yield str(path[0]), _sentence(path[1:], found.message)
    elif found.validator == "required":
        wanted: list[str] = cast("list[str]", found.validator_value)
        given = cast("dict[str, Json]", found.instance)
        missing = [name for name in wanted if name not in given]
        yield from ((name, say("This is required.")) for name in missing)
    else:
        yield "", _sentence([], found.message)


def _sentence(path: list[Any], message: str) -> str:
    place = ".".join(map(str, path))
    text = message if len(message) <= 300 else f"{message[:299]}…"  # noqa: PLR2004 - fits under a form's field
    text = borrowed(text)
    return f"{place}: {text}" if place else text


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _typed(value: Json, schema: object) -> Json:
    """A text where the schema wants another scalar, read as that; a whole float as the integer it is."""
    types = schema.get("type") if isinstance(schema, dict) else None
    wanted = {types} if isinstance(types, str) else set(types or ())
    if isinstance(value, float) and value.is_integer() and "integer" in wanted and "number" not in wanted:
        return int(value)
    if not isinstance(value, str) or "string" in wanted:
        return value
    try:
        read: Json = json.loads(value.strip())
    except ValueError:
        return value
    if isinstance(read, float) and not math.isfinite(read):
        return value
    return read if _json_type(read) & wanted else value


def _json_type(value: Json) -> set[str]:
    match value:
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number", "integer"} if value.is_integer() else {"number"}
        case None:
            return {"null"}
        case _:
            return set()
