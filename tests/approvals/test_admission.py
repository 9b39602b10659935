"""Who is let in: where it was pressed, and whose vote counts for what where an edit makes it another call."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.approvals.action import Action, Seat, Vote
from bot.approvals.admission import Admission
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond
from bot.approvals.errors import CouldNotCheck, NotAllowed, NotHere
from bot.approvals.homes import Home
from bot.approvals.ids import ChannelId, GroupId, PostId, Ts, UserId
from bot.approvals.knowing import PATIENCE, AskAbout, Rights, Wanted
from bot.approvals.person import Person, Standing
from bot.approvals.places import Copy, Spot
from bot.approvals.policy import Policy, Rule, Terms
from bot.approvals.ports import Asked
from bot.approvals.who import ChannelMembers, Circle, One, Quorum, UserGroup
from tests.approvals.fakes import HOME, People
from tests.store.samples import BOB, GENERAL, NOON, action, approval, conversation

CAROL, DAVE, EVE = UserId("U0CAROL"), UserId("U0DAVE"), UserId("U0EVE")
OPS, TO_BOB = ChannelId("C0OPS"), ChannelId("D0BOB")
UNSENT = Copy(post=PostId("card"))
SENT = replace(UNSENT, is_sent=True)
CARD = Copy(post=PostId("card"), channel=GENERAL, ts=Ts("9.1"))
SPOT = Spot(team=HOME, channel=GENERAL, message=Ts("9.1"))

# Bob decides about writing, Carol about archiving, and Dave about both: archiving takes two.
POLICY = Policy(
    defaults=Terms(approvers=(One(BOB), One(DAVE)), escalate_to=(EVE,)),
    rules=(Rule(tools=("archive",), approvers=(One(CAROL), One(DAVE)), quorum=2),),
)
ARCHIVING = (Quorum(approvers=(One(CAROL), One(DAVE)), count=2),)
WRITES = action("a1", tool="write", targets={"archive": {}})
TO_ARCHIVE = Edit({"path": "x"}, tool="archive")
EDITED = WRITES.voted(Vote(decision=TO_ARCHIVE, by=BOB, at=NOON, digest="e" * 64), ARCHIVING)


def rights(who: UserId, *, inside: Mapping[Circle, bool] | None = None, home: Home | None = None) -> Rights:
    person = Person(id=who, standing=Standing.MEMBER, team=HOME, organisation="E1")
    return Rights(person=person, inside=inside or {}, home=home)


def asked(one: Action, *, escalated: frozenset[UserId] = frozenset()) -> Asked:
    about = replace(approval("p1", one), escalated_to=escalated)
    return Asked(approval=about, conversation=conversation(), cards=(CARD,))


def check(
    one: Action,
    who: UserId,
    decision: Decision | None,
    *,
    policy: Policy = POLICY,
    chosen: Chosen | None = None,
    spot: Spot = SPOT,
    home: Home | None = None,
    escalated: frozenset[UserId] = frozenset(),
) -> Seat:
    admission = Admission(directory=People(), policy=policy)
    about = asked(one, escalated=escalated)
    return admission.check(about, one, rights(who, home=home), spot, decision, chosen=chosen)


NO = "refused"
WHOLE = Seat(via=("x",)).fits


@pytest.mark.parametrize(
    ("one", "decision", "fits"),
    [
        # As the agent asked for it.
        (WRITES, None, {BOB: WHOLE, CAROL: NO, DAVE: WHOLE}),
        (WRITES, Approve(), {BOB: WHOLE, CAROL: NO, DAVE: WHOLE}),
        (WRITES, Reject(), {BOB: WHOLE, CAROL: NO, DAVE: WHOLE}),
        (WRITES, Respond("no"), {BOB: WHOLE, CAROL: NO, DAVE: WHOLE}),
        (WRITES, Edit({"path": "x"}), {BOB: WHOLE, CAROL: NO, DAVE: WHOLE}),
        # Bob may turn it into another call, but that one is not his to approve.
        (WRITES, TO_ARCHIVE, {BOB: frozenset(), CAROL: NO, DAVE: WHOLE}),
        # It is another call: who may approve that one may, and both may look, say no or edit it again.
        (EDITED, Approve(), {BOB: NO, CAROL: WHOLE, DAVE: WHOLE}),
        (EDITED, None, {BOB: frozenset(), CAROL: WHOLE, DAVE: WHOLE}),
        (EDITED, Reject(), {BOB: frozenset(), CAROL: WHOLE, DAVE: WHOLE}),
        (EDITED, TO_ARCHIVE, {BOB: frozenset(), CAROL: WHOLE, DAVE: WHOLE}),
        # Back to the agent's own tool.
        (EDITED, Edit({"path": "y"}), {BOB: WHOLE, CAROL: frozenset(), DAVE: WHOLE}),
        (EDITED, Edit({"path": "y"}, tool="write"), {BOB: WHOLE, CAROL: frozenset(), DAVE: WHOLE}),
    ],
)
def test_a_vote_counts_under_the_rule_of_what_the_call_becomes_and_either_rule_lets_people_say_no(
    one: Action, decision: Decision | None, fits: Mapping[UserId, object]
) -> None:
    found: dict[UserId, object] = {}
    for who in fits:
        try:
            found[who] = check(one, who, decision).fits
        except NotAllowed:
            found[who] = NO
    assert found == fits


def test_a_vote_that_counts_for_nothing_still_says_what_the_call_needs_and_as_what_one_was_let_in() -> None:
    assert check(WRITES, BOB, TO_ARCHIVE) == Seat(needs=ARCHIVING, fits=frozenset(), via=(BOB,))
    assert check(EDITED, BOB, Reject()) == Seat(needs=ARCHIVING, fits=frozenset(), via=(BOB,))
    assert check(WRITES, DAVE, TO_ARCHIVE) == Seat(needs=ARCHIVING, via=(DAVE,))
    assert check(WRITES, BOB, Approve()) == Seat(via=(BOB,))


@pytest.mark.parametrize(
    ("one", "decision", "tool"),
    [
        (WRITES, Approve(), "write"),
        (WRITES, TO_ARCHIVE, "write"),
        (EDITED, Approve(), "archive"),
        (EDITED, None, "write"),
    ],
)
def test_whoever_may_not_decide_is_told_about_which_tool(
    one: Action, decision: Decision | None, tool: str
) -> None:
    with pytest.raises(NotAllowed, match=rf"^You are not among the people who may decide about `{tool}`\.$"):
        check(one, UserId("U0NOBODY"), decision)


def test_whom_an_escalation_called_in_is_let_in_where_the_approval_says_so() -> None:
    with pytest.raises(NotAllowed):
        check(WRITES, EVE, Approve())
    assert check(WRITES, EVE, Approve(), escalated=frozenset({EVE})).via == ("escalate_to",)


def test_what_functions_said_of_the_call_and_of_the_edit_holds_for_each() -> None:
    policy = replace(POLICY, rules=(Rule(tools=("write",), by_function=frozenset({"approvers"})),))
    by_bob, by_carol = Chosen(approvers=(One(BOB),)), Chosen(approvers=(One(CAROL),))
    one = replace(WRITES, chosen=by_bob)
    assert check(one, BOB, Approve(), policy=policy).via == (BOB,)
    edit = Edit({"path": "x"})
    assert check(one, BOB, edit, policy=policy, chosen=by_bob).fits == {0}
    assert check(one, BOB, edit, policy=policy, chosen=by_carol).fits == set()
    with pytest.raises(NotAllowed):
        check(one, CAROL, Approve(), policy=policy)
    with pytest.raises(NotAllowed):
        check(one, CAROL, edit, policy=policy, chosen=by_carol)  # she may approve it, not make it
    vote = Vote(decision=edit, by=BOB, at=NOON, digest="e" * 64, chosen=by_carol)
    edited = one.voted(vote, one.needs)
    assert check(edited, CAROL, Approve(), policy=policy).via == (CAROL,)
    assert check(edited, BOB, Reject(), policy=policy).fits == set()
    with pytest.raises(NotAllowed):
        check(edited, BOB, Approve(), policy=policy)


def test_what_is_not_known_of_a_person_is_asked_for_and_not_taken_for_a_no() -> None:
    policy = Policy(defaults=Terms(approvers=(ChannelMembers(), UserGroup(GroupId("S1")))))
    with pytest.raises(AskAbout) as leaves:
        check(WRITES, BOB, Approve(), policy=policy)
    wanted = Wanted(channels=frozenset({GENERAL}), groups=frozenset({GroupId("S1")}))
    assert leaves.value.wanted == wanted


# Where it was pressed.

TEXTS = {
    "team": (
        "Slack says that you are of another workspace than this click does, so nothing was done. "
        "Please press again."
    ),
    "home": "This is not your Home tab as it stands now, so nothing was done. Please open it again.",
    "card": (
        "This is not where the request stands, so nothing was done. Please use the card as it stands now."
    ),
}


def a_home(view: str | None) -> Home:
    return Home(person=BOB, opened_at=NOON, view=view)


@pytest.mark.parametrize(
    ("spot", "home", "refusal"),
    [
        (SPOT, None, None),
        (replace(SPOT, team="", organisation="E1"), None, None),
        (replace(SPOT, team="T0OTHER", organisation="E2"), None, "team"),
        (replace(SPOT, team=""), None, "team"),
        (replace(SPOT, channel=ChannelId("C0OTHER")), None, "card"),
        (replace(SPOT, message=Ts("9.2")), None, "card"),
        (replace(SPOT, message=None), None, "card"),
        (Spot(team=HOME, home="V1"), a_home("V1"), None),
        (Spot(team=HOME, home="V1"), a_home(None), None),
        (Spot(team=HOME, home="V1"), a_home("V2"), "home"),
        (Spot(team=HOME, home="V1"), None, "home"),
        (replace(SPOT, home="V1"), a_home("V2"), "home"),
        (replace(SPOT, team="T0OTHER", home="V1"), a_home("V1"), "team"),
    ],
)
def test_a_click_counts_where_the_card_stands_or_in_ones_own_home_and_is_of_ones_own_workspace(
    spot: Spot, home: Home | None, refusal: str | None
) -> None:
    if refusal is None:
        assert check(WRITES, BOB, Approve(), spot=spot, home=home).via == (BOB,)
        return
    for who in (BOB, CAROL):  # it is told before who may decide
        with pytest.raises(NotHere) as raised:
            check(WRITES, who, Approve(), spot=spot, home=home)
        assert str(raised.value) == TEXTS[refusal]


@pytest.mark.parametrize(
    ("copy", "spot", "is_there"),
    [
        # Its message is known.
        (CARD, SPOT, True),
        (CARD, replace(SPOT, message=Ts("9.2")), False),
        # Slack's answer to the sending is on its way: the channel has to do.
        (SENT, SPOT, True),
        (SENT, replace(SPOT, channel=OPS), False),
        (UNSENT, SPOT, False),
        (SENT, Spot(), False),
        (SENT, Spot(message=Ts("9.1")), False),
        (SENT, Spot(channel=GENERAL), False),
        (
            replace(SENT, place="C0OPS"),
            replace(SPOT, channel=OPS),
            True,
        ),
        (replace(SENT, place="C0OPS"), SPOT, False),
        # A direct message: the person's own, and no channel.
        (replace(SENT, place=BOB), replace(SPOT, channel=TO_BOB), True),
        (replace(SENT, place=BOB), SPOT, False),
        (
            replace(SENT, place="U0X"),
            replace(SPOT, channel=TO_BOB),
            False,
        ),
        (
            replace(SENT, place="W0X"),
            replace(SPOT, channel=ChannelId("W0X")),
            False,
        ),
    ],
)
def test_a_card_stands_at_its_message_and_until_that_is_known_in_its_channel(
    copy: Copy,
    spot: Spot,
    is_there: bool,  # noqa: FBT001 - a row of the table
) -> None:
    assert copy.stands_at(spot, BOB, GENERAL) is is_there


# What is asked before.


async def test_what_the_policy_will_want_to_know_is_asked_at_once_and_no_later_than_slack_waits() -> None:
    people = People(inside={GENERAL: {BOB}}, groups={BOB: {GroupId("S1")}})
    terms = Terms(approvers=(ChannelMembers(), UserGroup(GroupId("S1")), UserGroup(GroupId("S2"))))
    admission = Admission(directory=people, policy=Policy(defaults=terms))
    before = asyncio.get_running_loop().time()
    known = await admission.rights(BOB, SPOT)
    after = asyncio.get_running_loop().time()
    assert known.person == await people.person(BOB)
    assert known.inside == {GENERAL: True, GroupId("S1"): True, GroupId("S2"): False}
    assert before + PATIENCE <= known.until <= after + PATIENCE
    assert (await admission.rights(BOB, Spot(team=HOME))).inside.keys() == {"S1", "S2"}


async def test_who_is_in_a_channel_is_not_asked_where_no_rule_names_it() -> None:
    people = People()
    known = await Admission(directory=people, policy=POLICY).rights(BOB, SPOT)
    assert (known.inside, people.looked_into) == ({}, [])


async def test_what_was_missing_is_added_to_what_is_known_or_it_could_not_be_checked() -> None:
    people = People(inside={GENERAL: {BOB}})
    admission = Admission(directory=people, policy=POLICY)
    known = rights(BOB, inside={GroupId("S1"): True})
    question = AskAbout(Wanted(channels=frozenset({GENERAL})))
    more = await admission.asked_about(known, question)
    assert more == replace(known, inside={GroupId("S1"): True, GENERAL: True})
    people.silent = True
    with pytest.raises(CouldNotCheck):
        await admission.asked_about(known, question)
