import pytest

from bot.approvals.action import Seat
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import GroupId, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import (
    ChannelMembers,
    Members,
    One,
    Policy,
    Quorum,
    Requester,
    Rule,
    Terms,
    UserGroup,
    alone,
    check_decision,
    check_request,
    in_words,
)

ALICE, BOB, CAROL = UserId("U1"), UserId("U2"), UserId("U3")
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


def test_a_person_sits_in_every_quorum_that_names_them_or_their_group_and_the_seat_says_as_what() -> None:
    release, security = UserGroup(GroupId("S1"), "release"), UserGroup(GroupId("S2"), "security")
    terms = Terms(
        approvers=(),
        require=(
            Quorum(approvers=(security,)),
            Quorum(approvers=(release, One(BOB))),
            Quorum(approvers=(release,)),
        ),
        escalate_to=(CAROL,),
    )

    def seat(*groups: str, who: UserId = BOB, called: frozenset[UserId] = frozenset()) -> Seat:
        return check_decision(
            terms,
            person(who),
            requesters=frozenset({ALICE}),
            in_channel=True,
            tool="t",
            called=called,
            groups=frozenset(map(GroupId, groups)),
        )

    assert seat() == Seat(needs=terms.require, fits=frozenset({1}), via=(BOB,))
    assert seat("S1", "S2").fits == {0, 1, 2}
    assert seat("S1").via == ("@@release", BOB)
    assert seat(who=CAROL, called=frozenset({CAROL})).fits == {0, 1, 2}
    with pytest.raises(NotAllowed, match="not among the people"):
        seat("S3", who=CAROL)
    with pytest.raises(NotAllowed, match="You asked for this yourself"):
        seat("S1", who=ALICE)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (IN_CHANNEL, "a full member in this channel, but nobody who asked for it"),
        (
            Terms(approvers=(One(BOB), UserGroup(GroupId("S1"), "dba")), quorum=2, self_approval=True),
            "2 votes, each by <@U2> or a member of @dba",
        ),
        (
            Terms(
                approvers=(),
                require=(Quorum(approvers=(One(ALICE), One(BOB))), Quorum(approvers=(Requester(),))),
                self_approval=True,
            ),
            "(<@U1> or <@U2>) and whoever asked for it",
        ),
    ],
)
def test_who_may_decide_is_said_in_the_policys_words(terms: Terms, words: str) -> None:
    assert in_words(terms) == words


@pytest.mark.parametrize(
    ("terms", "is_alone"),
    [
        (Terms(approvers=(Requester(),), self_approval=True), False),
        (Terms(approvers=(Requester(),), self_approval=False), True),
        (Terms(approvers=(Requester(),), quorum=2, self_approval=True), True),
        (Terms(approvers=(One(BOB),), self_approval=True), True),
        (
            Terms(
                approvers=(),
                require=(Quorum(approvers=(Members(),)), Quorum(approvers=(One(ALICE),))),
                self_approval=True,
            ),
            True,
        ),
    ],
)
def test_where_only_the_requester_is_there_a_quorum_of_others_cannot_come_together(
    terms: Terms,
    is_alone: bool,  # noqa: FBT001 - a row of the table
) -> None:
    assert alone(terms, frozenset({ALICE})) is is_alone


def test_requesters_can_be_named() -> None:
    policy = Policy(defaults=IN_CHANNEL, requesters=(One(BOB),))
    check_request(policy, person(BOB))
    with pytest.raises(NotAllowed):
        check_request(policy, person(ALICE))
