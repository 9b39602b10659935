"""`[agents.NAME]` in approvals.toml: what an agent's section says, and what is wrong in one."""

from typing import Any

import pytest

from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import Members, One, Policy
from bot.policy_file import BadPolicy, PolicyFile, parse_policy
from bot.policy_names import Known
from bot.toml_lines import place

FILE = """\
requesters = ["members"]
operators = ["@bob"]
open_cards = 3

[defaults]
approvers = ["@bob"]
expires_after = "2h"
redact = ["*key*"]

[[rules]]
tools = ["delete_*"]
approvers = ["@carol"]
danger = true

[agents.docs]
requesters = ["@alice"]

[agents.docs.defaults]
approvers = ["@carol"]
redact = ["path"]

[[agents.docs.rules]]
tools = ["delete_page"]
quorum = 2
approvers = ["@bob", "@carol"]

[[agents.docs.rules]]
tools = ["read_*"]
ask = "never"

[agents.ops]
"""
KNOWN = Known(
    people=[
        Person(id=UserId(f"U0{name.upper()}"), name=name, standing=Standing.MEMBER)
        for name in ("alice", "bob", "carol")
    ]
)
ALICE, BOB, CAROL = (One(UserId(f"U0{name}")) for name in ("ALICE", "BOB", "CAROL"))


def read(text: str = FILE) -> PolicyFile:
    return parse_policy(text, name="approvals.toml")


def of(name: str) -> Policy:
    return read().of_agent(name).resolve(KNOWN)


@pytest.mark.parametrize(
    ("agent", "tool", "key", "value"),
    [
        ("docs", "write_page", "approvers", (CAROL,)),  # its defaults
        ("docs", "write_page", "expires_after.seconds", 7200),  # the file's defaults
        ("docs", "delete_page", "approvers", (BOB, CAROL)),  # its rule, before the file's
        ("docs", "delete_page", "quorum", 2),
        ("docs", "delete_page", "danger", False),  # the first rule that fits counts, and no other
        ("docs", "delete_page", "redact", ("path",)),
        ("docs", "delete_user", "approvers", (CAROL,)),  # the file's rule
        ("docs", "delete_user", "danger", True),
        ("docs", "delete_user", "redact", ("path",)),  # over its defaults
        ("docs", "read_page", "ask", "never"),
        ("ops", "write_page", "approvers", (BOB,)),
        ("ops", "delete_page", "approvers", (CAROL,)),
        ("ops", "delete_page", "quorum", 1),
        ("ops", "delete_page", "redact", ("*key*",)),
        ("ops", "read_page", "ask", "always"),
        ("other", "delete_page", "approvers", (CAROL,)),
    ],
)
def test_a_section_goes_before_the_rest_of_the_file_key_by_key(
    agent: str, tool: str, key: str, value: object
) -> None:
    found: Any = of(agent).terms(tool)
    for part in key.split("."):
        found = getattr(found, part)
    assert found == value


def test_requesters_are_an_agents_own_and_the_rest_is_the_same_for_all() -> None:
    assert of("docs").requesters == (ALICE,)
    assert of("ops").requesters == of("other").requesters == (Members(),)
    for name in ("docs", "ops", "other"):
        assert (of(name).operators, of(name).open_cards) == ((BOB,), 3)


def test_the_names_of_a_section_are_looked_up_for_its_agent_alone() -> None:
    text = '[defaults]\napprovers = ["@bob"]\n[agents.docs.defaults]\napprovers = ["@carol", "@@docs"]\n'
    assert read(text).of_agent("docs").names() == {"@carol", "@@docs"}
    assert read(text).of_agent("ops").names() == {"@bob"}


def test_what_masks_and_who_approves_is_said_by_agent() -> None:
    docs, ops = read().of_agent("docs"), read().of_agent("ops")
    assert [one.redact("delete_user") for one in (docs, ops)] == [("path",), ("*key*",)]
    assert [one.approvers("write_page") for one in (docs, ops)] == [["@carol"], ["@bob"]]
    assert docs.patterns() == ["delete_page", "read_*", "delete_*"]


HEAD = '[defaults]\napprovers = ["@bob"]\n'


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        (
            "[agents.docs]\nopen_cards = 2\n",
            "line 4: `agents.docs.open_cards` is not a key of the policy file.",
        ),
        (
            "[agents.docs.defaults]\nfoo = 2\n",
            "line 4: `agents.docs.defaults.foo` is not a key of the policy file.",
        ),
        (
            '[[agents.docs.rules]]\ntools = ["a"]\n[[agents.docs.rules]]\nquorum = 2\n',
            "line 5: `agents.docs.rules.tools` is required: nobody approves by default.",
        ),
        (
            "[agents.docs.defaults]\nquorum = 99\n",
            "line 4: `agents.docs.defaults.quorum` is not a number from 1 to 50.",
        ),
        (
            "[agents.docs]\nrequesters = []\n",
            "line 4: `agents.docs.requesters` must not be empty.",
        ),
        (
            '[agents.docs.defaults]\napprovers = ["@bob"]\nrequire = [{ approvers = ["@bob"] }]\n',
            "line 5: `defaults.require` stands in place of `approvers`; keep one of them.",
        ),
        (
            '[[agents.docs.rules]]\ntools = ["a*"]\n[[agents.docs.rules]]\ntools = ["ab"]\n',
            "line 5: the rule for ab is never reached: rules before it take all of its tools.",
        ),
        (
            (
                '[[rules]]\ntools = ["a"]\nquorum = 2\n'
                '[agents.docs.defaults]\nrequire = [{ approvers = ["@bob"] }]\n'
            ),
            (
                "line 5 (for the agent docs): `rules.quorum` goes with `approvers`, and the defaults have "
                "`require` instead."
            ),
        ),
    ],
)
def test_what_is_wrong_in_a_section_is_said_with_its_line(section: str, sentence: str) -> None:
    with pytest.raises(BadPolicy) as bad:
        read(HEAD + section)
    assert bad.value.problems == [f"approvals.toml, {sentence}"]


def test_that_a_section_goes_before_the_same_rule_of_the_file_is_no_mistake() -> None:
    rule = 'tools = ["delete_*"]\napprovers = ["@carol"]\n'
    read(f"{HEAD}[[rules]]\n{rule}[[agents.docs.rules]]\n{rule}")


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        (
            '[agents.docs.defaults]\napprovers = ["@nobody"]\n',
            "line 4: @nobody is not a full member of this workspace.",
        ),
        (
            '[agents.docs]\nrequesters = ["@nobody"]\n',
            "line 4: @nobody is not a full member of this workspace.",
        ),
        (
            '[[agents.docs.rules]]\ntools = ["a"]\nescalate_to = ["@nobody"]\nescalate_after = "1h"\n',
            "line 5: @nobody is not a full member of this workspace.",
        ),
        (
            "[agents.docs.defaults]\nquorum = 2\n",
            "line 4: `quorum`: 2 approvers are wanted, but there is only 1.",
        ),
        (
            '[[agents.docs.rules]]\ntools = ["a"]\nquorum = 2\n',
            "line 5: `quorum`: 2 approvers are wanted, but there is only 1.",
        ),
        (
            '[agents.docs]\nrequesters = ["@bob"]\n',
            "line 2 (for the agent docs): `approvers`: nobody could ever decide besides whoever asks.",
        ),
        (
            '[agents.docs.defaults]\nremind_after = ["25h"]\n',
            "line 4: `remind_after` is not before `expires_after`, so it would never happen.",
        ),
    ],
)
def test_what_can_never_be_kept_is_said_with_the_line_that_says_it(section: str, sentence: str) -> None:
    with pytest.raises(BadPolicy) as bad:
        read(HEAD + section).of_agent("docs").resolve(KNOWN)
    assert bad.value.problems == [f"approvals.toml, {sentence}"]


NO_DOCS = "approvals.toml, line 15: `agents.docs`: there is no agent called docs"
NO_NAMES = "BOT_AGENT names no agent, so a section for one is never kept; write BOT_AGENT="


@pytest.mark.parametrize(
    ("names", "sentences"),
    [
        (["docs", "ops", "web"], []),
        (["dosc", "ops"], [f"{NO_DOCS} (did you mean dosc?); BOT_AGENT names dosc, ops."]),
        (["ops"], [f"{NO_DOCS}; BOT_AGENT names ops."]),
        (
            [""],
            [
                f"approvals.toml, line {line}: `agents.{name}`: {NO_NAMES}{name}=package.module:attribute."
                for line, name in ((15, "docs"), (31, "ops"))
            ],
        ),
    ],
)
def test_a_section_for_an_agent_that_is_not_there_is_refused(names: list[str], sentences: list[str]) -> None:
    assert read().unknown_agents(names) == sentences


def test_a_place_in_a_table_that_has_no_line_of_its_own_is_its_first_inner_one() -> None:
    text = '[defaults]\n\n[ agents . "docs" . defaults ]\nquorum = 1\n[[agents.docs.rules]]\ntools = []\n'
    assert place(text, ("agents", "docs")) == ", line 3"
    assert place(text, ("agents", "docs", "defaults", "quorum")) == ", line 4"
    assert place(text, ("agents", "docs", "rules", 0, "tools")) == ", line 6"
    assert place(text, ("agents", "ops")) == ""
