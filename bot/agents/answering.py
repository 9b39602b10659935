"""What a person may answer in place of a tool: the schema that a team put into its `metadata` as `answer`.

`answer` is a JSON schema, or a type that pydantic knows: `bool`, `Literal["keep", "drop"]`, an `Enum`,
`list[Literal[…]]`. Without one the type that the tool's own function returns tells, where it leaves a choice.
"""

import typing
from collections.abc import Mapping
from typing import Any, Final

from langchain_core.tools import BaseTool
from pydantic import TypeAdapter

from bot.approvals.decision import Json

ANSWER: Final = "answer"
IN_SCHEMA: Final = "x-answer"
"""Where the schema of the tool's arguments carries it."""


def with_answer(schema: Mapping[str, Json], tool: BaseTool | None) -> Mapping[str, Json]:
    """The schema of a tool's arguments; with that of its answer, where there is one."""
    answer = _schema(_told(tool)) if tool else None
    return schema if answer is None else {**schema, IN_SCHEMA: answer}


def _told(tool: BaseTool) -> Any:  # noqa: ANN401 - whatever a team wrote there
    told = (tool.metadata or {}).get(ANSWER)
    return _returned(tool) if told is None else told


def _returned(tool: BaseTool) -> Any:  # noqa: ANN401 - a type
    """The type that the tool's function returns, if it leaves a choice between few values."""
    function = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    try:
        returned = typing.get_type_hints(function).get("return") if function else None
    except Exception:  # noqa: BLE001 - a name that cannot be found, or anything else in a team's annotations
        return None
    inner = typing.get_args(returned)[0] if typing.get_origin(returned) is list else returned
    return returned if inner is bool or typing.get_origin(inner) is typing.Literal else None


def _schema(told: Any) -> dict[str, Any] | None:  # noqa: ANN401 - as above
    if told is None or isinstance(told, dict):
        return told
    try:
        return TypeAdapter(told).json_schema()
    except Exception:  # noqa: BLE001 - no type, or one that has no schema: people type what they answer
        return None
