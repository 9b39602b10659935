"""Every sentence of ours can get into a catalogue: what stands in the code is what the extractor finds."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.extract import extract_from_dir

BOT = Path(__file__).parent.parent / "bot"
SAID = {"say": 1, "saying": 1, "worded": 1, "phrase": 1, "say_many": 2, "saying_many": 2}
"""How many messages each takes, before anything else."""
KEYWORDS: dict[str, tuple[int, ...] | None] = {
    name: None if count == 1 else (1, 2) for name, count in SAID.items()
}

Place = tuple[str, int]


def said_in_the_code() -> Iterator[tuple[Place, ast.expr]]:
    for path in sorted(BOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAID:
                for message in node.args[: SAID[node.func.id]]:
                    yield (str(path.relative_to(BOT)), message.lineno), message


MESSAGES = [(place, str(node.value)) for place, node in said_in_the_code() if isinstance(node, ast.Constant)]


def found() -> set[str]:
    told: set[str] = set()
    for _, _, message, _, _ in extract_from_dir(BOT, [("**.py", "python")], keywords=KEYWORDS):
        told |= {message} if isinstance(message, str) else {*message}
    return told


def test_no_message_is_put_together_where_it_is_said() -> None:
    odd = (ast.JoinedStr, ast.BinOp)
    assert [place for place, message in said_in_the_code() if isinstance(message, odd)] == []


def test_every_message_is_found_by_the_extractor() -> None:
    """It does not look into an f-string, nor behind a variable that is called like one of these."""
    known = found()
    assert len(known) > 500
    assert [(place, message) for place, message in MESSAGES if message not in known] == []


def test_what_depends_on_a_number_has_both_messages_where_it_is_said() -> None:
    """Behind names they would be two entries of a catalogue, and none that is found by a number."""
    behind_names = [
        (path.name, node.lineno)
        for path in sorted(BOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and SAID.get(node.func.id) == 2
        if not all(isinstance(message, ast.Constant) for message in node.args[:2])
    ]
    assert [name for name, _ in behind_names] == ["sayings.py"]  # where one that was kept is said


def test_no_message_is_empty_for_that_is_the_catalogues_own_key() -> None:
    assert [place for place, message in MESSAGES if not message] == []


def test_what_stands_in_a_message_has_a_name_by_which_a_translation_can_move_it() -> None:
    for place, message in MESSAGES:
        names = [name for _, name, _, _ in Formatter().parse(message) if name is not None]
        assert all(name.isidentifier() for name in names), (place, message)


@pytest.mark.parametrize("ours", ["Approve", "Nothing waits for you.", "{wanted} votes of different people"])
def test_the_extractor_finds_something(ours: str) -> None:
    assert any(message.startswith(ours) for message in found())
