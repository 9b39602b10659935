"""What is mutated, in the four groups that have to be at 85 %, and the tests that judge it."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent

_APPROVALS: Final = "bot.approvals."
_SLACK: Final = "bot.slack."


def _modules(room: str, names: str) -> tuple[str, ...]:
    return tuple(room + name for name in names.split())


GROUPS: Final = {
    "binding": (
        *_modules(_APPROVALS, "binding referents"),
        *_modules("bot.agents.", "verdicts guard"),
    ),
    "policy": (
        *_modules(
            _APPROVALS, "policy terms who quorum admission asking remembered places functions remaining"
        ),
        *_modules("bot.", "policy_file policy_sections policy_names policy_checks policy_reading"),
        *_modules("bot.", "policy_functions policy_of_agent"),
    ),
    "state": (
        *_modules(_APPROVALS, "approval action decision journal rulings timers standings steps endings"),
        *_modules(_APPROVALS, "queueing bursts choosing turns together many"),
    ),
    "rendering": (
        *_modules(_APPROVALS, "masking secrets secret_names"),
        *_modules(_SLACK, "text literal scripts arguments requests outcomes votes headlines crowds cards"),
        *_modules(_SLACK, "buttons message viewing fields forms edits schemas inputs pointing not_asked"),
        *_modules(
            _SLACK,
            "doubts markdown splitting asking glance choices differences reviewing all_at_once",
        ),
        *_modules(
            _SLACK,
            "progress home home_tabs pending stands shortcuts quoting turns turning displaced hearing",
        ),
        *_modules(_SLACK, "rendered listing"),
        _APPROVALS + "plan",
    ),
}
LEAST: Final = 85
"""Per cent of the mutants of a group that have to be killed."""

TESTS: Final = ("tests/approvals", "tests/slack", "tests/agents", "tests/test_policy_*.py")
"""Fast and deterministic ones: whole bots, processes and browsers would judge more, hours later."""

TOO_SLOW: Final = (
    "test_crashes.py",
    "test_crash.py",
    "test_pruning.py",
    "test_patient.py",
    "test_sockets.py",
    "kill_9",
    "postgres",
)
"""What stands in the id of a test that starts processes or waits."""


def source(module: str) -> Path:
    return ROOT / (module.replace(".", "/") + ".py")
