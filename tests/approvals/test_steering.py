"""What people say to the agent."""

from dataclasses import replace

import pytest

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Conversation, Post, PostKind, Status
from bot.approvals.errors import AlreadyDecided, CouldNotCheck, NotAllowed, Refused
from bot.approvals.filing import file, owe
from bot.approvals.ids import ChannelId, ConversationId, PostId, Ts, UserId
from bot.approvals.person import Standing
from bot.approvals.policy import ChannelMembers, Members, One, Policy, Requester, Rule, Terms
from bot.approvals.steering import (
    GONE_ON,
    MAX_TEXT,
    NOT_IN_CHANNEL,
    NOT_IN_MESSAGES,
    TRY_AGAIN,
    Steering,
)
from bot.approvals.stopping import BEING_STOPPED, FINISHED
from bot.approvals.turns import KEPT, NO_LONGER, NOBODY
from tests.approvals.fakes import People, ScriptedAgent, Ticking, WatchedStore, owed, owing
from tests.store.samples import ALICE, BOB, GENERAL, NOON, THREAD, approval, conversation

CAROL = UserId("U0CAROL")
ROOT = Ts("1.000100")
IN_CHANNEL = Policy(defaults=Terms(approvers=(ChannelMembers(),)))
FAILURE = PostId("failure-1")


def steers(store: WatchedStore, people: People | None = None, policy: Policy = IN_CHANNEL) -> Steering:
    return Steering(
        store=store,
        jobs=owing(store),
        agent=ScriptedAgent({}),
        directory=people or People(),
        policy=policy,
        now=Ticking(),
    )


async def there_is(store: WatchedStore, status: Status, *approvals: Approval) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=status, thread_ts=ROOT))
        for one in approvals:
            await file(tx, owing(store), one)


async def failed(store: WatchedStore, kind: PostKind = PostKind.FAILURE) -> None:
    await there_is(store, Status.FAILED if kind is PostKind.FAILURE else Status.IDLE)
    async with store.write() as tx:
        await owe(tx, owing(store), Post(id=FAILURE, conversation=THREAD, kind=kind, text="It broke."))


async def the_conversation(store: WatchedStore, id: ConversationId = THREAD) -> Conversation:
    async with store.read() as tx:
        found = await tx.conversations.get(id)
    assert found is not None
    return found


async def of_alice(store: WatchedStore) -> list[Conversation]:
    async with store.read() as tx:
        return list(await tx.conversations.of(ALICE))


async def kept(store: WatchedStore, id: ConversationId = THREAD) -> list[tuple[UserId, str]]:
    async with store.read() as tx:
        return [(said.by, said.text) for said in await tx.conversations.kept(id)]


async def told(store: WatchedStore, id: ConversationId = THREAD) -> list[tuple[PostKind, str]]:
    async with store.read() as tx:
        return [(post.kind, post.text) for post in await tx.posts.of(id)]


async def notices(store: WatchedStore) -> list[PostId]:
    async with store.read() as tx:
        return [post.id for post in await tx.posts.of(THREAD)]


async def agent_jobs(store: WatchedStore) -> int:
    return len([job for job in await owed(store) if str(job["key"]).startswith("thread:")])


async def test_a_command_starts_one_conversation_however_often_slack_delivers_it(store: WatchedStore) -> None:
    steering = steers(store)
    for _ in range(3):
        await steering.command("list the files", by=ALICE, channel=GENERAL, source="trigger-1")
    await steering.command("list the files", by=ALICE, channel=GENERAL, source="trigger-2")
    second, first = await of_alice(store)
    assert (first.status, first.thread_ts, first.channel) == (Status.WORKING, None, GENERAL)
    assert await kept(store, first.id) == [(ALICE, "list the files")]
    assert await told(store, first.id) == [(PostKind.OPENING, "list the files")]
    assert first.id != second.id
    assert await agent_jobs(store) == 2


async def test_a_message_starts_one_conversation_however_often_slack_delivers_it(store: WatchedStore) -> None:
    steering = steers(store)
    for _ in range(3):
        await steering.hear("list the files", by=ALICE, channel=GENERAL, ts=ROOT, thread_ts=None)
    [started] = await of_alice(store)
    assert (started.status, started.thread_ts) == (Status.WORKING, ROOT)
    assert await kept(store, started.id) == [(ALICE, "list the files")]
    assert await told(store, started.id) == []
    assert await agent_jobs(store) == 1


async def test_a_message_is_known_by_its_place_and_its_very_words(store: WatchedStore) -> None:
    steering = steers(store)
    await steering.hear("list the files", by=ALICE, channel=GENERAL, ts=ROOT, thread_ts=None)
    assert await steering.is_known("list the files", channel=GENERAL, ts=ROOT)
    assert not await steering.is_known("list all the files", channel=GENERAL, ts=ROOT)
    assert not await steering.is_known("list the files", channel=GENERAL, ts=Ts("2.0"))
    assert not await steering.is_known("list the files", channel=ChannelId("C0OPS"), ts=ROOT)


@pytest.mark.parametrize("status", Status)
async def test_a_message_that_was_deleted_is_taken_back_while_people_are_asked_and_at_no_other_time(
    store: WatchedStore, status: Status
) -> None:
    await there_is(store, status)
    steering = steers(store)
    for number, text in enumerate(("rather not", "and hurry"), 2):
        await steering.hear(text, by=ALICE, channel=GENERAL, ts=Ts(f"{number}.0"), thread_ts=ROOT)
    for _ in range(2):
        await steering.unsay(GENERAL, Ts("2.0"), ROOT)
    await steering.unsay(GENERAL, Ts("9.0"), ROOT)
    await steering.unsay(GENERAL, Ts("9.0"), None)
    is_taken = status is Status.WAITING
    assert await kept(store) == [(ALICE, "rather not"), (ALICE, "and hurry")][is_taken:]
    assert [text for _, text in await told(store)].count(NO_LONGER) == is_taken
    async with store.read() as tx:
        record = [event.kind for event in await tx.record.of(THREAD)]
    assert record == ["said"] * 2 + ["unsaid"] * is_taken
    first = [f"redraw:{notice}:settled" for notice in await notices(store)][:is_taken]
    assert [job["id"] for job in await owed(store, "redraw")] == first


async def test_a_message_in_a_thread_without_us_starts_a_conversation_there(store: WatchedStore) -> None:
    await steers(store).hear("and you?", by=ALICE, channel=GENERAL, ts=Ts("2.0"), thread_ts=ROOT)
    [started] = await of_alice(store)
    assert started.thread_ts == ROOT


async def test_the_same_ts_in_another_channel_is_another_message(store: WatchedStore) -> None:
    for channel in (GENERAL, ChannelId("C0ELSEWHERE")):
        await steers(store).hear("hello", by=ALICE, channel=channel, ts=ROOT, thread_ts=None)
    assert {one.channel for one in await of_alice(store)} == {GENERAL, "C0ELSEWHERE"}


@pytest.mark.parametrize("status", Status)
async def test_a_message_is_kept_once_and_said_to_be_kept_where_it_has_to_wait(
    store: WatchedStore, status: Status
) -> None:
    await there_is(store, status)
    steering = steers(store)
    for is_new in (True, False):
        heard = await steering.hear("one more", by=BOB, channel=GENERAL, ts=Ts("2.0"), thread_ts=ROOT)
        assert heard is is_new
    assert await kept(store) == [(BOB, "one more")]
    waits = [(PostKind.NOTICE, KEPT[status])] if status not in {Status.IDLE, Status.FAILED} else []
    assert await told(store) == waits
    now = (await the_conversation(store)).status
    assert now is (Status.WORKING if status is Status.IDLE else status)
    assert await agent_jobs(store) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Say what"),
        (" \n\t", "Say what"),
        ("x" * (MAX_TEXT + 1), "40,001 characters; the agent takes at most 40,000"),
    ],
)
async def test_what_is_empty_or_too_long_is_refused_in_a_sentence_and_starts_nothing(
    store: WatchedStore, text: str, sentence: str
) -> None:
    steering = steers(store)
    with pytest.raises(Refused, match=sentence):
        await steering.command(text, by=ALICE, channel=GENERAL, source="trigger")
    with pytest.raises(Refused, match=sentence):
        await steering.hear(text, by=ALICE, channel=GENERAL, ts=ROOT, thread_ts=None)
    assert await of_alice(store) == []
    await there_is(store, Status.WAITING)
    with pytest.raises(Refused, match=sentence):
        await steering.hear(text, by=ALICE, channel=GENERAL, ts=Ts("2.0"), thread_ts=ROOT)
    assert (await kept(store), await told(store), await owed(store)) == ([], [], [])


@pytest.mark.parametrize(
    ("channel", "sentence"), [("C0X", NOT_IN_CHANNEL), ("G0X", NOT_IN_CHANNEL), ("D0X", NOT_IN_MESSAGES)]
)
async def test_where_the_bot_is_not_the_command_says_what_can_be_done_about_it(
    store: WatchedStore, channel: str, sentence: str
) -> None:
    """Nobody can invite it into the direct message of two people."""
    there = ChannelId(channel)
    with pytest.raises(NotAllowed) as no:
        await steers(store, People(closed={there})).command("hi", by=ALICE, channel=there, source="1")
    assert str(no.value) == sentence
    assert await of_alice(store) == []


async def test_the_longest_message_is_taken(store: WatchedStore) -> None:
    await steers(store).command("x" * MAX_TEXT, by=ALICE, channel=GENERAL, source="trigger")
    [started] = await of_alice(store)
    assert [len(text) for _, text in await kept(store, started.id)] == [MAX_TEXT]


async def test_a_channel_that_cannot_be_written_in_is_told_how_and_nothing_starts(
    store: WatchedStore,
) -> None:
    with pytest.raises(NotAllowed, match="/invite me"):
        await steers(store, People(closed={GENERAL})).command(
            "go", by=ALICE, channel=GENERAL, source="trigger"
        )
    assert await of_alice(store) == []


async def test_who_may_not_ask_neither_starts_nor_continues(store: WatchedStore) -> None:
    await there_is(store, Status.IDLE)
    policy = replace(IN_CHANNEL, requesters=(One(BOB),))
    guests = People(standing={ALICE: Standing.GUEST})
    for steering, sentence in (
        (steers(store, policy=policy), "who may ask"),
        (steers(store, guests), "Guests"),
    ):
        with pytest.raises(NotAllowed, match=sentence):
            await steering.command("go", by=ALICE, channel=GENERAL, source="trigger")
        with pytest.raises(NotAllowed, match=sentence):
            await steering.hear("go", by=ALICE, channel=GENERAL, ts=Ts("2.0"), thread_ts=ROOT)
    with pytest.raises(CouldNotCheck):
        await steers(store, People(unknown=True)).hear(
            "go", by=ALICE, channel=GENERAL, ts=Ts("2.0"), thread_ts=ROOT
        )
    assert await kept(store) == []
    assert await owed(store) == []


async def test_retry_is_pressed_once_and_the_next_is_told_by_whom(store: WatchedStore) -> None:
    await failed(store)
    steering = steers(store, People(inside={GENERAL: {ALICE, BOB}}))
    await steering.retry(FAILURE, by=BOB)
    assert (await the_conversation(store)).status is Status.RETRYING
    with pytest.raises(NotAllowed, match=f"retried already by <@{BOB}>"):
        await steering.retry(FAILURE, by=ALICE)
    async with store.read() as tx:
        post = await tx.posts.get(FAILURE)
        assert [event.actor for event in await tx.record.of() if event.kind == "retried"] == [BOB]
    assert post is not None
    assert post.settled_by == BOB
    assert [job["id"] for job in await owed(store, "redraw")] == [f"redraw:{FAILURE}:settled"]
    assert await agent_jobs(store) == 1
    assert await kept(store) == []


async def test_retry_after_a_tool_failed_asks_the_agent_in_the_name_of_who_pressed(
    store: WatchedStore,
) -> None:
    await failed(store, PostKind.TOOL_FAILURE)
    await steers(store, People(inside={GENERAL: {BOB}})).retry(FAILURE, by=BOB)
    assert await kept(store) == [(BOB, TRY_AGAIN)]
    assert await agent_jobs(store) == 1


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.FAILED])
async def test_a_retry_that_comes_when_the_failure_is_over_is_refused_and_its_button_taken_away(
    store: WatchedStore, status: Status
) -> None:
    await failed(store)
    async with store.write() as tx:
        await tx.conversations.save(conversation(status=status, thread_ts=ROOT))
    with pytest.raises(Refused, match=GONE_ON):
        await steers(store).retry(FAILURE, by=ALICE)
    assert (await the_conversation(store)).status is status
    async with store.read() as tx:
        [post], kinds = await tx.posts.of(THREAD), [event.kind for event in await tx.record.of()]
    assert post.settled_by == NOBODY
    assert "retried" not in kinds
    assert len(await owed(store, "redraw")) == 1
    assert await agent_jobs(store) == 0


async def test_stop_withdraws_what_is_open_and_says_by_whom(store: WatchedStore) -> None:
    await there_is(store, Status.WAITING, approval("p1"), approval("p2"))
    await steers(store, People(inside={GENERAL: {BOB}})).stop(THREAD, by=BOB)
    async with store.read() as tx:
        now = await tx.approvals.of(THREAD)
        kinds = [(event.kind, event.actor) for event in await tx.record.of()]
    assert [(one.state, one.note) for one in now] == [(State.WITHDRAWN, f"stopped by <@{BOB}>")] * 2
    assert kinds[-3:] == [("withdrawn", None), ("withdrawn", None), ("stopped", BOB)]
    with pytest.raises(AlreadyDecided, match=f"stopped by <@{BOB}>"):
        now[0].refuse_late(now[0].actions[0], ALICE, NOON)
    assert (await the_conversation(store)).status is Status.CANCELLING
    assert [str(job["id"]).rpartition(":")[2] for job in await owed(store, "redraw")] == ["1", "1"]
    assert await agent_jobs(store) == 1


@pytest.mark.parametrize(("status", "told"), [(Status.IDLE, FINISHED), (Status.CANCELLING, BEING_STOPPED)])
async def test_a_stop_that_would_end_nothing_is_refused_and_says_nothing_in_the_thread(
    store: WatchedStore, status: Status, told: str
) -> None:
    await there_is(store, status)
    with pytest.raises(Refused, match=told):
        await steers(store).stop(THREAD, by=ALICE)
    assert (await the_conversation(store)).status is status
    async with store.read() as tx:
        assert [*await tx.record.of()] == []
    assert await agent_jobs(store) == 0


@pytest.mark.parametrize("status", [one for one in Status if one not in {Status.IDLE, Status.CANCELLING}])
async def test_whatever_is_under_way_can_be_stopped(store: WatchedStore, status: Status) -> None:
    await there_is(store, status)
    await steers(store).stop(THREAD, by=ALICE)
    assert (await the_conversation(store)).status is Status.CANCELLING


async def test_stop_leaves_what_the_agent_may_be_doing_at_this_moment_to_the_loop(
    store: WatchedStore,
) -> None:
    await there_is(store, Status.WORKING, approval("p1"))
    async with store.write() as tx:
        await tx.approvals.save(replace(approval("p1"), state=State.SETTLED))
    await steers(store).stop(THREAD, by=ALICE)
    async with store.read() as tx:
        assert [one.state for one in await tx.approvals.of(THREAD)] == [State.SETTLED]
    assert (await the_conversation(store)).status is Status.CANCELLING


async def test_what_is_not_known_is_neither_stopped_nor_retried(store: WatchedStore) -> None:
    with pytest.raises(NotAllowed, match="not known here"):
        await steers(store).stop(ConversationId("x"), by=ALICE)
    with pytest.raises(NotAllowed, match="not known here"):
        await steers(store).retry(PostId("x"), by=ALICE)


MEMBERS = Policy(defaults=Terms(approvers=(Members(),)))
BOB_ALONE = Policy(defaults=Terms(approvers=(One(BOB),)))
BOB_FOR_SOME = replace(IN_CHANNEL, rules=(Rule(tools=("x",), approvers=(One(BOB),)),))
REQUESTER = Policy(defaults=Terms(approvers=(Requester(),), self_approval=True))


@pytest.mark.parametrize(
    ("by", "policy", "people", "may"),
    [
        (ALICE, IN_CHANNEL, People(), True),
        (ALICE, IN_CHANNEL, People(silent=True), True),
        (ALICE, IN_CHANNEL, People(standing={ALICE: Standing.DEACTIVATED}), False),
        (ALICE, IN_CHANNEL, People(unknown=True), False),
        (BOB, IN_CHANNEL, People(), False),
        (BOB, IN_CHANNEL, People(silent=True), False),
        (BOB, IN_CHANNEL, People(inside={GENERAL: {BOB}}), True),
        (BOB, IN_CHANNEL, People(inside={GENERAL: {BOB}}, standing={BOB: Standing.GUEST}), False),
        (BOB, IN_CHANNEL, People(inside={ChannelId("C0ELSEWHERE"): {BOB}}), False),
        (BOB, MEMBERS, People(), True),
        (BOB, MEMBERS, People(standing={BOB: Standing.OUTSIDER}), False),
        (BOB, BOB_ALONE, People(silent=True), True),
        (CAROL, BOB_ALONE, People(), False),
        (BOB, BOB_FOR_SOME, People(), True),
        (CAROL, BOB_FOR_SOME, People(), False),
        (BOB, REQUESTER, People(), False),
    ],
)
async def test_who_asked_and_who_approves_may_stop_and_retry_and_nobody_else(
    store: WatchedStore, by: UserId, policy: Policy, people: People, *, may: bool
) -> None:
    await failed(store)
    steering = steers(store, people, policy)
    if may:
        await steering.retry(FAILURE, by=by)
        await steering.stop(THREAD, by=by)
        assert (await the_conversation(store)).status is Status.CANCELLING
        return
    with pytest.raises(Refused):
        await steering.stop(THREAD, by=by)
    with pytest.raises(Refused):
        await steering.retry(FAILURE, by=by)
    assert (await the_conversation(store)).status is Status.FAILED
    assert await agent_jobs(store) == 0


CALLS_CAROL = Policy(defaults=Terms(approvers=(One(BOB),), escalate_to=(CAROL,)))


@pytest.mark.parametrize(
    ("called", "policy", "people", "may"),
    [
        ({CAROL}, CALLS_CAROL, People(), True),
        (set(), CALLS_CAROL, People(), False),
        ({CAROL}, BOB_ALONE, People(), False),
        ({CAROL}, CALLS_CAROL, People(standing={CAROL: Standing.GUEST}), False),
    ],
    ids=["called in", "not called yet", "the policy calls nobody any more", "a guest by now"],
)
async def test_who_was_called_in_may_stop_and_retry_as_approvers_can(
    store: WatchedStore, called: set[UserId], policy: Policy, people: People, *, may: bool
) -> None:
    await failed(store)
    async with store.write() as tx:
        await tx.approvals.add(replace(approval("p1"), escalated_to=frozenset(called)))
    steering = steers(store, people, policy)
    for press in (steering.retry(FAILURE, by=CAROL), steering.stop(THREAD, by=CAROL)):
        if may:
            await press
        else:
            with pytest.raises(NotAllowed, match="Only the requester or an approver"):
                await press
    expected = Status.CANCELLING if may else Status.FAILED
    assert (await the_conversation(store)).status is expected
