"""How the house is built, held by tests: which way imports point, and how large a module may be."""

import ast
import subprocess
import sys
from pathlib import Path

from tests.conftest import FIRST

ROOT = Path(__file__).parent.parent
MODULES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "bot").rglob("*.py"))
}
LONGEST = 250
"""Lines of a module that are not blank; one that needs more has more than one idea."""


def test_imports_point_one_way() -> None:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    ended = subprocess.run(
        [sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " 0 broken" in ended.stdout


def test_no_module_is_long() -> None:
    lines = {name: sum(1 for line in text.splitlines() if line.strip()) for name, text in MODULES.items()}
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}


def test_no_import_is_relative() -> None:
    relative = [
        f"{name}:{node.lineno}"
        for name, text in MODULES.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_every_module_says_what_it_is_about() -> None:
    assert [name for name, text in MODULES.items() if text and not ast.get_docstring(ast.parse(text))] == []


def test_what_the_tests_start_with_is_there() -> None:
    assert [place for place in FIRST if not list(ROOT.glob(f"tests/{place}*"))] == []
