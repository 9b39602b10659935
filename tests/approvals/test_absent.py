"""Conversations of an agent that the settings have no more: nothing runs, nothing is lost, and it is said."""

from datetime import timedelta

import pytest

from bot.approvals.absent import NOBODY, Absence, NoTools, of_the_absent
from bot.approvals.conversation import PostKind, Status
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import AgentName, ConversationId, MessageId
from bot.approvals.policy import Members, One, Policy, Rule, Terms, check_decision
from bot.approvals.ports import Event
from bot.approvals.realm import ByAgent, Realm
from bot.approvals.runs import Repairer, Runner, Runs
from tests.approvals.fakes import People, Ticking, WatchedStore, owing
from tests.store.samples import ALICE, BOB, NOON, THREAD, conversation, said

AWAY = (
    "The agent docs is not in the bot's settings any more, so nothing runs here. Nothing is lost: when an "
    "operator has put it back, Retry goes on from here."
)
DOCS = Realm(agent=AgentName("docs"))


def absence(store: WatchedStore) -> Absence:
    return Absence(store=store, jobs=owing(store), now=Ticking())


async def there_is(store: WatchedStore, status: Status) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=status, realm=DOCS))


async def stands(store: WatchedStore) -> tuple[Status, list[tuple[PostKind, str]]]:
    async with store.read() as tx:
        found = await tx.conversations.get(THREAD)
        assert found is not None
        return found.status, [(post.kind, post.text) for post in await tx.posts.of(THREAD)]


@pytest.mark.parametrize("status", [Status.WORKING, Status.RETRYING])
async def test_what_was_to_run_has_failed_with_a_sentence_and_a_retry(
    store: WatchedStore, status: Status
) -> None:
    await there_is(store, status)
    for _ in range(2):
        await absence(store).advance(THREAD)
    assert await stands(store) == (Status.FAILED, [(PostKind.FAILURE, AWAY)])


@pytest.mark.parametrize("status", [Status.WAITING, Status.IDLE, Status.FAILED])
async def test_what_rests_goes_on_resting(store: WatchedStore, status: Status) -> None:
    await there_is(store, status)
    for does in (
        absence(store).start(THREAD),
        absence(store).give_up(THREAD),
        absence(store).advance(ConversationId("unknown")),
    ):
        await does
    assert await stands(store) == (status, [])


async def test_whoever_writes_after_that_is_told_once_more_and_the_words_are_kept(
    store: WatchedStore,
) -> None:
    await there_is(store, Status.FAILED)
    for id in ("m1", "m2"):
        async with store.write() as tx:
            await tx.conversations.keep(said(id))
        for _ in range(2):
            await absence(store).advance(THREAD)
    assert await stands(store) == (Status.FAILED, [(PostKind.FAILURE, AWAY)] * 2)
    async with store.read() as tx:
        assert [one.id for one in await tx.conversations.kept(THREAD)] == [MessageId("m1"), MessageId("m2")]


async def test_a_stop_is_kept_for_the_agent_and_told_once_each_time(store: WatchedStore) -> None:
    await there_is(store, Status.CANCELLING)
    for _ in range(2):
        async with store.write() as tx:
            await tx.record.append(Event(kind="stopped", at=NOON, conversation=THREAD))
        for _ in range(2):
            await absence(store).advance(THREAD)
    status, posts = await stands(store)
    assert status is Status.CANCELLING
    assert [(kind, text[:38]) for kind, text in posts] == [
        (PostKind.NOTICE, "Stopped: nothing that waited will run.")
    ] * 2


async def test_of_its_tools_nothing_is_known_and_where_nothing_is_said_nobody_decides() -> None:
    tools = NoTools()
    assert (tools.schema("pay"), tools.resolves("pay"), tools.renders("pay")) == (None, False, False)
    assert await tools.referents("pay", {}, within=1) is None
    assert await tools.rendered("pay", {}, within=1) is None
    person = await People().person(BOB)
    with pytest.raises(NotAllowed):
        check_decision(
            NOBODY.terms("pay"), person, requesters=frozenset({ALICE}), in_channel=True, tool="pay"
        )


async def test_each_conversation_runs_with_its_own_agent_alone(store: WatchedStore) -> None:
    done: list[tuple[str, str, str]] = []

    class Loop:
        def __init__(self, name: str) -> None:
            self.name = name

        async def start(self, id: ConversationId) -> None:
            done.append((self.name, "start", id))

        async def advance(self, id: ConversationId) -> None:
            done.append((self.name, "advance", id))

        async def give_up(self, id: ConversationId) -> None:
            done.append((self.name, "give_up", id))

        async def repair(self, id: ConversationId, wish: str) -> None:
            done.append((self.name, f"repair {wish}", id))

    ops, docs = AgentName("ops"), AgentName("docs")
    runners: dict[AgentName, Runner] = {ops: Loop("ops"), docs: Loop("docs")}
    repairers: dict[AgentName, Repairer] = {ops: Loop("ops"), docs: Loop("docs")}
    runs = Runs(
        store=store,
        runners=ByAgent(first=ops, parts=runners, otherwise=Loop("away")),
        repairers=ByAgent(first=ops, parts=repairers, otherwise=Loop("away")),
    )
    realms = {"c1": ops, "c2": docs, "c3": AgentName("gone"), "c4": AgentName("")}
    async with store.write() as tx:
        for id, name in realms.items():
            await tx.conversations.add(conversation(id, realm=Realm(agent=name)))
    for each in realms:
        id = ConversationId(each)
        await runs.start(id)
        await runs.advance(id)
        await runs.give_up(id)
        await runs.repair(id, "w")
    whose = {"c1": "ops", "c2": "docs", "c3": "away", "c4": "ops"}
    does = ("start", "advance", "give_up", "repair w")
    assert done == [(whose[each], what, each) for each in realms for what in does]


async def test_a_repair_is_told_that_there_is_nobody_to_go_on_once_for_each_wish(store: WatchedStore) -> None:
    await there_is(store, Status.WAITING)
    for wish in ("w1", "w1", "w2"):
        await absence(store).repair(THREAD, wish)
    assert await stands(store) == (Status.WAITING, [(PostKind.NOTICE, AWAY)] * 2)


def test_of_the_rest_of_a_policy_nobody_decides_and_nothing_is_shown_of_an_agent_that_is_gone() -> None:
    rest = Policy(
        defaults=Terms(
            approvers=(Members(),), quorum=2, escalate_to=(BOB,), redact=(), expires_after=timedelta(hours=1)
        ),
        rules=(Rule(tools=("publish",), approvers=(One(BOB),), redact=()),),
        operators=(One(ALICE),),
    )
    left = of_the_absent(rest)
    assert left.terms("publish") == left.terms("other") == left.defaults
    assert (left.defaults.approvers, left.defaults.require, left.defaults.escalate_to) == ((), (), ())
    assert (left.defaults.redact, left.defaults.expires_after) == (("*",), timedelta(hours=1))
    assert left.operators == (One(ALICE),)
