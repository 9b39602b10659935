"""Whatever people read or hear is said in their language: nothing of ours stands outside of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from gettext import NullTranslations
from typing import Any, Final

import pytest
from slack_sdk.models.blocks import RichTextElement

from bot.approvals.action import Decided
from bot.approvals.asked_for import AskedFor
from bot.approvals.asking import Asking, Remembering
from bot.approvals.conversation import Status
from bot.approvals.decision import Approve, Arguments, DecisionKind, Edit
from bot.approvals.ids import ActionId, ChannelId, ConversationId, UserId
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.roster import ONE_AGENT
from bot.approvals.taking_back import InForce
from bot.approvals.together import Covered, Left, Together
from bot.approvals.words import say, say_many, spoken
from bot.slack.all_at_once import result, sheet
from bot.slack.differences import difference
from bot.slack.edits import FieldErrors, read_edit
from bot.slack.fields import MOST_INPUTS
from bot.slack.forms import edit_form, message_form, read_message
from bot.slack.not_asked import in_words
from bot.slack.own import Own, not_asked_again
from bot.slack.reviewing import review
from bot.slack.scripts import suspicions
from bot.slack.stands import STATES as STANDS
from tests.slack.samples import ALICE, BOB, NOW, action, approval
from tests.slack.test_golden import STATES, drawn
from tests.slack.test_scripts import SUSPICIOUS
from tests.slack.unspoken import Blotted, unsaid, unspoken
from tests.store.samples import conversation
from tests.test_sentences import found

OF_AGENTS: Final = frozenset(
    {
        "amount",
        "choices",
        "content",
        "csv",
        "done",
        "host",
        "more",
        "multi_select",
        "multiple",
        "new",
        "nobody",
    }
    | {
        "note",
        "options",
        "password",
        "path",
        "query",
        "question",
        "recipients",
        "sql",
        "text",
        "tool",
        "true",
    }
    | {"false", "null", "JSON", "stopped", "the agent no longer waits for it", "and", "replace", "token"}
)
"""Names and values of arguments, and notes, in the golden states, which are also words in the code."""


@pytest.mark.parametrize("name", STATES)
def test_all_that_is_ours_in_a_drawing_is_said(name: str) -> None:
    assert set(unspoken(name)) <= OF_AGENTS


def _edited(schema: dict[str, Any], typed: str) -> list[str]:
    block: dict[str, Any] = {"value": {"type": "plain_text_input", "value": typed}}
    about = action(arguments={"a": None}, schema={"properties": {"a": schema}, "required": ["a"]})
    read = read_edit(about, {"argument.0": block})
    assert isinstance(read, FieldErrors)
    return list(read.by_block.values())


def _unanswered() -> list[str]:
    read = read_message({})
    assert isinstance(read, FieldErrors)
    return list(read.by_block.values())


def _in_force(asking: Asking) -> InForce:
    one = replace(action(tool="7"), remembering=Remembering(asking=asking, terms="t"))
    decided = Decided(decision=Approve(), by=BOB, at=NOW)
    return InForce(conversation=conversation(), action=one, decided=decided)


def _sheet(kind: DecisionKind, opened: tuple[ActionId, ...] = (), long: int = 1) -> object:
    calls = [action(number, arguments={"7": "x\n" * 9_000 if number < long else "x"}) for number in range(42)]
    asked = approval(*calls)
    return sheet(Covered(calls=tuple((asked, one) for one in calls), others=1), kind, opened).view


def _doubted(word: str) -> list[str]:
    return [one.why for one in suspicions({"7": word})]


def _elements(drawn: Sequence[RichTextElement]) -> object:
    return [one.to_dict() for one in drawn]


def _reviewed() -> object:
    one = action(arguments={"7": "x"})
    shown = review(BY_DEFAULT, approval(one), one, Edit({"7": "x\n" * 90, "8": 8}), ALICE)
    return _elements(shown.elements)


def _kept() -> object:
    """A form in which some fields stay as they are, for each of the reasons."""
    arguments: Arguments = {
        **{f"{number}": f"{number}" for number in range(MOST_INPUTS + 9)},
        "0": "7" * 4_000,
        "1": "\x00",
    }
    one = action(arguments=arguments)
    return edit_form(approval(one), one)


TOLD: Final[dict[str, Callable[[], object]]] = {
    "no number": lambda: _edited({"type": "number"}, "x"),
    "no whole number": lambda: _edited({"type": "integer"}, "x"),
    "an infinite number": lambda: _edited({"type": "number"}, "inf"),
    "no date": lambda: _edited({"type": "string", "format": "date"}, "x"),
    "no choice": lambda: _edited({"enum": ["7"]}, "x"),
    "no truth": lambda: _edited({"type": "boolean"}, "x"),
    "nothing": lambda: _edited({"type": "integer"}, ""),
    "no JSON number": lambda: _edited({"type": "array"}, "NaN"),
    "deep JSON": lambda: _edited({"type": "array"}, "[" * 300 + "]" * 300),
    "JSON too deep to be read": lambda: _edited({"type": "array"}, "[" * 99_000),
    "no answer": _unanswered,
    "a refusal": lambda: message_form(say("Cancel")),
    "what became of none": lambda: result(DecisionKind.APPROVE, Together(decided=0, left=())),
    "what became of many": lambda: result(
        DecisionKind.REJECT,
        Together(decided=2, waiting=1, left=tuple(Left(why=f"{n}", by=BOB if n else None) for n in range(9))),
    ),
    "what became of others": lambda: result(
        DecisionKind.APPROVE, Together(decided=2, waiting=2, left=tuple(Left(why=f"{n}") for n in range(9)))
    ),
    "approve all, of some that are long": lambda: _sheet(DecisionKind.APPROVE),
    "approve all, opened": lambda: _sheet(DecisionKind.APPROVE, (action(0).id,)),
    "approve all, all long": lambda: _sheet(DecisionKind.APPROVE, long=42),
    "reject all, of some that are long": lambda: _sheet(DecisionKind.REJECT),
    "a call remembered": lambda: in_words(_in_force(Asking.ONCE)),
    "a tool remembered": lambda: in_words(_in_force(Asking.ONCE_PER_TOOL)),
    "more remembered than a list tells": lambda: not_asked_again([_in_force(Asking.ONCE)] * 12),
    "fields that stay": _kept,
    "a difference": lambda: _elements(
        difference("a\n" * 90 + "b", "a\n" * 9 + "c\n" + "a\n" * 80 + "d", 9_000).elements
    ),
    "a difference that is cut": lambda: _elements(difference("a\n" * 90, "b\n" * 80, 600).elements),
    "an edit before it is sent": _reviewed,
    **{f"a conversation that is {status}": partial(say, words) for status, words in STANDS.items()},
    **{f"the word {word}": partial(_doubted, word) for word, _ in SUSPICIOUS},
}


@pytest.mark.parametrize("name", TOLD)
def test_all_that_is_ours_in_what_is_told_is_said(name: str) -> None:
    with spoken(Blotted()):
        told = TOLD[name]()
    assert "~" in str(told)
    assert unsaid(told) == []


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("~~~: View all ~~", ["View all"]),
        ({"text": "✋ Approve, 2"}, ["Approve"]),
        ({"text": "Approve", "style": {"code": True}}, []),
        (
            {"accessibility_label": "Reject", "value": "Approve", "elements": [{"fallback": "Stop"}]},
            ["Reject", "Stop"],
        ),
        (["~~", "not a word of it"], []),
        (
            ["~~ `rm` is not a tool that people could be asked about, so it was not run. ~~"],
            ["`rm` is not a tool that people could be asked about, so it was not run."],
        ),
    ],
)
def test_what_nobody_said_is_found(told: object, found: list[str]) -> None:
    assert unsaid(told) == found


def test_a_blotted_sentence_has_its_places_and_is_as_long() -> None:
    with spoken(Blotted()):
        assert say("*{tool}* ran {count:,} times", tool="rm", count=1_000) == "*rm* ~~~ 1,000 ~~~~~"
        assert say_many("{count} time", "{count} times", 1) == "1 ~~~~"


class Conversations:
    """One of each person's, in a channel, and nothing to be found out about others."""

    def __init__(self, *mine: AskedFor, of_others: Sequence[AskedFor] = ()) -> None:
        self.mine, self.others = mine, of_others

    roster = ONE_AGENT

    async def of(self, by: UserId) -> Sequence[AskedFor]:  # noqa: ARG002 - as the real one
        return self.mine

    async def of_others(self, channel: ChannelId, by: UserId) -> Sequence[AskedFor]:  # noqa: ARG002 - as the real one
        return self.others

    async def stop(self, id: ConversationId, *, by: UserId) -> None:
        pass

    async def remembered(self, by: UserId) -> Sequence[InForce]:  # noqa: ARG002 - as the real one
        return [_in_force(Asking.ONCE)]


HERE, ELSEWHERE = ChannelId("C0HERE"), ChannelId("C0ELSEWHERE")


def _under_way(channel: ChannelId) -> AskedFor:
    return AskedFor(conversation=replace(conversation(status=Status.WORKING), channel=channel), words="7")


@pytest.mark.parametrize(
    "conversations",
    [
        Conversations(),
        Conversations(_under_way(HERE), of_others=[_under_way(HERE)]),
        Conversations(_under_way(HERE), _under_way(HERE)),
        Conversations(_under_way(ELSEWHERE)),
    ],
    ids=["none", "one", "several", "elsewhere"],
)
async def test_all_that_is_ours_in_what_a_person_asked_for_is_said(conversations: Any) -> None:  # noqa: ANN401 - stands for three
    own = Own(own=conversations, steering=conversations, private=conversations, workspace_url="https://a.b/")
    with spoken(Blotted()):
        listed, stopped = await own.status(BOB, HERE), await own.cancel(BOB, HERE)
    for told in (listed, stopped):
        drawn = told if isinstance(told, str) else {"text": told.text, "blocks": told.blocks}
        assert "~" in str(drawn)
        assert unsaid(drawn) == []


class Recorded(NullTranslations):
    """English, and all that was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: set[str] = set()

    def gettext(self, message: str) -> str:
        self.messages.add(message)
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        self.messages |= {msgid1, msgid2}
        return super().ngettext(msgid1, msgid2, n)


def test_every_message_that_is_said_gets_into_the_catalogues() -> None:
    """Not one, for example, that a constant holds which no `phrase` marks."""
    recorded = Recorded()
    with spoken(recorded):
        for name in STATES:
            drawn(name)
        for told in TOLD.values():
            told()
    assert len(recorded.messages) > 250
    assert recorded.messages - found() == set()
