"""Decisions that arrive together."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Status
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond
from bot.approvals.desk import ATTEMPTS
from bot.approvals.errors import AlreadyDecided, NotAllowed, Refused, UnknownAction
from bot.approvals.filing import file
from bot.approvals.ids import ActionId, ApprovalId, UserId
from bot.approvals.policy import Members, Policy, Quorum, Terms
from bot.store import StoreUnavailable
from bot.store.approvals import ApprovalRows
from tests.approvals.fakes import FileTools, People, PressedDesk, Ticking, WatchedStore, owed, owing
from tests.store.samples import ALICE, BOB, THREAD, action, approval, conversation

CAROL = UserId("U0CAROL")
EVERYBODY = Policy(defaults=Terms(approvers=(Members(),)))


def a_desk(store: WatchedStore) -> PressedDesk:
    return PressedDesk(
        store=store,
        jobs=owing(store),
        directory=People(),
        tools=FileTools(),
        policy=EVERYBODY,
        now=Ticking(),
    )


async def filed(store: WatchedStore, *approvals: Approval, threads: Sequence[str] = (THREAD,)) -> None:
    async with store.write() as tx:
        for id in threads:
            await tx.conversations.add(conversation(id, status=Status.WAITING))
        for one in approvals:
            await file(tx, owing(store), one)
    for each in [each.id for one in approvals for each in one.actions]:
        await a_desk(store).card(each)
    store.writes = 0


async def recorded(store: WatchedStore, kind: str) -> list[UserId | None]:
    async with store.read() as tx:
        return [event.actor for event in await tx.record.of() if event.kind == kind]


async def stands(store: WatchedStore, id: str = "p1") -> Approval:
    async with store.read() as tx:
        found = await tx.approvals.get(ApprovalId(id))
    assert found is not None
    return found


async def test_of_fifty_who_decide_at_once_one_wins_and_the_others_are_told_who(store: WatchedStore) -> None:
    await filed(store, approval())
    desk = a_desk(store)

    async def decide(number: int) -> Approval | Refused:
        decisions: list[Decision] = [Approve(), Reject("no"), Respond("never")]
        decision = decisions[number % 3]
        try:
            return await desk.decide(ActionId("a-p1"), decision, by=UserId(f"U{number}"))
        except Refused as refusal:
            return refusal

    told = await asyncio.gather(*(decide(number) for number in range(50)))
    [winner] = [one for one in told if isinstance(one, Approval)]
    outcome = winner.actions[0].decided
    assert outcome is not None
    late = [one for one in told if isinstance(one, AlreadyDecided)]
    assert [str(one) for one in late] == [f"Already {outcome}."] * 49
    assert await stands(store) == winner
    assert await recorded(store, "decided") == [outcome.by]
    assert len(await recorded(store, "refused")) == 49
    assert [job["id"] for job in await owed(store, "resume")] == ["resume:p1"]


async def test_a_hundred_and_twenty_decisions_need_few_transactions_and_none_is_mixed_up(
    store: WatchedStore,
) -> None:
    names = [f"p{number}" for number in range(120)]
    await filed(
        store,
        *(approval(name, conversation=conversation(f"c-{name}").id) for name in names),
        threads=[f"c-{name}" for name in names],
    )
    desk = a_desk(store)
    told = await asyncio.gather(
        *(desk.decide(ActionId(f"a-{name}"), Approve(), by=UserId(f"U{name}")) for name in names)
    )
    assert store.writes <= 5
    assert [one.id for one in told] == names
    assert all(one.state is State.SETTLED and one.version == 1 for one in told)
    assert [one.actions[0].decided.by for one in told if one.actions[0].decided] == [f"U{n}" for n in names]
    assert [await stands(store, name) for name in names] == list(told)
    assert len(await owed(store, "resume")) == 120
    async with store.read() as tx:
        statuses = {one.status for one in [await tx.conversations.get(told[7].conversation)] if one}
    assert statuses == {Status.WORKING}


async def test_several_people_on_several_actions_of_one_approval_at_once_are_all_kept(
    store: WatchedStore,
) -> None:
    ids = [ActionId(f"a{number}") for number in range(6)]
    await filed(store, approval("p1", *(action(id) for id in ids)))
    desk = a_desk(store)
    told = await asyncio.gather(
        *(desk.decide(id, Reject(id), by=UserId(f"U-{id}")) for id in reversed(ids)),
    )
    now = await stands(store)
    assert [one.decided.by for one in now.actions if one.decided] == [f"U-{id}" for id in ids]
    assert [one.decided.decision for one in now.actions if one.decided] == [Reject(id) for id in ids]
    assert now.state is State.SETTLED
    assert [one.state for one in told].count(State.SETTLED) == 1
    assert len(await recorded(store, "decided")) == 6
    assert store.writes <= 3
    assert len(await owed(store, "resume")) == 1
    # The last drawing that is owed is of what stands now.
    assert (await owed(store, "redraw"))[-1]["id"] == f"redraw:{await card(store)}:{now.version}"


async def card(store: WatchedStore) -> str:
    async with store.read() as tx:
        [found] = await tx.posts.cards(ApprovalId("p1"))
    return found.id


async def test_what_is_refused_in_the_middle_changes_nothing_for_the_others(store: WatchedStore) -> None:
    ids = [ActionId(f"a{number}") for number in range(3)]
    await filed(store, approval("p1", *(action(id) for id in ids)))
    desk = a_desk(store)
    told = await asyncio.gather(
        desk.decide(ids[0], Approve(), by=CAROL),
        desk.decide(ids[1], Approve(), by=CAROL),
        desk.decide(ids[1], Reject(), by=BOB),
        desk.decide(ActionId("of nobody"), Reject(), by=BOB),
        desk.decide(ids[2], Reject(), by=ALICE),
        desk.decide(ids[2], Approve(), by=CAROL),
        return_exceptions=True,
    )
    assert [type(one) for one in told] == [
        *(Approval, Approval, AlreadyDecided, UnknownAction, NotAllowed, Approval)
    ]
    now = await stands(store)
    assert now.state is State.SETTLED
    assert [str(one.outcome) for one in now.actions] == [f"approved by <@{CAROL}>"] * 3


async def test_a_button_of_nothing_is_told_so_and_leaves_no_trace(store: WatchedStore) -> None:
    await filed(store, approval())
    desk = a_desk(store)
    for call in (
        desk.decide(ActionId("x"), Approve(), by=BOB),
        desk.take_back(ActionId("x"), by=BOB),
        desk.opens(ActionId("x"), by=BOB),
        desk.look(ActionId("x")),
        desk.approval(ApprovalId("x")),
    ):
        with pytest.raises(UnknownAction, match="not known here any more"):
            await call
    assert await recorded(store, "refused") == []


async def test_a_decision_taken_back_is_open_again_and_redrawn(store: WatchedStore) -> None:
    await filed(store, approval("p1", action("a1"), action("a2")))
    desk = a_desk(store)
    await desk.decide(ActionId("a1"), Reject(), by=BOB)
    told = await desk.take_back(ActionId("a1"), by=BOB)
    assert (told.version, len(told.open)) == (2, 2)
    assert await stands(store) == told
    assert await recorded(store, "taken_back") == [BOB]
    assert [job["id"] for job in await owed(store, "redraw")][-1] == f"redraw:{await card(store)}:2"


async def test_a_disk_that_fails_at_the_commit_fails_everybody_and_writes_nothing(
    store: WatchedStore,
) -> None:
    names = [f"p{number}" for number in range(20)]
    await filed(store, *(approval(name) for name in names))
    desk = a_desk(store)

    def full(place: str) -> None:
        if place == "before the commit":
            raise StoreUnavailable("The disk is full; nothing was written.")

    async def all_decide() -> list[Approval | BaseException]:
        async with asyncio.timeout(60):
            return await asyncio.gather(
                *(desk.decide(ActionId(f"a-{name}"), Approve(), by=BOB) for name in names),
                return_exceptions=True,
            )

    store.at = full
    assert {type(one) for one in await all_decide()} == {StoreUnavailable}
    assert [(await stands(store, name)).version for name in names] == [0] * 20
    assert await recorded(store, "decided") == []
    assert await owed(store, "resume") == []
    store.at = lambda _: None
    assert {type(one) for one in await all_decide()} == {Approval}


@pytest.mark.parametrize("place", ["before a transaction", "before the commit", "after the commit"])
@pytest.mark.parametrize("writes_for", ["himself", "the others"])
async def test_who_writes_and_is_cancelled_takes_nobody_along(
    store: WatchedStore, place: str, writes_for: str
) -> None:
    names = [f"p{number}" for number in range(6)]
    threads = [f"c-{name}" for name in names]
    one_each = [approval(name, conversation=conversation(f"c-{name}").id) for name in names]
    await filed(store, *one_each, threads=threads)
    desk = a_desk(store)
    victim = ["himself", "the others"].index(writes_for)
    passed = 0

    def cancel(here: str) -> None:
        nonlocal passed
        if here == place:
            if passed == victim:
                tasks[victim].cancel()
            passed += 1

    store.at = cancel
    tasks = [asyncio.create_task(desk.decide(ActionId(f"a-{name}"), Approve(), by=BOB)) for name in names]
    async with asyncio.timeout(60):
        told = await asyncio.gather(*tasks, return_exceptions=True)
    now = [await stands(store, name) for name in names]
    others = [pair for number, pair in enumerate(zip(told, now, strict=True)) if number != victim]
    assert [said for said, _ in others] == [stood for _, stood in others]
    assert all(stood.state is State.SETTLED for _, stood in others)
    # The victim's own decision was made, with everything that it owes, or was not.
    made = [stood.id for stood in now if stood.state is State.SETTLED]
    assert [job["id"] for job in await owed(store, "resume")] == [f"resume:{id}" for id in made]
    assert len(await recorded(store, "decided")) == len(made)


async def test_who_is_cancelled_while_others_write_blocks_nobody(store: WatchedStore) -> None:
    names = [f"p{number}" for number in range(6)]
    await filed(store, *(approval(name) for name in names))
    desk = a_desk(store)

    def cancel(_: str) -> None:
        for task in tasks[1::2]:
            task.cancel()

    store.at = cancel
    tasks = [asyncio.create_task(desk.decide(ActionId(f"a-{name}"), Approve(), by=BOB)) for name in names]
    async with asyncio.timeout(60):
        told = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in told] == [Approval, asyncio.CancelledError] * 3
    assert [await stands(store, name) for name in names[::2]] == told[::2]


@pytest.mark.parametrize(("races", "wins"), [(1, True), (ATTEMPTS - 1, True), (ATTEMPTS, False)])
async def test_who_loses_a_race_against_another_replica_tries_again_and_not_for_ever(
    store: WatchedStore, monkeypatch: pytest.MonkeyPatch, races: int, *, wins: bool
) -> None:
    await filed(store, approval())
    desk = a_desk(store)
    save, lost = ApprovalRows.save, 0

    async def save_late(rows: ApprovalRows, *approvals: Approval) -> None:
        nonlocal lost
        if lost < races:
            lost += 1
            approvals = tuple(replace(one, version=one.version + 7) for one in approvals)
        await save(rows, *approvals)

    monkeypatch.setattr(ApprovalRows, "save", save_late)
    if wins:
        assert await desk.decide(ActionId("a-p1"), Approve(), by=BOB) == await stands(store)
    else:
        with pytest.raises(Refused, match="press again"):
            await desk.decide(ActionId("a-p1"), Approve(), by=BOB)
    assert await recorded(store, "decided") == [BOB] * wins
    assert len(await owed(store, "resume")) == wins


async def test_of_fifty_who_vote_at_once_just_enough_are_counted_and_each_is_on_record(
    store: WatchedStore,
) -> None:
    needs = (Quorum(approvers=(Members(),), count=20),)
    policy = Policy(defaults=Terms(approvers=(Members(),), quorum=20))
    await filed(store, approval("p1", replace(action("a-p1"), needs=needs)))
    desk = PressedDesk(
        store=store, jobs=owing(store), directory=People(), tools=FileTools(), policy=policy, now=Ticking()
    )

    async def vote(number: int) -> Approval | Refused:
        try:
            return await desk.decide(ActionId("a-p1"), Approve(), by=UserId(f"U{number % 25}"), seen="")
        except Refused as refusal:
            return refusal

    told = await asyncio.gather(*(vote(number) for number in range(50)))
    stood = await stands(store)
    [voted] = stood.actions
    assert (stood.state, len(voted.votes)) == (State.SETTLED, 20)
    assert len({one.by for one in voted.votes}) == 20
    assert sum(isinstance(one, Approval) for one in told) == 20
    assert [len(await recorded(store, kind)) for kind in ("voted", "decided", "refused")] == [19, 1, 30]
    assert [*await recorded(store, "voted"), *await recorded(store, "decided")] == [
        one.by for one in voted.votes
    ]
    assert [job["id"] for job in await owed(store, "resume")] == ["resume:p1"]


async def test_the_record_says_for_which_arguments_each_voted_as_what_and_whose_votes_fell(
    store: WatchedStore,
) -> None:
    needs = (Quorum(approvers=(Members(),), count=2),)
    policy = Policy(defaults=Terms(approvers=(Members(),), quorum=2))
    await filed(store, approval("p1", replace(action("a-p1"), needs=needs)))
    desk = PressedDesk(
        store=store, jobs=owing(store), directory=People(), tools=FileTools(), policy=policy, now=Ticking()
    )
    id = ActionId("a-p1")
    await desk.decide(id, Approve(), by=BOB, seen="")
    edited = await desk.decide(id, Edit({"path": "other"}), by=CAROL, seen="")
    await desk.decide(id, Approve(), by=BOB, seen=edited.actions[0].edition)
    async with store.read() as tx:
        lines = [event for event in await tx.record.of() if event.kind in {"voted", "decided"}]
    asked, now = edited.actions[0].digest, edited.actions[0].asked.digest
    assert [(line.kind, line.actor, dict(line.detail)) for line in lines] == [
        ("voted", BOB, {"decision": "approve", "digest": asked, "as": ["members"]}),
        (
            "voted",
            CAROL,
            {"decision": "edit", "digest": asked, "edited_digest": now, "void": [BOB], "as": ["members"]},
        ),
        (
            "decided",
            BOB,
            {
                "decision": "approve",
                "digest": asked,
                "edited_digest": now,
                "votes": [CAROL, BOB],
                "as": ["members"],
            },
        ),
    ]
