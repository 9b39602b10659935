"""When the functions of a policy are asked, about what, and what happens to what they say."""

from dataclasses import dataclass, field, replace

import pytest

from bot.approvals.action import Action, Vote
from bot.approvals.approval import Approval, Shape
from bot.approvals.choosing import ApprovalRequest, Chosen
from bot.approvals.conversation import Status
from bot.approvals.decision import DecisionKind, Edit, Json
from bot.approvals.errors import InvalidArguments
from bot.approvals.functions import choosing, chosen_after, unanswered
from bot.approvals.ids import InterruptId, UserId
from bot.approvals.lookups import AT_HAND, FILING
from bot.approvals.ports import Asked
from bot.approvals.referents import Referents
from bot.approvals.thread import ActionRequest, Condition, Interrupt, Thread
from bot.approvals.who import One
from tests.approvals.fakes import WatchedStore
from tests.store.samples import ALICE, BOB, GENERAL, NOON, THREAD, action, approval, conversation, said

CAROL, DAVE = UserId("U0CAROL"), UserId("U0DAVE")
BY_BOB = Chosen(approvers=(One(BOB),))


@dataclass
class Functions:
    """A policy with a function for `pay`, and what it was asked."""

    says: Chosen | None = BY_BOB
    asked: list[tuple[ApprovalRequest, float]] = field(default_factory=list)

    def has_functions(self, tool: str) -> bool:
        return tool == "pay"

    async def chosen(self, request: ApprovalRequest, *, within: float) -> Chosen | None:
        self.asked.append((request, within))
        return self.says if request.tool == "pay" else None


def request(tool: str = "pay", chosen: Chosen | None = None, **arguments: Json) -> ActionRequest:
    return ActionRequest(
        tool=tool, arguments=arguments, description="", allowed=frozenset(DecisionKind), chosen=chosen
    )


def interrupt(id: str, *requests: ActionRequest) -> Interrupt:
    return Interrupt(id=InterruptId(id), shape=Shape.BATCHED, requests=requests or (request(),))


def waiting(*interrupts: Interrupt, messages: frozenset[str] = frozenset()) -> Thread:
    return Thread(condition=Condition.WAITING, interrupts=interrupts, message_ids=messages)


async def begun(store: WatchedStore, status: Status = Status.WORKING, *approvals: Approval) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=status))
        for one in approvals:
            assert await tx.approvals.add(one)


def about(tool: str, arguments: dict[str, Json], *requesters: UserId) -> ApprovalRequest:
    return ApprovalRequest(
        tool=tool,
        arguments=arguments,
        requesters=frozenset(requesters or {ALICE}),
        conversation=THREAD,
        channel=GENERAL,
    )


# Before people are asked.


async def test_the_functions_are_asked_about_each_call_of_what_is_to_be_asked_and_their_answers_go_with_it(
    store: WatchedStore,
) -> None:
    await begun(store)
    functions = Functions()
    thread = waiting(interrupt("i1", request("pay", amount=1), request("look")), interrupt("i2"))
    found = await choosing(store, functions, THREAD, thread)
    assert found == replace(
        thread,
        interrupts=(
            interrupt("i1", request("pay", BY_BOB, amount=1), request("look")),
            interrupt("i2", request("pay", BY_BOB)),
        ),
    )
    assert functions.asked == [
        (about("pay", {"amount": 1}), FILING),
        (about("look", {}), FILING),
        (about("pay", {}), FILING),
    ]


async def test_whoever_steered_the_agent_has_asked_for_it_as_well_once_the_agent_has_heard_it(
    store: WatchedStore,
) -> None:
    await begun(store)
    async with store.write() as tx:
        for id, by in (("m1", BOB), ("m2", CAROL), ("m3", DAVE)):
            assert await tx.conversations.keep(said(id, by=by))
        await tx.conversations.hand_over([said("m1").id])
    functions = Functions()
    await choosing(store, functions, THREAD, waiting(interrupt("i1"), messages=frozenset({"m2"})))
    [(asked, _)] = functions.asked
    assert asked == about("pay", {}, ALICE, BOB, CAROL)


async def test_what_people_were_asked_about_already_is_not_asked_about_again(store: WatchedStore) -> None:
    first = replace(approval("p1"), interrupt=InterruptId("i1"))
    second = replace(approval("p2"), interrupt=InterruptId("i2")).expire(NOON)
    third = replace(approval("p3"), interrupt=InterruptId("i3")).withdraw("stopped")
    await begun(store, Status.WORKING, first, second, third)
    functions = Functions()
    thread = waiting(*(interrupt(f"i{number}", request(amount=number)) for number in (1, 2, 3, 4)))
    found = await choosing(store, functions, THREAD, thread)
    assert [one.arguments for one, _ in functions.asked] == [{"amount": 3}, {"amount": 4}]
    assert found.interrupts[:2] == thread.interrupts[:2]
    assert [one.requests[0].chosen for one in found.interrupts[2:]] == [BY_BOB, BY_BOB]


@pytest.mark.parametrize("status", [None, Status.CANCELLING])
async def test_nothing_is_asked_about_what_was_stopped_or_is_gone(
    store: WatchedStore, status: Status | None
) -> None:
    if status:
        await begun(store, status)
    functions, thread = Functions(), waiting(interrupt("i1"))
    assert await choosing(store, functions, THREAD, thread) is thread
    assert functions.asked == []


async def test_where_no_function_says_anything_about_the_tools_the_rows_are_not_even_read() -> None:
    thread = waiting(interrupt("i1", request("look")))
    assert await choosing(None, Functions(), THREAD, thread) is thread  # type: ignore[arg-type]
    assert await choosing(None, Functions(), THREAD, waiting()) == waiting()  # type: ignore[arg-type]


def test_calls_about_which_a_function_had_no_answer_are_told_each_once() -> None:
    failed, slow = Chosen(problem="it failed"), Chosen(problem="it took too long")
    told = unanswered(
        [
            interrupt(
                "i1", request("pay", failed), request("pay", failed, amount=2), request("look", BY_BOB)
            ),
            interrupt("i2", request("wipe", slow)),
        ]
    )
    assert told == (
        "Who decides about `pay` could not be found out, so nobody was asked: it failed. "
        "Who decides about `wipe` could not be found out, so nobody was asked: it took too long."
    )
    assert unanswered([interrupt("i1", request("pay", BY_BOB), request("look"))]) is None


# After an edit.

WITH = approval("p1")
OWN = replace(
    action("a-p1", {"amount": 1}, tool="pay", chosen=BY_BOB),
    digest=WITH.digest_of(action("a-p1"), "pay", {"amount": 1}, None),
)
BY_CAROL = Chosen(approvers=(One(CAROL),))


def edited_before() -> Action:
    digest = WITH.digest_of(OWN, "pay", {"amount": 2}, None)
    vote = Vote(decision=Edit({"amount": 2}), by=BOB, at=NOON, digest=digest, chosen=BY_CAROL)
    return OWN.voted(vote, OWN.needs)


async def after(
    functions: Functions,
    one: Action,
    tool: str,
    arguments: dict[str, Json],
    referents: Referents | None = None,
) -> Chosen | None:
    opened = Asked(approval=replace(WITH, requesters=frozenset({ALICE, DAVE})), conversation=conversation())
    return await chosen_after(functions, opened, one, (tool, arguments, referents))


async def test_an_edit_is_asked_about_with_what_it_would_run_and_who_asked_for_it() -> None:
    functions = Functions(says=BY_CAROL)
    assert await after(functions, OWN, "pay", {"amount": 2}) == BY_CAROL
    assert functions.asked == [(about("pay", {"amount": 2}, ALICE, DAVE), AT_HAND)]


@pytest.mark.parametrize(
    ("one", "amount", "said_then"),
    [(OWN, 1, BY_BOB), (edited_before(), 1, BY_BOB), (edited_before(), 2, BY_CAROL)],
)
async def test_an_edit_to_what_was_asked_about_already_has_the_answer_of_then(
    one: Action, amount: int, said_then: Chosen
) -> None:
    functions = Functions(says=Chosen())
    assert await after(functions, one, "pay", {"amount": amount}) == said_then
    assert functions.asked == []


async def test_an_edit_that_points_at_something_else_is_another_one() -> None:
    functions = Functions(says=BY_CAROL)
    assert await after(functions, OWN, "pay", {"amount": 1}, Referents(texts={"x": "y"})) == BY_CAROL


async def test_an_edit_to_a_tool_without_functions_asks_nothing() -> None:
    functions = Functions()
    assert await after(functions, OWN, "look", {"amount": 1}) is None
    assert functions.asked == []


async def test_an_edit_about_which_a_function_has_no_answer_is_not_taken_and_says_why() -> None:
    with pytest.raises(InvalidArguments) as refused:
        await after(Functions(says=Chosen(problem="it failed")), OWN, "pay", {"amount": 2})
    assert refused.value.fields == {"": "Who decides about this could not be found out: it failed."}
    assert await after(Functions(says=None), OWN, "pay", {"amount": 2}) is None
