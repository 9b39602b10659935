"""What holds for every golden state: how it is worded, in which order it stands, and what is heard of it."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from bot.sandbox.blocks import check_message, check_view
from tests.slack.second_opinion import second_opinion

GOLDEN: Final = Path(__file__).parent / "golden"
EVERY: Final = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in GOLDEN.glob("*.json")}
MODAL_KEYS: Final = {"type", "title", "submit", "close", "blocks", "callback_id", "private_metadata"}
ONE_OF_MANY: Final = re.compile(
    r"\b1 (?:more )?(?:characters|lines|items|calls|votes|arguments|requests|rules|actions|changes|words)\b"
)
CLUMSY: Final = {
    "an end after an end": re.compile(r"[?!.]`? ?\.(?!\.)(?<!\.\.\.)"),
    "a name that is none": re.compile(r"[^\s\w`\"”):>…*]\s*: nobody|\babout ,"),
    "an entity that is shown": re.compile(r"&amp;(?:amp|lt|gt);"),
    "a blank before a stop": re.compile(r"(?<=[a-z]) [,.;](?: |$)"),
}


def parts(part: object) -> Iterator[dict[str, Any]]:
    """Everything that is an object in a drawing."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from parts(inner)


def sentences(state: dict[str, Any]) -> Iterator[str]:
    """What is read in one go: texts, and lines of rich text joined."""
    yield state.get("text", "")
    for part in parts(state["blocks"]):
        match part:
            case {"type": "rich_text_section", "elements": elements}:
                yield "".join(_piece(one) for one in elements)
            case {"type": "mrkdwn" | "plain_text", "text": str(text)}:
                yield text


def _piece(element: dict[str, Any]) -> str:
    text = str(element.get("text", element.get("user_id", "x")))
    return f"`{text}`" if element.get("style", {}).get("code") else text


@pytest.mark.parametrize("name", EVERY)
def test_it_is_a_payload_that_the_block_kit_builder_takes(name: str) -> None:
    """A message's blocks with its text, or a modal or Home with the keys of a view, and nothing of ours."""
    state = EVERY[name]
    assert second_opinion(state) == []
    match state:
        case {"type": "modal"}:
            assert {*state} >= {"type", "title", "close", "blocks"}
            assert {*state} <= MODAL_KEYS
            assert check_view(state) == []
        case {"type": "home"}:
            assert {*state} == {"type", "blocks"}
            assert check_view(state) == []
        case _:
            assert {*state} == {"text", "blocks"}
            assert check_message(state["blocks"], state["text"]) == []


@pytest.mark.parametrize("name", EVERY)
def test_one_of_a_thing_is_not_said_as_many(name: str) -> None:
    assert [text for text in sentences(EVERY[name]) if ONE_OF_MANY.search(text)] == []


@pytest.mark.parametrize("name", EVERY)
def test_no_sentence_is_put_together_clumsily(name: str) -> None:
    found = [
        (fault, text) for text in sentences(EVERY[name]) for fault, how in CLUMSY.items() if how.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("name", EVERY)
def test_every_button_is_heard_with_what_it_is_about(name: str) -> None:
    for button in parts(EVERY[name]["blocks"]):
        if button.get("type") != "button":
            continue
        label, heard = button["text"]["text"], button["accessibility_label"]
        assert heard.startswith(f"{label} "), heard
        assert len(heard) <= 75


@pytest.mark.parametrize("name", EVERY)
def test_one_button_of_a_row_is_the_first_to_press_and_it_stands_first(name: str) -> None:
    for row in parts(EVERY[name]["blocks"]):
        if row.get("type") == "actions":
            styles = [button.get("style") for button in row["elements"]]
            assert "primary" not in styles[1:]
            assert styles.count("danger") <= 1


@pytest.mark.parametrize("name", EVERY)
def test_what_is_dangerous_says_so_in_words_and_asks_once_more(name: str) -> None:
    drawn = json.dumps(EVERY[name], ensure_ascii=False)
    asks = [
        button
        for button in parts(EVERY[name]["blocks"])
        if button.get("confirm", {}).get("title", {}).get("text") == "Run it?"
    ]
    assert bool(asks) <= ("⚠️ Marked as dangerous" in drawn)
    assert all("style" not in button for button in asks)


@pytest.mark.parametrize("name", EVERY)
def test_no_line_stands_beside_another_line_or_at_an_end(name: str) -> None:
    kinds = [block["type"] for block in EVERY[name]["blocks"]]
    assert kinds[0] != "divider"
    assert kinds[-1] != "divider"
    assert ("divider", "divider") not in pairwise(kinds)


@pytest.mark.parametrize("name", EVERY)
def test_the_text_of_a_message_is_words_that_end(name: str) -> None:
    text = EVERY[name].get("text")
    if text is not None and not name.startswith(("answer", "opening", "list", "help")):
        assert re.search(r"[.?]$", text), text


def test_the_second_opinion_passes_over_no_field() -> None:
    text = {"type": "plain_text", "text": "x"}
    assert second_opinion([{"type": "section", "text": text, "block_id": "b"}]) == []
    [told] = second_opinion([{"type": "section", "text": text, "expand": True}])
    assert "expand" in told
    element = {"type": "plain_text_input", "action_id": "a", "placeholder": text}
    [told] = second_opinion([{"type": "input", "label": text, "element": element}])
    assert "placeholder" in told
