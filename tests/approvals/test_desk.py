"""Who is let through to a decision, and what is kept of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Post, PostKind, PostState, Status
from bot.approvals.decision import Approve, Edit, Reject, Respond
from bot.approvals.errors import AlreadyDecided, CouldNotCheck, InvalidArguments, NotAllowed, NotHere
from bot.approvals.filing import approval_for, file
from bot.approvals.ids import ActionId, ChannelId, GroupId, Ts, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.places import InChannel, Spot
from bot.approvals.policy import ChannelMembers, Members, One, Policy, Rule, Terms, UserGroup
from tests.approvals.fakes import (
    ELSEWHERE,
    HOME,
    FileTools,
    People,
    PressedDesk,
    Ticking,
    WatchedStore,
    asks,
    owed,
    owing,
)
from tests.store.samples import ALICE, BOB, GENERAL, NOON, THREAD, action, approval, conversation, post

CAROL = UserId("U0CAROL")
FIRST = ActionId("a-p1")
IN_CHANNEL = Policy(defaults=Terms(approvers=(ChannelMembers(),)))
MARKER = "sesame-4711"
"""An argument's value; it must be found nowhere but where people are shown it."""


def a_desk(store: WatchedStore, people: People, policy: Policy = IN_CHANNEL) -> PressedDesk:
    return PressedDesk(
        store=store, jobs=owing(store), directory=people, tools=FileTools(), policy=policy, now=Ticking()
    )


def bob_is_in() -> People:
    return People(inside={GENERAL: {BOB}})


async def filed(store: WatchedStore, *approvals: Approval) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        for one in approvals or (approval(),):
            await file(tx, owing(store), one)


async def events(store: WatchedStore, kind: str) -> list[dict[str, object]]:
    async with store.read() as tx:
        return [
            {"actor": event.actor, **event.detail} for event in await tx.record.of() if event.kind == kind
        ]


async def state(store: WatchedStore) -> State:
    async with store.read() as tx:
        found = await tx.approvals.of_action(FIRST)
    assert found is not None
    return found.state


async def refusals(store: WatchedStore, count: int) -> list[dict[str, object]]:
    """Each with the evidence for who it was."""
    told = await events(store, "refused")
    assert len(told) == count
    return told


async def test_a_click_counts_where_the_card_stands_and_the_channel_is_asked_about_once(
    store: WatchedStore,
) -> None:
    await filed(store)
    people = bob_is_in()
    assert (await a_desk(store, people).decide(FIRST, Approve(), by=BOB)).state is State.SETTLED
    assert people.looked_into == [GENERAL]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"channel": ELSEWHERE}, "not where the request stands"),
        ({"message": Ts("9.000200")}, "not where the request stands"),
        ({"channel": None, "message": None}, "not where the request stands"),
        ({"team": "T0ELSEWHERE"}, "of another workspace than this click"),
        ({"team": ""}, "of another workspace than this click"),
        ({"team": "", "organisation": "E0OTHER"}, "of another workspace than this click"),
    ],
)
async def test_a_click_that_says_it_was_made_elsewhere_or_by_somebody_of_elsewhere_decides_nothing(
    store: WatchedStore, changes: dict[str, Any], reason: str
) -> None:
    await filed(store)
    desk = a_desk(store, bob_is_in())
    spot = replace(await desk.card(FIRST), **changes)
    presses: list[Callable[[], Awaitable[object]]] = [
        lambda: desk.decide(FIRST, Approve(), by=BOB, spot=spot),
        lambda: desk.take_back(FIRST, by=BOB, spot=spot),
        lambda: desk.opens(FIRST, by=BOB, spot=spot),
    ]
    for press in presses:
        with pytest.raises(NotHere, match=reason):
            await press()
    assert await state(store) is State.WAITING
    for told in await refusals(store, 3):
        assert told["reason"] == "NotHere"
        assert told["claimed"] == {"team": spot.team, "channel": spot.channel, "message": spot.message}
    assert (await desk.decide(FIRST, Approve(), by=BOB)).state is State.SETTLED


@pytest.mark.parametrize(("organisation", "counts"), [("E0OURS", True), ("E0OTHER", False), ("", False)])
async def test_in_a_grid_the_organisation_may_agree_in_place_of_the_workspace(
    store: WatchedStore,
    organisation: str,
    counts: bool,  # noqa: FBT001 - of the table
) -> None:
    await filed(store)
    people = bob_is_in()
    people.organisation = "E0OURS"
    desk = a_desk(store, people)
    spot = replace(await desk.card(FIRST), team="T0SISTER", organisation=organisation)
    if counts:
        assert (await desk.decide(FIRST, Approve(), by=BOB, spot=spot)).state is State.SETTLED
    else:
        with pytest.raises(NotHere):
            await desk.decide(FIRST, Approve(), by=BOB, spot=spot)


async def copies(store: WatchedStore, *posts: Post) -> None:
    """The approval with these cards only."""
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        await tx.approvals.add(approval())
        for one in posts:
            await tx.posts.owe(replace(one, kind=PostKind.CARD, approval=approval().id))


EVERYBODY = Policy(defaults=Terms(approvers=(Members(),)))


@pytest.mark.parametrize(
    "made",
    [
        ("", GENERAL, BOB, True),
        ("", ELSEWHERE, BOB, False),
        (ELSEWHERE, ELSEWHERE, BOB, True),
        (ELSEWHERE, GENERAL, BOB, False),
        (BOB, ChannelId("D0BOB"), BOB, True),
        (BOB, GENERAL, BOB, False),
        (BOB, ChannelId("D0CAROL"), CAROL, False),
    ],
)
@pytest.mark.parametrize("way", [PostState.SENDING, PostState.OWED])
async def test_a_card_on_its_way_is_known_by_its_channel_and_one_that_was_not_sent_is_not(
    store: WatchedStore, made: tuple[str, ChannelId, UserId, bool], way: PostState
) -> None:
    place, channel, by, counts = made
    await copies(store, post("card", place=place, state=way))
    desk = a_desk(store, People(), EVERYBODY)
    spot = Spot(team=HOME, channel=channel, message=Ts("5.5"))
    if counts and way is PostState.SENDING:
        assert (await desk.decide(FIRST, Approve(), by=by, spot=spot)).state is State.SETTLED
    else:
        with pytest.raises(NotHere):
            await desk.decide(FIRST, Approve(), by=by, spot=spot)


async def test_every_copy_takes_a_decision_and_every_copy_is_drawn_anew(store: WatchedStore) -> None:
    channels = {"": GENERAL, ELSEWHERE: ELSEWHERE, BOB: ChannelId("D0BOB")}
    await copies(
        store,
        *(
            post(f"in-{channel}", place=place, channel=channel, state=PostState.SHOWN, ts=Ts("7.7"))
            for place, channel in channels.items()
        ),
    )
    desk = a_desk(store, People(), EVERYBODY)
    for channel in channels.values():
        await desk.opens(FIRST, by=BOB, spot=Spot(team=HOME, channel=channel, message=Ts("7.7")))
    await desk.decide(FIRST, Approve(), by=BOB, spot=Spot(team=HOME, channel=ELSEWHERE, message=Ts("7.7")))
    drawn = {row["id"] for row in await owed(store, "redraw")}
    assert drawn == {f"redraw:in-{channel}:1" for channel in channels.values()}


async def test_channel_means_the_members_of_the_channel_that_the_rule_names(store: WatchedStore) -> None:
    await filed(store)
    terms = Terms(approvers=(ChannelMembers(),), channel=InChannel(ELSEWHERE, "#ops"))
    desk = a_desk(store, People(inside={GENERAL: {BOB}, ELSEWHERE: {CAROL}}), Policy(defaults=terms))
    with pytest.raises(NotAllowed):
        await desk.decide(FIRST, Approve(), by=BOB)
    assert (await desk.decide(FIRST, Approve(), by=CAROL)).state is State.SETTLED


class Together(People):
    """A directory that answers only when all three questions have been asked."""

    def __init__(self, **known: Any) -> None:  # noqa: ANN401 - as the fields are
        super().__init__(**known)
        self.asked = asyncio.Barrier(3)

    async def person(self, id: UserId) -> Person:
        await self.asked.wait()
        return await super().person(id)

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:
        await self.asked.wait()
        return await super().is_member(channel, user)

    async def groups_of(self, user: UserId) -> frozenset[GroupId]:
        await self.asked.wait()
        return await super().groups_of(user)


async def test_person_channel_and_groups_are_asked_at_once(store: WatchedStore) -> None:
    await filed(store)
    policy = Policy(defaults=Terms(approvers=(ChannelMembers(), UserGroup(GroupId("S0GROUP")))))
    async with asyncio.timeout(60):
        desk = a_desk(store, Together(inside={GENERAL: {BOB}}), policy)
        assert (await desk.decide(FIRST, Approve(), by=BOB)).state is State.SETTLED


async def test_who_is_in_another_channel_alone_does_not_decide(store: WatchedStore) -> None:
    await filed(store)
    desk = a_desk(store, People(inside={ELSEWHERE: {BOB}}))
    with pytest.raises(NotAllowed, match="not among the people who may decide about `write_file`"):
        await desk.decide(FIRST, Approve(), by=BOB)
    with pytest.raises(NotAllowed):
        await desk.opens(FIRST, by=BOB)
    assert await state(store) is State.WAITING
    for told in await refusals(store, 2):
        assert (told["actor"], told["reason"]) == (BOB, "NotAllowed")
        found: Any = told["evidence"]
        assert (found["standing"], found["inside"][GENERAL]) == ("member", False)


async def test_who_cannot_be_looked_up_in_the_channel_does_not_decide(store: WatchedStore) -> None:
    await filed(store)
    people = bob_is_in()
    people.silent = True
    with pytest.raises(CouldNotCheck, match="who is in the channel"):
        await a_desk(store, people).decide(FIRST, Approve(), by=BOB)
    assert await state(store) is State.WAITING
    [told] = await refusals(store, 1)
    assert told == {
        "actor": BOB,
        "reason": "CouldNotCheck",
        "evidence": {"standing": "member", "team": HOME, "asked_at": NOON.isoformat(), "inside": {}},
    }
    people.silent = False
    assert (await a_desk(store, people).decide(FIRST, Approve(), by=BOB)).state is State.SETTLED


async def test_who_cannot_be_identified_decides_under_no_rule(store: WatchedStore) -> None:
    await filed(store)
    policy = Policy(defaults=Terms(approvers=(Members(), One(BOB)), self_approval=True))
    with pytest.raises(CouldNotCheck, match="who you are"):
        await a_desk(store, People(unknown=True), policy).decide(FIRST, Approve(), by=BOB)
    assert await state(store) is State.WAITING
    assert await refusals(store, 1) == [{"actor": BOB, "reason": "CouldNotCheck", "evidence": None}]


async def test_a_rule_that_names_somebody_needs_nobody_to_know_the_channel(store: WatchedStore) -> None:
    await filed(store)
    rule = Rule(tools=("write_*",), approvers=(One(BOB),))
    policy = Policy(defaults=Terms(approvers=(ChannelMembers(),)), rules=(rule,))
    desk = a_desk(store, People(silent=True), policy)
    assert (await desk.decide(FIRST, Approve(), by=BOB)).state is State.SETTLED


async def test_where_no_rule_asks_for_members_slack_is_not_asked(store: WatchedStore) -> None:
    await filed(store)
    people = People()
    await a_desk(store, people, Policy(defaults=Terms(approvers=(Members(),)))).decide(
        FIRST, Approve(), by=BOB
    )
    assert people.looked_into == []


@pytest.mark.parametrize("standing", [one for one in Standing if one is not Standing.MEMBER])
async def test_only_members_decide(store: WatchedStore, standing: Standing) -> None:
    await filed(store)
    people = bob_is_in()
    people.standing[BOB] = standing
    with pytest.raises(NotAllowed, match="cannot take part"):
        await a_desk(store, people).decide(FIRST, Approve(), by=BOB)
    assert await state(store) is State.WAITING


async def test_neither_who_asked_nor_who_spoke_last_decides_unless_the_policy_says_so(
    store: WatchedStore,
) -> None:
    await filed(store, approval(requesters=frozenset({ALICE, CAROL})))
    people = People(inside={GENERAL: {ALICE, BOB, CAROL}})
    for one in (ALICE, CAROL):
        with pytest.raises(NotAllowed, match="You asked for this yourself"):
            await a_desk(store, people).decide(FIRST, Approve(), by=one)
        with pytest.raises(NotAllowed, match="You asked for this yourself"):
            await a_desk(store, people).take_back(FIRST, by=one)
    policy = Policy(defaults=Terms(approvers=(ChannelMembers(),), self_approval=True))
    assert (await a_desk(store, people, policy).decide(FIRST, Approve(), by=CAROL)).state is State.SETTLED


async def test_each_action_is_under_the_rule_of_its_own_tool(store: WatchedStore) -> None:
    await filed(store, approval("p1", action("a1"), action("a2", tool="delete_file")))
    rule = Rule(tools=("delete_*",), approvers=(One(CAROL),))
    policy = Policy(defaults=Terms(approvers=(ChannelMembers(),)), rules=(rule,))
    desk = a_desk(store, bob_is_in(), policy)
    await desk.decide(ActionId("a1"), Approve(), by=BOB)
    with pytest.raises(NotAllowed, match="delete_file"):
        await desk.decide(ActionId("a2"), Approve(), by=BOB)
    assert (await desk.decide(ActionId("a2"), Approve(), by=CAROL)).state is State.SETTLED


async def test_an_edit_is_kept_as_the_tool_takes_it(store: WatchedStore) -> None:
    await filed(store)
    told = await a_desk(store, bob_is_in()).decide(FIRST, Edit({"path": "b.txt"}), by=BOB)
    outcome = told.actions[0].decided
    assert outcome is not None
    assert outcome.decision == Edit({"path": "b.txt", "checked": True})
    assert told.actions[0].arguments == {"path": "notes.txt"}


async def test_an_edit_that_the_tool_does_not_take_leaves_no_decision(store: WatchedStore) -> None:
    await filed(store)
    desk = a_desk(store, bob_is_in())
    with pytest.raises(InvalidArguments) as refused:
        await desk.decide(FIRST, Edit({"path": 7}), by=BOB)
    assert refused.value.fields == {"path": "write_file wants a text here"}
    assert await state(store) is State.WAITING
    assert await events(store, "decided") == []
    assert await owed(store, "resume") == []


async def test_who_may_not_decide_learns_nothing_of_the_tool_from_an_edit(store: WatchedStore) -> None:
    await filed(store)
    with pytest.raises(NotAllowed):
        await a_desk(store, bob_is_in()).decide(FIRST, Edit({"path": 7}), by=CAROL)


async def test_a_form_opens_for_who_may_decide_and_not_when_it_is_too_late(store: WatchedStore) -> None:
    await filed(store)
    desk = a_desk(store, People(inside={GENERAL: {BOB, CAROL}}))
    opened, its_action = await desk.opens(FIRST, by=BOB)
    assert (opened.id, its_action.id) == ("p1", FIRST)
    await desk.decide(FIRST, Reject("no"), by=BOB)
    with pytest.raises(AlreadyDecided, match=f"Already rejected by <@{BOB}>"):
        await desk.opens(FIRST, by=CAROL)
    assert (await desk.look(FIRST))[0] == await desk.approval(opened.id)


async def test_who_saw_an_old_drawing_gets_a_new_one_and_who_may_not_decide_does_not(
    store: WatchedStore,
) -> None:
    await filed(store)
    desk = a_desk(store, People(inside={GENERAL: {BOB, CAROL}}))
    with pytest.raises(NotAllowed):
        await desk.decide(FIRST, Approve(), by=ALICE)
    assert await owed(store, "redraw") == []
    await desk.decide(FIRST, Approve(), by=BOB)
    with pytest.raises(AlreadyDecided):
        await desk.decide(FIRST, Reject(), by=CAROL)
    drawings = [str(job["id"]).rpartition(":")[2] for job in await owed(store, "redraw")]
    assert drawings == ["1", "seen"]


@pytest.mark.parametrize("before", [Status.WAITING, Status.FAILED])
async def test_a_decision_wakes_the_conversation_once_it_is_the_last(
    store: WatchedStore, before: Status
) -> None:
    await filed(store, approval("p1", action("a1"), action("a2")))
    async with store.write() as tx:
        await tx.conversations.save(conversation(status=before))
    desk = a_desk(store, bob_is_in())
    seen = []
    for id in ("a1", "a2"):
        await desk.decide(ActionId(id), Approve(), by=BOB)
        async with store.read() as tx:
            now = await tx.conversations.get(THREAD)
        seen.append((now and now.status, len(await owed(store, "resume"))))
    assert seen == [(before, 0), (Status.WORKING, 1)]


async def test_a_decision_does_not_wake_what_was_stopped(store: WatchedStore) -> None:
    await filed(store)
    async with store.write() as tx:
        await tx.conversations.save(conversation(status=Status.CANCELLING))
    await a_desk(store, bob_is_in()).decide(FIRST, Approve(), by=BOB)
    async with store.read() as tx:
        now = await tx.conversations.get(THREAD)
    assert now is not None
    assert now.status is Status.CANCELLING


async def test_the_record_and_the_jobs_know_kinds_and_digests_and_never_a_value(store: WatchedStore) -> None:
    tools = ("write_file", "read_file", "delete_file", "list_files")
    one = approval_for(
        asks("i1", *tools, value=MARKER),
        conversation(),
        requesters=frozenset({ALICE}),
        tools=FileTools(),
        at=NOON,
    )
    await filed(store, one)
    ids = [one.id for one in one.actions]
    desk = a_desk(store, bob_is_in())
    with pytest.raises(InvalidArguments):
        await desk.decide(ids[0], Edit({"path": [MARKER]}), by=BOB)
    with pytest.raises(NotAllowed):
        await desk.decide(ids[0], Edit({"path": MARKER}), by=ALICE)
    await desk.decide(ids[0], Approve(), by=BOB)
    await desk.take_back(ids[0], by=BOB)
    await desk.decide(ids[0], Approve(), by=BOB)
    await desk.decide(ids[1], Edit({"path": f"{MARKER}.txt"}), by=BOB)
    await desk.decide(ids[2], Reject(f"because of {MARKER}"), by=BOB)
    await desk.decide(ids[3], Respond(f"it is {MARKER}"), by=BOB)
    with pytest.raises(AlreadyDecided):
        await desk.decide(ids[3], Respond(MARKER), by=BOB)
    assert MARKER in await everything(store, "approvals")
    assert MARKER in await everything(store, "actions")
    assert MARKER not in await everything(store, "audit")
    assert MARKER not in await everything(store, "jobs")
    decided = await events(store, "decided")
    assert [one["decision"] for one in decided] == ["approve", "approve", "edit", "reject", "respond"]
    assert [one["digest"] for one in decided] == [one.actions[number].digest for number in (0, 0, 1, 2, 3)]
    assert len(str(decided[2]["edited_digest"])) == 64
    assert decided[2]["edited_digest"] != decided[2]["digest"]


async def everything(store: WatchedStore, table: str) -> str:
    async with store.read() as tx:
        assert isinstance(tx.connection, AsyncConnection)
        return repr((await tx.connection.execute(text(f"SELECT * FROM {table}"))).all())  # noqa: S608 - a name from above
