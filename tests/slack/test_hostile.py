"""What is shown is what runs: hostile arguments through everything that is drawn.

All 10,000 by `WHOLE=1 pytest tests/slack/test_hostile.py`; without it a tenth of them.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.approvals.approval import Approval
from bot.approvals.conversation import Post, PostKind
from bot.approvals.decision import Approve, Arguments, Edit, Json, Reject, Respond
from bot.approvals.ids import ConversationId, PostId
from bot.slack.answers import answer, failure, notice, opening, refusal
from bot.slack.arguments import as_json_text, as_text
from bot.slack.cards import card
from bot.slack.doubts import ran_form
from bot.slack.forms import edit_form, message_form, reject_form, respond_form, unread_form
from bot.slack.headlines import sentence
from bot.slack.home import home
from bot.slack.literal import in_line, shown
from bot.slack.text import visible
from bot.slack.viewing import view_all
from bot.slack.waiting import escalation, expiry, reminder
from tests.slack.hostile import INVISIBLE, calls
from tests.slack.limits import ALIVE, OURS, assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import original, original_of_line
from tests.slack.samples import ALICE, ANSWER, BOB, NOW, action, approval
from tests.slack.test_home import address, bobs, waiting
from tests.whole import WHOLE

COUNT = 10_000 if WHOLE else 1_000
SHARES = 10
LIST = "\x00 a list \x00"
"""Before what stands as a list; no text that is made here begins with it."""
Element = dict[str, Any]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("share", range(SHARES))
def test_hostile_arguments_are_shown_as_they_are_everywhere(share: int) -> None:
    one_by_one = 0
    for arguments in calls(COUNT // SHARES, seed=share):
        texts = [one for one in arguments.values() if isinstance(one, str)] or [""]
        asked = approval(action(tool=texts[-1][:100], arguments=arguments, description=texts[0]))
        message = card(asked, requester=ALICE)
        assert_fit_for_slack(message)
        one_by_one += check_card(arguments, message.blocks)
        check_pages(asked, arguments)
        check_forms(asked)
        check_decided(asked, texts)
        check_sentences(asked, texts[0])
    assert one_by_one > COUNT // SHARES // 10


def check_card(arguments: Arguments, blocks: list[dict[str, Any]]) -> int:
    """What the card shows of each argument is the argument, or its beginning and its end; tells how many."""
    [request] = [block for block in blocks if block.get("block_id", "").endswith(".request")]
    told = list(shown_arguments(request["elements"]))
    if len(told) != len(arguments):  # so many, or so long, that they stand in one list or in one line
        return 0
    for (label, (head, tail, left_out)), (name, value) in zip(told, arguments.items(), strict=True):
        text = as_text(value)
        assert label == (in_line(name, 120)[0] or '""')
        if head.startswith(LIST):
            assert isinstance(value, list)
            items, first, last = (
                [as_text(one) for one in value],
                json.loads(head.removeprefix(LIST)),
                json.loads(tail or "[]"),
            )
            assert items[: len(first)] == first
            assert items[len(items) - len(last) :] == last
            assert len(first) + len(last) + left_out == len(items)
            continue
        assert text.startswith(head), (head, text)
        assert text.endswith(tail), (tail, text)
        assert len(head) + len(tail) + left_out == len(text) or left_out < 0
    return len(told)


def shown_arguments(elements: list[Element]) -> Iterator[tuple[str, tuple[str, str, int]]]:
    """By name: what is shown of the beginning, of the end, and how much was left out; -1 if not told."""
    name, boxes, left_out = "", list[str](), 0
    for element in [*elements, {"type": "end", "elements": [{"text": "", "style": {"bold": True}}]}]:
        parts = element["elements"]
        if element["type"] == "rich_text_list":
            items = [original_of_line(part["elements"][0]["text"]) for part in parts]
            boxes.append(
                f"{LIST}{json.dumps(items, ensure_ascii=False)}"
            )  # escaped, halves of a pair become one
        elif element["type"] == "rich_text_preformatted":
            boxes.append("".join(part["text"] for part in parts))
        elif parts[0].get("style") == {"bold": True}:
            if boxes and boxes[0].startswith(LIST):
                yield name, (boxes[0], boxes[1].removeprefix(LIST) if boxes[1:] else "", left_out)
            elif boxes:
                yield (
                    name,
                    (original(boxes[0]), original(boxes[1]) if left_out and boxes[1:] else "", left_out),
                )
            name, boxes, left_out = parts[0]["text"], [], 0
            if len(parts) > 2 and parts[2].get("style") == {"code": True}:
                yield name, (original_of_line(parts[2]["text"]), "", -1 if parts[3:] else 0)
        elif "left out here, View all" in parts[0]["text"] and parts[0].get("style") == {"italic": True}:
            left_out = int(parts[0]["text"].split()[1].replace(",", ""))


def check_pages(asked: Approval, arguments: Arguments) -> None:
    """All pages together show every character."""
    [one] = asked.actions
    elements: list[Element] = []
    page = 0
    while True:
        view = view_all(asked, one, page)
        assert_view_fit_for_slack(view)
        for block in view["blocks"]:
            elements += block["elements"] if block["type"] == "rich_text" else []
        page += 1
        if not any(
            part.get("action_id") == "next" for block in view["blocks"] for part in block.get("elements", ())
        ):
            break
    told = list(in_full(elements))
    assert [text for _, text in told] == [expected(value) for value in arguments.values()]
    for (label, _), name in zip(told, arguments, strict=True):
        whole = original_of_line(label.removesuffix("…"))
        assert whole == (name or '""') or (name.startswith(whole) and label.endswith("…"))


def in_full(elements: list[Element]) -> Iterator[tuple[str, str]]:
    name, boxes = "", list[str]()
    for element in elements:
        parts = element["elements"]
        if element["type"] == "rich_text_preformatted":
            boxes.append("".join(part["text"] for part in parts))
        elif parts[0]["text"].startswith("The whole name") or (
            len(parts) == 2 and parts[1]["text"].endswith("):")
        ):
            if name and not name.startswith("The whole name"):
                yield name, original("".join(boxes))
            name, boxes = parts[0]["text"], []
    yield name, original("".join(boxes))


def expected(value: Json) -> str:
    """What View all shows: texts as they are, anything else and texts without a visible character as JSON."""
    return value if isinstance(value, str) and shown(value).strip() else as_json_text(value)


def check_forms(asked: Approval) -> None:
    [one] = asked.actions
    form = edit_form(asked, one)
    assert_view_fit_for_slack(form)
    for view in (
        reject_form(asked, one),
        respond_form(asked, one),
        unread_form(asked, one),
        ran_form(asked, one),
    ):
        assert_view_fit_for_slack(view)
    values = [*one.arguments.values()]
    for block in form["blocks"]:
        if block["type"] == "input" and block["element"]["type"] == "plain_text_input":
            value = values[int(block["block_id"].split(".")[1])]
            if isinstance(value, str):
                assert block["element"].get("initial_value", "") == value


def check_decided(asked: Approval, texts: list[str]) -> None:
    [one] = asked.actions
    edited = {**one.arguments, "more": texts[-1]}
    for decision in (Approve(), Edit(edited), Reject(texts[0]), Respond(texts[0])):
        made = asked.decide(one.id, decision, by=BOB, at=NOW)
        assert_fit_for_slack(card(made, requester=ALICE))


def check_sentences(asked: Approval, text: str) -> None:
    post = Post(id=PostId("p"), conversation=ConversationId("c"), kind=PostKind.FAILURE, text=text)
    for message in (*answer(text, ANSWER), notice(text), failure(post), opening(ALICE, text)):
        assert_fit_for_slack(message)
    for words in (refusal(text), sentence(asked, ALICE)):
        assert not ALIVE.search(OURS.sub("", words))
    for told in (reminder(asked, text), escalation(asked, text), expiry(asked)):
        assert told
        assert_fit_for_slack(told)
    assert_view_fit_for_slack(message_form(text))
    assert_view_fit_for_slack(home(bobs(waiting(asked)), address))


def test_every_invisible_code_point_is_shown_by_its_code_on_the_card_and_in_view_all() -> None:
    few = [code for code in INVISIBLE if not code >= 0xF0000 or code % 97 == 0]
    for start in range(0, len(few), 150):
        text = "x".join(map(chr, few[start : start + 150]))
        asked = approval(action(arguments={"text": text, text[:20]: 1}, description=text))
        assert_fit_for_slack(card(asked, requester=ALICE))
        check_pages(asked, asked.actions[0].arguments)


def test_every_invisible_code_point_is_written_and_can_be_read_back() -> None:
    for code in INVISIBLE:
        assert visible(f"a{chr(code)}b") == shown(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"
        assert original(f"a⟨U+{code:04X}⟩b") == f"a{chr(code)}b"
