"""What a card says of votes: understood at a glance."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.approvals.action import Vote
from bot.approvals.approval import Approval
from bot.approvals.decision import Approve, Decision, Edit, Reject
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.who import ChannelMembers, Members, MembersOf, One, Quorum, Requester, UserGroup
from bot.sandbox import buttons, text_of
from bot.slack.cards import card
from bot.slack.home import home
from bot.slack.viewing import view_all
from bot.slack.votes import overruled
from bot.slack.waiting import reminder
from tests.slack.samples import ALICE, BOB, NOW, action, approval, voted
from tests.slack.test_home import address, bobs, waiting

RELEASE, SECURITY = UserGroup(GroupId("S1"), "release"), UserGroup(GroupId("S2"), "security")
TWO = (Quorum(approvers=(ChannelMembers(),), count=2),)
THREE = (Quorum(approvers=(SECURITY,)), Quorum(approvers=(RELEASE,), count=2))
EITHER = (
    Quorum(approvers=(RELEASE, ChannelMembers())),
    Quorum(approvers=(SECURITY, ChannelMembers()), count=2),
)
OTHERS = Edit({"path": "notes.txt", "content": "other"})


def asked(needs: tuple[Quorum, ...], *votes: Decision) -> Approval:
    one = replace(action(), needs=needs)
    return voted(approval(one), one.id, votes, needs)


def told(shown: Approval) -> str:
    message = card(shown, requester=ALICE)
    return text_of({"text": message.text, "blocks": message.blocks})


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (asked(TWO), "Votes needed: 2 of this channel"),
        (asked(TWO, Approve()), "1 of 2: <@U0VOTER0>; 1 more of this channel"),
        (asked(THREE), "Votes needed: 1 of @security and 2 of @release"),
        (asked(THREE, Approve()), "1 of 3: <@U0VOTER0>; 2 more of @release"),
        (asked(THREE, Approve(), Approve()), "2 of 3: <@U0VOTER0> and <@U0VOTER1>; 1 more of @release"),
        (
            asked((Quorum(approvers=(One(BOB), RELEASE), count=2),), Approve()),
            "1 of 2: <@U0VOTER0>; 1 more of <@U0BOB> or @release",
        ),
    ],
)
def test_an_open_card_says_who_voted_and_how_many_are_missing_from_whom(shown: Approval, line: str) -> None:
    assert line in told(shown)


def test_where_one_vote_is_enough_nothing_is_said_of_votes() -> None:
    assert " of 1" not in told(approval())
    assert "Votes" not in told(approval())


def test_while_an_edit_waits_for_others_its_arguments_are_what_is_asked() -> None:
    shown = asked(TWO, Approve(), OTHERS)
    text = told(shown)
    assert "content: other" in text
    assert "Edited by <@U0VOTER1>" in text
    assert "1 of 2: <@U0VOTER1>" in text
    assert shown.actions[0].asked.digest[:8] in text
    assert shown.actions[0].digest[:8] not in text
    view = text_of(view_all(shown, shown.actions[0]))
    assert "other" in view
    assert "1 of 2" in view


def test_the_buttons_of_an_edited_card_carry_which_edit_they_were_drawn_for() -> None:
    def values(shown: Approval) -> set[str]:
        return {
            element["value"]
            for block in card(shown, requester=ALICE).blocks
            if block["type"] == "actions"
            for element in block["elements"]
            if element["action_id"] == "approve"
        }

    first, second = asked(TWO, OTHERS), asked(TWO, Edit({"path": "x"}))
    assert values(asked(TWO)) == {action().id}
    assert len(values(asked(TWO)) | values(first) | values(second)) == 3


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (asked(TWO, Approve(), Approve()), "Approved by <@U0VOTER0> and <@U0VOTER1>"),
        (asked(TWO, OTHERS, Approve()), "Edited and approved by <@U0VOTER0> and <@U0VOTER1>"),
        (asked(TWO, Approve(), Reject("no")), "Rejected by <@U0VOTER1>"),
        (asked(TWO, Approve(), Reject("no")), "Approved before by <@U0VOTER0>"),
        (asked(TWO, Approve()).expire(NOW), "1 of 2 approved: <@U0VOTER0>"),
        (asked(TWO, Approve()).withdraw("stopped"), "1 of 2 approved: <@U0VOTER0>"),
    ],
)
def test_an_ended_card_still_says_who_voted(shown: Approval, line: str) -> None:
    assert line in told(shown)
    assert "more of" not in told(shown)


def test_whoever_voted_may_change_it_while_it_is_open() -> None:
    def words(shown: Approval) -> list[str]:
        return buttons({"blocks": card(shown, requester=ALICE).blocks})

    assert "Change" not in words(asked(TWO))
    assert "Change" in words(asked(TWO, Approve()))
    assert "Approve" in words(asked(TWO, Approve()))
    assert words(asked(TWO, Approve(), Approve())) == []


def test_a_reminder_and_the_home_tab_say_how_far_it_is() -> None:
    shown = replace(asked(THREE, Approve()), expires_at=NOW + timedelta(hours=1))
    said = reminder(shown, "anybody")
    assert said is not None
    assert "Approved so far: 1 of 3." in said.text
    assert "(1 of 3)" in text_of(home(bobs(waiting(shown)), address))


MANY_OF = MembersOf(ChannelId("C0OPS"), "#ops")


@pytest.mark.parametrize(
    ("needs", "votes", "line"),
    [
        ((Quorum(approvers=(MANY_OF,), count=2),), 0, "Votes needed: 2 of #ops"),
        ((Quorum(approvers=(replace(MANY_OF, name=""),), count=2),), 0, "Votes needed: 2 of <#C0OPS>"),
        (
            (Quorum(approvers=(replace(MANY_OF, name="n" * 41),), count=2),),
            0,
            f"Votes needed: 2 of {'n' * 34}…",
        ),
        ((Quorum(approvers=(Requester(), Members()), count=2),), 0, "2 of whoever asked or this workspace"),
        (
            (Quorum(approvers=tuple(One(UserId(f"U0P{n}")) for n in range(8)), count=2),),
            0,
            "2 of " + ", ".join(f"<@U0P{n}>" for n in range(7)) + " or <@U0P7>",
        ),
        (
            (Quorum(approvers=tuple(One(UserId(f"U0P{n}")) for n in range(10)), count=2),),
            0,
            "2 of " + ", ".join(f"<@U0P{n}>" for n in range(8)) + " or 2 others",
        ),
    ],
)
def test_whose_votes_are_needed_is_said_by_name(needs: tuple[Quorum, ...], votes: int, line: str) -> None:
    assert line in told(asked(needs, *[Approve()] * votes))


@pytest.mark.parametrize(("count", "more"), [(8, "; "), (9, " and 1 more; "), (10, " and 2 more; ")])
def test_eight_who_voted_are_named_and_the_others_counted(count: int, more: str) -> None:
    shown = asked((Quorum(approvers=(ChannelMembers(),), count=12),), *[Approve()] * count)
    first = ", ".join(f"<@U0VOTER{number}>" for number in range(7))
    people = f"{first}, <@U0VOTER7>" if count > 8 else f"{first} and <@U0VOTER7>"
    assert f"Votes: {count} of 12: {people}{more}{12 - count} more of this channel" in told(shown)


def test_where_any_of_several_groups_would_do_they_are_named_once() -> None:
    """Who voted may count for either of them, so it is not certain which votes are missing."""
    one = replace(action(), needs=EITHER)
    vote = Vote(decision=Approve(), by=BOB, at=NOW, digest=one.digest, fits=frozenset({0, 1}))
    shown = approval(replace(one, votes=(vote,)))
    assert "Votes: 1 of 3: <@U0BOB>; 2 more of @release, this channel or @security" in told(shown)


def test_whoever_decided_alone_approved_nothing_before() -> None:
    done = asked(TWO, Approve(), Approve())
    [call] = done.actions
    assert call.decided
    assert overruled(call, call.decided) == []


def test_whom_nobody_knows_is_an_error() -> None:
    odd: Any = "a kind of tomorrow"
    with pytest.raises(AssertionError, match=odd):
        told(asked((Quorum(approvers=(odd,), count=2),)))
