"""What one person alone is told, and a thread beside its cards, has no word of English of its own."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from bot.agents.schemas import check
from bot.agents.snapshot import sentence
from bot.agents.wire import Unreadable, interrupt_from
from bot.approvals.conversation import Status
from bot.approvals.decision import Approve, Reject
from bot.approvals.errors import InvalidArguments
from bot.approvals.ids import PostId
from bot.approvals.inbox import Request
from bot.approvals.person import Standing
from bot.approvals.roster import Roster
from bot.approvals.sayings import uttered
from bot.approvals.words import say, spoken
from bot.slack.answers import opening
from bot.slack.hearing import outcome
from bot.slack.pending import every, mine
from bot.slack.shortcuts import About, ask_form
from bot.slack.talk import HELP
from bot.slack.turning import as_edited, chosen
from bot.slack.turns import kept
from bot.slack.waiting import escalation, expiry, reminder
from tests.slack.samples import ALICE, BOB, NOW, action, approval, decided
from tests.slack.test_pending import MEMBER, address, asked, waits
from tests.slack.unspoken import Blotted
from tests.store.samples import conversation, post

ONE: Final = replace(approval(action(0, "7")), expires_at=NOW + timedelta(hours=1))
ABOUT: Final = About(channel="7", ts="7", thread="7", fingerprint="7")
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"7": {}}, "required": ["7"]}
WAITS: Final = replace(MEMBER, waiting=(waits(ONE), waits(ONE, BOB)), more=7, is_partial=True)
REQUESTS: Final = tuple(
    Request(conversation=conversation(status=status), words="7", tools=("7",)) for status in Status
)


def refused(do: Callable[[], object]) -> list[str]:
    """By argument, what a form is told."""
    try:
        do()
    except InvalidArguments as no:
        return list(no.fields.values())
    raise AssertionError("it was taken")


def unreadable(value: object) -> str:
    """What people are told of an interrupt that cannot be shown."""
    with pytest.raises(Unreadable) as raised:
        interrupt_from("7", value, (), "7")
    return uttered(raised.value.args[0])


TOLD: Final[dict[str, Callable[[], object]]] = {
    "pending": lambda: mine(replace(WAITS, requests=REQUESTS), address),
    "pending, nothing": lambda: mine(MEMBER, address),
    "pending, nobody known": lambda: mine(replace(MEMBER, standing=None), address),
    **{
        f"pending, a {who}": lambda who=who: mine(replace(MEMBER, standing=who), address)  # type: ignore[misc]
        for who in Standing
        if who is not Standing.MEMBER
    },
    "pending all": lambda: every(replace(MEMBER, every=(asked(ONE),), total=9), address),
    "pending all, nothing": lambda: every(replace(MEMBER, every=()), address),
    "pending all, of no operator": lambda: every(MEMBER, address),
    "help": lambda: re.sub(r"\*/agent.*?\*", "", say(HELP)),
    "the form of the shortcut": lambda: ask_form(ABOUT, "7" * 9, ALICE),
    "the form, of an app, long": lambda: ask_form(ABOUT, "7\n" * 9_000, "7"),
    "the form, of several agents": lambda: ask_form(ABOUT, "7", ALICE, Roster(names=("7", "8"))),  # type: ignore[arg-type]
    "a message that waits": lambda: kept(replace(post(), id=PostId("7"))).blocks,
    "a message that was the reason": lambda: kept(replace(post(), settled_by=BOB)).blocks,
    "a message that waits no more": lambda: kept(replace(post(), settled_by="")).blocks,  # type: ignore[arg-type]
    "an outcome": lambda: told(outcome(decided(approval(action(0, "7"), action(1, "7")), [Approve()] * 2))),
    "outcomes": lambda: told(
        outcome(
            decided(
                approval(action(0, "7"), action(1, "8"), action(2, "9")), [Approve(), Reject()], first=2
            ).expire(NOW)
        )
    ),
    "a reminder": lambda: told(reminder(ONE, "7")),
    "an escalation": lambda: told(escalation(replace(ONE, escalated_to=frozenset({BOB})), "7")),
    "an expiry": lambda: told(expiry(ONE.expire(NOW))),
    "an opening": lambda: opening(ALICE, "7" * 9_000).blocks,
    "an opening, to an agent": lambda: opening(ALICE, "7", "8").blocks,
    "no argument": lambda: refused(lambda: check(SCHEMA | {"additionalProperties": False}, {"8": 8})),
    "a missing argument": lambda: refused(lambda: check(SCHEMA, {})),
    "half a character": lambda: refused(lambda: check(SCHEMA, {"7": "\ud800"})),
    "no JSON": lambda: refused(lambda: check(SCHEMA, {"7": float("nan")})),
    "a tool that failed": lambda: uttered(sentence("7", "7", "7", {"7"})),
    "a model that failed": lambda: uttered(sentence("model", "7", "", ())),
    "a step that failed": lambda: uttered(sentence("7", "7", "", ())),
    "what is unreadable": lambda: unreadable(7).replace("int", ""),
    "no actions": lambda: unreadable({"action_requests": []}),
    "an action without a name": lambda: unreadable({"action_requests": [7], "review_configs": [7]}),
    "no decisions": lambda: unreadable(
        {"action_requests": [{"name": "7", "args": {}}], "review_configs": [7]}
    ),
    "no such tool": lambda: no(lambda: as_edited(ONE.actions[0], "8")),
    "no such choice": lambda: no(lambda: chosen(ONE.actions[0], "8")),
}


def told(message: Any) -> object:  # noqa: ANN401 - a message or none
    assert message is not None
    return message.blocks


def no(do: Callable[[], object]) -> str:
    with pytest.raises(Exception, match="~") as raised:
        do()
    return str(raised.value)


def read(node: object) -> Iterator[str]:
    """Every text that people read or hear."""
    match node:
        case str():
            yield node
        case dict():
            for key, value in node.items():
                if key in {"text", "title", "accessibility_label", "fallback"} or not isinstance(value, str):
                    yield from read(value)
        case list() | tuple():
            for value in node:
                yield from read(value)
        case _:
            return


def english(node: object) -> list[str]:
    """The words in it; mentions, addresses and times are none, and neither is what they are shown as."""
    bare = (re.sub(r"<[@!][^>]*>|<https?:[^|>]*|\{[^}]*\}", "", text) for text in read(node))
    return [word for text in bare for word in re.findall(r"[A-Za-z]{2,}", text.replace("UTC", ""))]


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told_has_no_word_in_it_that_nobody_said(name: str) -> None:
    with spoken(Blotted()):
        drawn = TOLD[name]()
    assert "~" in str(drawn)
    assert english(drawn) == []


def test_a_word_that_nobody_said_is_found() -> None:
    assert english([{"text": {"text": "~~ Open"}, "value": "open"}, "<@U0BOB> asked"]) == ["Open", "asked"]
