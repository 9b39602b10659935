"""Whatever people see looks as it did; `GOLDEN=write pytest tests/slack/test_golden.py` makes it so again."""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from bot.approvals.words import ENGLISH, public_language
from bot.languages import CATALOGUES, language
from bot.sandbox.blocks import check_message, check_view
from tests.slack import states, states_beside, states_of_agents
from tests.slack.second_opinion import second_opinion

GOLDEN: Final = Path(__file__).parent / "golden"
MESSAGES: Final = {**states.MESSAGES, **states_beside.MESSAGES, **states_of_agents.MESSAGES}
VIEWS: Final = {**states.VIEWS, **states_beside.VIEWS, **states_of_agents.VIEWS}
STATES: Final = (*MESSAGES, *VIEWS)
LARGEST: Final = 12_000
"""Characters of a message's blocks; Slack's own limit is near 13,200."""


def drawn(name: str) -> dict[str, Any]:
    """The state of this name as Slack is given it."""
    if name in VIEWS:
        return VIEWS[name]()
    message = MESSAGES[name]()
    return {"text": message.text, "blocks": message.blocks}


def _file(name: str) -> Path:
    return GOLDEN / f"{name.replace(', ', '-').replace(' ', '_')}.json"


def _pretty(state: dict[str, Any]) -> str:
    return json.dumps(state, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", STATES)
def test_it_looks_as_it_did(name: str) -> None:
    now = _pretty(drawn(name))
    if os.environ.get("GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        _file(name).write_text(now, encoding="utf-8")
    assert now == _file(name).read_text(encoding="utf-8")


def test_there_is_no_file_of_what_is_not_drawn_any_more() -> None:
    if os.environ.get("GOLDEN") == "write":
        for left in set(GOLDEN.glob("*.json")) - {_file(name) for name in STATES}:
            left.unlink()
    assert {path.name for path in GOLDEN.glob("*.json")} == {_file(name).name for name in STATES}


@pytest.mark.parametrize("name", MESSAGES)
def test_every_message_is_fit_for_slack_in_a_second_opinion(name: str) -> None:
    assert second_opinion(drawn(name)) == []


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("tag", CATALOGUES)
def test_whatever_people_see_is_fit_for_slack_in_every_language(name: str, tag: str) -> None:
    """Where a character weighs six times as much, and words are longer or shorter than in English."""
    with public_language(language(tag) or ENGLISH):
        state = drawn(name)
    if name in VIEWS:
        assert check_view(state) == []
    else:
        assert check_message(state["blocks"], state["text"]) == []
        is_answer = any(block["type"] == "markdown" for block in state["blocks"])
        assert len(json.dumps(state["blocks"])) <= LARGEST or is_answer
    assert second_opinion(state) == []
