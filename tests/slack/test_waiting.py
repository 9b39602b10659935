"""What is shown and said as time goes by."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.approval import Approval, Shape
from bot.approvals.conversation import PostKind, PostState
from bot.approvals.decision import Approve, Reject
from bot.approvals.ids import UserId
from bot.sandbox import buttons, text_of
from bot.slack.cards import card
from bot.slack.courier import Courier
from bot.slack.headlines import headline, sentence
from bot.slack.message import Message
from bot.slack.waiting import escalation, expiry, reminder
from bot.store import open_store
from tests.slack.samples import ALICE, BOB, NASTY, NOW, action, approval, decided
from tests.slack.second_opinion import second_opinion
from tests.store import samples

CAROL = UserId("U0CAROL")
WHO = "<@U0BOB> or a full member in this channel, but nobody who asked for it"
DEADLINE = NOW + timedelta(hours=24)


def a_waiting(*tools: str) -> Approval:
    actions = (action(number, tool) for number, tool in enumerate(tools or ("write_file",)))
    return replace(approval(*actions), expires_at=DEADLINE)


def shown(message: Message | None) -> str:
    assert message is not None
    assert second_opinion({"text": message.text, "blocks": message.blocks}) == []
    return text_of({"text": message.text, "blocks": message.blocks})


def test_a_reminder_names_what_is_open_since_when_until_when_and_who_may_decide() -> None:
    asked = decided(a_waiting("deploy", "write_file", "write_file"), [Approve()], first=1)
    message = reminder(asked, WHO)
    assert message is not None
    assert message.text == (
        "⏰ Still open: write_file (2 times), wait since "
        "<!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>. "
        "It expires <!date^1772530200^{date_short_pretty}, {time}|2026-03-03 09:30 UTC>. "
        f"To decide: {WHO}."
    )
    assert "Still open" in shown(message)


def test_without_a_deadline_nothing_is_said_of_one() -> None:
    asked = replace(a_waiting(), expires_at=None)
    assert "expires" not in shown(reminder(asked, WHO))
    assert "Open until" not in shown(card(asked, requester=ALICE))


def test_an_escalation_mentions_who_is_called_in_and_the_card_does_too() -> None:
    asked = a_waiting("deploy").escalate(frozenset({CAROL}))
    told = shown(escalation(asked, WHO))
    assert "<@U0CAROL>: nobody has decided about deploy since" in told
    assert "Called in: <@U0CAROL>" in shown(card(asked, requester=ALICE))


@pytest.mark.parametrize(
    "ended",
    [
        decided(a_waiting(), [Approve()]),
        a_waiting().expire(DEADLINE),
        a_waiting().withdraw("stopped"),
        decided(a_waiting(), [Approve()]).deliver(),
    ],
)
def test_nobody_is_reminded_of_what_has_ended(ended: Approval) -> None:
    assert reminder(ended, WHO) is None
    assert escalation(ended, WHO) is None


def test_whoever_asked_is_told_what_expired_and_what_stays_decided() -> None:
    asked = decided(a_waiting("deploy", "pay", "write_file"), [Reject("no")], first=1).expire(DEADLINE)
    told = shown(expiry(asked))
    assert "<@U0ALICE>: nobody decided in time about pay and write_file, so nothing of it ran." in told
    assert "What was decided before (1 of 3) stays decided." in told
    assert "stays decided" not in shown(expiry(a_waiting("deploy").expire(DEADLINE)))


def test_of_a_call_in_doubt_that_expires_nobody_claims_that_it_did_not_run() -> None:
    told = shown(expiry(replace(a_waiting("deploy"), shape=Shape.IN_DOUBT).expire(DEADLINE)))
    assert "so it is not run again. It is still not known whether it ran." in told
    assert "nothing of it ran" not in told


@pytest.mark.parametrize(
    ("expired", "head", "said"),
    [
        (
            a_waiting("deploy").expire(DEADLINE),
            "⌛ Expired",
            "Expired: deploy, asked by <@U0ALICE>. Nobody decided in time.",
        ),
        (
            decided(a_waiting("deploy", "pay"), [Approve()], first=1).expire(DEADLINE),
            "⌛ 1 of 2 expired",
            "Decided: deploy notes.txt approved by <@U0BOB>, pay notes.txt expired, asked by <@U0ALICE>.",
        ),
    ],
)
def test_an_expired_card_says_so_and_has_no_buttons(expired: Approval, head: str, said: str) -> None:
    assert (headline(expired), sentence(expired, ALICE)) == (head, said)
    for drawn in (expired, expired.deliver()):
        message = card(drawn, requester=ALICE)
        told = shown(message)
        assert "⌛ Expired unanswered" in told
        assert "Open until" not in told
        assert buttons({"blocks": message.blocks}) == []


def test_a_crowd_of_which_a_part_expired_has_a_line_for_each() -> None:
    asked = decided(a_waiting(*["write_file"] * 30), [Approve()], first=3).expire(DEADLINE)
    told = shown(card(asked, requester=ALICE))
    assert told.count("approved by <@U0BOB>") >= 3
    assert told.count(" expired ") >= 27


@given(st.lists(NASTY, min_size=1, max_size=40), st.integers(0, 40))
def test_whatever_the_tools_are_called_slack_takes_it_and_nothing_comes_alive(
    tools: list[str], first: int
) -> None:
    asked = decided(a_waiting(*tools), [Approve(), Reject("<!channel>")], first=first % len(tools))
    ended = asked.expire(DEADLINE)
    called = escalation(asked.escalate(frozenset({BOB})), WHO)
    for message in (reminder(asked, WHO), called, expiry(ended)):
        assert "<!channel>" not in shown(message)
    assert "<!channel>" not in card(ended, requester=ALICE).text
    shown(card(ended, requester=ALICE))


def test_a_reminder_mentions_people_and_groups_of_ids_alone_and_no_other_markup() -> None:
    who = "<@U0BOB> or <!subteam^S0DBA> or <!subteam^s0x> or <!subteam^S0DBA|x> or <!here> or <#C1>"
    message = reminder(a_waiting("<!subteam^S0EVIL>"), who)
    assert message is not None
    assert "To decide: <@U0BOB> or <!subteam^S0DBA> or &lt;!subteam^s0x&gt; or " in message.text
    assert message.text.count("<!") == message.text.count("<!date") + 1
    assert "<#" not in message.text
    called = escalation(a_waiting().escalate(frozenset({CAROL})), "<!subteam^S0DBA>")
    assert called is not None
    assert "<!subteam" not in called.text


@pytest.mark.parametrize("ended", ["decided", "expired", "withdrawn"])
async def test_a_reminder_that_is_owed_and_decided_before_it_is_posted_is_dropped(
    tmp_path: Path, ended: str
) -> None:
    waits = samples.approval("p1")
    asked = {
        "decided": waits.decide(waits.actions[0].id, Approve(), by=BOB, at=NOW),
        "expired": waits.expire(NOW),
        "withdrawn": waits.withdraw("stopped"),
    }[ended]
    late = samples.post("remind", kind=PostKind.REMINDER, text=WHO, approval=asked.id)
    nowhere = AsyncWebClient(base_url="http://127.0.0.1:9/")
    async with open_store(tmp_path / "bot.db") as store:
        async with store.write() as tx:
            await tx.conversations.add(samples.conversation())
            await tx.approvals.add(asked)
            await tx.posts.owe(late)
        await Courier(store=store, client=nowhere).post(late.id)
        async with store.read() as tx:
            told = await tx.posts.get(late.id)
    assert told is not None
    assert (told.state, told.problem) == (PostState.UNDELIVERABLE, "it is too late to say it")
