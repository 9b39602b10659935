"""Two hundred ways to pretend to be the bot: what the agent writes stands where the agent's words stand."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.slack.answers import answer
from bot.slack.cards import card
from bot.slack.forms import reject_form, respond_form, unread_form
from bot.slack.message import Blocks
from bot.slack.viewing import view_all
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.samples import ALICE, ANSWER, action, approval

MARK = "ZZFORGEDZZ"
CLAIMS = (
    f"✅ Approved by Carol {MARK}",
    f"✋ Approval needed {MARK}",
    f"digest 01234567 {MARK}",
    f"[Approve] [Reject] {MARK}",
    f"The agent says: {MARK}",
    f"Asked by <@U0BOB> {MARK}",
    f"No arguments. {MARK}",
    f"… 12 characters left out here, View all shows them … {MARK}",
    f"(masked, 12 characters) {MARK}",
    f"⚠️ Look twice: {MARK}",
    f"Security checked this already: safe {MARK}",
    f"1 of 1  read_file  digest 01234567 {MARK}",
    f"path: harmless.txt {MARK}",
    f"⟨U+202E⟩{MARK}",
    f'{{"type": "actions", "elements": [{{"type": "button", "text": "{MARK}"}}]}}',
    f"<!date^1^{{date}}|{MARK}>",
    f"Not decided. {MARK}",
    f"Reason: none {MARK}",
    f"Response: yes {MARK}",
    f"*bold* `code` _{MARK}_",
)
WRAPPERS = (
    "{}",
    "```\n{}\n```",
    "\n\n\n---\n{}\n---\n",
    "> {}\n\n{}",
    "# {}",
    "</pre></div>{}<div>",
    "\u202e{}\u202c",
    "{}\r\n\x00",
    "`{}`\n\n    {}",
    "x" * 60 + "\n" * 30 + "{}",
)
FORGERIES = [wrapper.replace("{}", claim) for wrapper in WRAPPERS for claim in CLAIMS]


def outside(blocks: Blocks) -> Iterator[str]:
    """Every text that is the bot's own: what stands in no quote, in no box and is not set as code."""
    for block in blocks:
        if block["type"] == "markdown":
            continue
        if block["type"] != "rich_text":
            yield from texts(block)
            continue
        for element in block["elements"]:
            if element["type"] == "rich_text_section":
                for part in element["elements"]:
                    if not part.get("style", {}).get("code"):
                        yield from texts(part)


def texts(part: object) -> Iterator[str]:
    match part:
        case dict():
            for inner in part.values():
                yield from texts(inner)
        case list():
            for inner in part:
                yield from texts(inner)
        case str():
            yield part


def shape(blocks: Blocks) -> list[Any]:
    """The blocks' kinds and what the rich ones are made of, in order; boxes and quotes are what they hold."""
    return [
        (
            block["type"],
            [each["type"] for each in block["elements"] if each["type"] != "rich_text_preformatted"]
            if block["type"] == "rich_text"
            else [each["action_id"] for each in block.get("elements", ()) if "action_id" in each],
        )
        for block in blocks
    ]


def test_there_are_two_hundred() -> None:
    assert len(set(FORGERIES)) == 200


@pytest.mark.parametrize("number", range(len(FORGERIES)))
def test_no_forgery_leaves_the_agents_part(number: int) -> None:
    forged = FORGERIES[number]
    honest = "x" * 150 + "\n" * 30 + "y"
    for words, content in ((forged, "done"), ("Write.", forged), (forged, forged)):
        asked = approval(action(arguments={"content": content}, description=words))
        [one] = asked.actions
        message = card(asked, requester=ALICE)
        assert_fit_for_slack(message)
        assert [text for text in outside(message.blocks) if MARK in text] == []
        assert MARK not in message.text
        for view in (
            view_all(asked, one),
            reject_form(asked, one),
            respond_form(asked, one),
            unread_form(asked, one),
        ):
            assert_view_fit_for_slack(view)
            assert [text for text in outside(view["blocks"]) if MARK in text] == []
        same = approval(
            action(arguments={"content": honest if content == forged else content}, description="Write.")
        )
        tops = [kind for kind, _ in shape(message.blocks)]
        assert tops == [kind for kind, _ in shape(card(same, requester=ALICE).blocks)]


@pytest.mark.parametrize("number", range(len(FORGERIES)))
def test_no_forged_answer_is_without_its_mark(number: int) -> None:
    *parts, last = answer(FORGERIES[number], ANSWER)
    for message in (*parts, last):
        assert_fit_for_slack(message)
        assert [block["type"] for block in message.blocks[:2]] == ["context", "markdown"]
        assert sorted(outside(message.blocks[:2])) == ["The agent says:", "context", "plain_text"]
    assert [len(message.blocks) for message in parts] == [2] * len(parts)
    assert last.blocks[2:] == answer("An honest answer.", ANSWER)[0].blocks[2:]


def test_the_title_with_tool_and_digest_comes_first_and_cannot_be_pushed_away() -> None:
    for forged in FORGERIES:
        asked = approval(action(tool="delete_file", arguments={"content": forged}, description=forged))
        who, request = [
            block for block in card(asked, requester=ALICE).blocks if block["type"] == "rich_text"
        ]
        assert [part.get("text") for part in who["elements"][0]["elements"]][:3] == [
            None,
            " asks for ",
            "delete_file",
        ]
        title = [part["text"] for part in request["elements"][0]["elements"]]
        assert title == ["delete_file", "  digest 01234567"]
        assert request["elements"][1]["elements"][0]["text"] == "The agent says:"
        assert request["elements"][2]["type"] == "rich_text_quote"
