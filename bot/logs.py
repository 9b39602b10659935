"""Logs: one event a line on standard error, never an argument's value or a token.

Whoever logs gives no value in the first place; what a library or an error says beyond that is masked here.
"""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog

from bot.approvals.secrets import masked_text
from bot.approvals.words import ENGLISH, spoken


def configure_logs() -> None:
    """Set up for a process: our events, and libraries from warnings on; JSON, or colours on a terminal."""
    handler = logging.StreamHandler()
    handler.setFormatter(MaskingFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            masked_event,
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
            if sys.stderr.isatty()
            else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )


class MaskingFormatter(logging.Formatter):
    """A line as the standard library writes it, tracebacks included, without what looks like a secret."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return _text(super().format(record))


def masked_event(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A structlog processor: the event without what looks like a secret in any of its texts."""
    return {name: _masked(value) for name, value in event.items()}


def _masked(value: Any) -> Any:  # noqa: ANN401 - whatever is logged
    match value:
        case str():
            return _text(value)
        case dict():
            return {name: _masked(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_masked(inner) for inner in value]
        case bool() | int() | float() | None:
            return value
        case _:
            return _text(str(value))


def _text(text: str) -> str:
    with spoken(ENGLISH):  # whoever it is that has pressed something meanwhile
        return masked_text(text)
