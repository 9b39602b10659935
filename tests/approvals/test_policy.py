import pytest

from bot.approvals.errors import NotAllowed
from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import (
    ChannelMembers,
    Members,
    One,
    Policy,
    Requester,
    Rule,
    Terms,
    check_decision,
    check_request,
)

ALICE, BOB = UserId("U1"), UserId("U2")
IN_CHANNEL = Terms(approvers=(ChannelMembers(),))


def person(id: UserId = BOB, standing: Standing = Standing.MEMBER) -> Person:
    return Person(id=id, standing=standing)


def may(
    terms: Terms,
    who: Person,
    *,
    requester: UserId = ALICE,
    in_channel: bool = True,
) -> bool:
    try:
        check_decision(terms, who, requesters=frozenset({requester}), in_channel=in_channel, tool="t")
    except NotAllowed:
        return False
    return True


@pytest.mark.parametrize("standing", [one for one in Standing if one is not Standing.MEMBER])
@pytest.mark.parametrize("who", [ChannelMembers(), Members(), Requester(), One(BOB)])
def test_only_full_members_decide_whatever_the_rule_says(standing: Standing, who: object) -> None:
    terms = Terms(approvers=(who,), self_approval=True)  # type: ignore[arg-type]
    assert not may(terms, person(standing=standing), requester=BOB)


@pytest.mark.parametrize("standing", [one for one in Standing if one is not Standing.MEMBER])
def test_only_full_members_ask(standing: Standing) -> None:
    with pytest.raises(NotAllowed):
        check_request(Policy(defaults=IN_CHANNEL), person(standing=standing))


def test_a_member_of_the_channel_decides_and_somebody_outside_does_not() -> None:
    assert may(IN_CHANNEL, person())
    assert not may(IN_CHANNEL, person(), in_channel=False)


def test_nobody_approves_what_they_asked_for() -> None:
    assert not may(IN_CHANNEL, person(ALICE))
    assert not may(Terms(approvers=(One(ALICE),)), person(ALICE))
    assert not may(Terms(approvers=(Requester(),)), person(ALICE))


def test_self_approval_is_for_those_who_are_approvers() -> None:
    assert may(Terms(approvers=(Requester(),), self_approval=True), person(ALICE))
    assert not may(Terms(approvers=(One(BOB),), self_approval=True), person(ALICE))


def test_the_first_rule_that_matches_wins_key_by_key_over_the_defaults() -> None:
    policy = Policy(
        defaults=Terms(approvers=(ChannelMembers(),)),
        rules=(
            Rule(tools=("delete_*",), approvers=(One(BOB),)),
            Rule(tools=("delete_file", "ask_*"), self_approval=True),
        ),
    )
    assert policy.terms("delete_file") == Terms(approvers=(One(BOB),))
    assert policy.terms("ask_user") == Terms(approvers=(ChannelMembers(),), self_approval=True)
    assert policy.terms("write_file") == policy.defaults


def test_requesters_can_be_named() -> None:
    policy = Policy(defaults=IN_CHANNEL, requesters=(One(BOB),))
    check_request(policy, person(BOB))
    with pytest.raises(NotAllowed):
        check_request(policy, person(ALICE))
