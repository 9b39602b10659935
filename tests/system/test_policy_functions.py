"""The policy that an agent carries in Python, with functions that say of each call who decides about it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from bot import Agent, ApprovalRequest, Defaults, Group, Policy, Rule
from bot.policy_file import BadPolicy
from bot.sandbox import buttons, text_of
from bot.store import reading_store
from tests.system.agents import RUNS, Script
from tests.system.house import POLICY, House, a_house

HERE = "tests.system.test_policy_functions:"
DEPLOY = ("deploy", {"service": "shop", "to": "test"})
LIVE = ("deploy", {"service": "shop", "to": "live"})
RETRY = "Retry"

ASKED: list[ApprovalRequest] = []
"""What the functions were asked."""
FAULTS: list[Any] = []
"""What the next function is to do instead: raise it, or give it."""


@pytest.fixture(autouse=True)
def _nothing_was_asked() -> None:
    ASKED.clear()
    FAULTS.clear()


@tool
def deploy(service: str, to: str) -> str:
    """Deploy a service."""
    RUNS.append(("deploy", {"service": service, "to": to}))
    return "deployed"


def owners(request: ApprovalRequest) -> Any:  # noqa: ANN401 - a fault may be anything
    """Carol decides about what goes live, Bob about the rest."""
    ASKED.append(request)
    if FAULTS:
        fault = FAULTS.pop()
        if isinstance(fault, Exception):
            raise fault
        return fault
    told = ["@carol"] if request.arguments["to"] == "live" else ["U0BOB"]
    assert isinstance(request.arguments, dict)
    request.arguments["to"] = "elsewhere"  # a copy, which is the function's own
    return told


async def how_many(request: ApprovalRequest) -> int:
    return 2 if request.arguments["to"] == "live" else 1


def asks(request: ApprovalRequest) -> str:
    return "always" if request.arguments["to"] == "live" else "never"


def agent(policy: Policy) -> Agent:
    return Agent(tools=[deploy], interrupt_on={"*": True}, model=Script(), policy=policy)


NOBODY = Defaults(approvers=["@alice"])
by_owner = agent(Policy(defaults=NOBODY, rules=[Rule(tools=["deploy"], approvers=owners)]))
by_number = agent(Policy(defaults=Defaults(approvers=["channel"], quorum=how_many)))
by_asking = agent(Policy(defaults=Defaults(approvers=["channel"], ask=asks)))
in_groups = agent(
    Policy(defaults=Defaults(require=[Group(approvers=["@bob"]), Group(approvers=owners, quorum=how_many)]))
)


def where(request: ApprovalRequest) -> Any:  # noqa: ANN401 - a fault may be anything
    """What goes live is asked about in a channel of its own."""
    if FAULTS:
        return FAULTS.pop()
    return "#approvals" if request.arguments["to"] == "live" else "thread"


async def how_long(request: ApprovalRequest) -> Any:  # noqa: ANN401 - a fault may be anything
    if FAULTS:
        return FAULTS.pop()
    return timedelta(seconds=3) if request.arguments["to"] == "live" else "never"


by_place = agent(Policy(defaults=Defaults(approvers=["channel"], channel=where)))
by_end = agent(Policy(defaults=Defaults(approvers=["channel"], expires_after=how_long)))
to_people = agent(
    Policy(defaults=Defaults(approvers=lambda _: ["@bob", "@carol"], channel=lambda _: "dm:approvers"))
)
to_everybody = agent(Policy(defaults=Defaults(approvers=["channel"], channel=lambda _: "dm:approvers")))
wrong = agent(Policy(defaults=NOBODY, rules=[Rule(tools=["x"]), Rule(tools=["deploy"], approvers=[])]))


async def recorded(folder: Path, kind: str) -> list[Any]:
    async with reading_store(f"sqlite:///{folder / 'bot.db'}") as store, store.read() as tx:
        return [event for event in await tx.record.of() if event.kind == kind]


async def refused(house: House, card: dict[str, Any], word: str = "Approve") -> None:
    """Bob is not among those who may decide."""
    await house.bob.press(card, word)
    await house.bob.sees_privately("You are not among the people who may decide about")


async def test_a_function_says_of_each_call_who_decides_about_it(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=None) as house:
        await house.asks([LIVE], [DEPLOY])
        card = await house.card()
        assert "<@U0CAROL>" in text_of(card)
        await refused(house, card)
        await house.carol.press(card, "Approve")
        card = await house.card(lambda one: "Approve" in buttons(one) and "test" in text_of(one))
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("You are not among the people who may decide about")
        await house.bob.press(card, "Approve")
        await house.answer("deployed")
    assert RUNS == [LIVE, DEPLOY]
    assert [one.tool for one in ASKED] == ["deploy", "deploy"]
    first = ASKED[0]
    assert (first.requesters, first.channel[0]) == (frozenset({"U0ALICE"}), "C")
    (filed, _) = await recorded(tmp_path, "filed")
    assert first.conversation == filed.conversation


async def test_what_a_function_said_stays_for_the_call_and_over_a_restart(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=None) as house:
        await house.asks([LIVE])
        await house.card()
    FAULTS.extend([["U0BOB"], ["U0BOB"]])
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=None) as house:
        card = await house.card()
        await refused(house, card)
        await house.carol.press(card, "Approve")
        await house.answer("deployed")
    assert len(ASKED) == 1


async def test_an_edit_is_asked_about_anew_and_voids_the_votes_of_others(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=None) as house:
        await house.asks([DEPLOY])
        card = await house.card()
        await house.bob.press(card, "Edit")
        assert await house.bob.submit(await house.bob.form(), {"to": "live"}) == {}
        card = await house.bob.sees_change(card, lambda one: "Edited by" in text_of(one))
        assert RUNS == []
        await refused(house, card)
        await house.carol.press(card, "Approve")
        await house.answer("deployed")
    assert RUNS == [LIVE]
    assert len(ASKED) == 2


async def test_a_function_that_has_no_answer_for_an_edit_leaves_the_call_as_it_is(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=None) as house:
        await house.asks([DEPLOY])
        card = await house.card()
        FAULTS.append(ValueError("shop"))
        await house.bob.press(card, "Edit")
        said = await house.bob.submit(await house.bob.form(), {"to": "live"})
        assert "Who decides about this could not be found out" in str(said)
        assert "failed with ValueError" in str(said)
        await house.bob.press(card, "Approve")
        await house.answer("deployed")
    assert RUNS == [DEPLOY]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (ValueError("secret of shop"), "the policy's function for `approvers` failed with ValueError"),
        ([], "the policy's function for `approvers` did not give a list of names"),
        ("@carol", "the policy's function for `approvers` did not give a list of names"),
        (None, "the policy's function for `approvers` did not give a list of names"),
        (["@mallory"], "the policy's function for `approvers` named somebody who is not a full member"),
        (["U0NOBODY"], "Slack does not know, or could not be asked for, whom the policy's function named"),
        (["@@nobody"], "the policy's function for `approvers` named somebody who is not a full member"),
        (["everybody"], "the policy's function for `approvers` named somebody who is not a full member"),
        (["@alice"], "nobody whom the policy's function named could decide it"),
        (["requester"], "nobody whom the policy's function named could decide it"),
    ],
)
async def test_where_a_function_has_no_answer_nobody_is_asked_and_retry_asks_it_again(
    tmp_path: Path,
    fault: object,
    why: str,
) -> None:
    FAULTS.append(fault)
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=None) as house:
        await house.asks([LIVE])
        failure = await house.alice.sees("Who decides about `deploy` could not be found out")
        assert why in text_of(failure)
        assert "secret" not in text_of(failure)
        assert "mallory" not in text_of(failure)
        assert not [one for one in house.slack.calls("chat.postMessage") if "Approval needed" in str(one)]
        await house.alice.press(failure, RETRY)
        card = await house.card()
        await house.carol.press(card, "Approve")
        await house.answer("deployed")
    assert RUNS == [LIVE]
    assert len(ASKED) == 2


async def test_a_function_says_how_many_have_to_agree(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_number", policy=None) as house:
        await house.asks([LIVE])
        card = await house.card("0 of 2")
        await house.bob.press(card, "Approve")
        card = await house.bob.sees_change(card, lambda one: "1 of 2" in text_of(one))
        assert RUNS == []
        await house.carol.press(card, "Approve")
        await house.answer("deployed")


async def test_a_function_says_whether_people_are_asked_at_all(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_asking", policy=None) as house:
        await house.asks([DEPLOY], [LIVE])
        card = await house.card()
        assert RUNS == [DEPLOY]
        assert "live" in text_of(card)
    (through,) = await recorded(tmp_path, "let_through")
    assert through.detail["why"] == "policy"


async def test_functions_may_stand_in_each_of_several_groups(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "in_groups", policy=None) as house:
        FAULTS.append(["@bob", "@carol"])
        await house.asks([LIVE])
        failure = await house.alice.sees("Who decides about `deploy` could not be found out")
        assert "3 votes of different people are wanted, but at most 2 can count" in text_of(failure)
        FAULTS.append(["@carol", "#general"])
        await house.alice.press(failure, RETRY)
        assert "0 of 3" in text_of(await house.card("0 of 3"))


async def test_the_file_goes_before_the_policy_of_the_agent(tmp_path: Path) -> None:
    file = POLICY + '[[rules]]\ntools = ["dep*"]\napprovers = ["@bob"]\n'
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=file) as house:
        await house.asks([LIVE])
        card = await house.card()
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("You are not among the people who may decide about")
        await house.bob.press(card, "Approve")
        await house.answer("deployed")
    assert ASKED == []


async def test_a_rule_of_the_agent_holds_where_the_file_has_none(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_owner", policy=POLICY) as house:
        await house.asks([LIVE])
        card = await house.card()
        await refused(house, card)
        await house.carol.press(card, "Approve")
        await house.answer("deployed")


async def test_a_mistake_in_it_is_refused_at_start_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(BadPolicy) as no:
        async with a_house(tmp_path, agent=HERE + "wrong", policy=None):
            pass
    said = "the policy of the agent: rules[1].approvers: `rules.approvers` must not be empty"
    assert said in str(no.value)


async def test_a_function_says_of_each_call_where_its_card_stands_over_a_restart_too(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, agent=HERE + "by_place", policy=None) as house:
        await house.asks([DEPLOY], [LIVE])
        await house.bob.press(await house.card("to: test"), "Approve")
        card = await house.bob.sees("to: live", channel="#approvals")
    async with a_house(tmp_path, agent=HERE + "by_place", policy=None) as house:
        await house.bob.press(card, "Approve")
        await house.answer("deployed")
        assert RUNS == [DEPLOY, LIVE]


async def test_a_function_says_of_each_call_how_long_people_may_decide(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "by_end", policy=None) as house:
        await house.asks([DEPLOY], [LIVE])
        card = await house.card("to: test")
        assert "Open until" not in text_of(card)
        await house.bob.press(card, "Approve")
        card = await house.card(lambda one: "Open until" in text_of(one) and "to: live" in text_of(one))
        await house.bob.sees_change(card, "Expired", timeout=20)
        await house.answer("Nobody decided in time")
        assert RUNS == [DEPLOY]


async def test_functions_of_people_and_place_together_send_it_to_those_people(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE + "to_people", policy=None) as house:
        await house.asks([LIVE])
        card = await house.bob.sees("Approval needed", channel="D0BOB")
        await house.carol.sees("Approval needed", channel="D0CAROL")
        await house.bob.press(card, "Approve")
        await house.answer("deployed")


@pytest.mark.parametrize(
    ("of", "given", "problem"),
    [
        ("by_place", "#nowhere", "named one that is not there, or that the bot cannot write in"),
        ("by_place", "general", "did not give thread, #channel or its id, or dm:approvers"),
        ("by_place", 7, "did not give thread, #channel or its id, or dm:approvers"),
        ("by_end", "soon", "did not give a duration such as 15m or 24h, or never"),
        ("by_end", timedelta(0), "did not give a duration such as 15m or 24h, or never"),
        ("by_end", timedelta(days=-1), "did not give a duration such as 15m or 24h, or never"),
        ("by_end", timedelta(days=366), "did not give a duration such as 15m or 24h, or never"),
        ("to_everybody", None, "direct messages go to people and user groups by name"),
    ],
)
async def test_a_place_or_an_end_that_is_none_asks_nobody_and_says_so_with_retry(
    tmp_path: Path,
    of: str,
    given: Any,  # noqa: ANN401 - whatever a function gives
    problem: str,
) -> None:
    async with a_house(tmp_path, agent=HERE + of, policy=None) as house:
        FAULTS.append(given)
        await house.asks([LIVE])
        told = await house.alice.sees(lambda one: RETRY in buttons(one), channel="#general")
        assert problem in text_of(told)
        assert str(given) not in text_of(told) or given in {None, 7}
        if of != "to_everybody":
            await house.alice.press(told, RETRY)
            await house.bob.sees("to: live", channel="#approvals" if of == "by_place" else "#general")
        assert RUNS == []
        FAULTS.clear()
