"""The table of hazards is whole: every hazard has its pair, and what the table names is there."""

import ast
from pathlib import Path

import pytest

from tests.hazards.table import HAZARDS, still

ROOT = Path(__file__).parents[2]


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)}


HERE = {name for path in Path(__file__).parent.glob("test_*.py") for name in names_in(path)}


@pytest.mark.parametrize("name", HAZARDS)
def test_a_hazard_has_a_test_without_the_bot_and_one_with_it(name: str) -> None:
    hazard = HAZARDS[name]
    for file, test in hazard.elsewhere:
        assert test in names_in(ROOT / file), (file, test)
    pair = [f"test_{name}_without_the_bot_", f"test_{name}_behind_the_bot_"]
    without, behind = (any(one.startswith(wanted) for one in HERE) for wanted in pair)
    assert without or any("without_the_bot" in test for _, test in hazard.elsewhere), pair[0]
    assert behind or any("without_the_bot" not in test for _, test in hazard.elsewhere), pair[1]


def test_a_guard_that_is_named_exists() -> None:
    named = {module for hazard in HAZARDS.values() for module in hazard.guards}
    assert {module for module in named if not (ROOT / module).is_file()} == set()


def test_a_hazard_that_is_gone_says_where_to_look() -> None:
    with pytest.raises(AssertionError, match=r"upstream no longer shows H8 .* bot/agents/verdicts\.py"):
        still("h8", shown=False)
