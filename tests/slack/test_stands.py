"""Where conversations stand, as a person is told privately."""

import random
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.asked_for import AskedFor
from bot.approvals.conversation import Status
from bot.approvals.ids import ConversationId, Ts
from bot.slack.message import size
from bot.slack.stands import LARGEST, MOST_SHOWN, STATES, Group, link_to, listed
from tests.slack import hostile
from tests.slack.second_opinion import second_opinion
from tests.store.samples import approval, conversation

URL = "https://team.slack.com/"


def one(words: str = "tidy up", status: Status = Status.WORKING, **more: Any) -> AskedFor:  # noqa: ANN401 - as AskedFor
    about = conversation(status=status, thread_ts=Ts("1.000100"))
    return AskedFor(conversation=about, words=words, **more)


def drawn(*shown: AskedFor, stoppable: bool = True) -> list[dict[str, Any]]:
    told = listed([Group(title="Yours:", shown=shown, stoppable=stoppable)], URL)
    assert second_opinion({"text": told.text, "blocks": told.blocks}) == []
    return told.blocks


def words_of(block: dict[str, Any]) -> str:
    parts = block["elements"][0]["elements"]
    return "".join(part.get("text") or part.get("user_id") or part.get("fallback", "") for part in parts)


@pytest.mark.parametrize("status", list(Status))
def test_a_stop_stands_at_what_is_under_way_and_not_being_stopped(status: Status) -> None:
    blocks = drawn(one(status=status))
    assert STATES[status] in words_of(blocks[1])
    stops = [block for block in blocks if block["type"] == "actions"]
    assert len(stops) == (0 if status in {Status.IDLE, Status.CANCELLING} else 1)
    assert all(stop["elements"][0]["value"] == one().conversation.id for stop in stops)


def test_no_stop_stands_at_what_others_asked_for_and_they_are_named() -> None:
    blocks = drawn(one(), stoppable=False)
    assert [block["type"] for block in blocks] == ["section", "rich_text"]
    assert "Asked by U0ALICE, " in words_of(blocks[1])


def test_the_tools_that_people_are_asked_about_are_named() -> None:
    asked = approval()
    [_, told, _] = drawn(one(status=Status.WAITING, waiting=(asked,)))
    assert f"waits for a decision about {asked.actions[0].tool}" in words_of(told)


def test_more_than_three_tools_are_counted() -> None:
    asked = approval()
    tools = tuple(
        replace(asked.actions[0], id=f"a{number}", tool=f"tool{number}")  # type: ignore[arg-type]
        for number in range(5)
    )
    [_, told, _] = drawn(one(status=Status.WAITING, waiting=(replace(asked, actions=tools),)))
    assert "about tool0, tool1, tool2 and 2 more. " in words_of(told)


def test_what_was_asked_stays_text_and_is_cut() -> None:
    [_, told, _] = drawn(one("<!channel> *bold*\n" + "x" * 500))
    assert words_of(told).startswith("“<!channel> *bold*⏎xxx")
    assert "…”" in words_of(told)
    assert len(words_of(told)) < 250


def test_no_text_breaks_the_list() -> None:
    rng = random.Random(5)  # noqa: S311 - repeatable on purpose
    for _ in range(200):
        drawn(one(hostile.text(rng)))


def test_a_secret_in_what_was_asked_is_masked() -> None:
    secret = "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx"
    assert secret not in str(drawn(one(f"use {secret}")))


def test_what_does_not_fit_is_counted() -> None:
    many = [one("y" * 300) for _ in range(MOST_SHOWN + 30)]
    told = listed([Group(title="Yours:", shown=many)], URL)
    shown = sum(1 for block in told.blocks if block["type"] == "rich_text")
    assert 5 < shown <= MOST_SHOWN
    assert size(told.blocks) <= LARGEST + 300
    assert told.blocks[-1]["text"]["text"] == f"*… and {len(many) - shown} more.*"
    assert f"… and {len(many) - shown} more." in told.text


def test_without_blocks_it_is_told_in_lines() -> None:
    told = listed([Group(title="Yours:", shown=[one("a <b>"), one(status=Status.IDLE)])], URL, ["below"])
    assert told.text == "Yours:\n• a &lt;b&gt;: the agent works\n• tidy up: finished\nbelow"


def test_a_thread_without_a_message_has_no_link() -> None:
    about = conversation(thread_ts=None)
    assert link_to(about, URL) == ""
    there = replace(about, thread_ts=Ts("1.000100"), id=ConversationId("x"))
    assert link_to(there, URL) == f"{URL}archives/{about.channel}/p1000100"
