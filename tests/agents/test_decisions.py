from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, StructuredTool

from bot.agents.agent import Agent
from bot.approvals.approval import Shape
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.errors import Drifted, Stale
from bot.approvals.sayings import uttered
from bot.approvals.thread import Condition
from bot.approvals.words import spoken
from tests.agents.stage import THREAD, calls, said, stage
from tests.slack.unspoken import Bracketed


class Log:
    """What the tools received."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def tool(self, name: str, function: Callable[..., str]) -> BaseTool:
        return StructuredTool.from_function(function, name=name, description=f"Do {name}.\n\nMore about it.")

    @property
    def tools(self) -> list[BaseTool]:
        def transfer(amount: float, to: str) -> str:
            self.ran.append(("transfer", {"amount": amount, "to": to}))
            return f"sent {amount} to {to}"

        def lookup(name: str) -> str:
            self.ran.append(("lookup", {"name": name}))
            return f"{name} is known"

        def delete(path: str) -> str:
            self.ran.append(("delete", {"path": path}))
            return f"deleted {path}"

        def boom(why: str) -> str:
            self.ran.append(("boom", {"why": why}))
            raise RuntimeError(f"it broke: {why}")

        return [self.tool(f.__name__, f) for f in (transfer, lookup, delete, boom)]


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def agent(log: Log) -> Agent:
    return Agent(
        tools=log.tools,
        interrupt_on={
            "transfer": True,
            "delete": {"allowed_decisions": ["approve", "reject"]},
            "boom": {"allowed_decisions": ["approve"]},
        },
    )


PAY = ("transfer", {"amount": 10.0, "to": "bob"})


@pytest.mark.parametrize(
    ("decision", "ran", "told"),
    [
        (Approve(), [PAY], "sent 10.0 to bob"),
        (
            Edit({"amount": 5.0, "to": "eve"}),
            [("transfer", {"amount": 5.0, "to": "eve"})],
            (
                'Executed instead: transfer with arguments {"amount": 5.0, "to": "eve"}.'
                "\n\nTool response:\nsent 5.0 to eve"
            ),
        ),
        (Edit({"amount": 10.0, "to": "bob"}), [PAY], "sent 10.0 to bob"),
        (Reject("too much"), [], "User rejected the tool call for `transfer` with reason: too much"),
        (Reject(), [], "Do not retry this tool call unless the user explicitly requests it."),
        (Respond("paid in cash"), [], "paid in cash"),
    ],
    ids=["approve", "edit", "edit without a change", "reject", "reject without reason", "respond"],
)
async def test_each_decision_reaches_tool_and_model_as_it_was_made(
    *, decision: Decision, ran: list[Any], told: str, agent: Agent, log: Log, tmp_path: Path
) -> None:
    async with stage(tmp_path, agent, [calls(PAY), AIMessage("Done.")]) as play:
        assert await play.say("pay bob") is None
        assert log.ran == []
        assert await play.decide(decision) is None
        assert log.ran == ran
        (result,) = await play.results()
        assert result.endswith(told)
        assert ("Executed instead" in result) == ("Executed instead" in told)
        assert await play.answer() == "Done."


async def test_an_interrupt_is_read_with_its_calls_in_the_agents_order(agent: Agent, tmp_path: Path) -> None:
    lines = [calls(PAY, ("lookup", {"name": "x"}), ("delete", {"path": "a"}), PAY), AIMessage("Done.")]
    async with stage(tmp_path, agent, lines) as play:
        await play.say("go")
        thread = await play.threads.read(THREAD)
        (interrupt,) = thread.interrupts
        assert thread.condition is Condition.WAITING
        assert interrupt.shape is Shape.BATCHED
        assert [(request.tool, request.call) for request in interrupt.requests] == [
            ("transfer", "c0"),
            ("delete", "c2"),
            ("transfer", "c3"),
        ]
        assert interrupt.requests[0].allowed == frozenset(DecisionKind)
        assert interrupt.requests[1].allowed == {DecisionKind.APPROVE, DecisionKind.REJECT}
        assert interrupt.requests[1].description == "Tool execution requires approval\n\nDo delete."


async def test_mixed_decisions_hit_their_own_calls_with_an_ungated_one_between(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    lines = [
        calls(
            PAY,
            ("lookup", {"name": "x"}),
            ("delete", {"path": "a"}),
            ("transfer", {"amount": 1.0, "to": "c"}),
        ),
        AIMessage("Done."),
    ]
    async with stage(tmp_path, agent, lines) as play:
        await play.say("go")
        assert log.ran == []
        await play.decide(Reject("no"), Approve(), Edit({"amount": 2.0, "to": "c"}))
        assert sorted(log.ran, key=repr) == [
            ("delete", {"path": "a"}),
            ("lookup", {"name": "x"}),
            ("transfer", {"amount": 2.0, "to": "c"}),
        ]
        results = await play.results()
        assert any("reason: no" in result for result in results)
        assert len(results) == 4


async def test_five_rounds_in_one_thread_have_five_interrupts(agent: Agent, log: Log, tmp_path: Path) -> None:
    lines = [calls(("delete", {"path": str(number)})) for number in range(5)]
    async with stage(tmp_path, agent, [*lines, AIMessage("Done.")]) as play:
        await play.say("go")
        ids = set()
        for _ in range(5):
            ids.add((await play.interrupt()).id)
            assert await play.decide(Approve()) is None
        assert len(ids) == 5
        assert log.ran == [("delete", {"path": str(number)}) for number in range(5)]
        assert await play.answer() == "Done."


async def test_the_same_approval_twice_runs_its_tool_once(agent: Agent, log: Log, tmp_path: Path) -> None:
    lines = [calls(("delete", {"path": "a"})), calls(("delete", {"path": "b"}))]
    async with stage(tmp_path, agent, lines) as play:
        await play.say("go")
        approval = await play.approval(Approve())
        await play.threads.resume(THREAD, approval)
        with pytest.raises(Stale, match="no longer waits"):
            await play.threads.resume(THREAD, approval)
        assert log.ran == [("delete", {"path": "a"})]
        assert (await play.interrupt()).requests[0].arguments == {"path": "b"}


async def test_an_approval_of_something_else_than_is_pending_is_stale(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    from dataclasses import replace

    async with stage(tmp_path, agent, [calls(PAY)]) as play:
        await play.say("go")
        approval = await play.approval(Approve())
        changed = replace(approval.actions[0], digest="0" * 64)
        with pytest.raises(Stale, match="not what was asked"):
            await play.threads.resume(THREAD, replace(approval, actions=(changed,)))
        undecided = replace(approval.actions[0], outcome=None)
        with pytest.raises(Stale, match="not been decided"):
            await play.threads.resume(THREAD, replace(approval, actions=(undecided,)))
        assert log.ran == []
        assert await play.decide(Approve()) is None
        assert log.ran == [PAY]


async def test_a_tool_that_raises_is_told_to_model_and_people_and_stops_nothing(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    async with stage(tmp_path, agent, [calls(("boom", {"why": "x"}), ("lookup", {"name": "y"}))]) as play:
        await play.say("go")
        assert await play.decide(Approve()) is None
        thread = await play.threads.read(THREAD)
        assert thread.condition is Condition.IDLE
        (failure,) = thread.tool_failures
        assert (failure.tool, failure.sentence) == ("boom", "`boom` failed: it broke: x")
        assert thread.turn
        [followed] = [call.result for call in thread.turn.calls if call.failed]
        with spoken(Bracketed()):
            assert uttered(failure.sentence) == uttered(followed or "") == "⟦`boom` failed: it broke: x⟧"
        assert sorted(await play.results()) == ["`boom` failed: it broke: x", "y is known"]
        assert len(log.ran) == 2


async def test_a_failing_model_is_told_without_the_providers_words_and_can_be_tried_again(
    agent: Agent, tmp_path: Path
) -> None:
    lines: list[Any] = [ConnectionError("key sk-123 refused")]
    async with stage(tmp_path, agent, lines) as play:
        assert await play.say("go") == "The language model could not be used (ConnectionError)."
        thread = await play.threads.read(THREAD)
        assert thread.condition is Condition.FAILED
        assert "sk-123" not in thread.failure
        play.model.script[0] = AIMessage("Hello.")  # type: ignore[attr-defined]
        assert await play.threads.proceed(THREAD) is None
        assert await play.answer() == "Hello."


async def test_an_agent_that_never_ends_is_halted_with_a_sentence(agent: Agent, tmp_path: Path) -> None:
    lines = [calls(("lookup", {"name": str(number)})) for number in range(100)]
    async with stage(tmp_path, agent, lines) as play:
        assert await play.say("go") == "The agent took 40 steps without coming to an end, so it was halted."
        assert (await play.threads.read(THREAD)).condition is Condition.RUNNABLE
        play.model.script[:] = [AIMessage("x")] * 100  # type: ignore[attr-defined]
        assert await play.say("enough", "m2") is None
        assert await play.answer() == "x"


async def test_a_message_handed_over_twice_is_in_the_thread_once(agent: Agent, tmp_path: Path) -> None:
    async with stage(tmp_path, agent, [AIMessage("Hello."), AIMessage("Again?")]) as play:
        await play.say("hi")
        assert await play.say("hi") is None
        assert await play.threads.send(THREAD, [said("hi"), said("there", "m2")]) is None
        state = await play.built.graph.aget_state({"configurable": {"thread_id": THREAD}})
        assert [message.text for message in state.values["messages"]] == ["hi", "Hello.", "there", "Again?"]
        assert {"m1", "m2"} <= (await play.threads.read(THREAD)).message_ids


async def test_a_message_never_drops_what_waits(agent: Agent, log: Log, tmp_path: Path) -> None:
    async with stage(tmp_path, agent, [calls(PAY)]) as play:
        await play.say("go")
        with pytest.raises(Stale):
            await play.say("and also", "m2")
        await play.decide(Approve())
        assert log.ran == [PAY]


async def test_what_is_abandoned_never_runs_and_the_next_message_follows_validly(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    lines = [calls(PAY, ("lookup", {"name": "x"})), AIMessage("What now?")]
    async with stage(tmp_path, agent, lines) as play:
        await play.say("go")
        approval = await play.approval(Approve())
        await play.threads.abandon(THREAD, "Stopped by a person.")
        thread = await play.threads.read(THREAD)
        assert (thread.condition, thread.answer, thread.interrupts) == (Condition.IDLE, None, ())
        assert await play.results() == ["Stopped by a person."] * 2
        with pytest.raises(Stale):
            await play.threads.resume(THREAD, approval)
        assert await play.say("next", "m2") is None
        kinds = [message.type for message in play.model.seen[-1]]  # type: ignore[attr-defined]
        assert kinds == ["human", "ai", "tool", "tool", "human"]
        assert log.ran == []


async def test_a_new_thread_is_new_and_abandoning_it_harms_nothing(agent: Agent, tmp_path: Path) -> None:
    async with stage(tmp_path, agent) as play:
        assert (await play.threads.read(THREAD)).condition is Condition.NEW
        await play.threads.abandon(THREAD, "x")
        assert await play.threads.proceed(THREAD) is None
        assert (await play.threads.read(THREAD)).condition is Condition.NEW


@pytest.mark.parametrize("ids", [["same", "same"], ["", ""], [None, None]])
async def test_calls_without_an_id_of_their_own_get_one_before_anybody_is_asked(
    ids: list[str | None], agent: Agent, log: Log, tmp_path: Path
) -> None:
    async with stage(tmp_path, agent, [calls(PAY, ("delete", {"path": "a"}), ids=ids)]) as play:
        await play.say("go")
        requests = (await play.interrupt()).requests
        assert len({request.call for request in requests} - {""}) == 2
        await play.decide(Edit({"amount": 1.0, "to": "eve"}), Approve())
        assert sorted(log.ran) == [("delete", {"path": "a"}), ("transfer", {"amount": 1.0, "to": "eve"})]


async def test_gates_that_changed_while_somebody_was_asked_are_not_answered(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    lines = [calls(PAY, ("delete", {"path": "a"}))]
    async with stage(tmp_path, agent, lines) as play:
        await play.say("go")
        approval = await play.approval(Reject(), Reject())
    gates: list[dict[str, Any]] = [
        {},
        {"transfer": True},
        {"transfer": True, "delete": {"allowed_decisions": ["approve"]}},
    ]
    for interrupt_on in gates:
        async with stage(tmp_path, Agent(tools=log.tools, interrupt_on=interrupt_on), lines) as play:
            with pytest.raises(Drifted):
                await play.threads.resume(THREAD, approval)
    assert log.ran == []
    async with stage(tmp_path, agent, lines) as play:
        assert await play.threads.resume(THREAD, approval) is None
    assert log.ran == []


async def test_what_is_asked_again_has_the_gates_of_now_and_another_id(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    lines = [calls(PAY, ("delete", {"path": "a"}))]
    async with stage(tmp_path, agent, lines) as play:
        await play.say("go")
        before = await play.interrupt()
    narrower: dict[str, Any] = {"transfer": {"allowed_decisions": ["reject"]}, "delete": True}
    async with stage(tmp_path, Agent(tools=log.tools, interrupt_on=narrower), lines) as play:
        assert await play.threads.ask_again(THREAD) is None
        now = await play.interrupt()
        assert now.id != before.id
        assert [request.tool for request in now.requests] == ["transfer", "delete"]
        assert now.requests[0].allowed == {DecisionKind.REJECT}
        assert log.ran == []
        await play.decide(Reject(), Approve())
        assert log.ran == [("delete", {"path": "a"})]


@pytest.mark.parametrize(
    ("doc", "number", "fits"), [("Pay.", int, True), ("Pay them well.", int, True), ("Pay.", float, False)]
)
async def test_other_arguments_of_a_tool_are_drift_and_other_words_about_them_are_not(
    doc: str,
    number: type,
    fits: bool,  # noqa: FBT001 - a parameter
    tmp_path: Path,
) -> None:
    def paying(doc: str, number: type) -> Agent:
        def pay(description: Any) -> str:  # noqa: ANN401 - annotated below
            return f"paid {description}"

        pay.__doc__, pay.__annotations__ = doc, {"description": number, "return": str}
        return Agent(tools=[pay], interrupt_on={"pay": True})

    lines = [calls(("pay", {"description": 1}))]
    async with stage(tmp_path, paying("Pay.", int), lines) as play:
        await play.say("go")
        approval = await play.approval(Approve())
    async with stage(tmp_path, paying(doc, number), lines) as play:
        if fits:
            assert await play.threads.resume(THREAD, approval) is None
        else:
            with pytest.raises(Drifted, match="the arguments that `pay` takes have changed"):
                await play.threads.resume(THREAD, approval)


async def test_a_stuck_thread_asks_again_when_it_proceeds(agent: Agent, log: Log, tmp_path: Path) -> None:
    from langgraph.types import Command

    async with stage(tmp_path, agent, [calls(PAY)]) as play:
        await play.say("go")
        first = await play.interrupt()
        config: Any = {"configurable": {"thread_id": THREAD}}
        with pytest.raises(ValueError, match="Number of human decisions"):
            await play.built.graph.ainvoke(
                Command(resume={first.id: {"decisions": []}}), config, durability="sync"
            )
        thread = await play.threads.read(THREAD)
        assert thread.condition is Condition.FAILED
        assert "stuck" in thread.failure
        await play.threads.proceed(THREAD)
        assert (await play.interrupt()).id != first.id
        await play.decide(Approve())
        assert log.ran == [PAY]


async def test_half_characters_arrive_as_a_sign_and_not_as_nothing(agent: Agent, tmp_path: Path) -> None:
    async with stage(tmp_path, agent, [calls(PAY)]) as play:
        await play.say("pay \ud800 bob")
        await play.decide(Reject("no \udfff"))
        assert play.model.seen[0][0].text == "pay ? bob"  # type: ignore[attr-defined]
        assert (await play.results())[0].endswith("no ?")


async def test_a_call_that_cannot_be_read_is_told_and_leaves_a_history_without_it(
    agent: Agent, log: Log, tmp_path: Path
) -> None:
    broken = AIMessage(
        content="Paying.",
        invalid_tool_calls=[
            {"name": "transfer", "args": "{amount", "id": "c9", "error": "x", "type": "invalid_tool_call"}
        ],
        additional_kwargs={"tool_calls": [{"id": "c9"}]},
    )
    async with stage(tmp_path, agent, [broken, AIMessage("Done.")]) as play:
        assert await play.say("pay") is None
        assert await play.answer() == "Paying.\n\n(A call of `transfer` could not be read and was dropped.)"
        await play.say("and?", "m2")
        kept = play.model.seen[-1][1]  # type: ignore[attr-defined]
        assert (kept.invalid_tool_calls, kept.additional_kwargs) == ([], {})
        assert log.ran == []
