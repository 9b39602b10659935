from dataclasses import replace

import pytest

from bot.approvals.approval import State
from bot.approvals.conversation import PostKind, PostState, Status
from bot.approvals.decision import Approve, Edit, Reject
from bot.approvals.errors import Conflict
from bot.approvals.ids import (
    ActionId,
    ApprovalId,
    ChannelId,
    ConversationId,
    InterruptId,
    MessageId,
    PostId,
    Ts,
    UserId,
)
from bot.approvals.places import Copy
from bot.approvals.ports import Event
from bot.store import RowsStore
from tests.store.samples import (
    ALICE,
    BOB,
    GENERAL,
    NOON,
    THREAD,
    action,
    approval,
    conversation,
    later,
    post,
    said,
)


@pytest.fixture(autouse=True)
async def a_thread(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation())


async def test_a_conversation_is_found_by_id_and_by_its_slack_thread(store: RowsStore) -> None:
    async with store.read() as tx:
        assert await tx.conversations.get(THREAD) == conversation()
        assert await tx.conversations.at(GENERAL, Ts("1.thread-1")) == conversation()
        assert await tx.conversations.get(ConversationId("other")) is None
        assert await tx.conversations.at(GENERAL, Ts("2")) is None


async def test_two_conversations_without_a_thread_yet_can_stand_side_by_side(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation("x", thread_ts=None))
        await tx.conversations.add(conversation("y", thread_ts=None))


async def test_saving_a_conversation_writes_its_status_and_thread(store: RowsStore) -> None:
    changed = conversation(thread_ts=Ts("9.9"), status=Status.IDLE)
    async with store.write() as tx:
        await tx.conversations.save(changed)
        assert await tx.conversations.at(GENERAL, Ts("9.9")) == changed


async def test_what_was_never_written_cannot_be_saved(store: RowsStore) -> None:
    async with store.write() as tx:
        with pytest.raises(LookupError):
            await tx.conversations.save(conversation("nowhere"))
        with pytest.raises(LookupError):
            await tx.posts.save(post("nowhere"))
        with pytest.raises(Conflict):
            await tx.approvals.save(approval("nowhere"))


async def test_a_persons_conversations_come_newest_first_and_limited(store: RowsStore) -> None:
    async with store.write() as tx:
        for number in range(3):
            await tx.conversations.add(conversation(f"bob-{number}", requester=BOB))
        found = await tx.conversations.of(BOB, limit=2)
    assert [one.id for one in found] == ["bob-2", "bob-1"]


async def test_unfinished_conversations_are_those_that_are_owed_a_step(store: RowsStore) -> None:
    async with store.write() as tx:
        for status in Status:
            await tx.conversations.add(conversation(status.value, status=status))
        assert set(await tx.conversations.unfinished()) == {
            *(THREAD, "working", "waiting", "retrying", "cancelling")
        }
        waits = replace(approval("p1", action("a1")), conversation=ConversationId("waiting"))
        await tx.approvals.add(waits)
        assert "waiting" not in await tx.conversations.unfinished()


async def test_what_waits_past_its_deadline_is_overdue(store: RowsStore) -> None:
    soon, never = replace(approval("p1", action("a1")), expires_at=later(60)), approval("p2", action("a2"))
    async with store.write() as tx:
        await tx.approvals.add(soon)
        await tx.approvals.add(replace(never, expires_at=None))
        assert await tx.approvals.overdue(later(59)) == []
        assert await tx.approvals.overdue(later(60)) == [soon]
        await tx.approvals.save(soon.withdraw("gone"))
        assert await tx.approvals.overdue(later(61)) == []


async def test_the_same_message_is_heard_once_and_the_transaction_goes_on(store: RowsStore) -> None:
    async with store.write() as tx:
        assert await tx.conversations.keep(said("m1"))
        assert not await tx.conversations.keep(said("m2", source=said("m1").source))
        assert await tx.conversations.keep(said("m3"))
    async with store.read() as tx:
        assert [one.id for one in await tx.conversations.kept(THREAD)] == ["m1", "m3"]


async def test_what_is_handed_over_is_kept_no_longer_and_names_the_speakers(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.conversations.keep(said("m1", by=ALICE))
        await tx.conversations.keep(said("m2", by=BOB))
        await tx.conversations.keep(said("m3", by=UserId("U0CAROL")))
        assert await tx.conversations.speakers(THREAD) == frozenset()
        await tx.conversations.hand_over([MessageId("m1"), MessageId("m2")])
        await tx.conversations.hand_over([])
        assert [one.id for one in await tx.conversations.kept(THREAD)] == ["m3"]
        assert BOB in await tx.conversations.speakers(THREAD)


async def test_an_approval_is_found_by_id_and_action_with_its_actions_in_order(
    store: RowsStore,
) -> None:
    asked = approval("p1", *(action(f"a{number}") for number in (3, 1, 2)))
    async with store.write() as tx:
        assert await tx.approvals.add(asked)
        assert await tx.approvals.add(approval("p2"))
    async with store.read() as tx:
        assert await tx.approvals.get(ApprovalId("p1")) == asked
        assert await tx.approvals.of_action(ActionId("a1")) == asked
        assert await tx.approvals.get(ApprovalId("p9")) is None
        assert await tx.approvals.of_action(ActionId("a9")) is None


async def test_an_interrupt_has_one_approval_and_the_transaction_goes_on(store: RowsStore) -> None:
    async with store.write() as tx:
        assert await tx.approvals.add(approval("p1"))
        assert not await tx.approvals.add(approval("p2", interrupt=InterruptId("i-p1")))
        assert await tx.approvals.add(approval("p3"))
    async with store.read() as tx:
        assert [one.id for one in await tx.approvals.of(THREAD)] == ["p1", "p3"]
        assert await tx.approvals.of_action(ActionId("a-p2")) is None


async def test_an_approval_without_actions_can_be_read_again(store: RowsStore) -> None:
    async with store.write() as tx:
        empty = approval("p1", actions=())
        await tx.approvals.add(empty)
        assert await tx.approvals.get(empty.id) == empty


async def test_saving_writes_state_and_outcomes_and_counts_the_version(store: RowsStore) -> None:
    asked = approval("p1", action("a1"), action("a2"))
    async with store.write() as tx:
        await tx.approvals.add(asked)
        one = asked.decide(ActionId("a2"), Edit({"path": "b"}), by=BOB, at=NOON)
        await tx.approvals.save(one)
        two = replace(one, version=1).decide(ActionId("a1"), Reject("no"), by=ALICE, at=later(1))
        await tx.approvals.save(two)
    async with store.read() as tx:
        read = await tx.approvals.get(asked.id)
    assert read == replace(two, version=2)
    assert read is not None
    assert (read.version, read.state) == (2, State.SETTLED)


async def test_a_stale_version_is_a_conflict_and_changes_nothing(store: RowsStore) -> None:
    asked = approval("p1", action("a1"), action("a2"))
    async with store.write() as tx:
        await tx.approvals.add(asked)
        first = asked.decide(ActionId("a1"), Approve(), by=ALICE, at=NOON)
        await tx.approvals.save(first)
        with pytest.raises(Conflict):
            await tx.approvals.save(asked.decide(ActionId("a1"), Reject(), by=BOB, at=NOON))
        assert await tx.approvals.get(asked.id) == replace(first, version=1)


async def test_several_are_saved_at_once_or_none_is(store: RowsStore) -> None:
    one, two = approval("p1", action("a1")), approval("p2", action("a2"))
    async with store.write() as tx:
        await tx.approvals.add(one)
        await tx.approvals.add(two)
    with pytest.raises(Conflict, match="1 of 2"):
        async with store.write() as tx:
            await tx.approvals.save(one.withdraw("gone"), replace(two, version=7).withdraw("gone"))
    async with store.write() as tx:
        assert await tx.approvals.get(one.id) == one
        await tx.approvals.save(one.withdraw("gone"), two.withdraw("gone"))
        assert [saved.version for saved in await tx.approvals.of(one.conversation)] == [1, 1]


async def test_what_a_decision_needs_is_read_at_once_with_the_card_and_no_other_post(
    store: RowsStore,
) -> None:
    one, two = approval("p1", action("a1"), action("a2")), approval("p2", action("a3"))
    async with store.write() as tx:
        await tx.approvals.add(one)
        await tx.approvals.add(two)
        for id, kind in (("card", PostKind.CARD), ("notice", PostKind.NOTICE)):
            await tx.posts.owe(replace(post(id), kind=kind, approval=one.id))
        asked = await tx.approvals.asked([ActionId("a1"), ActionId("a3"), ActionId("nowhere")])
        conversation = await tx.conversations.get(one.conversation)
    assert (asked[ActionId("a1")].approval, asked[ActionId("a3")].approval) == (one, two)
    assert [card.post for card in asked[ActionId("a1")].cards] == ["card"]
    assert asked[ActionId("a3")].cards == ()
    assert asked[ActionId("a1")].conversation == conversation
    assert ActionId("nowhere") not in asked


async def test_approvals_are_listed_oldest_first_by_state(store: RowsStore) -> None:
    async with store.write() as tx:
        # The newest has the earliest time: rows come in the order in which they were written.
        for number in range(4):
            await tx.approvals.add(approval(f"p{number}", asked_at=later(-number)))
        await tx.approvals.save(approval("p1").withdraw("gone"))
        assert [one.id for one in await tx.approvals.of(THREAD, State.WAITING)] == ["p0", "p2", "p3"]
        assert [one.id for one in await tx.approvals.of(THREAD, State.WITHDRAWN, State.DELIVERED)] == ["p1"]
        assert [one.id for one in await tx.approvals.waiting(limit=2)] == ["p0", "p2"]
        assert await tx.approvals.of(ConversationId("other")) == []


async def test_a_post_is_owed_once_and_saved_as_shown(store: RowsStore) -> None:
    async with store.write() as tx:
        assert await tx.posts.owe(post("one"))
        assert not await tx.posts.owe(post("one", text="again"))
        assert await tx.posts.owe(post("two"))
        shown = post("one", state=PostState.SHOWN, channel=GENERAL, ts=Ts("5.5"), drawn=3, settled_by=BOB)
        await tx.posts.save(shown)
    async with store.read() as tx:
        assert await tx.posts.get(PostId("one")) == shown
        assert await tx.posts.get(PostId("none")) is None
        assert [one.id for one in await tx.posts.of(THREAD)] == ["one", "two"]


async def test_owed_posts_are_those_not_yet_shown(store: RowsStore) -> None:
    async with store.write() as tx:
        for state in PostState:
            await tx.posts.owe(post(state.value, state=state))
        assert [one.id for one in await tx.posts.owed()] == ["owed", "sending"]


async def test_a_card_is_found_by_its_approval(store: RowsStore) -> None:
    async with store.write() as tx:
        await tx.approvals.add(approval("p1"))
        card = post("card", kind=PostKind.CARD, approval=ApprovalId("p1"))
        await tx.posts.owe(post("notice", approval=ApprovalId("p1")))
        await tx.posts.owe(card)
        assert await tx.posts.cards(ApprovalId("p1")) == [card]
        assert await tx.posts.cards(ApprovalId("p2")) == []


async def test_every_copy_of_a_card_is_read_with_its_approval_and_the_one_in_the_thread_is_the_first(
    store: RowsStore,
) -> None:
    async with store.write() as tx:
        await tx.approvals.add(approval("p1", action("a1"), action("a2")))
        copies = [
            post("there", place="C0OPS"),
            post("shown", place="U0BOB", state=PostState.SHOWN, channel=ChannelId("D0BOB"), ts=Ts("2.1")),
            post("here", state=PostState.SENDING),
        ]
        for copy in copies:
            await tx.posts.owe(replace(copy, kind=PostKind.CARD, approval=ApprovalId("p1")))
        asked = (await tx.approvals.asked([ActionId("a2")]))[ActionId("a2")]
        assert [card.id for card in await tx.posts.cards(ApprovalId("p1"))] == ["here", "there", "shown"]
    assert asked.cards == (
        Copy(post=PostId("here"), is_sent=True),
        Copy(post=PostId("there"), place="C0OPS"),
        Copy(post=PostId("shown"), place="U0BOB", channel=ChannelId("D0BOB"), ts=Ts("2.1"), is_sent=True),
    )
    assert len(asked.approval.actions) == 2


async def test_the_record_tells_everything_in_order(store: RowsStore) -> None:
    events = [
        Event(kind="filed", at=NOON, conversation=THREAD, approval=ApprovalId("p1")),
        Event(kind="refused", at=later(-1), actor=BOB, detail={"why": "guest"}),
        Event(kind="decided", at=NOON, conversation=THREAD, action=ActionId("a1"), actor=ALICE),
    ]
    async with store.write() as tx:
        for event in events:
            await tx.record.append(event)
    async with store.read() as tx:
        assert await tx.record.of() == events
        assert await tx.record.of(THREAD) == [events[0], events[2]]
