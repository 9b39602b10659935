"""A message that waits its turn: what it is offered as the reason for, and what becomes of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.approvals import turns
from bot.approvals.action import Vote
from bot.approvals.approval import Approval, Shape
from bot.approvals.conversation import Post, PostKind, PostState, Status
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject
from bot.approvals.errors import AlreadyDecided, NotAllowed, NotHere, Refused
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, PostId, Ts, UserId
from bot.approvals.places import Spot
from bot.approvals.turns import (
    NO_LONGER_WAITS,
    NOBODY,
    UNANSWERED,
    Objections,
    no_longer_wait,
    offer,
    offered,
    unsay,
)
from bot.approvals.who import Members, Quorum
from tests.approvals.fakes import HOME, WatchedStore, owed, owing
from tests.store.samples import ALICE, BOB, GENERAL, NOON, THREAD, action, approval, conversation, said

WORDS = said("m1", "Please do not.", by=ALICE)
NOTICE = PostId("kept:m1")
SPOT = Spot(team=HOME, channel=GENERAL, message=Ts("5.1"))
TWO = (Quorum(approvers=(Members(),), count=2),)
EDITED = action("a2", needs=TWO).voted(Vote(decision=Edit({}), by=BOB, at=NOON, digest="e" * 64), TWO)
NO_EDIT = frozenset({DecisionKind.APPROVE, DecisionKind.EDIT})


@dataclass
class Decisions:
    """A desk that notes what it is to decide, and refuses some of it."""

    refuses: dict[str, Refused] = field(default_factory=dict)
    calls: list[tuple[ActionId, Decision, UserId, Spot, str | None]] = field(default_factory=list)
    meanwhile: Callable[[], Any] | None = None

    async def decide(
        self, id: ActionId, decision: Decision, *, by: UserId, spot: Spot, seen: str | None
    ) -> None:
        self.calls.append((id, decision, by, spot, seen))
        if self.meanwhile:
            await self.meanwhile()
        if id in self.refuses:
            raise self.refuses[id]


def card(approval: str, place: str = "", ts: str | None = "9.1", channel: str = GENERAL) -> Post:
    return Post(
        id=PostId(f"card:{approval}:{place}"),
        conversation=THREAD,
        kind=PostKind.CARD,
        approval=ApprovalId(approval),
        place=place,
        state=PostState.SHOWN if ts else PostState.SENDING,
        channel=ChannelId(channel) if ts else None,
        ts=Ts(ts) if ts else None,
    )


async def stands(
    store: WatchedStore,
    *approvals: Approval,
    cards: Sequence[Post] = (),
    text: str = "Please do not.",
    kind: PostKind = PostKind.KEPT,
    **notice: Any,  # noqa: ANN401 - fields of it
) -> None:
    """A conversation in which people are asked, with a message that waits and its notice."""
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        for one in approvals:
            assert await tx.approvals.add(one)
        assert await tx.conversations.keep(replace(WORDS, text=text))
        post = await offer(tx, conversation(), WORDS)
        assert post
        shown = {"state": PostState.SHOWN, "channel": GENERAL, "ts": Ts("5.1"), **notice}
        for each in (replace(post, kind=kind, **shown), *cards):
            await tx.posts.owe(each)
            await tx.posts.save(each)


async def rejected(
    store: WatchedStore, desk: Decisions, *, by: UserId = BOB, spot: Spot = SPOT, id: PostId = NOTICE
) -> Sequence[str]:
    objections = Objections(store=store, jobs=owing(store), desk=desk, now=lambda: NOON)  # type: ignore[arg-type]
    return await objections.reject(id, by=by, spot=spot)


async def known(store: WatchedStore) -> tuple[UserId | None, int, list[tuple[str, Any]], list[Any]]:
    """Who settled the notice, how many messages wait, the record, and which messages are drawn again."""
    async with store.read() as tx:
        post = await tx.posts.get(NOTICE)
        kept = await tx.conversations.kept(THREAD)
        record = [(event.kind, event.actor) for event in await tx.record.of(THREAD)]
    assert post
    return post.settled_by, len(kept), record, [job["id"] for job in await owed(store, "redraw")]


USED = (BOB, 0, [("objected", BOB)], ["redraw:kept:m1:settled"])
WAITS: tuple[None, int, list[Any], list[Any]] = (None, 1, [], [])


def test_what_is_open_and_can_be_rejected_is_offered_with_its_edition() -> None:
    assert (
        offered(
            [
                approval("p1", action("a1"), EDITED),
                approval("p2", action("a3", allowed=NO_EDIT), action("a4")).decide(
                    ActionId("a4"), Approve(), by=BOB, at=NOON
                ),
                approval("p3", action("a5"), shape=Shape.IN_DOUBT),
                approval("p4", action("a6"), shape=Shape.QUESTION),
            ]
        )
        == "a1: a2:eeeeeeeeeeeeeeee a6:"
    )
    assert offered([]) == ""


async def test_a_notice_keeps_what_waits_now_and_there_is_none_where_nothing_can_be_rejected(
    store: WatchedStore,
) -> None:
    settled = replace(approval("p2", action("a2")).expire(NOON))
    withdrawn = replace(approval("p3", action("a3"))).withdraw("stopped")
    await stands(store, approval("p1", action("a1")), settled, withdrawn)
    async with store.read() as tx:
        assert await tx.posts.get(NOTICE) == Post(
            id=NOTICE,
            conversation=THREAD,
            kind=PostKind.KEPT,
            text="a1:",
            state=PostState.SHOWN,
            channel=GENERAL,
            ts=Ts("5.1"),
        )
        assert await offer(tx, conversation("other"), WORDS) is None


@pytest.mark.parametrize(
    ("takes", "told"),
    [
        ([{DecisionKind.RESPOND}], True),
        ([{DecisionKind.RESPOND}, {DecisionKind.RESPOND}], True),
        ([{DecisionKind.RESPOND}, {DecisionKind.APPROVE}], False),
        ([{DecisionKind.APPROVE, DecisionKind.RESPOND}], False),
    ],
)
async def test_whoever_writes_below_a_question_is_told_that_it_is_no_answer_to_it(
    store: WatchedStore,
    takes: list[set[DecisionKind]],
    told: bool,  # noqa: FBT001 - a table
) -> None:
    """Nothing is decided by words in a thread, and they look like an answer there."""
    asked = [action(f"a{place}", allowed=frozenset(kinds)) for place, kinds in enumerate(takes)]
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        assert await tx.approvals.add(approval("p1", *asked))
        post = await offer(tx, conversation(), WORDS)
    wanted = Post(id=NOTICE, conversation=THREAD, kind=PostKind.NOTICE, text=UNANSWERED)
    assert post == (wanted if told else None)


async def test_what_was_deleted_while_it_waited_is_no_reason_for_anything_any_more(
    store: WatchedStore,
) -> None:
    await stands(store, approval("p1", action("a1")), cards=[card("p1")])
    async with store.write() as tx:
        await unsay(tx, owing(store), conversation(status=Status.WAITING), WORDS.source, NOON)
    assert await known(store) == (NOBODY, 0, [("unsaid", None)], ["redraw:kept:m1:settled"])
    desk = Decisions()
    with pytest.raises(AlreadyDecided, match=NO_LONGER_WAITS):
        await rejected(store, desk)
    assert desk.calls == []


async def test_the_words_are_the_reason_for_all_that_was_offered_each_decided_like_a_click_on_its_card(
    store: WatchedStore,
) -> None:
    await stands(
        store,
        approval("p1", action("a1"), EDITED),
        approval("p2", action("a3")),
        cards=[card("p1"), card("p2", ts="9.2", channel="C0OPS", place="C0OPS")],
    )
    desk = Decisions()
    assert await rejected(store, desk) == []
    reason, there = Reject("Please do not."), replace(SPOT, message=Ts("9.1"))
    assert desk.calls == [
        (ActionId("a1"), reason, BOB, there, ""),
        (ActionId("a2"), reason, BOB, there, "e" * 16),
        (ActionId("a3"), reason, BOB, replace(SPOT, channel=ChannelId("C0OPS"), message=Ts("9.2")), ""),
    ]
    assert await known(store) == USED


async def test_what_was_decided_since_stays_and_the_words_are_used_for_the_rest(store: WatchedStore) -> None:
    await stands(store, approval("p1", action("a1"), action("a2")), cards=[card("p1")])
    async with store.write() as tx:
        waits = await tx.approvals.get(ApprovalId("p1"))
        assert waits
        await tx.approvals.save(waits.decide(ActionId("a1"), Approve(), by=BOB, at=NOON))
    desk = Decisions()
    assert await rejected(store, desk) == []
    assert [id for id, *_ in desk.calls] == ["a2"]
    assert await known(store) == USED


async def test_where_a_part_is_refused_it_is_told_and_the_message_still_waits(store: WatchedStore) -> None:
    calls = (action("a1"), action("a2", tool="pay"), action("a3", tool="wipe"))
    await stands(store, approval("p1", *calls), cards=[card("p1")])
    desk = Decisions(refuses={"a1": NotAllowed("Not yours."), "a3": AlreadyDecided("Too late.")})
    assert await rejected(store, desk) == ["`write_file`: Not yours.", "`wipe`: Too late."]
    assert [id for id, *_ in desk.calls] == ["a1", "a2", "a3"]
    assert await known(store) == WAITS


async def test_where_all_is_refused_each_reason_is_told_once(store: WatchedStore) -> None:
    calls = (action("a1"), action("a2"), action("a3", tool="pay"))
    await stands(store, approval("p1", *calls), cards=[card("p1")])
    no = NotAllowed("Not yours.")
    with pytest.raises(Refused) as refused:
        await rejected(store, Decisions(refuses={"a1": no, "a2": no, "a3": no}))
    assert str(refused.value) == "`write_file`: Not yours.\n`pay`: Not yours."
    assert await known(store) == WAITS


async def test_where_nothing_is_open_any_more_the_message_no_longer_waits_for_it(store: WatchedStore) -> None:
    await stands(store, approval("p1", action("a1")), cards=[card("p1")])
    async with store.write() as tx:
        waits = await tx.approvals.get(ApprovalId("p1"))
        assert waits
        await tx.approvals.save(waits.expire(NOON))
    with pytest.raises(Refused) as refused:
        await rejected(store, Decisions())
    assert str(refused.value) == "This message no longer waits, so nothing was done."


async def test_calls_of_another_conversation_and_unknown_ones_are_never_rejected(store: WatchedStore) -> None:
    await stands(store, approval("p1", action("a1")), cards=[card("p1")])
    async with store.write() as tx:
        await tx.conversations.add(conversation("thread-2"))
        other = replace(approval("p2", action("a2")), conversation=conversation("thread-2").id)
        assert await tx.approvals.add(other)
        post = await tx.posts.get(NOTICE)
        assert post
        await tx.posts.rewrite(replace(post, text="a2: gone: a1:"))
    desk = Decisions()
    await rejected(store, desk)
    assert [id for id, *_ in desk.calls] == ["a1"]


@pytest.mark.parametrize(
    ("cards", "there"),
    [
        # Somebody else's direct message is no card that this person could have clicked.
        ([card("p1", place="U0CAROL", channel="D0CAROL"), card("p1", ts="9.3")], (GENERAL, "9.3")),
        (
            [
                card("p1", place="U0CAROL", channel="D0CAROL"),
                card("p1", place="C0OPS", ts="9.5", channel="C0OPS"),
            ],
            ("C0OPS", "9.5"),
        ),
        ([card("p1", place=BOB, ts="9.4", channel="D0BOB")], ("D0BOB", "9.4")),
        ([card("p1", place="U0CAROL", channel="D0CAROL")], (None, None)),
        # Nobody knows yet where it stands.
        ([card("p1", ts=None)], (None, None)),
        ([], (None, None)),
    ],
)
async def test_whoever_presses_decides_at_a_card_that_is_theirs_to_click(
    store: WatchedStore, cards: list[Post], there: tuple[str | None, str | None]
) -> None:
    await stands(store, approval("p1", action("a1")), cards=cards)
    desk = Decisions()
    await rejected(store, desk)
    [(_, _, _, spot, _)] = desk.calls
    assert (spot.channel, spot.message, spot.team) == (*there, HOME)


async def test_where_the_agent_was_faster_and_has_the_message_it_is_not_taken_from_it(
    store: WatchedStore,
) -> None:
    await stands(store, approval("p1", action("a1")), cards=[card("p1")])

    async def meanwhile() -> None:
        async with store.write() as tx:
            await no_longer_wait(tx, owing(store), [WORDS])

    assert await rejected(store, Decisions(meanwhile=meanwhile)) == []
    assert await known(store) == ("", 1, [], ["redraw:kept:m1:settled"])


NOT_KNOWN = "This message is not known here any more, so nothing was done."
ELSEWHERE = "This is not where the notice stands, so nothing was done."
TOO_LONG = (
    "This message has 3,001 characters and a reason at most 3,000, so nothing was done. "
    "Please use Reject on the card."
)


@pytest.mark.parametrize(
    ("notice", "spot", "kind", "sentence"),
    [
        ({"kind": PostKind.NOTICE}, SPOT, NotAllowed, NOT_KNOWN),
        ({}, replace(SPOT, message=Ts("5.2")), NotHere, ELSEWHERE),
        ({}, replace(SPOT, channel=ChannelId("C0OTHER")), NotHere, ELSEWHERE),
        ({"ts": None}, SPOT, NotHere, ELSEWHERE),
        (
            {"ts": None, "state": PostState.SENDING},
            replace(SPOT, channel=ChannelId("C0OTHER")),
            NotHere,
            ELSEWHERE,
        ),
        (
            {"settled_by": UserId("U0CAROL")},
            SPOT,
            AlreadyDecided,
            "This message was used as the reason already by <@U0CAROL>.",
        ),
        ({"text": "x" * 3_001}, SPOT, Refused, TOO_LONG),
    ],
)
async def test_a_notice_that_cannot_be_used_says_why_and_decides_nothing(
    store: WatchedStore, notice: dict[str, Any], spot: Spot, kind: type[Refused], sentence: str
) -> None:
    await stands(store, approval("p1", action("a1")), cards=[card("p1")], **notice)
    desk = Decisions()
    with pytest.raises(kind) as refused:
        await rejected(store, desk, spot=spot)
    assert (type(refused.value), str(refused.value), desk.calls) == (kind, sentence, [])


async def test_a_notice_that_is_on_its_way_and_a_message_of_just_as_many_characters_can_be_used(
    store: WatchedStore,
) -> None:
    await stands(
        store,
        approval("p1", action("a1")),
        cards=[card("p1")],
        text="x" * turns.LONGEST_REASON,
        state=PostState.SENDING,
        ts=None,
        channel=None,
    )
    desk = Decisions()
    await rejected(store, desk)
    assert [decision for _, decision, *_ in desk.calls] == [Reject("x" * 3_000)]


async def test_a_notice_that_is_not_known_and_a_message_that_the_agent_has_cannot_be_used(
    store: WatchedStore,
) -> None:
    await stands(store, approval("p1", action("a1")), cards=[card("p1")])
    with pytest.raises(NotAllowed) as unknown:
        await rejected(store, Decisions(), id=PostId("kept:gone"))
    assert str(unknown.value) == NOT_KNOWN
    async with store.write() as tx:
        await tx.conversations.hand_over([WORDS.id])
    with pytest.raises(AlreadyDecided) as gone:
        await rejected(store, Decisions())
    assert str(gone.value) == "This message no longer waits, so nothing was done."


async def test_the_offer_is_taken_from_notices_whose_messages_the_agent_has_and_from_no_others(
    store: WatchedStore,
) -> None:
    await stands(store, approval("p1", action("a1")))
    others = [
        Post(id=PostId("kept:m2"), conversation=THREAD, kind=PostKind.KEPT, settled_by=BOB),
        Post(id=PostId("kept:m3"), conversation=THREAD, kind=PostKind.NOTICE),
    ]
    async with store.write() as tx:
        for other in others:
            await tx.posts.owe(other)
            await tx.posts.save(other)
        await no_longer_wait(tx, owing(store), [said("gone"), said("m2"), said("m3"), WORDS])
    async with store.read() as tx:
        found = [await tx.posts.get(id) for id in (NOTICE, others[0].id, others[1].id)]
    assert [one and one.settled_by for one in found] == ["", BOB, None]
    assert [job["id"] for job in await owed(store, "redraw")] == ["redraw:kept:m1:settled"]
