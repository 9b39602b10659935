"""The policies of several agents put together, and checked by what they carry and by their tools."""

from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from bot import Agent, Defaults, Policy, Rule
from bot.agents.build import build
from bot.agents.built import BuiltAgent
from bot.approvals.absent import NOBODY
from bot.approvals.ids import AgentName, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import One
from bot.approvals.realm import Realm
from bot.policy_at_start import WholePolicy, rule_problems, whole_policy
from bot.policy_file import BadPolicy, parse_policy
from bot.policy_names import Known
from tests.system.agents import Script

OPS, DOCS = AgentName("ops"), AgentName("docs")
HEAD = '[defaults]\napprovers = ["@bob"]\n'
KNOWN = Known(
    people=[
        Person(id=UserId(f"U0{name.upper()}"), name=name, standing=Standing.MEMBER)
        for name in ("alice", "bob", "carol")
    ]
)
BOB, CAROL = One(UserId("U0BOB")), One(UserId("U0CAROL"))
DEFAULTS = Policy(defaults=Defaults(approvers=["@carol"]), rules=[Rule(tools=["drop_table"], danger=True)])


@tool
def delete_file(path: str) -> str:
    """Delete a file."""
    return path


@tool
def delete_page(path: str) -> str:
    """Delete a page."""
    return path


@tool
def ask_user(question: str) -> str:
    """Ask."""
    return question


def built(*tools: Any, **gates: Any) -> BuiltAgent:  # noqa: ANN401 - tools and gates as LangChain has them
    agent = Agent(tools=tools, interrupt_on={"*": True, **gates}, model=Script())
    return build(agent, name="x:y", model=None, checkpointer=InMemorySaver())


AGENTS = {OPS: built(delete_file), DOCS: built(delete_page, ask_user)}


def written(text: str, carried: Mapping[AgentName, object] | None = None) -> WholePolicy:
    file = parse_policy(text, name="approvals.toml")
    return whole_policy(file, carried or {OPS: None, DOCS: None})


def rule(section: str, *tools: str, also: str = "") -> str:
    return f"[[{section}]]\ntools = {[*tools]}\n{also}".replace("'", '"')


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        # Of the file's rules one that only another agent has a tool for is reached all the same.
        (rule("rules", "delete_file") + rule("rules", "delete_*"), []),
        (
            rule("rules", "delete_file", "delete_page") + rule("rules", "delete_*"),
            ["line 5: the rule for delete_* is never reached: rules before it take all of its tools."],
        ),
        (
            rule("agents.ops.rules", "delete_file") + rule("agents.ops.rules", "delete_*"),
            ["line 5: the rule for delete_* is never reached: rules before it take all of its tools."],
        ),
        (rule("agents.docs.rules", "delete_file") + rule("agents.docs.rules", "delete_*"), []),
        (rule("rules", "delete_file", also='edit_to = ["delete_page"]\n'), []),
        (
            rule("agents.ops.rules", "delete_file", also='edit_to = ["delete_page"]\n'),
            ["line 5: `edit_to` names 'delete_page', which is no tool of the agent."],
        ),
        (
            rule("rules", "a", also='edit_to = ["nothing"]\n'),
            ["line 5: `edit_to` names 'nothing', which is no tool of the agent."],
        ),
    ],
)
def test_what_all_agents_share_is_looked_at_with_the_tools_of_all_and_a_section_with_its_own(
    text: str, problems: list[str]
) -> None:
    assert rule_problems(written(HEAD + text), AGENTS) == [f"approvals.toml, {one}" for one in problems]


def test_a_gate_at_odds_with_a_rule_is_told_once_or_for_the_agent_that_has_it() -> None:
    respond = {"ask_user": {"allowed_decisions": ["respond"]}}
    one = {OPS: built(delete_file), DOCS: built(ask_user, **respond)}
    two = {OPS: built(ask_user, **respond), DOCS: built(ask_user, **respond)}
    text = HEAD + rule("rules", "ask_user", also='ask = "never"\n')
    for agents in (one, two):
        [told] = rule_problems(written(text), agents)
        assert told.startswith("approvals.toml, line 5: `ask` is")
    sectioned = HEAD + rule("agents.docs.rules", "ask_user", also='ask = "never"\n')
    [told] = rule_problems(written(sectioned), two)
    assert told.startswith("approvals.toml, line 5: `ask` is")


def test_a_section_goes_before_the_file_and_the_file_before_what_its_agent_carries() -> None:
    text = f"{HEAD}[agents.docs.defaults]\nself_approval = true\n"
    whole = written(text, {OPS: None, DOCS: DEFAULTS})
    assert [len(whole.agents[name].notes) for name in (OPS, DOCS)] == [0, 2]
    assert written(text).agents[DOCS].notes == ()
    policy = whole.resolve(KNOWN)
    docs, ops = policy.of(Realm(agent=DOCS)), policy.of(Realm(agent=OPS))
    assert (docs.defaults.approvers, docs.defaults.self_approval) == ((BOB,), True)
    assert docs.terms("drop_table").danger
    assert not ops.terms("drop_table").danger
    assert not ops.defaults.self_approval


def test_nobody_decides_for_an_agent_that_is_gone_whatever_all_share_and_without_a_file() -> None:
    gone = Realm(agent=AgentName("gone"))
    shared = written(HEAD).resolve(KNOWN).of(gone)
    assert (shared.defaults.approvers, shared.defaults.redact, shared.rules) == ((), ("*",), ())
    carrying = whole_policy(None, {OPS: DEFAULTS, DOCS: DEFAULTS})
    assert carrying.resolve(KNOWN).of(gone) == NOBODY
    assert carrying.resolve(KNOWN).of(Realm(agent=DOCS)).defaults.approvers == (CAROL,)
    # What all share could not be kept by itself, and no agent needs it.
    alone = '[defaults]\napprovers = ["requester"]\n'
    own = "".join(f'[agents.{name}.defaults]\napprovers = ["@bob"]\n' for name in (OPS, DOCS))
    assert written(alone + own).resolve(KNOWN).of(gone) == NOBODY


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            '[defaults]\napprovers = ["@nobody"]\n',
            ["line 2: @nobody is not a full member of this workspace."],
        ),
        (
            '[defaults]\napprovers = ["@nobody"]\n[agents.docs.defaults]\napprovers = ["@bob"]\n',
            ["line 2: @nobody is not a full member of this workspace."],
        ),
        (
            (
                f"{HEAD}{rule('rules', 'a', also='quorum = 2')}\n"
                '[agents.ops.defaults]\napprovers = ["@bob", "@carol"]\n'
            ),
            ["line 5: `quorum`: 2 approvers are wanted, but there is only 1."],
        ),
        (
            (
                f'[defaults]\napprovers = ["@bob", "@carol"]\n{rule("rules", "a", also="quorum = 2")}\n'
                '[agents.ops.defaults]\napprovers = ["@bob"]\n'
            ),
            ["line 5 (for the agent ops): `quorum`: 2 approvers are wanted, but there is only 1."],
        ),
    ],
)
def test_what_is_wrong_for_all_agents_is_said_once_and_what_is_wrong_for_one_names_it(
    text: str, problems: list[str]
) -> None:
    with pytest.raises(BadPolicy) as bad:
        written(text).resolve(KNOWN)
    assert bad.value.problems == [f"approvals.toml, {one}" for one in problems]


def test_what_several_agents_carry_is_told_apart_and_a_section_for_none_is_refused() -> None:
    wrong = Policy(defaults=Defaults(approvers=["@bob"], quorum=99))
    with pytest.raises(BadPolicy) as bad:
        whole_policy(None, {OPS: wrong, DOCS: wrong})
    assert bad.value.problems == [
        f"the policy of the agent {name}: defaults.quorum: `defaults.quorum` is not a number from 1 to 50."
        for name in (OPS, DOCS)
    ]
    with pytest.raises(BadPolicy) as none:
        written(f"{HEAD}[agents.web]\n")
    assert none.value.problems == [
        "approvals.toml, line 3: `agents.web`: there is no agent called web; BOT_AGENT names ops, docs."
    ]
