"""What the agent is told of calls that nobody decided about in time; on LangChain's own graph."""

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import AgentState
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from bot.agents.agent import Agent
from bot.agents.feedback import EXPIRED
from bot.agents.unanswered import APPROVED, NOT_RUN
from bot.agents.wire import UNANSWERED, answer, kind_told
from bot.approvals.approval import Approval
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.errors import Stale
from bot.approvals.filing import approval_for
from bot.approvals.ids import UserId
from bot.approvals.thread import Condition
from tests.agents.stage import CONVERSATION, NOON, THREAD, Stage, calls, stage
from tests.approvals.strategies import an_action, an_approval

RAN: list[str] = []


@tool
def pay(to: str) -> str:
    """Pay."""
    RAN.append(f"pay {to}")
    return f"paid {to}"


@tool
def launch(what: str) -> str:
    """Launch; can only be approved."""
    RAN.append(f"launch {what}")
    return f"launched {what}"


@tool
def ask_user(question: str) -> str:
    """Ask; can only be answered."""
    RAN.append(f"ask {question}")
    return "nobody was asked"


@tool
def look(at: str) -> str:
    """Look; free."""
    RAN.append(f"look {at}")
    return f"looked at {at}"


AGENT = Agent(
    tools=[pay, launch, ask_user, look],
    interrupt_on={
        "pay": True,
        "launch": {"allowed_decisions": ["approve", "edit"]},
        "ask_user": {"allowed_decisions": ["respond"]},
        "look": False,
    },
)


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


async def expired(play: Stage, *decisions: Decision | None) -> Approval:
    """The pending approval with these decisions in turn, None for what nobody decided; and it expired."""
    approval = approval_for(
        await play.interrupt(), CONVERSATION, requesters=frozenset(), tools=play.tools, at=NOON
    )
    for action, decision in zip(approval.actions, decisions, strict=True):
        if decision:
            approval = approval.decide(action.id, decision, by=UserId("U2"), at=NOON)
    return approval.expire(NOON)


async def test_an_expired_call_is_told_as_late_and_not_as_no(tmp_path: Path) -> None:
    async with stage(tmp_path, AGENT, [calls(("pay", {"to": "bob"})), AIMessage("Done.")]) as play:
        await play.say("go")
        assert await play.threads.resume(THREAD, await expired(play, None)) is None
        assert await play.results() == [EXPIRED]
        assert await play.answer() == "Done."
    assert RAN == []


async def test_of_three_calls_the_decided_ones_go_to_the_agent_with_the_expired_one(tmp_path: Path) -> None:
    three = calls(
        ("pay", {"to": "a"}), ("pay", {"to": "b"}), ("look", {"at": "x"}), ("ask_user", {"question": "?"})
    )
    async with stage(tmp_path, AGENT, [three, AIMessage("Done.")]) as play:
        await play.say("go")
        assert await play.threads.resume(THREAD, await expired(play, None, Approve(), None)) is None
        told = await play.results()
        assert await play.answer() == "Done."
    assert sorted(RAN) == ["look x", "pay b"]
    assert sorted(told) == sorted(["paid b", "looked at x", EXPIRED, EXPIRED])


@pytest.mark.parametrize("then", ["same process", "next process"])
async def test_a_call_that_can_only_be_approved_does_not_run_when_it_expires_and_the_agent_goes_on(
    tmp_path: Path, then: str
) -> None:
    lines = [calls(("launch", {"what": "rocket"})), AIMessage("Done."), AIMessage("Heard.")]
    async with stage(tmp_path, AGENT, lines) as play:
        await play.say("go")
        approval = await expired(play, None)
        assert await play.threads.resume(THREAD, approval) is None
        assert await play.results() == [EXPIRED]
        assert await play.answer() == "Done."
        thread = await play.threads.read(THREAD)
        assert (thread.condition, thread.interrupts) == (Condition.IDLE, ())
        with pytest.raises(Stale):
            await play.threads.resume(THREAD, approval)
        if then == "same process":
            await play.say("and now?", "m2")
            assert await play.answer() == "Heard."
    async with stage(tmp_path, AGENT, lines) as play:
        await play.say("and now?", "m3" if then == "same process" else "m2")
        assert (await play.threads.read(THREAD)).condition is Condition.IDLE
    assert RAN == []


async def test_beside_a_call_that_can_only_be_approved_nothing_runs_and_each_is_told_its_own(
    tmp_path: Path,
) -> None:
    message = calls(
        ("launch", {"what": "rocket"}),
        ("pay", {"to": "approved"}),
        ("look", {"at": "x"}),
        ("pay", {"to": "rejected"}),
        ("ask_user", {"question": "?"}),
        ("launch", {"what": "edited"}),
    )
    async with stage(tmp_path, AGENT, [message, AIMessage("Done.")]) as play:
        await play.say("go")
        decided = [None, Approve(), Reject("no"), Respond("yes"), Edit({"what": "kite"})]
        assert await play.threads.resume(THREAD, await expired(play, *decided)) is None
        assert await play.results() == [
            EXPIRED,
            APPROVED,
            NOT_RUN,
            "Rejected by a person. no",
            "yes",
            APPROVED,
        ]
        assert await play.answer() == "Done."
    assert RAN == []


def questioner(*, model: object, checkpointer: Any, middleware: list[Any]) -> Any:  # noqa: ANN401, ARG001 - the bot's call
    async def ask(state: AgentState[Any]) -> dict[str, Any]:  # noqa: ARG001 - LangGraph's signature
        return {"messages": [AIMessage(f"Told: {interrupt('Which region?')}")]}

    graph = StateGraph(AgentState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    return graph.compile(checkpointer=checkpointer)


def approver(*, model: object, checkpointer: Any, middleware: list[Any]) -> Any:  # noqa: ANN401, ARG001 - the bot's call
    async def ask(state: AgentState[Any]) -> dict[str, Any]:  # noqa: ARG001 - LangGraph's signature
        interrupt(
            {
                "action_requests": [{"name": "deploy", "args": {}, "description": ""}],
                "review_configs": [{"action_name": "deploy", "allowed_decisions": ["approve"]}],
            }
        )
        RAN.append("deployed")
        return {"messages": [AIMessage("Deployed.")]}

    graph = StateGraph(AgentState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    return graph.compile(checkpointer=checkpointer)


async def test_a_plain_question_that_expires_gets_a_text_that_is_no_answer(tmp_path: Path) -> None:
    async with stage(tmp_path, questioner) as play:
        await play.say("go")
        assert await play.threads.resume(THREAD, await expired(play, None)) is None
        assert await play.answer() == f"Told: {UNANSWERED}"


async def test_a_graph_without_calls_that_can_only_be_approved_is_ended(tmp_path: Path) -> None:
    async with stage(tmp_path, approver) as play:
        await play.say("go")
        assert await play.threads.resume(THREAD, await expired(play, None)) is None
        thread = await play.threads.read(THREAD)
        assert (thread.condition, thread.interrupts) == (Condition.IDLE, ())
    assert RAN == []


@pytest.mark.parametrize(
    ("allowed", "told"),
    [
        (set(DecisionKind), DecisionKind.REJECT),
        ({DecisionKind.APPROVE, DecisionKind.REJECT}, DecisionKind.REJECT),
        ({DecisionKind.APPROVE, DecisionKind.RESPOND}, DecisionKind.RESPOND),
        ({DecisionKind.EDIT, DecisionKind.APPROVE}, None),
    ],
)
def test_the_agent_is_told_the_decision_that_runs_nothing(
    allowed: set[DecisionKind], told: DecisionKind | None
) -> None:
    approval = an_approval(an_action(allowed=frozenset(allowed))).expire(NOON)
    assert kind_told(approval.actions[0]) is told
    if told:
        answered: Any = answer(approval)
        assert answered == {"decisions": [{"type": told, "message": EXPIRED}]}
        assert type(answered["decisions"][0]["type"]) is str, "the checkpoint's serde knows no types of ours"
    else:
        with pytest.raises(Stale):
            answer(approval)
