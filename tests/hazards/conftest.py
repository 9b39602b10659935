"""The house of the system tests, and an agent's memory that is empty before each test."""

from tests.system.conftest import _nothing_has_run_yet, house

__all__ = ["_nothing_has_run_yet", "house"]
