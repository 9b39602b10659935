"""The loop, on an agent that follows a script."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import PostKind, Said, Status
from bot.approvals.decision import Approve, Edit, Reject
from bot.approvals.endings import NOTHING_SAID, STILL
from bot.approvals.errors import NotAllowed, Stale
from bot.approvals.ids import ChannelId, ConversationId, UserId
from bot.approvals.policy import One, Policy, Terms
from bot.approvals.running import NOBODY_HERE
from bot.approvals.steering import TRY_AGAIN
from bot.approvals.thread import Condition
from tests.approvals.bench import FOR_THE_AGENT, Bench, a_bench
from tests.approvals.fakes import (
    Asks,
    Breaks,
    Circles,
    Line,
    Says,
    Scene,
    ScriptedAgent,
    ToolFails,
    WatchedStore,
    asks,
    owed,
)
from tests.store.samples import ALICE, BOB, GENERAL

CAROL = UserId("U0CAROL")
STOPPED = f"Stopped by <@{ALICE}>. Nothing that waited was run."


def on(store: WatchedStore, *script: Line) -> Bench:
    return a_bench(store, ScriptedAgent({}, *script))


async def status(bench: Bench) -> Status:
    return (await bench.conversation()).status


async def test_two_rounds_of_asking_end_in_one_answer(store: WatchedStore) -> None:
    bench = on(
        store,
        Asks((asks("i1", "write_file", "delete_file"),)),
        Asks((asks("i2", "list_files"),)),
        Says("All done."),
    )
    id = await bench.asked("tidy up")
    assert await status(bench) is Status.WAITING
    [first] = await bench.approvals()
    assert [action.tool for action in first.actions] == ["write_file", "delete_file"]
    assert first.requesters == {ALICE}
    [card] = await bench.posts()
    assert (card.kind, card.approval) == (PostKind.CARD, first.id)

    await bench.decides(first, Edit({"path": "b"}), Reject("no"))
    told, second = await bench.approvals()
    assert (told.state, second.state) == (State.DELIVERED, State.WAITING)
    assert await status(bench) is Status.WAITING
    assert await bench.texts(PostKind.ANSWER) == []

    await bench.decides(second)
    assert await status(bench) is Status.IDLE
    assert await bench.texts(PostKind.ANSWER) == ["All done."]
    scene = bench.agent.scene(id)
    assert [said.text for said in scene.taken] == ["tidy up"]
    assert [[one.decided.decision for one in approval.actions if one.decided] for approval in scene.told] == [
        [Edit({"path": "b", "checked": True}), Reject("no")],
        [Approve()],
    ]
    assert await owed(store, *FOR_THE_AGENT) == []
    assert await bench.everything_recorded() == [
        *("said", "filed", "decided", "decided", "resumed", "delivered"),
        *("filed", "decided", "resumed", "delivered"),
    ]


async def test_looking_again_changes_nothing_and_says_nothing_twice(store: WatchedStore) -> None:
    bench = on(store, ToolFails("No disk."), Asks((asks("i1", "x"),)), Says("Done."))
    id = await bench.asked()
    for again in (bench.running.advance, bench.running.start):
        await again(id)
    [approval] = await bench.approvals()
    await bench.decides(approval)
    before = (await bench.posts(), await bench.approvals(), await bench.recorded(), bench.agent.scene(id))
    for again in (bench.running.advance, bench.running.start):
        await again(id)
        await bench.works()
    after = (await bench.posts(), await bench.approvals(), await bench.recorded(), bench.agent.scene(id))
    assert after == before
    assert [post.kind for post in before[0]] == [PostKind.TOOL_FAILURE, PostKind.CARD, PostKind.ANSWER]


async def test_of_two_interrupts_at_once_the_one_that_is_settled_first_is_told_first(
    store: WatchedStore,
) -> None:
    bench = on(store, Asks((asks("i1", "x"), asks("i2", "y"))), Says("Done."))
    id = await bench.asked()
    first, second = await bench.approvals()
    await bench.decides(second)
    assert await status(bench) is Status.WAITING
    assert [one.interrupt for one in bench.agent.scene(id).told] == ["i2"]
    assert [one.state for one in await bench.approvals()] == [State.WAITING, State.DELIVERED]
    await bench.decides(first)
    assert [one.interrupt for one in bench.agent.scene(id).told] == ["i2", "i1"]
    assert await bench.texts(PostKind.ANSWER) == ["Done."]
    assert bench.agent.calls == ["send", "resume", "resume"]


async def test_an_interrupt_that_vanishes_closes_its_approval(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"), asks("i2", "y"))))
    id = await bench.asked()
    _, second = await bench.approvals()
    await bench.desk.decide(second.actions[0].id, Approve(), by=BOB)
    bench.agent.put(id, interrupts=(), condition=Condition.IDLE)
    await bench.works()
    first, second = await bench.approvals()
    assert (first.state, first.note) == (State.WITHDRAWN, "the agent no longer waits for it")
    assert second.state is State.DELIVERED
    assert bench.agent.scene(id).told == ()
    assert await status(bench) is Status.IDLE
    assert await bench.recorded() == ["said", "filed", "filed", "decided", "withdrawn", "delivered"]


async def test_an_interrupt_whose_approval_has_ended_gets_no_second_one_and_is_asked_anew(
    store: WatchedStore,
) -> None:
    bench = on(store, Asks((asks("i1", "x"),)))
    id = await bench.asked()
    thread = bench.agent.scene(id).thread
    bench.agent.put(id, interrupts=(), condition=Condition.IDLE)
    await bench.running.advance(id)
    bench.agent.put(id, interrupts=thread.interrupts, condition=Condition.WAITING)
    await bench.running.advance(id)
    first, anew = await bench.approvals()
    assert (first.state, anew.state) == (State.WITHDRAWN, State.WAITING)
    assert anew.interrupt == f"{first.interrupt}-again"
    assert bench.agent.calls == ["send", "ask_again"]


async def test_a_failure_is_told_once_and_retry_goes_on_where_it_failed(store: WatchedStore) -> None:
    bench = on(store, Breaks("The model is away."), Breaks("It still is."), Says("Done."))
    id = await bench.asked()
    await bench.running.advance(id)
    [failure] = await bench.posts()
    assert (failure.kind, failure.text) == (PostKind.FAILURE, "The model is away.")
    assert await status(bench) is Status.FAILED
    await bench.steering.retry(failure.id, by=ALICE)
    await bench.works()
    assert await bench.texts(PostKind.FAILURE) == ["The model is away.", "It still is."]
    assert await status(bench) is Status.FAILED
    await bench.steering.retry((await bench.posts())[-1].id, by=ALICE)
    await bench.works()
    assert await bench.texts(PostKind.ANSWER) == ["Done."]
    assert await status(bench) is Status.IDLE
    assert bench.agent.calls == ["send", "proceed", "proceed"]


async def test_a_message_after_a_failure_is_handed_over_without_retry(store: WatchedStore) -> None:
    bench = on(store, Breaks("The model is away."), Says("Done."))
    id = await bench.asked("first")
    await bench.hears("second", ts="2.0")
    assert await status(bench) is Status.FAILED
    await bench.works()
    assert [said.text for said in bench.agent.scene(id).taken] == ["first", "second"]
    assert await bench.texts() == ["The model is away.", "Done."]
    assert bench.agent.calls == ["send", "send"]


async def test_a_thread_found_failed_without_anybody_having_been_told_is_told(store: WatchedStore) -> None:
    bench = on(store, Says("Done."))
    id = await bench.asked()
    bench.agent.put(id, condition=Condition.FAILED, failure="It broke.")
    for _ in range(2):
        await bench.running.advance(id)
    assert await bench.texts(PostKind.FAILURE) == ["It broke."]
    assert await status(bench) is Status.FAILED


async def test_what_was_said_to_a_thread_found_failed_arrives_after_that_was_told(
    store: WatchedStore,
) -> None:
    bench = on(store, Says("Done."), Says("Here."))
    id = await bench.asked()
    await bench.hears("more", ts="2.0")
    bench.agent.put(id, condition=Condition.FAILED, failure="It broke.", answer=None)
    await bench.works()
    assert await bench.texts() == ["Done.", "It broke.", "Here."]
    assert await status(bench) is Status.IDLE


@pytest.mark.parametrize("said_more", [False, True])
async def test_an_agent_that_was_halted_goes_on_when_people_say_so(
    store: WatchedStore, *, said_more: bool
) -> None:
    bench = on(store, Circles("It took 25 steps and was halted.", on=True), Says("Done."))
    id = await bench.asked()
    await bench.running.advance(id)
    [failure] = await bench.posts()
    assert (failure.kind, failure.text) == (PostKind.FAILURE, "It took 25 steps and was halted.")
    assert await status(bench) is Status.FAILED
    if said_more:
        await bench.hears("and?", ts="2.0")
    else:
        await bench.steering.retry(failure.id, by=ALICE)
    await bench.works()
    assert await bench.texts(PostKind.ANSWER) == ["Done."]
    assert bench.agent.calls == ["send", "send" if said_more else "proceed"]


async def test_what_is_said_after_a_failure_does_not_drop_what_people_are_asked(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)), Says("Done."), Says("Here."))
    id = await bench.asked("first")
    bench.agent.put(id, condition=Condition.FAILED, failure="It broke.")
    await bench.running.advance(id)
    await bench.hears("second", ts="2.0")
    await bench.works()
    assert [said.text for said in bench.agent.scene(id).taken] == ["first"]
    [approval] = await bench.approvals()
    assert approval.state is State.WAITING
    await bench.decides(approval)
    assert await bench.texts() == ["", "It broke.", "Done.", "Here."]


async def test_a_failure_beside_an_approval_leaves_both_to_people(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)), Says("Done."))
    id = await bench.asked()
    await bench.running.give_up(id)
    assert await status(bench) is Status.FAILED
    [approval] = await bench.approvals()
    await bench.decides(approval)
    assert await bench.texts(PostKind.FAILURE) == ["The bot could not go on because of an internal error."]
    assert await bench.texts(PostKind.ANSWER) == ["Done."]
    assert await status(bench) is Status.IDLE


class Forgetful(ScriptedAgent):
    """An agent that no longer waits for what it still shows."""

    async def resume(self, thread: ConversationId, approval: Approval) -> str | None:  # noqa: ARG002 - the port's names
        raise Stale("what the agent asks is not what was shown")


async def test_what_is_stale_is_cancelled_and_told(store: WatchedStore) -> None:
    agent = Forgetful({}, Asks((asks("i1", "x"),)))
    bench = a_bench(store, agent)
    await bench.asked()
    [approval] = await bench.approvals()
    await bench.decides(approval)
    [closed] = await bench.approvals()
    assert closed.state is State.WITHDRAWN
    assert closed.note == "what the agent asks is not what was shown"
    assert agent.abandoned == ["Stopped by a person. The tool was not run."]
    assert await bench.texts(PostKind.NOTICE) == ["Stopped. Nothing that waited was run."]
    assert await status(bench) is Status.IDLE


class Stopped(ScriptedAgent):
    """An agent during whose resumes somebody presses Stop; a forgetful one finds them stale as well."""

    bench: Bench
    forgetful = False

    async def resume(self, thread: ConversationId, approval: Approval) -> str | None:
        failure = None if self.forgetful else await super().resume(thread, approval)
        await self.bench.steering.stop(thread, by=ALICE)
        if self.forgetful:
            raise Stale("what the agent asks is not what was shown")
        return failure


class Elsewhere(ScriptedAgent):
    """An agent during whose runs another process, with an agent of its own, stops the conversation."""

    bench: Bench
    in_send = False

    def __init__(self, memory: dict[ConversationId, Scene], *script: Line) -> None:
        super().__init__(memory, *script)
        self.told = asyncio.Event()

    def halt(self, thread: ConversationId) -> None:
        super().halt(thread)
        self.told.set()

    async def send(self, thread: ConversationId, messages: Sequence[Said]) -> str | None:
        if self.in_send:
            await self._stopped(thread)
        return await super().send(thread, messages)

    async def resume(self, thread: ConversationId, approval: Approval) -> str | None:
        await self._stopped(thread)
        return await super().resume(thread, approval)

    async def _stopped(self, thread: ConversationId) -> None:
        other = ScriptedAgent(self.memory)
        await replace(self.bench.steering, agent=other).stop(thread, by=ALICE)
        assert other.halted == [thread]
        async with asyncio.timeout(60):
            await self.told.wait()


async def test_stop_while_an_approved_tool_runs_does_not_say_that_it_was_withdrawn(
    store: WatchedStore,
) -> None:
    agent = Stopped({}, Asks((asks("i1", "x"), asks("i2", "y"))))
    bench = agent.bench = a_bench(store, agent)
    id = await bench.asked()
    first, _ = await bench.approvals()
    await bench.decides(first)
    assert [one.interrupt for one in agent.scene(id).told] == ["i1"]
    ran, waited = await bench.approvals()
    assert (ran.state, waited.state) == (State.DELIVERED, State.WITHDRAWN)
    assert waited.note == f"stopped by <@{ALICE}>"
    assert agent.abandoned == ["Stopped by a person. The tool was not run."]
    assert await bench.texts(PostKind.NOTICE) == [STOPPED]
    assert await status(bench) is Status.IDLE


async def test_stop_while_a_decision_turns_out_stale_is_no_error(store: WatchedStore) -> None:
    agent = Stopped({}, Asks((asks("i1", "x"),)))
    bench = agent.bench = a_bench(store, agent)
    agent.forgetful = True
    await bench.asked()
    [approval] = await bench.approvals()
    await bench.decides(approval)
    assert [one.state for one in await bench.approvals()] == [State.WITHDRAWN]
    assert await bench.texts(PostKind.NOTICE) == [STOPPED]
    assert await status(bench) is Status.IDLE


async def test_a_message_while_people_are_asked_is_handed_over_after(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)), Says("One."), Says("Two."))
    id = await bench.asked("first")
    await bench.hears("second", by=BOB, ts="2.0")
    await bench.hears("third", by=BOB, ts="3.0")
    await bench.works()
    assert [said.text for said in bench.agent.scene(id).taken] == ["first"]
    [approval] = await bench.approvals()
    await bench.decides(approval, by=CAROL)
    assert [said.text for said in bench.agent.scene(id).taken] == ["first", "second", "third"]
    assert await bench.texts(PostKind.ANSWER) == ["One.", "Two."]
    assert bench.agent.calls == ["send", "resume", "send"]
    async with store.read() as tx:
        assert await tx.conversations.kept(id) == []


async def test_who_continues_a_conversation_counts_as_who_asks_from_then_on(store: WatchedStore) -> None:
    rounds = [Asks((asks(f"i{number}", "x"),)) for number in (1, 2, 3)]
    bench = on(store, rounds[0], Says("One."), *rounds[1:], Says("Two."))
    await bench.asked()
    [first] = await bench.approvals()
    assert first.requesters == {ALICE}
    await bench.decides(first, by=BOB)
    await bench.hears("and again", by=BOB, ts="2.0")
    await bench.works()
    _, second = await bench.approvals()
    assert second.requesters == {ALICE, BOB}
    for one in (ALICE, BOB):
        with pytest.raises(NotAllowed, match="You asked for this yourself"):
            await bench.desk.decide(second.actions[0].id, Approve(), by=one)
    await bench.decides(second, by=CAROL)
    third = (await bench.approvals())[-1]
    assert third.requesters == {ALICE, BOB}
    await bench.decides(third, by=CAROL)
    assert await bench.texts(PostKind.ANSWER) == ["One.", "Two."]


async def test_a_tool_failure_is_told_once_and_retry_asks_the_agent(store: WatchedStore) -> None:
    bench = on(store, ToolFails("No such file."), Says("Sorry."), Says("Better."))
    id = await bench.asked("go")
    failed, answer = await bench.posts()
    assert (failed.kind, failed.text) == (PostKind.TOOL_FAILURE, "No such file.")
    assert answer.text == "Sorry."
    await bench.steering.retry(failed.id, by=ALICE)
    await bench.works()
    assert [said.text for said in bench.agent.scene(id).taken] == ["go", TRY_AGAIN]
    assert await bench.texts() == ["No such file.", "Sorry.", "Better."]


async def test_stop_ends_what_waits_and_what_was_kept_is_handed_over_then(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)), Says("Hello again."))
    id = await bench.asked("first")
    await bench.steering.stop(id, by=ALICE)
    await bench.hears("second", ts="2.0")
    await bench.works()
    assert bench.agent.abandoned == ["Stopped by a person. The tool was not run."]
    assert bench.agent.scene(id).told == ()
    assert [said.text for said in bench.agent.scene(id).taken] == ["first", "second"]
    assert await bench.texts(PostKind.NOTICE, PostKind.ANSWER) == [
        "Kept: the agent gets this message once it has stopped.",
        STOPPED,
        "Hello again.",
    ]
    assert await status(bench) is Status.IDLE


async def test_what_was_settled_and_then_stopped_is_not_told_to_the_agent(store: WatchedStore) -> None:
    bench = on(store, Asks((asks("i1", "x"),)))
    id = await bench.asked()
    [approval] = await bench.approvals()
    await bench.desk.decide(approval.actions[0].id, Approve(), by=BOB)
    await bench.steering.stop(id, by=ALICE)
    await bench.works()
    assert bench.agent.scene(id).told == ()
    assert await bench.texts(PostKind.NOTICE) == [STOPPED]
    assert await status(bench) is Status.IDLE


async def test_an_agent_that_never_comes_to_rest_is_halted_and_told(store: WatchedStore) -> None:
    bench = on(store, Circles())
    await bench.asked()
    assert await bench.texts() == ["The agent did not come to an end and was halted."]
    assert await status(bench) is Status.FAILED
    calls = len(bench.agent.calls)
    await bench.running.advance((await bench.conversation()).id)
    assert len(bench.agent.calls) == calls


async def test_an_agent_that_does_not_go_on_is_halted_after_two_rounds_and_retry_tries_as_often(
    store: WatchedStore,
) -> None:
    """A port that says nothing of a failure that lasts must not be asked two hundred times."""
    bench = on(store, Circles(moving=False))
    await bench.asked()
    assert bench.agent.calls == ["send", "proceed", "proceed"]
    [failure] = await bench.posts()
    assert (failure.kind, failure.text) == (PostKind.FAILURE, STILL)
    assert await status(bench) is Status.FAILED
    await bench.steering.retry(failure.id, by=ALICE)
    await bench.works()
    assert bench.agent.calls[3:] == ["proceed"] * 2
    assert await bench.texts() == [STILL, STILL]
    assert await status(bench) is Status.FAILED


async def test_an_agent_that_gets_on_slowly_is_not_halted(store: WatchedStore) -> None:
    bench = on(store, *[Circles(on=True)] * 20, Says("At last."))
    await bench.asked()
    assert await bench.texts() == ["At last."]


@pytest.mark.parametrize("during", ["a message", "a decision"])
async def test_a_run_whose_conversation_another_process_stops_is_halted_and_one_that_is_not_is_left(
    store: WatchedStore, during: str
) -> None:
    agent = Elsewhere({}, *([Asks((asks("i1", "x"),))] if during == "a decision" else []), Says("Done."))
    agent.bench = bench = a_bench(store, agent)
    agent.in_send = during == "a message"
    id = await bench.asked()
    if during == "a decision":
        assert agent.halted == []
        [approval] = await bench.approvals()
        await bench.decides(approval)
    assert agent.halted == [id]
    assert await bench.texts(PostKind.ANSWER, PostKind.NOTICE) == ["Done.", STOPPED]
    assert await status(bench) is Status.IDLE


@pytest.mark.parametrize("words", ["", " \n", None], ids=["empty", "blank", "no message"])
async def test_that_an_agent_ends_without_a_word_is_said_once_and_not_in_its_name(
    store: WatchedStore, words: str | None
) -> None:
    bench = on(store, Says(words), Says("Well."), Says(words))
    id = await bench.asked()
    assert await bench.texts(PostKind.ANSWER, PostKind.NOTICE) == [NOTHING_SAID]
    await bench.running.advance(id)
    assert await bench.texts(PostKind.ANSWER, PostKind.NOTICE) == [NOTHING_SAID]
    await bench.hears("and?", ts="2.0")
    await bench.works()
    assert await bench.texts(PostKind.ANSWER, PostKind.NOTICE) == [NOTHING_SAID, "Well."]
    await bench.hears("and?", ts="3.0")
    await bench.works()
    assert await bench.texts(PostKind.ANSWER, PostKind.NOTICE) == [NOTHING_SAID, "Well.", NOTHING_SAID]


async def test_a_thread_that_was_cut_off_goes_on_by_itself(store: WatchedStore) -> None:
    bench = on(store, Says("One."), Says("Two."))
    id = await bench.asked()
    bench.agent.put(id, condition=Condition.RUNNABLE, answer=None)
    await bench.running.advance(id)
    assert await bench.texts() == ["One.", "Two."]
    assert await status(bench) is Status.IDLE


async def test_work_for_a_conversation_that_is_not_known_is_nothing(store: WatchedStore) -> None:
    bench = on(store, Says("Never."))
    for work in (bench.running.advance, bench.running.give_up):
        await work(ConversationId("x"))
    async with store.read() as tx:
        assert await tx.posts.owed() == []


@pytest.mark.parametrize(
    ("terms", "warned"),
    [
        (Terms(approvers=(One(BOB),)), True),
        (Terms(approvers=(One(ALICE),), self_approval=True), False),
    ],
)
async def test_a_direct_message_says_when_nobody_there_can_decide(
    store: WatchedStore, terms: Terms, *, warned: bool
) -> None:
    agent = ScriptedAgent({}, Asks((asks("i1", "x"),)))
    bench = a_bench(store, agent, policy=Policy(defaults=terms))
    await bench.steering.command("go", by=ALICE, channel=ChannelId("D0ALICE"), source="s")
    await bench.works()
    async with store.read() as tx:
        [conversation] = await tx.conversations.of(ALICE)
        texts = [post.text for post in await tx.posts.of(conversation.id) if post.kind is PostKind.NOTICE]
    assert texts == [NOBODY_HERE] * warned
    assert replace(conversation, channel=GENERAL).status is Status.WAITING


@pytest.mark.parametrize("line", [Says("Done."), Breaks("No."), Asks((asks("i1", "x"),))])
async def test_what_came_to_rest_is_to_be_pruned_however_it_ended(store: WatchedStore, line: Line) -> None:
    bench = on(store, line)
    await bench.hears("go")
    await bench.running.start((await bench.conversation()).id)
    assert [job["kind"] for job in await owed(store, "prune")] == ["prune"]
