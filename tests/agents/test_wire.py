from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agents.wire import Unreadable, answer, interrupt_from, is_json
from bot.approvals.approval import Approval
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.errors import Stale
from bot.approvals.filing import approval_for
from bot.approvals.ids import UserId
from tests.agents.stage import CONVERSATION, NOON


class NoTools:
    def schema(self, tool: str) -> None:  # noqa: ARG002 - the port has it so
        return None

    def check(self, tool: str, arguments: Any) -> Any:  # noqa: ANN401, ARG002
        return arguments

    def resolves(self, tool: str) -> bool:  # noqa: ARG002
        return False

    async def referents(self, tool: str, arguments: Any, *, within: float) -> None:  # noqa: ANN401, ARG002
        return None

    def renders(self, tool: str) -> bool:  # noqa: ARG002
        return False

    async def rendered(self, tool: str, arguments: Any, *, within: float) -> None:  # noqa: ANN401, ARG002
        return None


def request(
    *tools: str, allowed: tuple[str, ...] = ("approve", "edit", "reject", "respond")
) -> dict[str, Any]:
    return {
        "action_requests": [
            {"name": tool, "args": {"n": number}, "description": f"d{number}"}
            for number, tool in enumerate(tools)
        ],
        "review_configs": [{"action_name": tool, "allowed_decisions": list(allowed)} for tool in tools],
    }


def settled(value: object, *decisions: Decision) -> Approval:
    interrupt = interrupt_from("i" * 32, value, [])
    approval = approval_for(interrupt, CONVERSATION, requesters=frozenset(), tools=NoTools(), at=NOON)
    for action, decision in zip(approval.actions, decisions, strict=False):
        approval = approval.decide(action.id, decision, by=UserId("U"), at=NOON)
    return approval


def test_calls_are_matched_by_name_and_arguments_in_order_and_each_once() -> None:
    calls = [
        {"name": "b", "args": {"n": 1}, "id": "other"},
        {"name": "a", "args": {"n": 0}, "id": "first"},
        {"name": "a", "args": {"n": 0}, "id": "second"},
    ]
    twice = request("a", "a")
    twice["action_requests"][1]["args"] = {"n": 0}
    assert [asked.call for asked in interrupt_from("i", twice, calls).requests] == ["first", "second"]
    assert [asked.call for asked in interrupt_from("i", request("c"), calls).requests] == [""]


def test_one_config_per_tool_serves_all_its_actions() -> None:
    value = request("a", "b", "a")
    value["review_configs"] = [
        {"action_name": "b", "allowed_decisions": ["reject"]},
        {"action_name": "a", "allowed_decisions": ["approve"]},
    ]
    allowed = [asked.allowed for asked in interrupt_from("i", value, []).requests]
    assert allowed == [{DecisionKind.APPROVE}, {DecisionKind.REJECT}, {DecisionKind.APPROVE}]


@given(
    st.lists(
        st.one_of(
            st.just(Approve()),
            st.builds(Reject, st.text()),
            st.builds(Respond, st.text()),
            st.builds(Edit, st.dictionaries(st.text(), st.integers())),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_the_answer_is_complete_in_order_and_never_names_another_tool(decisions: list[Decision]) -> None:
    tools = [f"tool{number}" for number in range(len(decisions))]
    told: Any = answer(settled(request(*tools), *decisions))
    assert len(told["decisions"]) == len(decisions)
    for tool, decision, sent in zip(tools, decisions, told["decisions"], strict=True):
        match decision:
            case Edit(arguments):
                assert sent == {"type": "edit", "edited_action": {"name": tool, "args": arguments}} or (
                    sent == {"type": "approve"} and arguments == {"n": tools.index(tool)}
                )
            case _:
                assert sent["type"] == type(decision).__name__.lower()


def test_an_edit_without_a_change_is_an_approval_only_where_approving_is_allowed() -> None:
    same = Edit({"n": 0})
    assert answer(settled(request("a"), same)) == {"decisions": [{"type": "approve"}]}
    told: Any = answer(settled(request("a", allowed=("edit",)), same))
    assert told["decisions"][0]["type"] == "edit"


def test_an_answer_that_is_not_complete_is_never_made() -> None:
    with pytest.raises(Stale, match="`b` has not been decided"):
        answer(settled(request("a", "b"), Approve()))


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [float("inf"), float("nan"), {1: 2}, (1,), {"a": {1}}, object(), nested(100_000)]
)
def test_what_is_no_json_is_not_shown_as_if_it_were(value: object) -> None:
    assert not is_json(value)
    asked = request("a")
    asked["action_requests"][0]["args"] = {"x": value}
    with pytest.raises(Unreadable, match="Action 1"):
        interrupt_from("i", asked, [])


def test_json_is_json() -> None:
    assert is_json({"a": [None, True, 1, 1.5, "x", {}], "b": nested(100)})
