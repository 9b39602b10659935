"""Fifty people decide on one approval at the same instant, and both replicas hear the same first message.

Many rounds go through the desk, with real stores, and on Postgres from two replicas at once: who won,
who was told what, and what was written. Two rounds go the whole way, over sockets and as Slack shows it.

    WHOLE=1 python -m pytest tests/system/test_race.py      two hundred rounds instead of thirty
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.approvals.action import Decided
from bot.approvals.approval import Approval, State
from bot.approvals.carding import version_of
from bot.approvals.conversation import PostKind, Status
from bot.approvals.decision import Approve, Decision, Reject, Respond
from bot.approvals.errors import AlreadyDecided
from bot.approvals.filing import file
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, Ts, UserId
from bot.approvals.policy import ChannelMembers, Policy, Terms
from bot.approvals.ports import Transaction
from bot.approvals.steering import Steering
from bot.approvals.timers import Timers
from bot.sandbox import Person, RefusedError, text_of
from bot.sandbox.records import UserId as SlackId
from bot.store import RowsStore, StoreUnavailable, open_store
from tests.approvals.fakes import (
    FileTools,
    People,
    PressedDesk,
    ScriptedAgent,
    Ticking,
    WatchedStore,
    owed,
    owing,
)
from tests.postgres import a_database
from tests.store.samples import ALICE, GENERAL, THREAD, action, approval, conversation, later
from tests.system.agents import RUNS
from tests.system.house import House, both_databases, decisions
from tests.whole import WHOLE

ROUNDS = 200 if WHOLE else 30
CROWD = [UserId(f"U0P{number:02}") for number in range(50)]
POLICY = Policy(defaults=Terms(approvers=(ChannelMembers(),)))
DECISIONS: list[Decision] = [Approve(), Reject("not now"), Respond("do it yourself")]
MESSAGES = 25


@pytest.fixture(params=["sqlite", "postgres"])
async def replicas(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Sequence[WatchedStore]]:
    """The stores of all replicas: one on SQLite, which belongs to one process, two on Postgres."""
    async with AsyncExitStack() as stack:
        where = [str(tmp_path / "bot.db")]
        if request.param == "postgres":
            where = [await stack.enter_async_context(a_database())] * 2
        stores: list[RowsStore] = [await stack.enter_async_context(open_store(one)) for one in where]
        yield [WatchedStore(store) for store in stores]


def steering_at(store: WatchedStore) -> Steering:
    return Steering(
        store=store,
        jobs=owing(store),
        agent=ScriptedAgent({}),
        directory=People(),
        policy=POLICY,
        now=Ticking(),
    )


def desk_at(store: WatchedStore) -> PressedDesk:
    people = People(inside={GENERAL: set(CROWD)})
    return PressedDesk(
        store=store, jobs=owing(store), directory=people, tools=FileTools(), policy=POLICY, now=Ticking()
    )


@pytest.mark.timeout(600)
async def test_of_fifty_conflicting_decisions_one_wins_and_the_others_are_told_who_it_was(
    replicas: Sequence[WatchedStore],
) -> None:
    desks, dice = [desk_at(store) for store in replicas], random.Random(4711)  # noqa: S311 - repeats itself
    winners: dict[ApprovalId, Approval] = {}
    async with replicas[0].write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        for number in range(ROUNDS):
            await file(tx, owing(replicas[0]), approval(f"p{number}", action(f"a{number}")))
    for number in range(ROUNDS):
        people = dice.sample(CROWD, len(CROWD))
        told = await asyncio.gather(
            *(
                decides(desks[place % len(desks)], number, dice.choice(DECISIONS), person)
                for place, person in enumerate(people)
            ),
            return_exceptions=True,
        )
        [winner] = [one for one in told if isinstance(one, Approval)]
        outcome = winner.actions[0].outcome
        assert isinstance(outcome, Decided)
        assert winner.state is State.SETTLED
        for loser in (one for one in told if not isinstance(one, Approval)):
            assert isinstance(loser, AlreadyDecided)
            assert f"<@{outcome.by}>" in str(loser)
        winners[winner.id] = winner
    await written_once(replicas[0], winners)


async def decides(desk: PressedDesk, number: int, decision: Decision, person: UserId) -> Approval:
    """Press, and press again where Slack would show that it failed: a busy machine may take too long."""
    while True:
        try:
            return await desk.decide(ActionId(f"a{number}"), decision, by=person)
        except StoreUnavailable:
            continue


async def written_once(store: WatchedStore, winners: dict[ApprovalId, Approval]) -> None:
    """Each approval is in its row as it was told, decided once in the record, with one resume owed."""
    async with store.read() as tx:
        kept = await tx.approvals.of(THREAD, State.SETTLED)
        record = Counter((event.approval, event.kind) for event in await tx.record.of(THREAD))
    assert {one.id: one for one in kept} == winners
    for id in winners:
        assert record[id, "decided"] == 1
        assert record[id, "refused"] >= len(CROWD) - 1
    resumes = [str(job["id"]) for job in await owed(store) if job["kind"] == "resume"]
    assert sorted(resumes) == sorted(f"resume:{id}" for id in winners)


class Pausing(WatchedStore):
    """A transaction gives way to the others before it is committed."""

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        async with super().write() as tx:
            yield tx
            for _ in range(50):
                await asyncio.sleep(0)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("last", ["two decisions", "a decision and the deadline"])
async def test_of_the_last_two_of_a_burst_settled_at_once_one_tells_whoever_asked_and_draws_the_card(
    replicas: Sequence[WatchedStore], last: str
) -> None:
    stores = [Pausing(one._store) for one in replicas]
    desks = [desk_at(stores[0]), desk_at(stores[-1])]
    timers = Timers(store=stores[-1], jobs=owing(stores[-1]), policy=POLICY, now=lambda: later(3600))
    async with replicas[0].write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        for number in range(ROUNDS):
            lead = approval(f"p{number}", action(f"a{number}"))
            other = approval(f"q{number}", action(f"b{number}"), card=lead.id, expires_at=later(3600))
            await file(tx, owing(replicas[0]), lead)
            await file(tx, owing(replicas[0]), other)
    for number in range(ROUNDS):
        for desk in desks:
            await desk.card(ActionId(f"a{number}"))
            desk._store.spots[ActionId(f"b{number}")] = desk._store.spots[ActionId(f"a{number}")]  # type: ignore[attr-defined]
        decides_other = desks[1].decide(ActionId(f"b{number}"), Reject("no"), by=CROWD[1])
        expires = timers.fire(f"expire:q{number}", {"approval": f"q{number}", "does": "expire"})
        ends = decides_other if last == "two decisions" else expires
        if ends is expires:
            decides_other.close()
        else:
            expires.close()
        await asyncio.gather(desks[0].decide(ActionId(f"a{number}"), Reject("no"), by=CROWD[0]), ends)
    async with replicas[0].read() as tx:
        every = await tx.posts.of(THREAD)
        rows = {one.id: one for one in await tx.approvals.of(THREAD)}
    heard = sorted(str(one.id) for one in every if one.kind is PostKind.OUTCOME)
    assert heard == sorted(f"outcome:p{number}" for number in range(ROUNDS))
    drawn = {str(job["id"]) for job in await owed(replicas[0], "redraw")}
    cards = {one.approval: one.id for one in every if one.kind is PostKind.CARD}
    for number in range(ROUNDS):
        lead = rows[ApprovalId(f"p{number}")]
        version = version_of([lead, rows[ApprovalId(f"q{number}")]])
        assert f"redraw:{cards[lead.id]}:{version}" in drawn


@pytest.mark.parametrize("way", ["command", "mention", "direct message"])
async def test_the_same_first_message_heard_twice_at_once_begins_one_conversation(
    replicas: Sequence[WatchedStore], way: str
) -> None:
    steerings = [steering_at(store) for store in replicas]
    channel = ChannelId("D0ALICE") if way == "direct message" else GENERAL

    async def hears(steering: Steering, number: int) -> None:
        if way == "command":
            await steering.command("hello", by=ALICE, channel=channel, source=f"trigger-{number}")
        else:
            await steering.hear("hello", by=ALICE, channel=channel, ts=Ts(f"{number}.0"), thread_ts=None)

    for number in range(MESSAGES):
        await asyncio.gather(*(hears(steerings[copy % len(steerings)], number) for copy in range(4)))
    async with replicas[0].read() as tx:
        begun = await tx.conversations.of(ALICE, limit=10 * MESSAGES)
        kept = [await tx.conversations.kept(one.id) for one in begun]
        posts = [len(await tx.posts.of(one.id)) for one in begun]
    assert [len(said) for said in kept] == [1] * MESSAGES
    assert posts == [1 if way == "command" else 0] * MESSAGES
    runs = [job for job in await owed(replicas[0]) if job["kind"] == "start"]
    assert len(runs) == MESSAGES


async def test_two_first_messages_of_one_thread_at_once_are_one_conversation(
    replicas: Sequence[WatchedStore],
) -> None:
    """Two people mention the bot in a thread that it does not know yet: neither is lost."""
    steerings = [steering_at(store) for store in replicas]
    for number in range(MESSAGES):
        thread = Ts(f"{number}.0")
        await asyncio.gather(
            *(
                steerings[copy % len(steerings)].hear(
                    f"words {copy}",
                    by=ALICE,
                    channel=GENERAL,
                    ts=Ts(f"{number}.{copy + 1}"),
                    thread_ts=thread,
                )
                for copy in range(4)
            )
        )
        async with replicas[0].read() as tx:
            one = await tx.conversations.at(GENERAL, thread)
            assert one is not None
            said = [said.text for said in await tx.conversations.kept(one.id)]
        assert sorted(said) == [f"words {copy}" for copy in range(4)]


@both_databases
async def test_fifty_people_press_at_once_and_each_is_told_once(house: House) -> None:
    crowd = [await joined(house, number) for number in range(50)]
    told_before: Counter[str] = Counter()
    for number in range(2):
        await house.asks([("transfer", {"amount": float(number), "to": f"round-{number}"})])
        card = await house.card(lambda one, to=f"round-{number}": decisions(one) != [] and to in text_of(one))  # type: ignore[misc]
        rejecting, approving = crowd[:10], crowd[10:]
        forms = []
        for person in rejecting:
            await person.press(card, "Reject", stale=True)
            forms.append(await person.form())
        await asyncio.gather(
            *(person.press(card, "Approve", stale=True) for person in approving),
            *(submits(person, form) for person, form in zip(rejecting, forms, strict=True)),
        )
        ended = text_of(await house.card_with(card))
        [winner] = [one for one in crowd if f"by <@{one.id}>" in ended]
        told = 0
        for person in approving:
            # In the channel and in the thread, as Slack does not say which copy of the card was pressed.
            private = [one for one in await person.ephemerals("#general") if not one.get("thread_ts")]
            lines = [text_of(one) for one in private[told_before[person.id] :]]
            told_before[person.id] = len(private)
            assert len(lines) == (person.id != winner.id), "one line for one click"
            told += sum(f"by <@{winner.id}>" in line for line in lines)
        for person in rejecting:
            if person.id != winner.id:
                form = await person.form("Not done")
                told += f"by <@{winner.id}>" in text_of(form)
                await person.close(form, whole_stack=True)
        assert told == len(crowd) - 1
        assert len(RUNS) <= number + 1


async def submits(person: Person, form: dict[str, Any]) -> None:
    while True:
        try:
            await person.submit(form, {"Reason": "no"})
        except RefusedError:
            continue  # it took too long, and Slack says so in the form
        return


async def joined(house: House, number: int) -> Person:
    bob = house.slack.account("Bob")
    name = f"person{number:02}"
    return await house.slack.add_person(
        replace(bob, id=SlackId(CROWD[number]), name=name, real_name=name.title()), ["#general"]
    )
