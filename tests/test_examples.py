"""The documentation's examples: Python compiles and imports what is there, policies are policies."""

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.policy_file import parse_policy

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / ".github").glob("**/*.md")),
    *sorted((ROOT / "docs").glob("**/*.md")),
]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block of code."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str, markdown: str) -> Iterator[Block]:
    """The fenced blocks of a page that name their language."""
    for found in FENCE.finditer(markdown):
        indent = found["indent"]
        lines = [line.removeprefix(indent) for line in found["text"].splitlines()]
        yield Block(
            page=page,
            line=markdown.count("\n", 0, found.start()) + 1,
            language=found["language"],
            text="\n".join(lines) + "\n",
        )


def check_python(block: Block) -> None:
    """It compiles (an `await` may stand outside of a function), and what it imports from us is there."""
    tree = ast.parse(block.text, filename=str(block))
    compile(tree, str(block), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bot":
            module = importlib.import_module(str(node.module))
            missing = [name.name for name in node.names if not hasattr(module, name.name)]
            assert missing == [], f"{node.module} has no {missing}"


def check_toml(block: Block) -> None:
    """It is TOML, and if it speaks of approvers it is a policy that this version takes."""
    content = tomllib.loads(block.text)
    if "defaults" in content or "rules" in content or "requesters" in content:
        whole = (
            block.text if "defaults" in content else f'{block.text}\n[defaults]\napprovers = ["channel"]\n'
        )
        parse_policy(whole, name=str(block))


CHECKS = {"python": check_python, "py": check_python, "toml": check_toml}
FOUND = [
    block
    for page in PAGES
    if page.exists()
    for block in blocks(str(page.relative_to(ROOT)), page.read_text(encoding="utf-8"))
    if block.language in CHECKS
]


@pytest.mark.parametrize("block", FOUND, ids=str)
def test_an_example_of_the_documentation_holds(block: Block) -> None:
    CHECKS[block.language](block)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nfrom bot import Nobody\n```",
        "```python\ndef f(:\n```",
        "```toml\n[defaults]\napprovers = []\n```",
        '1. So:\n\n   ```toml\n   [[rules]]\n   tools = ["x"]\n   aprovers = ["channel"]\n   ```',
        "```toml\n[defaults\n```",
    ],
)
def test_a_wrong_example_is_found(text: str) -> None:
    [block] = blocks("a page", text)
    with pytest.raises((AssertionError, SyntaxError, ValueError, Exception)) as refused:
        CHECKS[block.language](block)
    assert not isinstance(refused.value, KeyError)


def test_blocks_are_found_with_their_lines() -> None:
    page = "# A\n\n```sh\nls\n```\n\n- so\n\n  ```python\n  x = await y\n  ```\n"
    assert [(block.line, block.language, block.text) for block in blocks("p", page)] == [
        (3, "sh", "ls\n"),
        (9, "python", "x = await y\n"),
    ]
    for block in blocks("p", page):
        if block.language == "python":
            check_python(block)
