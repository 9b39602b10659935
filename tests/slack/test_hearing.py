"""What whoever asked is told once everything on a card is decided."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.approval import Approval, Shape
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond
from bot.approvals.hearing import hearers, is_news
from bot.approvals.ids import PostId, UserId
from bot.approvals.places import Copy
from bot.slack.hearing import outcome
from tests.slack.samples import ALICE, BOB, NASTY, NOW, action, approval, decided
from tests.slack.second_opinion import second_opinion

CAROL = UserId("U0CAROL")
HERE, THERE = Copy(post=PostId("1")), Copy(post=PostId("2"), place="C0OPS")
SECRET = {"path": "never-shown"}


def calls(*tools: str) -> Approval:
    return approval(*(action(number, tool) for number, tool in enumerate(tools)))


def said(card: Approval) -> str:
    message = outcome(card)
    assert message is not None
    assert second_opinion(message) == []
    return message.text


@pytest.mark.parametrize(
    ("decision", "usual", "in_doubt"),
    [
        (Approve(), "approved", "sent to run again"),
        (Edit(arguments=SECRET), "edited and approved", "sent to run again"),
        (Reject("never-shown"), "rejected", "left as it is"),
        (Respond("never-shown"), "answered", "said to have run"),
    ],
)
def test_it_says_what_was_decided_and_by_whom_and_no_word_of_it(
    decision: Decision, usual: str, in_doubt: str
) -> None:
    card = decided(calls("deploy"), [decision])
    assert said(card) == f"🏁 <@U0ALICE>: deploy was {usual} by <@U0BOB>."
    assert said(replace(card, shape=Shape.IN_DOUBT)) == f"🏁 <@U0ALICE>: deploy was {in_doubt} by <@U0BOB>."


def test_several_calls_are_told_by_what_became_of_them() -> None:
    card = decided(calls("deploy", "pay", "pay", "drop"), [Approve(), Reject("no"), Reject("no")], first=3)
    assert said(card.expire(NOW)) == (
        "🏁 <@U0ALICE>: deploy was approved by <@U0BOB>; pay (2 times) were rejected by <@U0BOB>; "
        "drop was not decided in time."
    )


def test_whoever_decided_all_of_it_alone_is_not_told_and_the_others_who_asked_are() -> None:
    card = decided(calls("deploy"), [Approve()])
    assert hearers(replace(card, requesters=frozenset({ALICE, BOB}))) == {ALICE}
    assert hearers(replace(card, requesters=frozenset({BOB}))) == frozenset()
    assert outcome(replace(card, requesters=frozenset({BOB}))) is None
    both = calls("deploy", "pay")
    both = both.decide(both.actions[0].id, Approve(), by=ALICE, at=NOW)
    both = both.decide(both.actions[1].id, Approve(), by=CAROL, at=NOW)
    assert hearers(replace(both, requesters=frozenset({ALICE}))) == {ALICE}


def test_it_is_news_where_the_thread_has_no_card_or_something_was_rejected() -> None:
    yes, no = decided(calls("deploy"), [Approve()]), decided(calls("deploy"), [Reject("no")])
    assert not is_news(yes, [HERE])
    assert not is_news(yes, [HERE, THERE])
    assert is_news(yes, [THERE])
    assert is_news(yes, [])
    assert is_news(no, [HERE])
    assert not is_news(decided(calls("deploy"), [Respond("x")]), [HERE])
    assert is_news(decided(calls("deploy", "pay"), [Approve(), Reject("no")]), [HERE])


def test_of_what_nobody_decided_nothing_is_told() -> None:
    assert outcome(calls("deploy")) is None


@given(st.lists(NASTY, min_size=1, max_size=40))
def test_whatever_the_tools_are_called_nothing_of_it_comes_alive(tools: list[str]) -> None:
    text = said(decided(calls(*tools), [Reject("<!channel>")] * len(tools), first=len(tools)))
    assert text.count("<") == text.count("<@U0ALICE>") + text.count("<@U0BOB>") == 2
