"""Everything that has to hold for whatever is given to Slack, in one place."""

import json
import re
import unicodedata
from typing import Any

from bot.sandbox.blocks import check_message, check_view
from bot.slack.message import Message
from bot.slack.text import moment
from tests.slack.reading import links, texts
from tests.slack.samples import NOW
from tests.slack.second_opinion import second_opinion

ALIVE = re.compile(r"<(?:[!@#][^>]*|[a-z]+:[^>]*)>?", re.IGNORECASE)
OURS = re.compile(
    re.escape(moment(NOW)) + r"|<@U0(?:ALICE|BOB|VOTER\d+|PERSON\d+)>|"
    r"<https://a\.example/C0GENERAL/1\.000[12]00\|Open the (?:card|thread)>"
)
ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]*)?([/?#][!-~]*)?")
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def assert_fit_for_slack(message: Message) -> None:
    assert message.text.strip()
    assert len(message.text) <= 3_000
    is_answer = any(block["type"] == "markdown" for block in message.blocks)
    assert len(json.dumps(message.blocks)) <= 12_000 or is_answer
    assert check_message(message.blocks, message.text) == []
    assert second_opinion(message) == []
    assert_harmless(message.blocks, message.text)


def assert_view_fit_for_slack(view: dict[str, Any]) -> None:
    assert check_view(view) == []
    assert second_opinion(view) == []
    assert len(json.dumps(view)) < 250_000
    assert_harmless(view["blocks"])


def assert_harmless(blocks: list[dict[str, Any]], *plain: str) -> None:
    """Nothing untrusted is alive, nothing is hidden; what is alive is a mention or a date of ours."""
    assert [link for link in links(blocks) if not _is_plain(link)] == []
    for _, text in [*texts(blocks), *(("text", each) for each in plain)]:
        assert ALIVE.search(OURS.sub("", text)) is None, text
    for text in _shown(blocks):
        hidden = [
            each for each in text if unicodedata.category(each) in HIDDEN and each not in "\n\t\u200d\u200b"
        ]
        assert hidden == [], text


def _is_plain(link: dict[str, Any]) -> bool:
    """Whether it leads where it says that it leads."""
    return "text" not in link and bool(ADDRESS.fullmatch(link["url"]))


def _shown(part: object) -> list[str]:
    """All words that a person sees, without what stands in an input to be edited."""
    match part:
        case dict():
            return [
                words
                for name, inner in part.items()
                if name not in ("initial_value", "value", "block_id", "action_id", "private_metadata")
                for words in _shown(inner)
            ]
        case list():
            return [words for inner in part for words in _shown(inner)]
        case str():
            return [part]
        case _:
            return []
