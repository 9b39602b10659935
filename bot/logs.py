"""Logs: one event a line on standard error, never an argument's value or a token."""

import logging
import sys

import structlog


def configure_logs() -> None:
    """Set up for a process: our events, and libraries from warnings on; JSON, or colours on a terminal."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
