"""Whom a reminder calls: those who can still decide, and nobody in vain."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.approvals.action import Seat
from bot.approvals.approval import Approval
from bot.approvals.decision import Approve
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.policy import (
    ChannelMembers,
    Members,
    MembersOf,
    One,
    Policy,
    Quorum,
    Requester,
    Rule,
    Terms,
    UserGroup,
)
from bot.approvals.remaining import still_to_decide
from bot.approvals.who import Who
from tests.store.samples import ALICE, BOB, NOON, action, approval

CAROL, DAVE = UserId("U0CAROL"), UserId("U0DAVE")
DBA = UserGroup(GroupId("S0DBA"), "dba-oncall")
NO_ONE_ASKED = ", but nobody who asked for it"


def waits(terms: Terms, *tools: str, voted: Sequence[tuple[int, UserId, set[int]]] = ()) -> Approval:
    """What Alice asked, as these terms have it; a vote is an action, a person, and groups."""
    calls = tuple(action(f"a{at}", tool=tool, needs=terms.needs) for at, tool in enumerate(tools or ("pay",)))
    asked = replace(approval("p1"), actions=calls, requesters=frozenset({ALICE}))
    for at, who, fits in voted:
        seat = Seat(needs=terms.needs, fits=frozenset(fits))
        asked = asked.decide(calls[at].id, Approve(), by=who, at=NOON, seat=seat)
    return asked


def said(terms: Terms, *tools: str, voted: Sequence[tuple[int, UserId, set[int]]] = ()) -> str:
    return still_to_decide([waits(terms, *tools, voted=voted)], Policy(defaults=terms))


@pytest.mark.parametrize(
    ("approvers", "own", "expected"),
    [
        ((One(BOB),), False, f"<@U0BOB>{NO_ONE_ASKED}"),
        ((One(ALICE), One(BOB)), False, f"<@U0BOB>{NO_ONE_ASKED}"),
        ((One(ALICE), One(BOB)), True, "<@U0ALICE> or <@U0BOB>"),
        ((Requester(), One(BOB)), False, f"<@U0BOB>{NO_ONE_ASKED}"),
        ((Requester(),), True, "whoever asked for it"),
        ((One(ALICE),), False, "nobody else whom the policy names"),
        ((DBA,), True, "a member of <!subteam^S0DBA>"),
        ((ChannelMembers(),), True, "a full member in this channel"),
        ((Members(),), True, "a full member of this workspace"),
        ((ChannelMembers("#ops"),), True, "a full member in #ops"),
        ((MembersOf(ChannelId("C1"), "<!subteam^S0EVIL>"),), True, "a full member in !subteam^S0EVIL"),
    ],
)
def test_people_and_groups_are_mentioned_circles_are_in_words_and_who_may_not_is_not_named(
    approvers: tuple[Who, ...],
    own: bool,  # noqa: FBT001 - a row of the table
    expected: str,
) -> None:
    assert said(Terms(approvers=approvers, self_approval=own)) == expected


def test_who_has_voted_is_not_called_again_and_the_number_is_what_is_missing() -> None:
    two = Terms(approvers=(One(BOB), One(CAROL), One(DAVE)), quorum=2)
    assert said(two) == f"2 votes, each by <@U0BOB> or <@U0CAROL> or <@U0DAVE>{NO_ONE_ASKED}"
    assert said(two, voted=[(0, BOB, {0})]) == f"<@U0CAROL> or <@U0DAVE>{NO_ONE_ASKED}"


def test_who_has_voted_on_a_part_of_what_is_open_is_still_called() -> None:
    two = Terms(approvers=(One(BOB), One(CAROL)), quorum=2)
    part = said(two, "pay", "pay", voted=[(0, BOB, {0})])
    assert part == f"2 votes, each by <@U0BOB> or <@U0CAROL>{NO_ONE_ASKED}"
    assert said(two, "pay", "pay", voted=[(0, BOB, {0}), (1, BOB, {0})]) == f"<@U0CAROL>{NO_ONE_ASKED}"


def test_a_group_that_has_given_its_votes_is_not_called_again() -> None:
    both = Terms(
        approvers=(), require=(Quorum(approvers=(One(BOB), One(DAVE))), Quorum(approvers=(DBA, One(CAROL))))
    )
    assert (
        said(both)
        == f"(<@U0BOB> or <@U0DAVE>) and (a member of <!subteam^S0DBA> or <@U0CAROL>){NO_ONE_ASKED}"
    )
    assert said(both, voted=[(0, BOB, {0})]) == f"a member of <!subteam^S0DBA> or <@U0CAROL>{NO_ONE_ASKED}"


def test_where_it_is_not_certain_whose_votes_are_missing_all_who_have_not_voted_are_called() -> None:
    both = Terms(
        approvers=(),
        require=(Quorum(approvers=(One(BOB), One(DAVE))), Quorum(approvers=(One(BOB), One(CAROL)))),
    )
    assert said(both, voted=[(0, BOB, {0, 1})]) == f"<@U0DAVE> and <@U0CAROL>{NO_ONE_ASKED}"


def test_where_the_policy_is_another_by_now_its_own_votes_are_asked_for() -> None:
    old = Terms(approvers=(One(BOB), One(CAROL)), quorum=2)
    new = Terms(approvers=(One(CAROL), One(DAVE)), quorum=2)
    asked = waits(old, voted=[(0, BOB, {0})])
    assert (
        still_to_decide([asked], Policy(defaults=new))
        == f"2 votes, each by <@U0CAROL> or <@U0DAVE>{NO_ONE_ASKED}"
    )


def test_whoever_was_called_in_is_called_too() -> None:
    terms = Terms(approvers=(One(BOB),), escalate_to=(CAROL, DAVE))
    asked = waits(terms).escalate(frozenset({CAROL}))
    assert still_to_decide([asked], Policy(defaults=terms)) == f"<@U0BOB> or <@U0CAROL>{NO_ONE_ASKED}"


def test_of_a_burst_whoever_has_voted_on_all_is_not_called_and_tools_with_other_people_are_told_apart() -> (
    None
):
    terms = Terms(approvers=(One(BOB), One(CAROL)), quorum=2)
    policy = Policy(defaults=terms, rules=(Rule(tools=("deploy",), approvers=(One(DAVE),), quorum=1),))
    voted = waits(terms, voted=[(0, BOB, {0})])
    assert still_to_decide([voted, voted], policy) == f"<@U0CAROL>{NO_ONE_ASKED}"
    fresh = waits(terms)
    assert "<@U0BOB>" in still_to_decide([voted, fresh], policy)
    other = waits(policy.terms("deploy"), "deploy")
    assert still_to_decide([voted, other], policy) == (
        f"<@U0CAROL>{NO_ONE_ASKED}; or <@U0DAVE>{NO_ONE_ASKED}, depending on the action"
    )
