"""The policy that an agent carries: read like a file, its mistakes told by their place, put below a file."""

from datetime import timedelta
from typing import Any

import pytest

from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import Members, One, Quorum, Requester
from bot.policy_file import A_FUNCTION, BadPolicy, PolicyFile, parse_policy
from bot.policy_names import Known
from bot.policy_of_agent import GOES_FIRST, notes, policy_of, put_together
from bot.policy_python import Defaults, Group, Policy, Rule

ANN, BOB = (
    Person(id=UserId(f"U0{name.upper()}"), standing=Standing.MEMBER, name=name) for name in ("ann", "bob")
)
KNOWN = Known(people=[ANN, BOB])
ALL = Defaults(approvers=["members"])


def who(request: object) -> list[str]:  # noqa: ARG001 - as the bot calls it
    return ["@bob"]


def test_a_policy_in_python_is_the_same_as_its_file() -> None:
    text = """
        requesters = ["@ann", "members"]
        [defaults]
        approvers = ["members", "@bob"]
        quorum = 2
        expires_after = "90s"
        remind_after = ["15s", "1m"]
        channel = "dm:approvers"
        reasons = ["Too late"]
        [[rules]]
        tools = ["pay", "refund_*"]
        require = [{ approvers = ["@ann"] }, { approvers = ["@bob", "members"], quorum = 2 }]
        self_approval = true
        channel = "thread"
        danger = true
        all_at_once = false
        fresh = true
        ask = "once"
        redact = ["iban"]
        edit_to = ["refund"]
        shared_channels = false
        escalate_to = ["@ann"]
        escalate_after = "80s"
    """.replace('"members", "@bob"]', '"@bob", "@ann"]')
    policy = Policy(
        requesters=("@ann", "members"),
        defaults=Defaults(
            approvers=("@bob", "@ann"),
            quorum=2,
            expires_after=timedelta(seconds=90),
            remind_after=("15s", timedelta(minutes=1)),
            channel="dm:approvers",
            reasons=("Too late",),
        ),
        rules=(
            Rule(
                tools=("pay", "refund_*"),
                require=(Group(approvers=("@ann",)), Group(approvers=("@bob", "members"), quorum=2)),
                self_approval=True,
                channel="thread",
                danger=True,
                all_at_once=False,
                fresh=True,
                ask="once",
                redact=("iban",),
                edit_to=("refund",),
                shared_channels=False,
                escalate_to=("@ann",),
                escalate_after="80s",
            ),
        ),
    )
    of_file = parse_policy(text, name="approvals.toml")
    of_agent = policy_of(policy)
    assert of_agent.name == "the policy of the agent"
    assert of_agent.content == of_file.content
    assert of_agent.resolve(KNOWN) == of_file.resolve(KNOWN)
    assert (of_agent.parts, notes(of_agent)) == ((), [])


def test_without_requesters_and_rules_all_members_may_ask_and_the_defaults_hold() -> None:
    policy = policy_of(Policy(defaults=ALL)).resolve()
    assert (policy.requesters, policy.rules, policy.defaults.approvers) == ((Members(),), (), (Members(),))


def test_functions_stand_for_values() -> None:
    policy = policy_of(
        Policy(
            defaults=Defaults(approvers=who, quorum=lambda _: 1, self_approval=lambda _: True),
            rules=[Rule(tools=["pay"], require=[Group(approvers=["@bob"], quorum=lambda _: 2)])],
        )
    )
    assert policy.resolve(KNOWN).defaults.by_function == {"approvers", "quorum", "self_approval"}
    assert policy.resolve(KNOWN).terms("pay").by_function == {"require", "self_approval"}
    assert policy.approvers("other") == [A_FUNCTION]
    assert policy.approvers("pay") == ["@bob"]


OF = "the policy of the agent"


@pytest.mark.parametrize(
    ("policy", "problems"),
    [
        (
            {"defaults": ALL},
            ["The `policy` of the agent must be a Policy (from bot import Policy), not dict."],
        ),
        (
            None,
            ["The `policy` of the agent must be a Policy (from bot import Policy), not NoneType."],
        ),
        (
            Policy(defaults=Defaults()),
            [f"{OF}: defaults.approvers: `defaults.approvers` is required: nobody approves by default."],
        ),
        (
            Policy(defaults=Defaults(approvers=[])),
            [f"{OF}: defaults.approvers: `defaults.approvers` must not be empty."],
        ),
        (
            Policy(defaults=ALL, rules=[Rule(tools=["a"]), Rule(tools=["b"], quorum=51)]),
            [f"{OF}: rules[1].quorum: `rules.quorum` is not a number from 1 to 50."],
        ),
        (
            Policy(defaults=ALL, rules=[Rule(tools=["a"], require=[Group(approvers=["@bob"], quorum=0)])]),
            [f"{OF}: rules[0].require[0].quorum: `rules.require.quorum` is not a number from 1 to 50."],
        ),
        (
            Policy(defaults=Defaults(approvers="members")),
            [f"{OF}: defaults.approvers: `defaults.approvers` is not a list."],
        ),
        (
            Policy(defaults=Defaults(approvers=b"members")),  # type: ignore[arg-type]
            [f"{OF}: defaults.approvers: `defaults.approvers` is not a list."],
        ),
        (
            Policy(defaults=ALL, requesters=[]),
            [f"{OF}: requesters: `requesters` must not be empty."],
        ),
        (
            Policy(defaults=ALL, rules=[Rule(tools=["a*"]), Rule(tools=["ab"])]),
            [f"{OF}: rules[1]: the rule for ab is never reached: rules before it take all of its tools."],
        ),
    ],
)
def test_every_mistake_is_refused_by_its_place(policy: object, problems: list[str]) -> None:
    with pytest.raises(BadPolicy) as refused:
        policy_of(policy)
    assert refused.value.problems == problems


def test_what_is_none_of_our_classes_is_refused() -> None:
    odd: Any = {"approvers": ["members"], "quorm": 2}
    with pytest.raises(BadPolicy) as refused:
        policy_of(Policy(defaults=odd))
    assert refused.value.problems == [
        f"{OF}: defaults.quorm: `defaults.quorm` is not a key of the policy file."
    ]


# Together with a file.


def together(text: str, agents: Policy) -> PolicyFile:
    return put_together(parse_policy(text, name="approvals.toml"), policy_of(agents))


def test_the_file_goes_first_rule_by_rule_and_key_by_key() -> None:
    file = """
        [defaults]
        approvers = ["@ann"]
        expires_after = "1h"
        [[rules]]
        tools = ["pay"]
        approvers = ["@bob"]
    """
    agents = Policy(
        requesters=["@bob"],
        defaults=Defaults(approvers=["members"], quorum=1, self_approval=True, expires_after="2h"),
        rules=[Rule(tools=["pay", "look"], approvers=["requester"], danger=True)],
    )
    both = together(file, agents)
    assert both.name == "approvals.toml and the policy of the agent"
    assert [part.name for part in both.parts] == ["approvals.toml", "the policy of the agent"]
    policy = both.resolve(KNOWN)
    assert policy.requesters == (One(BOB.id),)
    approvers = {tool: policy.terms(tool).approvers for tool in ("pay", "look", "other")}
    assert approvers == {"pay": (One(BOB.id),), "look": (Requester(),), "other": (One(ANN.id),)}
    assert [policy.terms(tool).danger for tool in ("pay", "look")] == [False, True]
    assert {policy.terms(tool).expires_after for tool in ("pay", "look")} == {timedelta(hours=1)}
    assert policy.defaults.self_approval
    assert notes(both) == [
        GOES_FIRST.format(file="approvals.toml", agent=OF),
        "the policy of the agent: defaults.approvers is not used, for approvals.toml says it.",
        "the policy of the agent: defaults.expires_after is not used, for approvals.toml says it.",
    ]


def test_the_files_requesters_hold_if_it_names_any() -> None:
    file = 'requesters = ["@ann"]\n[defaults]\napprovers = ["@bob"]\n'
    assert together(file, Policy(defaults=ALL, requesters=["@bob"])).resolve(KNOWN).requesters == (
        One(ANN.id),
    )


@pytest.mark.parametrize(
    ("defaults", "agents", "quorums"),
    [
        (
            'require = [{ approvers = ["@ann"] }]',
            Defaults(approvers=["@bob"], quorum=1),
            (Quorum(approvers=(One(ANN.id),)),),
        ),
        (
            'approvers = ["@ann"]',
            Defaults(require=[Group(approvers=["@bob"])]),
            (Quorum(approvers=(One(ANN.id),)),),
        ),
        (
            'approvers = ["@ann", "@bob"]',
            Defaults(approvers=["members"], quorum=2),
            (Quorum(approvers=(One(ANN.id), One(BOB.id)), count=2),),
        ),
    ],
)
def test_of_two_keys_for_who_decides_the_files_holds(
    defaults: str, agents: Defaults, quorums: tuple[Quorum, ...]
) -> None:
    both = together(f"[defaults]\n{defaults}\n", Policy(defaults=agents))
    assert both.resolve(KNOWN).defaults.quorums == quorums


@pytest.mark.parametrize(
    ("file", "agents", "problem"),
    [
        # Of the agent's rules, which stand behind the file's one.
        (
            "",
            Policy(defaults=ALL, rules=[Rule(tools=["look"]), Rule(tools=["wipe"], approvers=["@gone"])]),
            f"{OF}: rules[1].approvers: @gone is not a full member of this workspace.",
        ),
        (
            'approvers = ["@gone"]',
            Policy(defaults=ALL, rules=[Rule(tools=["look"])]),
            "approvals.toml, line 5: @gone is not a full member of this workspace.",
        ),
        # Of defaults that only the agent says, and that only the file says.
        (
            "",
            Policy(defaults=Defaults(approvers=["members"], escalate_to=["@gone"], escalate_after="1m")),
            f"{OF}: defaults.escalate_to: @gone is not a full member of this workspace.",
        ),
        (
            "",
            Policy(defaults=ALL, requesters=["@gone"]),
            f"{OF}: requesters: @gone is not a full member of this workspace.",
        ),
    ],
)
def test_a_mistake_is_told_by_its_place_in_the_one_of_the_two_that_has_it(
    file: str, agents: Policy, problem: str
) -> None:
    text = f'[defaults]\napprovers = ["@ann"]\n[[rules]]\ntools = ["pay"]\n{file}\n'
    with pytest.raises(BadPolicy) as refused:
        together(text, agents).resolve(KNOWN)
    assert refused.value.problems == [problem]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[defaults]\napprovers = ["@gone"]\n', 2),
        ('requesters = ["@gone"]\n[defaults]\napprovers = ["@ann"]\n', 1),
    ],
)
def test_a_mistake_in_what_both_say_is_the_files(text: str, line: int) -> None:
    agents = Policy(defaults=Defaults(approvers=["@bob"]), requesters=["@bob"])
    with pytest.raises(BadPolicy) as refused:
        together(text, agents).resolve(KNOWN)
    assert refused.value.problems == [
        f"approvals.toml, line {line}: @gone is not a full member of this workspace."
    ]


def test_that_one_of_the_two_goes_before_the_other_is_no_mistake_but_within_each_it_is() -> None:
    file = '[defaults]\napprovers = ["@ann"]\n[[rules]]\ntools = ["a?"]\n'
    agents = Policy(defaults=ALL, rules=[Rule(tools=["a?"]), Rule(tools=["x"]), Rule(tools=["a*"])])
    both = together(file, agents)
    assert both.never_reached(None) == []
    assert both.never_reached(["ab", "x"]) == [
        f"{OF}: rules[2]: the rule for a* is never reached: rules before it take all of its tools."
    ]
    assert both.patterns() == ["a?", "a?", "x", "a*"]


def test_what_does_not_go_together_is_refused() -> None:
    file = '[defaults]\nrequire = [{ approvers = ["@ann"] }]\n'
    agents = Policy(defaults=ALL, rules=[Rule(tools=["a"], quorum=2)])
    with pytest.raises(BadPolicy) as refused:
        together(file, agents)
    why = "`rules.quorum` goes with `approvers`, and the defaults have `require` instead."
    assert refused.value.problems == [f"{OF}: rules[0].quorum: {why}"]
