"""Two agents in one bot: what holds for a conversation is what its own agent says, wherever it is asked."""

from dataclasses import replace

import pytest

from bot.approvals.absent import NO_EDIT, NoTools
from bot.approvals.approval import Approval, State
from bot.approvals.conversation import PostKind, Status
from bot.approvals.decision import Approve, Arguments, Edit
from bot.approvals.desk import Desk
from bot.approvals.errors import InvalidArguments, NotAllowed
from bot.approvals.filing import approval_for, file
from bot.approvals.homes import Home
from bot.approvals.ids import (
    ActionId,
    AgentName,
    ApprovalId,
    ConversationId,
    GroupId,
    InterruptId,
    PostId,
    Ts,
    UserId,
)
from bot.approvals.inbox import Inbox
from bot.approvals.inboxes import Inboxes
from bot.approvals.masking import Masking
from bot.approvals.onlookers import Onlookers
from bot.approvals.places import ToApprovers
from bot.approvals.policies import PolicyByAgent
from bot.approvals.policy import ChannelMembers, Members, One, Policy, Terms, UserGroup
from bot.approvals.ports import Tools
from bot.approvals.queueing import Queue
from bot.approvals.realm import UNNAMED, ByAgent, Realm
from bot.approvals.roster import Roster
from bot.approvals.standings import Standings
from bot.approvals.steering import Steering
from bot.approvals.timers import Timers
from bot.slack.loading import loaded
from tests.approvals.fakes import (
    FileTools,
    People,
    PressedDesk,
    ScriptedAgent,
    Ticking,
    WatchedStore,
    asks,
    owing,
)
from tests.approvals.test_inbox import INSIDE
from tests.approvals.test_standings import Crowd
from tests.store.samples import ALICE, BOB, GENERAL, NOON, action, approval, conversation, post

OPS, DOCS, GONE = AgentName("ops"), AgentName("docs"), AgentName("gone")
CAROL = UserId("U0CAROL")


ROSTER = Roster(names=(OPS, DOCS))


def of(*approvers: One | Members | ChannelMembers | UserGroup, **terms: object) -> Policy:
    return Policy(defaults=Terms(approvers=approvers, **terms))  # type: ignore[arg-type]


POLICY = PolicyByAgent(
    first=OPS,
    parts={OPS: of(One(BOB)), DOCS: of(One(CAROL), UserGroup(GroupId("S0DOCS"), "docs"))},
    otherwise=of(Members()),
)


def one_of(agent: AgentName) -> Approval:
    """An approval that waits in a conversation with this agent."""
    about = approval(f"p-{agent}", action(f"a-{agent}"), conversation=ConversationId(f"c-{agent}"))
    return replace(about, interrupt=InterruptId(f"i-{agent}"), realm=Realm(agent=agent))


async def filed(store: WatchedStore, *agents: AgentName, **changes: object) -> None:
    async with store.write() as tx:
        for agent in agents:
            talk = conversation(f"c-{agent}", status=Status.WAITING, realm=Realm(agent=agent))
            await tx.conversations.add(talk)
            await file(tx, owing(store), replace(one_of(agent), **changes))  # type: ignore[arg-type]


def a_desk(store: WatchedStore, policy: PolicyByAgent = POLICY) -> PressedDesk:
    return PressedDesk(
        store=store, jobs=owing(store), directory=People(), tools=FileTools(), policy=policy, now=Ticking()
    )


async def test_a_conversation_keeps_its_realm_and_its_approvals_stand_in_it(store: WatchedStore) -> None:
    await filed(store, OPS, DOCS)
    async with store.write() as tx:
        talk = await tx.conversations.get(ConversationId("c-docs"))
        assert talk is not None
        assert talk.realm == Realm(agent=DOCS)
        await tx.conversations.save(replace(talk, realm=Realm(agent=OPS), status=Status.IDLE))
    async with store.read() as tx:
        talk = await tx.conversations.get(ConversationId("c-docs"))
        assert talk is not None
        assert (talk.realm, talk.status) == (Realm(agent=DOCS), Status.IDLE)
        found = await tx.approvals.waiting()
        assert {one.id: one.realm.agent for one in found} == {"p-ops": OPS, "p-docs": DOCS}
        asked = (await tx.approvals.asked([ActionId("a-docs")]))[ActionId("a-docs")]
        assert (asked.approval.realm, asked.conversation.realm) == (Realm(agent=DOCS),) * 2
        assert [one.realm.agent for one in await tx.homes.waiting(0, 9)] == [OPS, DOCS]


def test_a_new_approval_stands_in_its_conversations_realm() -> None:
    made = approval_for(
        asks("i", "delete_file"),
        conversation(realm=Realm(agent=DOCS)),
        requesters=frozenset({ALICE}),
        tools=FileTools(),
        at=NOON,
    )
    assert made.realm == Realm(agent=DOCS)


async def test_of_the_same_tool_each_agents_own_approvers_decide(store: WatchedStore) -> None:
    await filed(store, OPS, DOCS, GONE)
    desk = a_desk(store)
    for agent, by in ((OPS, CAROL), (DOCS, BOB)):
        with pytest.raises(NotAllowed, match="not among the people"):
            await desk.decide(ActionId(f"a-{agent}"), Approve(), by=by)
    for agent, by in ((OPS, BOB), (DOCS, CAROL), (GONE, BOB)):
        assert (await desk.decide(ActionId(f"a-{agent}"), Approve(), by=by)).state is State.SETTLED


def test_where_no_agent_is_named_the_first_is_meant() -> None:
    assert POLICY.of(UNNAMED) is POLICY.parts[OPS]
    assert POLICY.of(Realm(agent=GONE)) is POLICY.otherwise
    assert POLICY.every == (POLICY.parts[OPS], POLICY.parts[DOCS], POLICY.otherwise)


async def test_an_edit_is_checked_by_its_own_agents_tools_and_by_none_where_the_agent_is_gone(
    store: WatchedStore,
) -> None:
    class Picky(FileTools):
        def check(self, tool: str, arguments: Arguments) -> Arguments:  # noqa: ARG002 - as the port has it
            raise InvalidArguments({"path": f"{tool} of the documents is picky"})

    await filed(store, OPS, DOCS, GONE)
    anybody = PolicyByAgent(first=OPS, parts={}, otherwise=of(Members()))
    tools: ByAgent[Tools] = ByAgent(first=OPS, parts={OPS: FileTools(), DOCS: Picky()}, otherwise=NoTools())
    desk = Desk(
        store=store, jobs=owing(store), directory=People(), tools=tools, policy=anybody, now=Ticking()
    )
    where = {agent: await a_desk(store).card(ActionId(f"a-{agent}")) for agent in (OPS, DOCS, GONE)}

    async def edits(agent: AgentName) -> Approval:
        change = Edit({"path": "b.txt"})
        await desk.proposed(ActionId(f"a-{agent}"), change, by=BOB, spot=where[agent])
        return await desk.decide(ActionId(f"a-{agent}"), change, by=BOB, spot=where[agent])

    assert (await edits(OPS)).state is State.SETTLED
    with pytest.raises(InvalidArguments, match="picky"):
        await edits(DOCS)
    with pytest.raises(NotAllowed) as no:
        await edits(GONE)
    assert str(no.value) == NO_EDIT


async def test_only_so_many_cards_of_a_conversation_are_open_as_its_own_agent_may_have(
    store: WatchedStore,
) -> None:
    policy = PolicyByAgent(
        first=OPS,
        parts={OPS: replace(of(Members()), open_cards=1), DOCS: replace(of(Members()), open_cards=2)},
        otherwise=of(Members()),
    )
    queue = Queue(jobs=owing(store), policy=policy, now=Ticking())
    for agent, is_held in ((OPS, True), (DOCS, False)):
        waiting = [replace(one_of(agent), id=ApprovalId("other"), actions=(action("x", tool="other"),))]
        placed, _ = queue.placed(one_of(agent), waiting)
        assert placed.held is is_held, agent


async def test_what_is_let_on_later_keeps_to_its_own_agents_policy(store: WatchedStore) -> None:
    policy = PolicyByAgent(
        first=OPS,
        parts={OPS: replace(of(Members()), open_cards=1), DOCS: replace(of(Members()), open_cards=2)},
        otherwise=of(Members()),
    )
    await filed(store, OPS, DOCS)
    async with store.write() as tx:
        for agent in (OPS, DOCS):
            more = replace(one_of(agent), id=ApprovalId(f"more-{agent}"), interrupt=InterruptId("more"))
            held = replace(more, actions=(action(f"m-{agent}", tool="other"),), held=True)
            assert await tx.approvals.add(held)
        queue = Queue(jobs=owing(store), policy=policy, now=Ticking())
        await queue.let_on(tx, [ConversationId("c-ops"), ConversationId("c-docs")])
    async with store.read() as tx:
        left = {one.id for one in await tx.approvals.waiting() if one.held}
    assert left == {"more-ops"}


async def test_a_reminder_names_who_decides_for_this_agent(store: WatchedStore) -> None:
    await filed(store, OPS, DOCS)
    timers = Timers(store=store, jobs=owing(store), policy=POLICY, now=Ticking())
    for agent in (OPS, DOCS):
        await timers.fire(f"remind:{agent}", {"approval": f"p-{agent}", "does": "remind", "until": ""})
        async with store.read() as tx:
            said = await tx.posts.get(PostId(f"remind:{agent}"))
        assert said is not None
        assert ("<@U0BOB>" in said.text) is (agent == OPS), said.text


async def test_whoever_is_called_in_is_called_by_this_agents_policy(store: WatchedStore) -> None:
    calling = of(Members(), escalate_to=(CAROL,))
    policy = PolicyByAgent(first=OPS, parts={OPS: of(Members()), DOCS: calling}, otherwise=of(Members()))
    await filed(store, OPS, DOCS)
    timers = Timers(store=store, jobs=owing(store), policy=policy, now=Ticking())
    for agent in (OPS, DOCS):
        await timers.fire("call", {"approval": f"p-{agent}", "does": "escalate", "until": ""})
    async with store.read() as tx:
        assert [one.escalated_to for one in await tx.approvals.waiting()] == [frozenset(), {CAROL}]


async def test_cards_go_to_whom_this_agents_policy_names_and_into_shared_channels_as_it_says(
    store: WatchedStore,
) -> None:
    ops = of(One(BOB), channel=ToApprovers(), shared_channels=True)
    docs = of(One(CAROL), channel=ToApprovers())
    policy = PolicyByAgent(first=OPS, parts={OPS: ops, DOCS: docs}, otherwise=docs)
    await filed(store, OPS, DOCS)
    crowd = Crowd(shared={GENERAL})
    standings = Standings(store=store, jobs=owing(store), audience=crowd, policy=policy)
    told = {}
    for agent in (OPS, DOCS):
        await standings.spread(ApprovalId(f"p-{agent}"))
        async with store.read() as tx:
            told[agent] = [
                card.place for card in await tx.posts.cards(ApprovalId(f"p-{agent}")) if card.place
            ]
    assert told == {OPS: [BOB], DOCS: [CAROL]}
    kept = [await standings.keeps_out(GENERAL, one_of(agent)) for agent in (OPS, DOCS)]
    assert kept == [False, True]


async def test_each_is_shown_what_they_may_decide_by_the_agent_that_asks(store: WatchedStore) -> None:
    await filed(store, OPS, DOCS, GONE)
    boss = replace(POLICY.parts[DOCS], operators=(One(ALICE),))
    policy = replace(POLICY, parts={**POLICY.parts, DOCS: boss})
    everybody = Inboxes(store=store, directory=People(inside=INSIDE), policy=policy)
    waiting = {}
    for by in (BOB, CAROL):
        inbox = await everybody.of(by)
        waiting[by] = [one.asked.approval.id for one in inbox.waiting]
        assert inbox.every is None
    assert waiting == {BOB: ["p-ops", "p-gone"], CAROL: ["p-docs", "p-gone"]}
    assert len((await everybody.of(ALICE)).every or ()) == 3
    member = People(groups={BOB: {GroupId("S0DOCS")}})
    by_group = await Inboxes(store=store, directory=member, policy=POLICY).of(BOB)
    assert len(by_group.waiting) == 3


async def test_home_tabs_follow_what_their_people_may_decide() -> None:
    homes = [Home(person=by, opened_at=NOON) for by in (BOB, CAROL)]
    seeing = Onlookers(directory=People(), policy=POLICY)
    for agent, by in ((OPS, BOB), (DOCS, CAROL)):
        about = conversation(f"c-{agent}", realm=Realm(agent=agent))
        assert [one.person for one in await seeing.among(homes, about, one_of(agent))] == [by]


async def test_the_same_argument_is_masked_for_the_one_agent_and_shown_for_the_other(
    store: WatchedStore,
) -> None:
    masking = ByAgent(
        first=OPS, parts={OPS: Masking(redact=lambda _: ("path",)), DOCS: Masking()}, otherwise=Masking()
    )
    await filed(store, OPS, DOCS)
    drawn = {}
    for agent in (OPS, DOCS):
        async with store.write() as tx:
            [card] = await tx.posts.cards(ApprovalId(f"p-{agent}"))
            quoting = post(f"q-{agent}", conversation=ConversationId(f"c-{agent}"), text="see notes.txt")
            await tx.posts.owe(quoting)
        for one in (card, quoting):
            drawing = await loaded(store, masking, one.id)
            assert drawing is not None
            drawn[one.kind, agent] = "notes.txt" in str([part.blocks for part in drawing.parts()])
    assert drawn == {
        (PostKind.CARD, OPS): False,
        (PostKind.CARD, DOCS): True,
        (PostKind.NOTICE, OPS): False,
        (PostKind.NOTICE, DOCS): True,
    }
    async with store.read() as tx:
        asked = [(await tx.approvals.asked([ActionId(f"a-{agent}")])) for agent in (OPS, DOCS)]
    every = tuple(one for each in asked for one in each.values())
    seen = Inbox(person=BOB, every=every).masked(masking).every or ()
    assert ["notes.txt" in str(one.approval.actions[0].arguments) for one in seen] == [False, True]


def a_steering(store: WatchedStore, policy: PolicyByAgent = POLICY) -> Steering:
    return Steering(
        store=store,
        jobs=owing(store),
        agent=ScriptedAgent({}),
        directory=People(),
        policy=policy,
        now=Ticking(),
        roster=ROSTER,
    )


async def test_whoever_may_ask_may_ask_the_agent_that_says_so(store: WatchedStore) -> None:
    for_bob = replace(of(Members()), requesters=(One(BOB),))
    policy = replace(POLICY, parts={OPS: for_bob, DOCS: of(Members())})
    steering = a_steering(store, policy)
    with pytest.raises(NotAllowed, match="not among the people who may ask"):
        await steering.command("ops: go", by=CAROL, channel=GENERAL, source="1")
    await steering.command("docs: go", by=CAROL, channel=GENERAL, source="2")
    async with store.read() as tx:
        [talk] = await tx.conversations.of(CAROL)
    assert talk.realm == Realm(agent=DOCS)
    await filed(store, OPS)
    with pytest.raises(NotAllowed, match="not among the people who may ask"):
        await steering.hear("more", by=CAROL, channel=GENERAL, ts=Ts("2.2"), thread_ts=Ts("1.c-ops"))
    await steering.hear("more", by=BOB, channel=GENERAL, ts=Ts("2.3"), thread_ts=Ts("1.c-ops"))


async def test_only_this_agents_approvers_may_stop_what_somebody_else_asked_for(store: WatchedStore) -> None:
    await filed(store, OPS, DOCS)
    steering = a_steering(store)
    with pytest.raises(NotAllowed, match="requester or an approver"):
        await steering.stop(ConversationId("c-docs"), by=BOB)
    await steering.stop(ConversationId("c-ops"), by=BOB)
