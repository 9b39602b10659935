"""Asked about each call by itself: it runs as soon as it is decided, once, and beside calls that wait on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool

from bot.agents.agent import Agent
from bot.approvals.approval import Approval, Shape, State
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.errors import Drifted, Stale, Unavailable
from bot.approvals.executing import Executing
from bot.approvals.filing import approval_for
from bot.approvals.ids import UserId
from bot.approvals.journal import Progress
from bot.approvals.lookups import edited, looked_up
from bot.approvals.thread import Condition, Interrupt
from tests.agents.guarded import Guarded, guarded
from tests.agents.stage import CONVERSATION, NOON, THREAD, calls

SEND = ("send", {"amount": 5, "to": "bob"})
WIPE = ("wipe", {"path": "a.txt"})
PEEK = ("peek", {"name": "x"})


class Tools:
    """Three tools, and what they received."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.state = "sha 1"

    def all(self) -> list[BaseTool]:
        @tool
        def send(amount: int, to: str) -> str:
            """Send money."""
            self.ran.append(("send", {"amount": amount, "to": to}))
            return f"sent {amount} to {to}"

        @tool
        def wipe(path: str) -> str:
            """Delete a file."""
            self.ran.append(("wipe", {"path": path}))
            return f"wiped {path}"

        @tool
        def peek(name: str) -> str:
            """Look."""
            self.ran.append(("peek", {"name": name}))
            return f"{name} is there"

        wipe.metadata = {"resolve": lambda arguments: {"file": f"{arguments['path']} {self.state}"}}
        return [send, wipe, peek]

    def agent(self, **changes: Any) -> Agent:  # noqa: ANN401 - an agent's fields
        gates = {"send": True, "wipe": {"allowed_decisions": ["approve"]}}
        told = {"tools": self.all(), "interrupt_on": gates, "interrupt_mode": "per_call", **changes}
        return Agent(**told)


@pytest.fixture
def tools() -> Tools:
    return Tools()


async def waiting(play: Guarded) -> Sequence[Interrupt]:
    return (await play.threads.read(THREAD)).interrupts


async def settled(play: Guarded, interrupt: Interrupt, decision: Decision) -> Approval:
    """The approval of this interrupt, decided so, in its row as well."""
    found = await looked_up(play.tools, interrupt)
    (request,) = found.requests
    edits = [
        await edited(play.tools, decision.tool or request.tool, decision.arguments)
        if isinstance(decision, Edit)
        else None
    ]
    approval = play.decided(found, decision, edits=edits)
    async with play.store.write() as tx:
        if await tx.conversations.get(THREAD) is None:
            await tx.conversations.add(CONVERSATION)
        assert await tx.approvals.add(approval)
    return approval


async def decide(play: Guarded, interrupt: Interrupt, decision: Decision) -> str | None:
    return await play.threads.resume(THREAD, await settled(play, interrupt, decision))


async def test_each_gated_call_is_a_question_of_its_own_and_the_others_run_at_once(
    tmp_path: Path, tools: Tools
) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(SEND, PEEK, WIPE, SEND)]) as play:
        await play.say("go")
        asked = await waiting(play)
        assert [one.shape for one in asked] == [Shape.BATCHED] * 3
        assert [[(r.tool, r.arguments, r.call) for r in one.requests] for one in asked] == [
            [(*SEND, "c0")],
            [(*WIPE, "c2")],
            [(*SEND, "c3")],
        ]
        assert asked[0].requests[0].allowed == frozenset(DecisionKind)
        assert asked[1].requests[0].allowed == {DecisionKind.APPROVE}
        assert asked[0].requests[0].description == "Tool execution requires approval\n\nSend money."
        assert len({one.id for one in asked}) == 3
        assert tools.ran == [PEEK]


DECISIONS: list[tuple[Decision, list[Any], str]] = [
    (Approve(), [SEND], "sent 5 to bob"),
    (
        Edit({"amount": 7, "to": "eve"}),
        [("send", {"amount": 7, "to": "eve"})],
        (
            'Executed instead: send with arguments {"amount": 7, "to": "eve"}.'
            "\n\nTool response:\nsent 7 to eve"
        ),
    ),
    (Edit({"amount": 5, "to": "bob"}), [SEND], "sent 5 to bob"),
    (Reject("too much"), [], "User rejected the tool call for `send` with reason: too much"),
    (Reject(), [], "Do not retry this tool call unless the user explicitly requests it."),
    (Respond("paid in cash"), [], "paid in cash"),
]


@pytest.mark.parametrize(("decision", "ran", "told"), DECISIONS, ids=[str(n) for n in range(len(DECISIONS))])
async def test_each_decision_reaches_its_own_tool_at_once_and_the_others_wait_on(
    *, decision: Decision, ran: list[Any], told: str, tools: Tools, tmp_path: Path
) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(WIPE, SEND, SEND), AIMessage("Done.")]) as play:
        await play.say("go")
        wipe, first, second = await waiting(play)
        assert await decide(play, second, decision) is None
        assert tools.ran == ran
        assert [one.id for one in await waiting(play)] == [wipe.id, first.id]
        assert (await play.threads.read(THREAD)).condition is Condition.WAITING
        [result] = await play.results()
        assert result.endswith(told)
        assert ("Executed instead" in result) == ("Executed instead" in told)
        assert await decide(play, wipe, Approve()) is None
        assert await decide(play, first, Reject("no")) is None
        assert tools.ran == [*ran, WIPE]
        assert await play.answer() == "Done."
        told_in_order = await play.results()
        assert (told_in_order[0], told_in_order[1].split(": ")[-1]) == ("wiped a.txt", "no")
        assert told_in_order[2].endswith(told)


async def test_after_a_restart_what_waits_is_the_same_and_what_ran_does_not_run_again(
    tmp_path: Path, tools: Tools
) -> None:
    script = [calls(SEND, PEEK, WIPE), AIMessage("Done.")]
    async with guarded(tmp_path, tools.agent(), script) as play:
        await play.say("go")
        before = await waiting(play)
        await decide(play, before[0], Approve())
    async with guarded(tmp_path, tools.agent(), script) as play:
        [left] = await waiting(play)
        assert left.id == before[1].id
        assert await decide(play, left, Approve()) is None
        assert tools.ran == [PEEK, SEND, WIPE]
        assert await play.answer() == "Done."


async def test_what_was_told_already_is_refused_and_nothing_runs_twice(tmp_path: Path, tools: Tools) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(SEND, SEND)]) as play:
        await play.say("go")
        first, _ = await waiting(play)
        approval = await settled(play, first, Approve())
        assert await play.threads.resume(THREAD, approval) is None
        with pytest.raises(Stale, match="no longer waits"):
            await play.threads.resume(THREAD, approval)
        assert tools.ran == [SEND]


async def test_past_all_checks_the_guard_lets_nothing_run_that_was_not_decided_so(
    tmp_path: Path, tools: Tools
) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(SEND, SEND)]) as play:
        await play.say("go")
        first, second = await waiting(play)
        await settled(play, first, Reject("no"))
        await play.resume_past_all_checks(play.decided(first, Approve()))
        await play.resume_past_all_checks(play.decided(second, Approve()))
        assert tools.ran == []
        assert "it was rejected" in (await play.results())[0]
        assert "nobody has decided about it" in (await play.results())[1]


async def test_what_expired_is_told_so_even_where_only_approving_was_possible(
    tmp_path: Path, tools: Tools
) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(WIPE, SEND), AIMessage("Done.")]) as play:
        await play.say("go")
        wipe, send = await waiting(play)
        expired = (await settled_open(play, wipe)).expire(NOON)
        assert await play.threads.resume(THREAD, expired) is None
        assert [one.id for one in await waiting(play)] == [send.id]
        assert (await play.results())[0].startswith("Nobody decided in time, so the tool did not run.")
        assert await decide(play, send, Approve()) is None
        assert (tools.ran, await play.answer()) == ([SEND], "Done.")


async def settled_open(play: Guarded, interrupt: Interrupt) -> Approval:
    found = await looked_up(play.tools, interrupt)
    requesters = frozenset({UserId("U1")})
    return approval_for(found, CONVERSATION, requesters=requesters, tools=play.tools, at=NOON)


async def test_a_teams_words_for_a_no_stand_alone(tmp_path: Path, tools: Tools) -> None:
    agent = tools.agent(feedback={"rejected": "No to {tool}: {reason}."})
    async with guarded(tmp_path, agent, [calls(SEND)]) as play:
        await play.say("go")
        [asked] = await waiting(play)
        await decide(play, asked, Reject("too much"))
        assert await play.results() == ["No to send: too much."]


async def test_asked_anew_only_what_waits_is_asked_and_what_ran_does_not_run_again(
    tmp_path: Path, tools: Tools
) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(SEND, PEEK, WIPE, SEND)]) as play:
        await play.say("go")
        send, wipe, _ = before = await waiting(play)
        await decide(play, send, Approve())
        approval = await settled(play, wipe, Approve())
        tools.state = "sha 2"
        with pytest.raises(Drifted, match="what `wipe` points at has changed"):
            await play.threads.resume(THREAD, approval)
        assert await play.threads.ask_again(THREAD) is None
        anew = await waiting(play)
        assert [one.requests[0].call for one in anew] == ["c2", "c3"]
        assert not {one.id for one in anew} & {one.id for one in before}
        for one in anew:
            await decide(play, one, Approve())
        assert tools.ran == [PEEK, SEND, WIPE, SEND]
        assert await play.results() == ["sent 5 to bob", "x is there", "wiped a.txt", "sent 5 to bob"]
        assert await play.answer() == "The end."


async def test_a_change_of_the_gates_is_noticed_for_each_call_by_itself(tmp_path: Path, tools: Tools) -> None:
    script = [calls(SEND, WIPE)]
    async with guarded(tmp_path, tools.agent(), script) as play:
        await play.say("go")
        send, wipe = await waiting(play)
        approvals = [await settled(play, one, Approve()) for one in (send, wipe)]
    stricter = {
        "send": {"allowed_decisions": ["approve", "reject"]},
        "wipe": {"allowed_decisions": ["approve"]},
    }
    async with guarded(tmp_path, tools.agent(interrupt_on=stricter), script) as play:
        with pytest.raises(Drifted, match="the decisions that `send` takes have changed"):
            await play.threads.resume(THREAD, approvals[0])
        assert await play.threads.resume(THREAD, approvals[1]) is None
        assert tools.ran == [WIPE]
    async with guarded(tmp_path, tools.agent(interrupt_on={}), script) as play:
        with pytest.raises(Drifted, match="the decisions that `send` takes are others by now"):
            await play.threads.resume(THREAD, approvals[0])
        assert tools.ran == [WIPE]


async def test_a_gate_that_is_gone_lets_nothing_through_that_people_were_asked_about(
    tmp_path: Path, tools: Tools
) -> None:
    async with guarded(tmp_path, tools.agent(), [calls(SEND)]) as play:
        await play.say("go")
        [asked] = await waiting(play)
        approval = await settled(play, asked, Approve())
    async with guarded(tmp_path, tools.agent(interrupt_on={}), [calls(SEND)]) as play:
        with pytest.raises(Drifted, match="the agent's gates have changed"):
            await play.threads.resume(THREAD, approval)
        async with play.store.write() as tx:
            await tx.approvals.save(replace(approval, state=State.WITHDRAWN))
        assert await play.threads.ask_again(THREAD) is None
        assert tools.ran == []
        assert "the request for it was withdrawn" in (await play.results())[0]


async def test_asked_at_once_by_an_older_agent_and_each_by_itself_by_this_one_it_is_asked_anew(
    tmp_path: Path, tools: Tools
) -> None:
    script = [calls(SEND, WIPE)]
    async with guarded(tmp_path, tools.agent(interrupt_mode="batched"), script) as play:
        await play.say("go")
        batched = await play.filed(Approve(), Approve())
    async with guarded(tmp_path, tools.agent(), script) as play:
        with pytest.raises(Drifted, match="about each call by itself by now"):
            await play.threads.resume(THREAD, batched)
        assert await play.threads.ask_again(THREAD) is None
        assert [one.requests[0].call for one in await waiting(play)] == ["c0", "c1"]
        assert tools.ran == []


async def test_asked_each_by_itself_by_an_older_agent_an_answer_for_all_at_once_runs_nothing(
    tmp_path: Path, tools: Tools
) -> None:
    script = [calls(SEND, WIPE)]
    async with guarded(tmp_path, tools.agent(), script) as play:
        await play.say("go")
        send, _ = await waiting(play)
        approval = await settled(play, send, Approve())
    async with guarded(tmp_path, tools.agent(interrupt_mode="batched"), script) as play:
        with pytest.raises(Stale, match="about all calls of a step at once by now"):
            await play.threads.resume(THREAD, approval)
        await play.threads.abandon(THREAD, "Stopped.")
        assert (tools.ran, await play.results()) == ([], ["Stopped.", "Stopped."])


async def test_a_journal_that_is_away_fails_one_call_and_a_retry_goes_on_with_it(
    tmp_path: Path, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object, **__: object) -> None:
        raise Unavailable("the database is away")

    async with guarded(tmp_path, tools.agent(), [calls(SEND, WIPE), AIMessage("Done.")]) as play:
        await play.say("go")
        send, wipe = await waiting(play)
        with monkeypatch.context() as patched:
            patched.setattr(Executing, "begin", away)
            assert await decide(play, send, Approve()) is not None
        thread = await play.threads.read(THREAD)
        assert thread.turn
        assert thread.condition is Condition.FAILED
        assert (thread.stuck, thread.unreadable) == (False, False)
        assert [one.id for one in thread.interrupts] == [wipe.id]
        assert thread.unheard == {(thread.turn.calls[0].message, "c1")}
        assert tools.ran == []
        assert await play.threads.proceed(THREAD) is None
        assert tools.ran == [SEND]
        assert await decide(play, wipe, Approve()) is None
        assert (tools.ran, await play.answer()) == ([SEND, WIPE], "Done.")
        assert [one.progress for one in await play.executions()] == [Progress.DONE] * 2
