"""Everything that is drawn of a call with an invisible character: its code once, and no code of a mark.

Whatever is made visible twice shows the code of our own mark, `⟨U+27E8⟩U+202E⟩`, which nobody can read.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.action import Action, LetThrough
from bot.approvals.approval import Approval, Shape
from bot.approvals.conversation import Status
from bot.approvals.decision import Approve, DecisionKind, Edit, Reject, Respond
from bot.approvals.ids import ConversationId
from bot.approvals.plan import Course, Plan, Stand, Task
from bot.approvals.together import Covered
from bot.slack.all_at_once import sheet
from bot.slack.cards import card
from bot.slack.doubts import ran_form
from bot.slack.forms import reject_form, respond_form, unread_form
from bot.slack.message import Message
from bot.slack.not_asked import not_asked
from bot.slack.progress import progress
from bot.slack.stands import Group, listed
from bot.slack.viewing import view_all
from bot.slack.waiting import escalation, expiry, reminder
from tests.slack.samples import ALICE, NOW, action, approval, decided
from tests.slack.states import _home, expired, remembered
from tests.slack.test_stands import URL, one

ODD = "a\u202eb"
SHOWN = "a⟨U+202E⟩b"
WORDS = (Approve(), Edit({ODD: f"{ODD}!", "text": f"{ODD}\nx"}), Reject(ODD), Respond(ODD))
THROUGH = LetThrough(at=NOW, because=remembered())


def odd(number: int, tools: int = 2) -> Action:
    arguments = {ODD: ODD, "path": ODD, "text": f"{ODD}\n{ODD}"}
    return action(number, f"{ODD}{number % tools}", arguments, description=ODD)


ASKED = {
    "one": approval(odd(0)),
    "two": approval(odd(0), odd(1)),
    "many": approval(*map(odd, range(30))),
    "a burst": approval(*(odd(number, 1) for number in range(30))),
    "in doubt": replace(approval(odd(0)), shape=Shape.IN_DOUBT),
}


def stages(asked: Approval) -> Iterator[Approval]:
    words = [one for one in WORDS if not (asked.shape is Shape.IN_DOUBT and isinstance(one, Edit))]
    yield from (asked, decided(asked, words), asked.withdraw(ODD), expired(asked))
    yield decided(asked, words, first=len(asked.actions) // 2)


def drawn(asked: Approval) -> Iterator[Any]:
    for stage in stages(asked):
        first = stage.actions[0]
        yield card(stage, requester=ALICE)
        yield from (kind(stage, "anybody") for kind in (reminder, escalation))
        yield expiry(stage)
        yield from (view_all(stage, which, page) for which in (None, first) for page in range(3))
        yield from (form(stage, first) for form in (reject_form, respond_form, unread_form, ran_form))
        if stage.open:
            yield _home([stage])
        pairs = tuple((stage, each) for each in stage.actions)
        for kind in (DecisionKind.APPROVE, DecisionKind.REJECT):
            yield sheet(Covered(calls=pairs, others=3), kind, ()).view
        yield not_asked(
            replace(stage, actions=tuple(replace(each, outcome=THROUGH) for each in stage.actions))
        )


def plans() -> Iterator[Message]:
    tasks = tuple(Task(tool=ODD, given=ODD, stand=stand, told=ODD) for stand in Stand)
    for plainly in (False, True):
        yield progress(
            Plan(course=Course.WORKING, tasks=tasks, version=1), ConversationId("c"), plainly=plainly
        )


def lists() -> Iterator[Message]:
    asked = one(ODD, status=Status.WAITING, waiting=(ASKED["two"],))
    for stoppable in (True, False):
        yield listed([Group(title="Yours:", shown=(asked,), stoppable=stoppable)], URL)


def assert_marked_once(made: Any) -> None:  # noqa: ANN401
    told = json.dumps([made.text, made.blocks] if isinstance(made, Message) else made, ensure_ascii=False)
    assert "U+27E8" not in told
    assert "\u202e" not in told


@pytest.mark.parametrize("name", ASKED)
def test_of_a_call_everything_that_is_drawn_is_made_visible_once(name: str) -> None:
    for made in drawn(ASKED[name]):
        assert_marked_once(made)


def test_of_plans_and_conversations_too() -> None:
    for made in (*plans(), *lists()):
        assert_marked_once(made)
        assert SHOWN in made.text or SHOWN in str(made.blocks)
