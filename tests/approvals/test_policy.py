import pytest

from bot.approvals.action import Seat
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Person, Standing
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
    alone,
    check_decision,
    check_request,
    in_words,
    is_operator,
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
    with pytest.raises(NotAllowed, match=r"^You are not among the people who may ask the agent here\.$"):
        check_request(policy, person(ALICE))


def test_requesters_can_be_those_of_a_group_or_a_channel_and_neither_those_who_asked_nor_of_any_channel() -> (
    None
):
    dba, ops = UserGroup(GroupId("S1")), MembersOf(ChannelId("C1"))
    policy = Policy(defaults=IN_CHANNEL, requesters=(dba, ops))
    for circle in (dba.id, ops.id):
        check_request(policy, person(), frozenset({circle}))
    for circles in ((), (GroupId("S2"), ChannelId("C2"))):
        with pytest.raises(NotAllowed):
            check_request(policy, person(), frozenset(circles))
    with pytest.raises(NotAllowed):
        check_request(Policy(defaults=IN_CHANNEL, requesters=(Requester(), ChannelMembers())), person())


@pytest.mark.parametrize(
    ("standing", "sentence"),
    [
        (Standing.GUEST, "Guests cannot take part in approvals."),
        (Standing.OUTSIDER, "People of another organisation cannot take part in approvals."),
        (Standing.BOT, "Bots cannot take part in approvals."),
        (Standing.DEACTIVATED, "A deactivated account cannot take part in approvals."),
    ],
)
def test_whoever_is_no_full_member_is_told_why_nothing_was_done(standing: Standing, sentence: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        check_request(Policy(defaults=IN_CHANNEL), person(standing=standing))
    assert str(refused.value) == sentence
    with pytest.raises(NotAllowed) as refused:
        check_decision(
            IN_CHANNEL, person(standing=standing), requesters=frozenset(), in_channel=True, tool="t"
        )
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("operators", "groups", "is_one"),
    [
        ((), {"S1"}, False),
        ((One(BOB),), set(), True),
        ((One(ALICE),), {"S1"}, False),
        ((UserGroup(GroupId("S1")),), {"S1"}, True),
        ((UserGroup(GroupId("S1")),), {"S2"}, False),
        ((One(ALICE), UserGroup(GroupId("S1")), UserGroup(GroupId("S2"))), {"S2"}, True),
    ],
)
def test_operators_are_full_members_by_name_or_by_user_group(
    operators: tuple[One | UserGroup, ...],
    groups: set[str],
    is_one: bool,  # noqa: FBT001 - a row of the table
) -> None:
    policy = Policy(defaults=IN_CHANNEL, operators=operators)
    known = frozenset(map(GroupId, groups))
    assert is_operator(policy, person(BOB), known) is is_one
    assert not is_operator(policy, person(BOB, Standing.GUEST), known)


def test_whoever_was_called_in_decides_as_that_and_is_named_among_those_who_may() -> None:
    terms = Terms(approvers=(One(BOB),), escalate_to=(CAROL, BOB))

    def via(who: UserId, *called: UserId) -> tuple[str, ...]:
        seat = check_decision(
            terms,
            person(who),
            requesters=frozenset({ALICE}),
            in_channel=False,
            tool="t",
            called=frozenset(called),
        )
        assert (seat.needs, seat.fits) == (terms.needs, frozenset({0}))
        return seat.via

    assert via(BOB) == (BOB,)
    assert via(BOB, BOB) == ("escalate_to", BOB)
    assert via(CAROL, CAROL) == ("escalate_to",)
    with pytest.raises(NotAllowed, match=r"^You are not among the people who may decide about `t`\.$"):
        via(CAROL, BOB)
    with pytest.raises(NotAllowed, match="not among the people"):
        via(UserId("U4"), UserId("U4"))  # of another action of the same approval
    assert in_words(terms) == "<@U2>, but nobody who asked for it"
    assert in_words(terms, frozenset({CAROL})) == "<@U2> or <@U3>, but nobody who asked for it"
