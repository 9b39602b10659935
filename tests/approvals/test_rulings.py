"""What one decision writes: the approval, the line of the record, and what is owed because of it."""

from dataclasses import replace

import pytest

from bot.approvals.action import Action, Seat
from bot.approvals.approval import Approval, State
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Approve, Edit, Json, Reject
from bot.approvals.errors import AlreadyDecided
from bot.approvals.ids import ActionId, ChannelId, PostId, UserId
from bot.approvals.places import Copy
from bot.approvals.ports import Asked, Event, Work
from bot.approvals.referents import Referents
from bot.approvals.rulings import Ruling, decided, taken_back
from bot.approvals.who import Members, Quorum
from tests.store.samples import BOB, NOON, THREAD, action, approval, conversation

CAROL, DAVE = UserId("U0CAROL"), UserId("U0DAVE")
A1 = ActionId("a1")
TWO = (Quorum(approvers=(Members(),), count=2),)
CARDS = (Copy(post=PostId("card-1")), Copy(post=PostId("card-2"), channel=ChannelId("C1")))
RESUME = Work("resume:p1", "resume", key=f"thread:{THREAD}", payload={"conversation": THREAD})


def asked(*actions: Action, version: int = 3, others: int = 0, **changes: object) -> Asked:
    waits = replace(approval("p1", *actions), version=version, timers=("t1", "t2"), **changes)  # type: ignore[arg-type]
    return Asked(approval=waits, conversation=conversation(), cards=CARDS, others=others)


def redrawn(version: int) -> tuple[Work, ...]:
    return tuple(
        Work(
            f"redraw:{card}:{version}",
            "redraw",
            key=f"redraw:{card}",
            payload={"post": card, "version": str(version)},
        )
        for card in ("card-1", "card-2")
    )


def line(kind: str, *, by: UserId = BOB, via: list[Json] | None = None, **detail: Json) -> Event:
    told = detail if via is None else {**detail, "as": via}
    return Event(
        kind=kind, at=NOON, conversation=THREAD, approval=approval("p1").id, action=A1, actor=by, detail=told
    )


def after(one: Asked, changed: Approval) -> Asked:
    return replace(one, approval=changed)


def test_the_last_decision_is_written_with_the_resume_and_without_the_timers() -> None:
    one = asked(action("a1"))
    ruling = decided(one, A1, Approve(), by=BOB, at=NOON, seat=Seat(via=("members", "@@dba")))
    assert ruling == Ruling(
        approval=one.approval.decide(A1, Approve(), by=BOB, at=NOON),
        event=line("decided", decision="approve", digest="d" * 64, via=["members", "@@dba"]),
        work=(*redrawn(4), RESUME),
        cancelled=("t1", "t2"),
    )
    assert ruling.approval.state is State.SETTLED


def test_a_decision_that_is_not_the_last_one_draws_the_cards_again_and_no_more() -> None:
    one = asked(action("a1"), action("a2"), version=7, others=5)
    ruling = decided(one, A1, Reject("no"), by=BOB, at=NOON, seat=Seat())
    assert ruling == Ruling(
        approval=one.approval.decide(A1, Reject("no"), by=BOB, at=NOON),
        event=line("decided", decision="reject", digest="d" * 64, via=[]),
        work=redrawn(13),
    )
    assert ruling.approval.state is State.WAITING


def test_a_vote_that_needs_others_is_told_as_one_and_with_those_before_it() -> None:
    one = asked(action("a1", needs=TWO))
    first = decided(one, A1, Approve(), by=BOB, at=NOON, seat=Seat(needs=TWO))
    assert first.event == line("voted", decision="approve", digest="d" * 64, via=[])
    assert (first.work, first.cancelled) == (redrawn(4), ())
    second = decided(after(one, first.approval), A1, Approve(), by=CAROL, at=NOON, seat=Seat(needs=TWO))
    assert second.event == line(
        "decided", by=CAROL, decision="approve", digest="d" * 64, votes=[BOB, CAROL], via=[]
    )
    assert second.work[-1] == RESUME


def test_an_edit_is_told_by_digests_with_what_it_points_at_and_the_votes_that_it_voids() -> None:
    one = asked(action("a1", needs=TWO, targets={"archive": {}}))
    first = decided(one, A1, Approve(), by=BOB, at=NOON, seat=Seat(needs=TWO)).approval
    pointing, chosen = Referents(texts={"x": "sha256 1"}), Chosen(quorum=2)
    edit = Edit({"path": "secret"}, tool="archive")
    ruling = decided(
        after(one, first),
        A1,
        edit,
        by=CAROL,
        at=NOON,
        seat=Seat(needs=TWO, fits=frozenset()),
        seen="",
        referents=pointing,
        chosen=chosen,
    )
    (vote,) = ruling.approval.actions[0].votes
    digest = one.approval.digest_of(one.approval.actions[0], "archive", {"path": "secret"}, pointing)
    assert (vote.decision, vote.digest, vote.fits) == (edit, digest, frozenset())
    assert (vote.referents, vote.chosen) == (pointing, chosen)
    assert ruling.event == line(
        "voted",
        by=CAROL,
        decision="edit",
        digest="d" * 64,
        edited_digest=digest,
        edited_tool="archive",
        referents=pointing.fingerprint,
        void=[BOB],
        via=[],
    )


def test_an_edit_within_the_same_tool_tells_no_other_tool() -> None:
    ruling = decided(asked(action("a1")), A1, Edit({"path": "x"}), by=BOB, at=NOON, seat=Seat())
    assert set(ruling.event.detail) == {"decision", "digest", "edited_digest", "as"}


def test_what_was_edited_since_somebody_saw_it_is_not_decided() -> None:
    with pytest.raises(AlreadyDecided, match="This was edited meanwhile"):
        decided(asked(action("a1")), A1, Approve(), by=BOB, at=NOON, seat=Seat(), seen="e" * 16)


def test_a_vote_that_is_taken_back_leaves_a_line_and_draws_the_cards_again() -> None:
    one = asked(action("a1", needs=TWO))
    edited = decided(one, A1, Edit({"path": "x"}), by=BOB, at=NOON, seat=Seat(needs=TWO)).approval
    ruling = taken_back(after(one, edited), A1, by=BOB, at=NOON)
    assert ruling == Ruling(
        approval=edited.take_back(A1, by=BOB, at=NOON), event=line("taken_back"), work=redrawn(4)
    )
    needs = (Quorum(approvers=(Members(),), count=3),)
    assert ruling.approval.actions[0].needs == TWO
    fallen = taken_back(after(one, edited), A1, by=BOB, at=NOON, needs=needs)
    assert fallen.approval.actions[0].needs == needs
