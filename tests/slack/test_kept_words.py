"""What a row keeps is said in the language of whoever reads it: one row, drawn for one person and for all."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from string import Formatter
from typing import Final

import pytest

from bot.agents.snapshot import sentence
from bot.approvals import endings, standings
from bot.approvals.approval import Approval, State
from bot.approvals.asked_for import AskedFor
from bot.approvals.briefing import Briefing
from bot.approvals.conversation import Conversation, Post, PostKind, Status
from bot.approvals.decision import Approve, DecisionKind
from bot.approvals.errors import AlreadyDecided
from bot.approvals.ids import ChannelId, ConversationId, GroupId, PostId, Ts
from bot.approvals.inbox import Inbox, Mine, Request, Ruled
from bot.approvals.person import Standing
from bot.approvals.plan import Course, Plan, Stand, Task
from bot.approvals.policy import by_action, in_words
from bot.approvals.ports import Asked
from bot.approvals.refusing import NO_LONGER_WAITS
from bot.approvals.remaining import NOBODY_LEFT
from bot.approvals.repairing import THEN, Fault
from bot.approvals.sayings import Saying, from_json, joined, saying, to_json
from bot.approvals.terms import Terms
from bot.approvals.together import Left, Together
from bot.approvals.turns import KEPT, UNANSWERED
from bot.approvals.who import ChannelMembers, Members, MembersOf, One, Quorum, Requester, UserGroup
from bot.approvals.words import public_language, spoken
from bot.slack.all_at_once import result
from bot.slack.answers import refusal
from bot.slack.drawing import Drawing
from bot.slack.forms import message_form
from bot.slack.home import home
from bot.slack.pending import every, mine
from bot.slack.shortcuts import ASKED_ABOUT, ASKED_AND
from bot.slack.stands import Group, listed
from bot.slack.viewing import view_all
from tests.slack.samples import ALICE, BOB, NOW, action, approval
from tests.slack.unspoken import Blotted, unsaid

BOTS: Final = ChannelId("D0ALICE")
SEVERAL: Final = Terms(
    approvers=(),
    require=(
        Quorum(approvers=(ChannelMembers(), Members(), Requester(), One(BOB)), count=2),
        Quorum(approvers=(UserGroup(GroupId("S0RELEASE"), "7"), MembersOf(ChannelId("C0OPS"), "#7"))),
    ),
)
WHO: Final = by_action([in_words(SEVERAL, frozenset({ALICE})), in_words(Terms(approvers=(Members(),)))])
SHORTEST: Final = 8
"""Characters of a piece of a sentence that does not stand anywhere else."""
AS_KEPT: Final = (
    "2 votes, each by a full member in this channel or a full member of this workspace or whoever asked for "
    "it or <@U0BOB> and (a member of @7 or a full member in #7), but nobody who asked for it; or a full "
    "member of this workspace, but nobody who asked for it, depending on the action"
)
NOTES: Final = {
    "stopped": saying("stopped by {who}", who=saying("an operator")),
    "gone": saying(NO_LONGER_WAITS),
    "drifted": saying(
        "{why}; it is asked again", why=saying("the agent's gates have changed since this was asked")
    ),
}
NOTICES: Final = {
    **{f"a message, {status}": saying(words) for status, words in KEPT.items()},
    "a message below a question": saying(UNANSWERED),
    **{f"the place {place}": standings.lost(place) for place in ("U0BOB", "C0OPS")},
    "stopped": saying("Stopped by {who}. Nothing that waited was run.", who=saying("an operator")),
    "forgotten": saying(endings.FORGOTTEN),
    "repaired": saying(
        "Repaired by {who}: {told}.",
        who=saying("an operator"),
        told=joined(THEN, [saying(one.value) for one in Fault]),
    ),
}
FAILURES: Final = {
    "a tool": sentence("tools", "7", "7", {"tools"}),
    "the model": sentence("model", "7", "7", {"tools"}),
    "a step": sentence("7", "7", "7", {"tools"}),
    "nothing": saying(endings.AGENT_FAILED),
}
BRIEFED: Final = tuple(
    replace(action(number, "7", {"7": "7"}), briefing=Briefing(deciders=WHO)) for number in range(2)
)


def there(channel: str) -> Conversation:
    return Conversation(
        id=ConversationId("c"),
        channel=ChannelId(channel),
        thread_ts=Ts("1.1"),
        requester=ALICE,
        started_at=NOW,
        status=Status.WAITING,
    )


def drawn(kind: PostKind, text: str, about: Approval | None = None, *, channel: str = BOTS) -> object:
    """The post as its readers get it, whose row was written and read again."""
    post = Post(id=PostId("p"), conversation=ConversationId("c"), kind=kind, text=from_json(to_json(text)))
    language = Blotted() if channel == BOTS else None
    drawing = Drawing(post=post, conversation=there(channel), approval=about, language=language)
    assert (drawing.reader is not None) == (channel == BOTS)
    return [[part.text, part.blocks] for part in drawing.parts()]


def in_english(text: object, told: object) -> list[str]:
    """The pieces of a kept sentence, and of those in it, that stand in this as they are written."""
    if not isinstance(text, Saying):
        return []
    pieces = [before.strip() for before, _, _, _ in Formatter().parse(text.message)]
    found = [piece for piece in pieces if len(piece) >= SHORTEST and piece in str(told)]
    return found + [one for value in text.values.values() for one in in_english(value, told)]


def waiting(text: str = WHO, **changes: object) -> Approval:
    calls = (replace(one, briefing=Briefing(deciders=text)) for one in BRIEFED)
    return replace(approval(*calls), **changes)  # type: ignore[arg-type]


def withdrawn(note: str) -> Approval:
    return waiting(state=State.WITHDRAWN, note=note)


MESSAGES: Final[dict[str, tuple[PostKind, str, Callable[[str], Approval | None]]]] = {
    **{f"notice, {name}": (PostKind.NOTICE, text, lambda _: None) for name, text in NOTICES.items()},
    **{f"failure, {name}": (PostKind.FAILURE, text, lambda _: None) for name, text in FAILURES.items()},
    "failure of a tool": (
        PostKind.TOOL_FAILURE,
        saying("`{tool}` failed: {why}", tool="7", why="7"),
        lambda _: None,
    ),
    "nothing said": (PostKind.NOTICE, saying(endings.NOTHING_SAID), lambda _: None),
    "asked in a form": (
        PostKind.ASKED,
        saying(ASKED_AND, words="7", note=saying(ASKED_ABOUT, length=7)),
        lambda _: None,
    ),
    "reminder": (PostKind.REMINDER, WHO, lambda _: waiting()),
    "reminder to nobody": (PostKind.REMINDER, saying(NOBODY_LEFT), lambda _: waiting()),
    "escalation": (PostKind.ESCALATION, WHO, lambda _: waiting(escalated_to=frozenset({BOB}))),
    "card": (PostKind.CARD, WHO, waiting),
    **{f"card, {name}": (PostKind.CARD, note, withdrawn) for name, note in NOTES.items()},
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_direct_message_is_in_its_readers_language_and_a_channels_in_the_policys(name: str) -> None:
    kind, text, about = MESSAGES[name]
    private = drawn(kind, text, about(text))
    assert "~" in str(private)
    assert unsaid(private) == in_english(text, private) == []
    plain = str(text)  # English, as an older row has it
    assert type(text) is Saying
    assert type(plain) is str
    assert drawn(kind, text, about(text), channel="C1") == drawn(kind, plain, about(plain), channel="C1")
    with public_language(Blotted()):
        assert drawn(kind, text, about(text), channel="C1") == private


@pytest.mark.parametrize("plainly", [True, False])
def test_a_turn_tells_a_failure_in_its_readers_language(*, plainly: bool) -> None:
    failed = saying("`{tool}` failed: {why}", tool="7", why="7")
    task = Task(tool="7", given="7", stand=Stand.FAILED, told=failed)
    post = Post(
        id=PostId("p"),
        conversation=ConversationId("c"),
        kind=PostKind.PROGRESS,
        text=Plan(course=Course.WORKING, tasks=(task,)).to_json(),
    )
    drawing = Drawing(post=post, conversation=there(BOTS), approval=None, plainly=plainly)
    assert " failed: 7" in str(drawing.parts()[0].blocks)
    private = replace(drawing, language=Blotted()).parts()[0]
    assert " ~~~~~~: 7" in str(private.blocks)
    assert unsaid(private.blocks) == []


def test_what_is_kept_and_stands_in_english_is_found() -> None:
    assert in_english(NOTES["drifted"], "~~~; it is asked again") == ["; it is asked again"]
    assert in_english(NOTES["stopped"], "~~~~~~~ by an operator") == ["an operator"]


def test_a_card_in_a_channel_says_who_decides_to_the_letter() -> None:
    assert WHO == AS_KEPT
    assert f"To decide: {AS_KEPT}." in str(drawn(PostKind.CARD, "", waiting(), channel="C1"))


def refused(about: Approval) -> str:
    with pytest.raises(AlreadyDecided) as no:
        about.decide(about.actions[0].id, Approve(), by=BOB, at=NOW)
    return str(no.value)


def inbox(about: Approval) -> Inbox:
    asked = Asked(approval=about, conversation=there("C1"), cards=())
    return Inbox(
        person=BOB,
        standing=Standing.MEMBER,
        waiting=(Mine(asked=asked, actions=tuple(one.id for one in about.open)),),
        requests=(Request(conversation=there("C1"), words="7", tools=("7",)),),
        decided=(Ruled(asked=asked, action=about.actions[0].id, at=NOW),),
        every=(asked,),
        total=1,
    )


def address(channel: ChannelId, ts: Ts) -> str:
    return f"https://7/{channel}/{ts}"


def status(about: Approval) -> object:
    told = listed(
        [Group(title="7", shown=[AskedFor(conversation=there("C1"), words="7", waiting=(about,))])], "7"
    )
    return [told.text, told.blocks]


PRIVATE: Final[dict[str, Callable[[Approval], object]]] = {
    "told privately": lambda about: refusal(refused(about)),
    "in a form": lambda about: message_form(refused(about)),
    "all at once": lambda about: result(
        DecisionKind.APPROVE, Together(decided=0, left=(Left(why=refused(about)),))
    ),
    "home": lambda about: home(inbox(about), address),
    "/agent pending": lambda about: mine(inbox(about), address),
    "/agent pending all": lambda about: every(inbox(about), address),
    "/agent status": status,
    "view all": lambda about: view_all(about, about.actions[0]),
}
REFUSED: Final = frozenset({"told privately", "in a form", "all at once"})


ROWS: Final = [(name, note) for name in PRIVATE for note in (*NOTES, "") if note or name not in REFUSED]


@pytest.mark.parametrize(("name", "note"), ROWS)
def test_what_one_person_alone_is_shown_of_a_row_is_in_that_persons_language(name: str, note: str) -> None:
    draw = partial(PRIVATE[name], withdrawn(NOTES[note]) if note else waiting())
    with spoken(Blotted()):
        private = draw()
    assert "~" in str(private)
    about = NOTES[note] if note else WHO
    assert unsaid(private) == in_english(about, private) == []
    assert json.dumps(draw()) == json.dumps(PRIVATE[name](as_written_before(note)))
    with public_language(Blotted()):
        assert draw() == private


def as_written_before(note: str) -> Approval:
    """The row with plain English in it."""
    return replace(withdrawn(str(NOTES[note])) if note else waiting(), actions=waiting(str(WHO)).actions)


def test_a_refusal_tells_the_note_to_the_letter() -> None:
    assert refused(withdrawn(NOTES["stopped"])) == "This request is closed: stopped by an operator."
    with spoken(Blotted()):
        assert refused(withdrawn(NOTES["stopped"])) == "~~~~ ~~~~~~~ ~~ ~~~~~~: ~~~~~~~ ~~ ~~ ~~~~~~~~."
