"""The arguments of one call, whether they came as a form, as JSON or in the query."""

import json
from collections.abc import Mapping

from bot.sandbox.errors import SlackError
from bot.sandbox.records import Grant, Json


class Arguments:
    """Reads arguments by name and type; what is missing or unreadable is Slack's `invalid_arguments`."""

    def __init__(self, values: Mapping[str, object], grant: Grant | None = None) -> None:
        """`grant` is what the token stands for that they came with."""
        self.values = {name: value for name, value in values.items() if value is not None}
        self.grant = grant

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str) -> str:
        """A string that must be there."""
        value = self.optional_text(name)
        if not value:
            raise SlackError("invalid_arguments", messages=(f"missing required field: {name}",))
        return value

    def optional_text(self, name: str) -> str | None:
        """A string; numbers are taken as they are written."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise SlackError("invalid_arguments", messages=(f"{name} must be a string",))
        return str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean: JSON's own, or the words and digits that forms use."""
        value = self.values.get(name, default)
        if isinstance(value, bool):
            return value
        if str(value).lower() in {"true", "1"}:
            return True
        if str(value).lower() in {"false", "0", ""}:
            return False
        raise SlackError("invalid_arguments", messages=(f"{name} must be a boolean",))

    def number(self, name: str, *, default: int, most: int) -> int:
        """A whole number from 1 to `most`."""
        value = self.values.get(name)
        if value is None or value == "":
            return default
        try:
            number = int(str(value))
        except ValueError:
            raise SlackError("invalid_arguments", messages=(f"{name} must be an integer",)) from None
        if not 1 <= number <= most:
            raise SlackError("invalid_limit")
        return number

    def items(self, name: str, error: str) -> list[Json] | None:
        """A list of objects, perhaps written as a JSON string; `error` when it is none."""
        value = self._structure(name, error)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise SlackError(error)
        return value

    def mapping(self, name: str, error: str) -> Json | None:
        """An object, perhaps written as a JSON string; `error` when it is none."""
        value = self._structure(name, error)
        if value is not None and not isinstance(value, dict):
            raise SlackError(error)
        return value

    def _structure(self, name: str, error: str) -> object:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value.strip():
            return None
        try:
            found: object = json.loads(value)
        except ValueError:
            raise SlackError(error) from None
        return found
