"""Several people's votes about one action."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.approvals.action import LetThrough, Remembered, Seat, Vote
from bot.approvals.approval import Approval, Decided, Expired, State
from bot.approvals.briefing import Briefing
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Json, Reject, Respond
from bot.approvals.errors import AlreadyDecided, NotAllowed, Refused
from bot.approvals.ids import ActionId, GroupId, UserId
from bot.approvals.quorum import tally
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.times import utc
from bot.approvals.who import ALONE, ChannelMembers, Quorum, UserGroup
from tests.approvals.strategies import NOON, an_action, an_approval

ALICE, BOB, CAROL, DAVE = (UserId(f"U{number}") for number in range(1, 5))
FIRST, SECOND = ActionId("a0"), ActionId("a1")
TWO = (Quorum(approvers=(ChannelMembers(),), count=2),)
BOTH = (
    Quorum(approvers=(UserGroup(GroupId("S1"), "security"),)),
    Quorum(approvers=(UserGroup(GroupId("S2"), "release"),), count=2),
)
OTHERWISE, DIFFERENTLY = Edit({"path": "old.log"}), Edit({"path": "new.log"})


def two(*, actions: int = 1, needs: tuple[Quorum, ...] = TWO) -> Approval:
    return an_approval(*(replace(an_action(number), needs=needs) for number in range(actions)))


def vote(
    approval: Approval,
    by: UserId,
    decision: Decision | None = None,
    *,
    fits: frozenset[int] = frozenset({0}),
    seen: str | None = None,
    id: ActionId = FIRST,
    needs: tuple[Quorum, ...] | None = None,
) -> Approval:
    seat = Seat(needs=needs or approval.action(id).needs, fits=fits)
    return approval.decide(id, decision or Approve(), by=by, at=NOON, seat=seat, seen=seen)


def people(approval: Approval) -> list[UserId]:
    return [one.by for one in approval.action(FIRST).votes]


def test_the_second_vote_of_two_decides_and_the_first_does_not() -> None:
    once = vote(two(), BOB)
    assert (once.state, once.open) == (State.WAITING, once.actions)
    assert once.action(FIRST).tally.missing == 1
    twice = vote(once, CAROL)
    assert twice.state is State.SETTLED
    assert twice.action(FIRST).outcome == Decided(decision=Approve(), by=CAROL, at=NOON)
    assert people(twice) == [BOB, CAROL]


def test_the_same_person_votes_once_however_often_they_press() -> None:
    once = vote(two(), BOB)
    with pytest.raises(AlreadyDecided, match=r"Already approved by you. It still needs others\."):
        vote(once, BOB)


@pytest.mark.parametrize("decision", [Reject("no"), Respond("this instead")])
def test_one_no_and_one_answer_end_it_at_once_whoever_approved_before(decision: Decision) -> None:
    ended = vote(vote(two(), BOB), CAROL, decision)
    assert ended.state is State.SETTLED
    assert ended.action(FIRST).outcome == Decided(decision=decision, by=CAROL, at=NOON)
    assert people(ended) == [BOB, CAROL]


def test_an_own_approval_can_become_a_no() -> None:
    ended = vote(vote(two(), BOB), BOB, Reject())
    assert ended.state is State.SETTLED
    assert people(ended) == [BOB]


def test_a_vote_taken_back_counts_no_more() -> None:
    once = vote(two(), BOB).take_back(FIRST, by=BOB, at=NOON)
    assert people(vote(once, CAROL)) == [CAROL]
    assert vote(once, CAROL).state is State.WAITING


def test_nobody_takes_back_a_vote_that_is_not_theirs() -> None:
    with pytest.raises(NotAllowed, match="no decision of yours"):
        vote(two(), BOB).take_back(FIRST, by=CAROL, at=NOON)


def test_an_edit_voids_the_votes_before_it_and_is_its_makers_own() -> None:
    edited = vote(vote(two(), BOB), CAROL, OTHERWISE)
    assert people(edited) == [CAROL]
    action = edited.action(FIRST)
    assert action.outcome is None
    assert action.asked.arguments == OTHERWISE.arguments
    assert action.asked.digest not in {action.digest, ""}


def test_a_vote_after_an_edit_is_for_the_edited_call_and_decides_it() -> None:
    edited = vote(vote(two(), BOB), CAROL, OTHERWISE)
    done = vote(edited, BOB, seen=edited.action(FIRST).edition)
    assert done.action(FIRST).outcome == Decided(decision=OTHERWISE, by=BOB, at=NOON)
    assert {one.digest for one in done.action(FIRST).votes} == {edited.action(FIRST).asked.digest}


@pytest.mark.parametrize("seen", ["", "0123456789abcdef"])
def test_who_saw_something_else_than_what_is_asked_now_approves_nothing(seen: str) -> None:
    edited = vote(two(), CAROL, OTHERWISE)
    with pytest.raises(AlreadyDecided, match="edited meanwhile"):
        vote(edited, BOB, seen=seen)
    with pytest.raises(AlreadyDecided, match="edited meanwhile"):
        vote(two(), BOB, seen=edited.action(FIRST).edition)


def test_a_different_edit_voids_again_and_the_same_one_agrees() -> None:
    edited = vote(two(needs=BOTH), CAROL, OTHERWISE)
    assert people(vote(edited, BOB, OTHERWISE)) == [CAROL, BOB]
    other = vote(edited, BOB, DIFFERENTLY)
    assert people(other) == [BOB]
    assert other.action(FIRST).asked.arguments == DIFFERENTLY.arguments


def test_an_edit_that_changes_nothing_agrees_with_those_before_it() -> None:
    asked = two()
    first = asked.action(FIRST)
    digest = asked.digest_of(first, first.tool, {"path": "tmp.log"}, None)
    asked = replace(asked, actions=(replace(asked.action(FIRST), digest=digest),))
    done = vote(vote(asked, BOB), CAROL, Edit({"path": "tmp.log"}))
    assert done.action(FIRST).outcome == Decided(decision=Approve(), by=CAROL, at=NOON)


def test_with_an_edit_fall_the_votes_for_it() -> None:
    needs = (Quorum(approvers=(ChannelMembers(),), count=3),)
    edited = vote(two(needs=needs), CAROL, OTHERWISE)
    agreed = vote(edited, BOB, seen=edited.action(FIRST).edition)
    for fallen in (agreed.take_back(FIRST, by=CAROL, at=NOON),):
        assert people(fallen) == []
        assert fallen.action(FIRST).asked.arguments == {"path": "tmp.log"}


def test_who_may_only_edit_can_agree_to_an_edit_but_not_to_the_call() -> None:
    asked = an_approval(replace(an_action(allowed=frozenset({DecisionKind.EDIT})), needs=TWO))
    with pytest.raises(NotAllowed, match="cannot be approved"):
        vote(asked, BOB)
    edited = vote(asked, CAROL, OTHERWISE)
    assert vote(edited, BOB).action(FIRST).outcome == Decided(decision=OTHERWISE, by=BOB, at=NOON)


def test_of_two_groups_one_person_in_both_is_not_enough() -> None:
    needs = (replace(BOTH[0]), replace(BOTH[1], count=1))
    once = vote(two(needs=needs), BOB, fits=frozenset({0, 1}))
    assert once.state is State.WAITING
    assert vote(once, CAROL, fits=frozenset({0})).state is State.SETTLED
    assert vote(once, CAROL, fits=frozenset({1})).state is State.SETTLED


def test_votes_of_one_group_do_not_make_up_for_another() -> None:
    approval = two(needs=BOTH)
    for person in (BOB, CAROL, DAVE):
        approval = vote(approval, person, fits=frozenset({1}))
    assert approval.state is State.WAITING
    assert vote(approval, ALICE, fits=frozenset({0})).state is State.SETTLED


def test_votes_that_were_cast_under_other_rules_fall_with_the_first_vote_under_the_new_ones() -> None:
    once = vote(two(), BOB)
    assert people(vote(once, CAROL, needs=BOTH)) == [CAROL]
    assert vote(once, CAROL, needs=ALONE).state is State.SETTLED


def test_an_edit_from_under_other_rules_is_still_what_is_asked_and_counts_for_nothing() -> None:
    edited = vote(two(), CAROL, OTHERWISE)
    seen = edited.action(FIRST).edition
    once = vote(edited, BOB, needs=BOTH, fits=frozenset({1}), seen=seen)
    assert once.action(FIRST).asked.arguments == OTHERWISE.arguments
    assert once.action(FIRST).tally.counted == 1
    twice = vote(once, CAROL, fits=frozenset({0}), seen=seen)
    assert twice.action(FIRST).tally.counted == 2
    done = vote(twice, DAVE, fits=frozenset({1}), seen=seen)
    assert done.action(FIRST).outcome == Decided(decision=OTHERWISE, by=DAVE, at=NOON)


def test_a_vote_of_which_it_is_not_said_what_it_counts_for_does_not_get_around_the_quorum() -> None:
    assert two().decide(FIRST, Approve(), by=BOB, at=NOON).state is State.WAITING


def test_what_did_not_reach_its_quorum_expires_and_the_votes_stay_to_be_seen() -> None:
    asked = replace(vote(two(), BOB), expires_at=NOON + timedelta(hours=1))
    expired = asked.expire(NOON + timedelta(hours=1))
    assert isinstance(expired.action(FIRST).outcome, Expired)
    assert people(expired) == [BOB]
    with pytest.raises(AlreadyDecided, match="expired"):
        vote(expired, CAROL)


def test_a_voter_may_change_a_decided_action_until_the_last_one_is_in() -> None:
    asked = vote(vote(two(actions=2), BOB), CAROL)
    assert asked.state is State.WAITING
    with pytest.raises(AlreadyDecided, match="Already approved by <@U3>"):
        vote(asked, DAVE)
    again = asked.take_back(FIRST, by=BOB, at=NOON)
    assert people(again) == [CAROL]
    assert again.action(FIRST).outcome is None
    assert vote(asked, BOB, Reject()).action(FIRST).decided == Decided(decision=Reject(), by=BOB, at=NOON)


def test_a_no_that_is_taken_back_leaves_the_votes_before_it() -> None:
    asked = vote(vote(two(actions=2), BOB), CAROL, Reject())
    with pytest.raises(AlreadyDecided, match="Already rejected by <@U3>"):
        asked.take_back(FIRST, by=BOB, at=NOON)
    assert people(asked.take_back(FIRST, by=CAROL, at=NOON)) == [BOB]


steps = st.lists(
    st.tuples(
        st.sampled_from([ALICE, BOB, CAROL, DAVE]),
        st.sampled_from([Approve(), OTHERWISE, DIFFERENTLY, Reject("no"), None]),
        st.frozensets(st.integers(0, 1), min_size=1),
        st.booleans(),
    ),
    max_size=12,
)


@given(steps, st.sampled_from([TWO, BOTH, ALONE]))
def test_in_any_order_of_votes_what_is_let_run_has_the_votes_of_its_quorum_for_exactly_it(
    moves: Sequence[tuple[UserId, Decision | None, frozenset[int], bool]], needs: tuple[Quorum, ...]
) -> None:
    approval = two(actions=2, needs=needs)
    given: dict[UserId, Vote] = {}
    for by, decision, fits, looked in moves:
        action = approval.action(FIRST)
        try:
            if decision is None:
                approval = approval.take_back(FIRST, by=by, at=NOON)
            else:
                seen = action.edition if looked else ""
                approval = vote(approval, by, decision, fits=fits & set(range(len(needs))) or {0}, seen=seen)  # type: ignore[arg-type]
        except Refused:
            assert approval.action(FIRST) is action
            continue
        now = approval.action(FIRST)
        given = {one.by: one for one in now.votes}
        assert len(given) == len(now.votes)
        match now.outcome:
            case Decided(decision=Reject() | Respond(), by=last):
                assert given[last].decision == now.outcome.decision
            case Decided():
                assert {one.digest for one in now.votes} == {now.asked.digest}
                assert tally([need.count for need in needs], [one.fits for one in now.votes]).reached
            case None:
                assert not any(isinstance(one.decision, Reject) for one in now.votes)
                assert not now.tally.reached


# What an edit carries with it: what its arguments point at, and what functions of the policy said of them.

THEN, NOW = Referents(texts={"file": "sha256 1"}), Referents(texts={"file": "sha256 2"})
AWAY = Referents(problem="the disk is away")
CHOSEN = Chosen(quorum=2)


def edited(approval: Approval, by: UserId = BOB, edit: Edit = OTHERWISE, **changes: Any) -> Approval:  # noqa: ANN401 - what `decide` takes
    seat = Seat(needs=approval.action(FIRST).needs)
    return approval.decide(FIRST, edit, by=by, at=NOON, seat=seat, **changes)


def test_an_edit_is_asked_about_with_what_it_points_at_and_who_was_chosen_for_it() -> None:
    own = replace(an_action(0), needs=TWO, referents=THEN, chosen=Chosen(quorum=1))
    waits = an_approval(own)
    once = edited(waits, referents=NOW, chosen=CHOSEN)
    (vote_of_it,) = once.action(FIRST).votes
    assert (vote_of_it.referents, vote_of_it.chosen) == (NOW, CHOSEN)
    assert vote_of_it.digest == waits.digest_of(own, own.tool, OTHERWISE.arguments, NOW)
    assert vote_of_it.digest != waits.digest_of(own, own.tool, OTHERWISE.arguments, None)
    now = once.action(FIRST).asked
    assert (now.arguments, now.referents, now.chosen) == (OTHERWISE.arguments, NOW, CHOSEN)


def test_how_the_tool_shows_its_call_is_not_told_of_an_edit_and_the_rest_of_the_briefing_is() -> None:
    told = Briefing(deciders="Bob", reasons=("late",), rendered=Rendered(problem="it is too long"))
    waits = an_approval(replace(an_action(0), needs=TWO, briefing=told))
    assert waits.action(FIRST).asked.briefing == told
    assert edited(waits).action(FIRST).asked.briefing == replace(told, rendered=None)


def test_who_approves_an_own_edit_again_under_other_rules_keeps_it_with_what_it_pointed_at() -> None:
    kept = vote(edited(two(), referents=NOW, chosen=CHOSEN), BOB, needs=BOTH).action(FIRST).edit
    assert kept
    assert (kept.decision, kept.referents, kept.chosen) == (OTHERWISE, NOW, CHOSEN)


def test_what_cannot_be_looked_up_cannot_be_approved_and_says_why() -> None:
    waits = an_approval(replace(an_action(0), referents=AWAY))
    with pytest.raises(NotAllowed) as refused:
        vote(waits, BOB)
    tool = waits.actions[0].tool
    assert str(refused.value) == (
        f"`{tool}` cannot be approved, for what it points at could not be looked up (the disk is away); "
        "nothing was done."
    )
    assert vote(waits, BOB, Reject()).state is State.SETTLED


def test_a_decision_that_is_not_taken_is_refused_in_a_sentence() -> None:
    waits = an_approval(replace(an_action(0), allowed=frozenset({DecisionKind.APPROVE})))
    tool = waits.actions[0].tool
    with pytest.raises(NotAllowed) as refused:
        vote(waits, BOB, Reject())
    assert str(refused.value) == f"`{tool}` cannot be rejected; nothing was done."
    with pytest.raises(NotAllowed) as turned:
        edited(two(), edit=Edit({}, tool="other"))
    assert str(turned.value) == f"`{tool}` cannot be turned into `other`; nothing was done."


@pytest.mark.parametrize("kept_arguments", [{"path": "a", "mode": "w"}])
def test_a_call_that_is_turned_into_another_keeps_what_both_take_and_nothing_that_was_said_of_it(
    kept_arguments: dict[str, Json],
) -> None:
    own = replace(
        an_action(0),
        arguments=kept_arguments,
        referents=THEN,
        briefing=Briefing(deciders="Bob"),
        targets={"archive": {"properties": {"path": {}, "to": {}}}, "bare": {}},
    )
    turned = own.turned("archive")
    assert (turned.tool, turned.arguments, turned.referents) == ("archive", {"path": "a"}, None)
    assert (turned.schema, turned.briefing) == (own.targets["archive"], Briefing())
    assert own.turned("bare").arguments == {}
    assert own.turned(own.tool) is own
    with pytest.raises(KeyError):
        own.turned("other")


def test_with_the_last_edit_fall_its_needs_and_without_one_they_stay() -> None:
    once = edited(two())
    assert once.take_back(FIRST, by=BOB, at=NOON, needs=BOTH).action(FIRST).needs == BOTH
    assert once.take_back(FIRST, by=BOB, at=NOON).action(FIRST).needs == TWO
    agreed = vote(two(needs=(Quorum(approvers=(ChannelMembers(),), count=3),)), CAROL)
    kept = agreed.take_back(FIRST, by=CAROL, at=NOON, needs=BOTH)
    assert kept.action(FIRST).needs != BOTH  # it was no edit
    both = vote(edited(two(needs=(Quorum(approvers=(ChannelMembers(),), count=3),))), CAROL)
    assert both.take_back(FIRST, by=CAROL, at=NOON, needs=BOTH).action(FIRST).needs != BOTH


MEANWHILE = "This was edited meanwhile, so nothing was done. Please read it again."
NO_LONGER = "This request is closed: the agent no longer waits for it."
LET_THROUGH = "Nobody is asked about this call: let through by the policy."


@pytest.mark.parametrize(
    ("decide", "sentence"),
    [
        (lambda one: vote(one, BOB, seen="e" * 16), MEANWHILE),
        (lambda one: vote(vote(one, BOB), BOB), "Already approved by you. It still needs others."),
        (lambda _: vote(vote(vote(two(actions=2), BOB), CAROL), BOB), "Already approved by you."),
        (lambda one: one.take_back(FIRST, by=BOB, at=NOON), "There is no decision of yours to change."),
        (lambda one: vote(one.withdraw(""), BOB), NO_LONGER),
        (lambda one: vote(one.withdraw("stopped"), BOB), "This request is closed: stopped."),
        (lambda one: vote(one.expire(NOON), BOB), f"This request expired at {utc(NOON)}."),
        (lambda one: vote(vote(vote(one, BOB), CAROL), DAVE), f"Already approved by <@{CAROL}>."),
        (lambda one: vote(vote(one, BOB, Reject()), BOB), "Already rejected by you."),
        (lambda one: vote(vote(one, BOB, Reject()), CAROL), f"Already rejected by <@{BOB}>."),
        (lambda one: vote(one.let_through({FIRST: LetThrough(at=NOON)}), BOB), LET_THROUGH),
        (lambda one: one.withdraw("stopped").expire(NOON), "This request is withdrawn already."),
        (lambda one: one.expire(NOON).deliver().escalate(frozenset()), "This request is delivered already."),
    ],
)
def test_what_comes_too_late_or_twice_is_told_in_a_sentence(
    decide: Callable[[Approval], object], sentence: str
) -> None:
    with pytest.raises(Refused) as refused:
        decide(two())
    assert str(refused.value) == sentence


def test_what_is_let_through_leaves_the_outcomes_of_the_others() -> None:
    waits = vote(two(actions=2, needs=ALONE), BOB)
    through = LetThrough(at=NOON, because=Remembered(action=FIRST, by=(BOB, CAROL), at=NOON))
    settled = waits.let_through({SECOND: through})
    assert [str(one.outcome) for one in settled.actions] == [
        f"approved by <@{BOB}>",
        f"not asked again, approved by <@{BOB}>, <@{CAROL}>",
    ]
    assert settled.state is State.SETTLED
    assert str(Expired(at=NOON)) == f"expired at {utc(NOON)}"


def test_a_decided_action_is_changed_by_whoever_had_a_part_in_it_and_an_end_by_its_maker_alone() -> None:
    decided = vote(vote(two(), BOB), CAROL).action(FIRST)
    assert [decided.may_change(one) for one in (BOB, CAROL, DAVE)] == [True, True, False]
    ended = vote(vote(two(), BOB), CAROL, Reject()).action(FIRST)
    assert [ended.may_change(one) for one in (BOB, CAROL, DAVE)] == [False, True, False]
    waits = vote(two(), BOB).action(FIRST)
    assert not any(waits.may_change(one) for one in (BOB, CAROL))
