"""The guard by itself: a journal that says what is to happen, and a tool that tells what it got."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphInterrupt
from langgraph.graph import StateGraph
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command
from structlog.testing import capture_logs

from bot.agents import guard as door
from bot.agents.feedback import USUAL, Feedback
from bot.agents.gates import Gate
from bot.agents.guard import Guard, Handler, idempotency_key
from bot.approvals import tenure
from bot.approvals.decision import DecisionKind, Json
from bot.approvals.errors import Lost
from bot.approvals.ids import ActionId, ApprovalId, ConversationId
from bot.approvals.journal import Ask, Call, Execution, Free, Progress, Refuse, Return, Run, Step, Why
from bot.approvals.referents import Referents
from bot.approvals.sayings import from_json, uttered
from bot.approvals.words import spoken
from tests.slack.unspoken import Bracketed

EXECUTION = Execution(
    conversation=ConversationId("t1"),
    message="m1",
    call="c1",
    tool="pay",
    digest="0123456789abcdef" * 4,
    approval=ApprovalId("p1"),
    action=ActionId("a1"),
)
CALL = Call(conversation=ConversationId("t1"), message="m1", id="c1", tool="pay", arguments={"amount": 1})
GATES = {"pay": Gate(tool="pay", allowed=(DecisionKind.APPROVE,))}
PAID = {"content": "paid 1", "status": "success", "artifact": None}
CONFIG: Any = {"configurable": {"thread_id": "t1"}}


@dataclass
class Told:
    """A journal that has one answer, and what the guard told it."""

    step: Step
    lines: list[tuple[Any, ...]] = field(default_factory=list)
    away: bool = False
    meanwhile: Callable[[], None] = lambda: None

    async def begin(self, call: Call, *, needs_person: bool, repeatable: bool) -> Step:
        self.lines.append(("begin", call, needs_person, repeatable))
        self.meanwhile()
        return self.step

    async def finish(self, execution: Execution, result: Mapping[str, Json] | None) -> None:
        self._write("finish", execution, result)

    async def fail(self, execution: Execution, sentence: str) -> None:
        self._write("fail", execution, sentence)

    async def pause(self, execution: Execution) -> None:
        self._write("pause", execution)

    async def ran(self, execution: Execution, result: Mapping[str, Json], *, by: str) -> Execution:
        self._write("ran", execution, result, by)
        return execution.move(Progress.DONE, result=result)

    async def again(self, execution: Execution, *, by: str) -> Execution:
        self._write("again", execution, by)
        return execution.again()

    async def skip(self, execution: Execution) -> None:
        self._write("skip", execution)

    def _write(self, *line: object) -> None:
        if self.away:
            raise ConnectionError("the database is away")
        self.lines.append(line)

    @property
    def after(self) -> list[tuple[Any, ...]]:
        """What was written after the question whether it may run."""
        return [line for line in self.lines if line[0] != "begin"]


def a_tool(**metadata: object) -> BaseTool:
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    return StructuredTool.from_function(pay, metadata=metadata)


def asks(
    arguments: Any = None,  # noqa: ANN401 - whatever a model writes
    *,
    tool: BaseTool | None = None,
    id: str | None = "c1",
    message: str | None = "m1",
    verdicts: Mapping[str, bool] | None = None,
) -> ToolCallRequest:
    """The call `pay` as it comes to the guard."""
    call: Any = {"name": "pay", "args": {"amount": 1} if arguments is None else arguments, "id": id}
    spoken = AIMessage("", id=message, tool_calls=[call])
    state = {"messages": [spoken], "approval_verdicts": verdicts or {}}
    runtime: Any = ToolRuntime(
        state=state, context=None, config=CONFIG, stream_writer=print, tool_call_id=id, store=None
    )
    return ToolCallRequest(tool_call=call, tool=tool, state=state, runtime=runtime)


async def pays(request: ToolCallRequest) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(f"paid {call['args']['amount']}", name=call["name"], tool_call_id=call["id"])


async def given(
    step: Step, *, handler: Handler = pays, feedback: Feedback = USUAL, request: ToolCallRequest | None = None
) -> tuple[Any, Told]:
    """What the agent gets, and the journal."""
    journal = Told(step)
    return await Guard(journal, GATES, feedback).awrap_tool_call(request or asks(), handler), journal


@pytest.mark.parametrize(
    ("gates", "verdict", "needs_person"),
    [
        (GATES, None, True),
        ({}, None, False),
        (None, None, False),
        (GATES, False, False),
        ({}, True, True),
    ],
)
async def test_the_kept_verdict_says_whether_people_are_needed_and_without_one_the_gate(
    gates: Mapping[str, Gate] | None, *, verdict: bool | None, needs_person: bool
) -> None:
    journal = Told(Free())
    verdicts = {} if verdict is None else {"m1/c1/0": verdict}
    await Guard(journal, gates).awrap_tool_call(asks(verdicts=verdicts), pays)
    assert journal.lines == [("begin", CALL, needs_person, False)]


async def test_a_call_without_an_id_of_a_message_without_one_has_empty_names() -> None:
    _, journal = await given(Refuse(Why.UNDECIDED), request=asks(id=None, message=None))
    assert journal.lines == [("begin", replace(CALL, id="", message=""), True, False)]


@pytest.mark.parametrize(("repeatable", "holds"), [(True, True), (False, False), ("yes", False), (1, False)])
async def test_only_a_plain_true_says_that_a_tool_may_run_again(repeatable: object, *, holds: bool) -> None:
    _, journal = await given(Free(), request=asks(tool=a_tool(repeatable=repeatable)))
    assert journal.lines == [("begin", CALL, True, holds)]


@pytest.mark.parametrize(
    ("verdict", "found"), [(True, Referents(texts={"account": "1"})), (False, None)], ids=["asked", "let"]
)
async def test_what_a_call_points_at_is_looked_up_unless_it_was_let_through(
    *, verdict: bool, found: Referents | None
) -> None:
    looking = a_tool(resolve=lambda arguments: {"account": str(arguments["amount"])})
    _, journal = await given(Free(), request=asks(tool=looking, verdicts={"m1/c1/0": verdict}))
    assert journal.lines[0][1].referents == found


async def test_a_lookup_keeps_a_tool_waiting_for_so_long_and_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def forever(arguments: object) -> None:  # noqa: ARG001 - as the bot calls it
        await asyncio.Event().wait()

    monkeypatch.setattr(door, "AT_HAND", 0.01)
    async with asyncio.timeout(60):
        _, journal = await given(Free(), request=asks(tool=a_tool(resolve=forever)))
    assert journal.lines[0][1].referents == Referents(problem="it took longer than 0.01 seconds")


@pytest.mark.parametrize("step", [Free(), Run(EXECUTION)])
async def test_what_the_tool_gets_is_what_the_journal_was_asked_about_however_deep_it_is_changed(
    step: Step,
) -> None:
    arguments = {"amount": 1, "to": ({"name": "Ann"}, ["a"]), "notes": [{"text": "x"}]}
    wanted = {"amount": 1, "to": ({"name": "Ann"}, ["a"]), "notes": [{"text": "x"}]}
    seen = []

    def change() -> None:
        arguments["amount"] = 1_000
        arguments["to"][0]["name"] = "Eve"  # type: ignore[index]
        arguments["to"][1].append("b")  # type: ignore[index]
        arguments["notes"][0]["text"] = "y"  # type: ignore[index]

    async def sees(request: ToolCallRequest) -> ToolMessage:
        seen.append(request.tool_call["args"])
        return await pays(request)

    journal = Told(step, meanwhile=change)
    await Guard(journal, GATES).awrap_tool_call(asks(arguments), sees)
    assert journal.lines[0][1].arguments == wanted
    assert seen == [wanted]


async def test_arguments_that_hold_themselves_still_come_to_the_journal() -> None:
    """It has no digest, so the journal refuses it; the guard must not fall over it."""
    arguments: dict[str, Any] = {"amount": 1}
    arguments["self"] = arguments
    result, journal = await given(Refuse(Why.UNDECIDED), request=asks(arguments))
    assert journal.lines[0][1].arguments is arguments
    assert result.content == "`pay` was not run: nobody has decided about it."


async def test_a_call_that_needs_nobody_runs_without_a_key_and_is_not_written_down() -> None:
    keys = []

    async def sees(request: ToolCallRequest) -> ToolMessage:
        keys.append(idempotency_key())
        return await pays(request)

    result, journal = await given(Free(), handler=sees)
    assert (result.content, journal.after, keys) == ("paid 1", [], [""])


async def test_a_call_that_people_let_run_has_its_key_while_it_runs_and_its_result_is_written() -> None:
    keys = []

    async def sees(request: ToolCallRequest) -> ToolMessage:
        keys.append(idempotency_key())
        return await pays(request)

    result, journal = await given(Run(EXECUTION), handler=sees)
    assert (result.content, journal.after) == ("paid 1", [("finish", EXECUTION, PAID)])
    assert keys == ["0123456789abcdef" * 2]
    assert idempotency_key() == ""


async def test_a_result_of_another_call_is_not_kept() -> None:
    async def another(_: ToolCallRequest) -> ToolMessage:
        return ToolMessage("paid", tool_call_id="c2")

    _, journal = await given(Run(EXECUTION), handler=another)
    assert journal.after == [("finish", EXECUTION, None)]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(OSError("the bank is closed"), "the bank is closed"), (OSError(), "OSError")],
)
async def test_a_tool_that_raises_is_written_down_with_its_words_or_its_kind(
    error: Exception, sentence: str
) -> None:
    async def raises(_: ToolCallRequest) -> ToolMessage:
        raise error

    journal = Told(Run(EXECUTION))
    with pytest.raises(OSError) as raised:  # noqa: PT011 - the very same one, see below
        await Guard(journal, GATES).awrap_tool_call(asks(), raises)
    assert raised.value is error
    assert journal.after == [("fail", EXECUTION, sentence)]
    assert idempotency_key() == ""


async def test_a_tool_that_asks_something_itself_is_paused() -> None:
    async def asks_itself(_: ToolCallRequest) -> ToolMessage:
        raise GraphInterrupt

    journal = Told(Run(EXECUTION))
    with pytest.raises(GraphInterrupt):
        await Guard(journal, GATES).awrap_tool_call(asks(), asks_itself)
    assert journal.after == [("pause", EXECUTION)]


async def test_a_result_that_cannot_be_written_down_is_the_agents_all_the_same_and_is_logged() -> None:
    with capture_logs() as logs:
        result = await Guard(Told(Run(EXECUTION), away=True), GATES).awrap_tool_call(asks(), pays)
    assert result.content == "paid 1"  # type: ignore[union-attr]
    assert logs == [{"event": "journal_not_written", "error": "ConnectionError", "log_level": "error"}]


@pytest.mark.parametrize("step", [Free(), Run(EXECUTION)])
async def test_nothing_runs_in_work_that_others_have_taken_over(step: Step) -> None:
    class Taken:
        def check(self) -> None:
            raise Lost("taken over")

        async def confirm(self, tx: object) -> None:
            """Nothing is written here."""

        async def confirm_with(self, cursor: object) -> None:
            """Nothing is written here."""

    ran = []

    async def runs(request: ToolCallRequest) -> ToolMessage:
        ran.append(request)
        return await pays(request)

    with tenure.under(Taken()), pytest.raises(Lost):
        await given(step, handler=runs)
    assert ran == []


async def test_what_ran_before_is_given_again_and_does_not_run() -> None:
    async def runs(_: ToolCallRequest) -> ToolMessage:
        raise AssertionError("it ran again")

    done = replace(EXECUTION, progress=Progress.DONE, result={**PAID, "artifact": {"rows": 3}})
    result, journal = await given(Return(done), handler=runs)
    assert (result.content, result.name, result.tool_call_id) == ("paid 1", "pay", "c1")
    assert (result.status, result.artifact, journal.after) == ("success", {"rows": 3}, [])


OURS = Feedback(skipped="Leave {tool} alone.")


@pytest.mark.parametrize("why", Why)
@pytest.mark.parametrize("feedback", [USUAL, OURS])
async def test_a_call_that_must_not_run_tells_why_and_of_a_skipped_one_in_the_teams_words(
    why: Why, feedback: Feedback
) -> None:
    result, journal = await given(Refuse(why), feedback=feedback)
    usual = f"`pay` was not run: {why.value}."
    told = "Leave pay alone." if why is Why.SKIPPED and feedback is OURS else usual
    assert (result.content, result.name, result.tool_call_id) == (told, "pay", "c1")
    [kept] = map(from_json, result.artifact.values())
    assert (result.status, kept, journal.after) == ("error", usual, [])
    with spoken(Bracketed()):
        assert uttered(kept) == f"⟦`pay` was not run: ⟦{why.value}⟧.⟧", "to people in their language"


async def test_two_runs_of_one_call_come_one_after_the_other_and_those_of_two_calls_at_once() -> None:
    running, at_once, both = 0, 0, asyncio.Event()

    async def runs(request: ToolCallRequest) -> ToolMessage:
        nonlocal running, at_once
        running += 1
        at_once = max(at_once, running)
        if running == 2:
            both.set()
        if request.tool_call["id"] != "c1":
            async with asyncio.timeout(60):
                await both.wait()
        else:
            await asyncio.sleep(0)
        running -= 1
        return await pays(request)

    guard = Guard(Told(Free()), GATES)
    await asyncio.gather(*(guard.awrap_tool_call(asks(), runs) for _ in range(2)))
    assert at_once == 1
    await asyncio.gather(
        guard.awrap_tool_call(asks(id="c2"), runs), guard.awrap_tool_call(asks(id="c3"), runs)
    )
    assert at_once == 2


# A call that may have run: the tool is asked, and then people are.

DOUBT = replace(EXECUTION, progress=Progress.IN_DOUBT)
QUESTION = {
    "type": "in_doubt",
    "name": "pay",
    "args": {"amount": 1},
    "tool_call_id": "c1",
    "message_id": "m1",
}


async def asked(
    step: Step, answers: Sequence[object], *, tool: BaseTool | None = None, feedback: Feedback = USUAL
) -> tuple[list[object], Any, Told]:
    """The questions that people got one after the other, with what the agent got in the end."""
    journal, results = Told(step), []
    guard = Guard(journal, GATES, feedback)

    async def calls(state: dict[str, Any]) -> dict[str, Any]:
        results.append(await guard.awrap_tool_call(asks(tool=tool), pays))
        return state

    builder: Any = StateGraph(Any)
    graph = builder.add_node("calls", calls).set_entry_point("calls").compile(InMemorySaver())
    questions: list[object] = []
    for one in ({"go": 1}, *(Command(resume=answer) for answer in answers)):
        told: Any = await graph.ainvoke(one, CONFIG)
        questions += [interrupt.value for interrupt in told.get("__interrupt__", ())]
    return questions, results[0] if results else None, journal


RAN = {"type": "in_doubt", "answer": "ran", "result": "it was paid"}
REPORTED = {"content": "it was paid", "status": "success", "artifact": None}


@pytest.mark.parametrize(
    ("answer", "told", "lines"),
    [
        (RAN, "it was paid", [("ran", DOUBT, REPORTED, "people")]),
        (
            {"type": "in_doubt", "answer": "again"},
            "paid 1",
            [("again", DOUBT, "people"), ("finish", DOUBT.again(), PAID)],
        ),
        (
            {"type": "in_doubt", "answer": "skip"},
            "`pay` was not run: it may have run already, and a person said not to run it again.",
            [("skip", DOUBT)],
        ),
        (
            {"type": "in_doubt", "answer": "late"},
            "`pay` was not run: it may have run already, and nobody said in time whether it did.",
            [],
        ),
        ("Monday", "`pay` was not run: it may have run already, so nobody ran it again.", []),
    ],
    ids=["ran", "again", "skip", "late", "an answer to a question of the tool's own"],
)
async def test_people_are_asked_about_a_call_that_may_have_run_and_what_they_say_happens(
    answer: object, told: str, lines: list[tuple[Any, ...]]
) -> None:
    questions, result, journal = await asked(Ask(DOUBT), [answer])
    assert questions == [QUESTION]
    assert (result.content, journal.after) == (told, lines)


@pytest.mark.parametrize("step", [Run(replace(EXECUTION, asked=2)), Ask(replace(DOUBT, asked=2))])
async def test_answers_of_earlier_doubts_about_a_call_are_not_taken_for_the_next_ones(step: Any) -> None:  # noqa: ANN401 - a step with an execution
    """LangGraph gives a task all its answers again; each earlier question takes its own."""
    again = {"type": "in_doubt", "answer": "again"}
    questions, result, journal = await asked(step, [again, again, RAN])
    if isinstance(step, Run):
        assert (questions, result.content) == ([QUESTION] * 2, "paid 1")
    else:
        assert (questions, result.content) == ([QUESTION] * 3, "it was paid")
        assert journal.after == [("ran", step.execution, REPORTED, "people")]


def plain(told: object) -> Callable[[Any], object]:
    return lambda arguments: told  # noqa: ARG005 - as the bot calls it


def awaited(told: object) -> Callable[[Any], Awaitable[object]]:
    async def tells(arguments: object) -> object:  # noqa: ARG001 - as the bot calls it
        return told

    return tells


@pytest.mark.parametrize("way", [plain, awaited])
@pytest.mark.parametrize(
    ("says", "told", "lines"),
    [
        ("it was paid", "it was paid", [("ran", DOUBT, REPORTED, "tool")]),
        (False, "paid 1", [("again", DOUBT, "tool"), ("finish", DOUBT.again(), PAID)]),
    ],
)
async def test_a_tool_that_knows_whether_it_ran_spares_people_the_question(
    way: Callable[[object], Any], says: object, told: str, lines: list[tuple[Any, ...]]
) -> None:
    result, journal = await given(Ask(DOUBT), request=asks(tool=a_tool(reconcile=way(says))))
    assert (result.content, journal.after) == (told, lines)


def raises(arguments: object) -> object:
    raise KeyError(arguments)


@pytest.mark.parametrize(
    ("reconcile", "logged"),
    [
        (plain(None), []),
        ("no function", []),
        (plain(1), [{"event": "reconcile_unclear", "tool": "pay", "told": "int"}]),
        (plain(["paid"]), [{"event": "reconcile_unclear", "tool": "pay", "told": "list"}]),
        (raises, [{"event": "reconcile_failed", "tool": "pay", "error": "KeyError"}]),
    ],
)
async def test_a_tool_that_does_not_know_whether_it_ran_leaves_it_to_people(
    reconcile: object, logged: list[dict[str, str]]
) -> None:
    with capture_logs() as logs:
        questions, _, journal = await asked(Ask(DOUBT), [], tool=a_tool(reconcile=reconcile))
    assert (questions, journal.after) == ([QUESTION], [])
    assert logs == [{**line, "log_level": "warning"} for line in logged]


async def test_a_tool_that_is_asked_whether_it_ran_cannot_change_what_runs() -> None:
    wanted = {"amount": 1, "to": {"name": "Ann"}}
    ran = []

    def changes(arguments: Any) -> bool:  # noqa: ANN401 - as the bot calls it
        assert arguments == wanted
        arguments["amount"] = 1_000
        arguments["to"]["name"] = "Eve"
        return False

    async def runs(request: ToolCallRequest) -> ToolMessage:
        ran.append(request.tool_call["args"])
        return await pays(request)

    asking = asks({"amount": 1, "to": {"name": "Ann"}}, tool=a_tool(reconcile=changes))
    await given(Ask(DOUBT), request=asking, handler=runs)
    assert ran == [wanted]
