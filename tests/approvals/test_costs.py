"""How many statements it costs what people wait for: each is a trip to the database, on SQLite to its thread.

Who makes something dearer has to say so here.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event

from bot.approvals.decision import Approve
from bot.approvals.ids import ChannelId
from tests.approvals.bench import Bench, a_bench
from tests.approvals.fakes import Asks, ScriptedAgent, WatchedStore, asks
from tests.store.samples import ALICE, BOB

ASKED = "SELECT approvals"
"""A card with everything that stands on it, its conversation and its copies."""
SAID = ["INSERT audit", "COMMIT"]


@contextmanager
def overheard() -> Iterator[list[str]]:
    """What is said to any database while the block lasts: the verb and the table."""
    said: list[str] = []

    def hear(_: object, __: object, statement: str, *___: object) -> None:
        told = re.match(r"(SELECT|UPDATE|INSERT INTO|DELETE FROM) (?:DISTINCT )?(\w+)", statement)
        said.append(f"{told[1].split()[0]} {told[2]}" if told else statement)

    def end(_: object) -> None:
        said.append("COMMIT")

    event.listen(Engine, "before_cursor_execute", hear)
    event.listen(Engine, "commit", end)
    try:
        yield said
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
        event.remove(Engine, "commit", end)


@pytest.fixture
async def bench(store: WatchedStore) -> Bench:
    """Two files wait to be deleted, and it is known where their card stands."""
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file", "write_file"),))))
    await bench.asked()
    [approval] = await bench.approvals()
    for action in approval.actions:
        await bench.desk.card(action.id)
    return bench


async def test_a_decision_that_leaves_others_open(bench: Bench) -> None:
    [approval] = await bench.approvals()
    with overheard() as said:
        await bench.desk.decide(approval.actions[0].id, Approve(), by=BOB)
    assert said == [ASKED, "UPDATE approvals", "INSERT jobs", *SAID]


async def test_the_last_decision(bench: Bench) -> None:
    [approval] = await bench.approvals()
    await bench.desk.decide(approval.actions[0].id, Approve(), by=BOB)
    with overheard() as said:
        await bench.desk.decide(approval.actions[1].id, Approve(), by=BOB)
    assert said == [ASKED, "UPDATE approvals", "UPDATE conversations", "INSERT jobs", *SAID]


async def test_a_decision_that_is_refused(bench: Bench) -> None:
    [approval] = await bench.approvals()
    with overheard() as said, pytest.raises(Exception, match="You asked for this yourself"):
        await bench.desk.decide(approval.actions[0].id, Approve(), by=ALICE)
    assert said == [ASKED, "COMMIT", ASKED, *SAID]


async def test_a_conversation_from_a_command(store: WatchedStore) -> None:
    bench = a_bench(store, ScriptedAgent({}))
    with overheard() as said:
        await bench.steering.command("go", by=ALICE, channel=ChannelId("C1"), source="1")
    rows = ["INSERT conversations", "INSERT messages", "INSERT jobs", "INSERT posts"]
    assert said == [*rows, *SAID]


async def test_a_run_until_people_are_asked(store: WatchedStore) -> None:
    bench = a_bench(store, ScriptedAgent({}, Asks((asks("i1", "delete_file", "write_file"),))))
    await bench.hears("go")
    conversation = (await bench.conversation()).id
    with overheard() as said:
        await bench.running.start(conversation)
    begun = ["SELECT conversations", "SELECT messages", "COMMIT"]
    handed_over = ["SELECT conversations", "SELECT messages", "UPDATE messages", "SELECT posts"]
    asked = ["SELECT approvals", "SELECT messages", "INSERT approvals", "INSERT actions"]
    owed = ["INSERT posts", "INSERT jobs", "UPDATE conversations", "INSERT jobs"]
    assert said == [*begun, *handed_over, *asked, *owed, *SAID]
