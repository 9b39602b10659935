"""Terms where rules and functions have their say: which of two keys for the same thing holds."""

from dataclasses import replace

import pytest

from bot.approvals.asking import Asking
from bot.approvals.choosing import Chosen
from bot.approvals.ids import ChannelId, UserId
from bot.approvals.places import InChannel
from bot.approvals.policy import Policy, Rule, Terms, over
from bot.approvals.terms import NOBODY
from bot.approvals.who import ChannelMembers, Members, One, Quorum
from tests.store.samples import action

ANN, BOB, CAROL = (One(UserId(id)) for id in ("U1", "U2", "U3"))
BY_ANN = (Quorum(approvers=(ANN,)),)
PLAIN = Terms(approvers=(BOB,), quorum=2)
IN_GROUPS = Terms(approvers=(), require=BY_ANN)


def asks(*keys: str, **more: object) -> Terms:
    """Terms with a function for these keys."""
    return replace(PLAIN, escalate_to=(UserId("U9"),), by_function=frozenset(keys), **more)  # type: ignore[arg-type]


def test_terms_without_functions_are_those_of_every_call() -> None:
    assert PLAIN.given(None) is PLAIN
    assert PLAIN.given(Chosen(quorum=7)) is PLAIN


@pytest.mark.parametrize(
    ("terms", "chosen", "given"),
    [
        (
            asks("approvers", require=BY_ANN),
            Chosen(approvers=(CAROL,)),
            {"approvers": (CAROL,), "require": ()},
        ),
        (asks("quorum"), Chosen(quorum=3), {"quorum": 3}),
        (asks("quorum", require=BY_ANN), Chosen(quorum=3), {"quorum": 3, "require": BY_ANN}),
        (asks("require"), Chosen(require=BY_ANN), {"require": BY_ANN}),
        (asks("self_approval"), Chosen(self_approval=False), {"self_approval": False}),
        (asks("self_approval"), Chosen(self_approval=True), {"self_approval": True}),
        (asks("ask"), Chosen(ask=Asking.NEVER), {"ask": Asking.NEVER}),
        (
            asks("ask", "approvers"),
            Chosen(ask=Asking.ONCE, approvers=(ANN,)),
            {"ask": Asking.ONCE, "approvers": (ANN,)},
        ),
    ],
)
def test_what_the_functions_said_of_a_call_stands_in_place_of_the_functions(
    terms: Terms, chosen: Chosen, given: dict[str, object]
) -> None:
    assert terms.given(chosen) == replace(terms, **given, by_function=frozenset())  # type: ignore[arg-type]
    assert terms.given(chosen).quorums != NOBODY


@pytest.mark.parametrize(
    "chosen",
    [
        None,
        Chosen(),
        Chosen(problem="it failed"),
        Chosen(ask=Asking.ONCE),
        Chosen(approvers=(ANN,), quorum=1),
    ],
)
def test_where_functions_that_say_who_decides_said_something_else_nobody_does_and_nobody_is_called(
    chosen: Chosen | None,
) -> None:
    terms = asks("approvers").given(chosen)
    assert (terms.quorums, terms.escalate_to, terms.by_function) == (NOBODY, (), frozenset({"approvers"}))
    assert terms == replace(asks("approvers"), escalate_to=())


def test_a_function_for_asking_alone_takes_nobody_the_right_to_decide() -> None:
    assert asks("ask").given(None) == asks("ask")
    assert asks("ask").given(None).who == (BOB,)
    assert asks("ask").given(None).escalate_to == (UserId("U9"),)


def test_a_call_has_the_terms_of_its_tool_with_what_functions_said_of_it() -> None:
    policy = Policy(defaults=PLAIN, rules=(Rule(tools=("pay",), by_function=frozenset({"approvers"})),))
    asked = replace(action("a1", tool="pay"), chosen=Chosen(approvers=(CAROL,)))
    assert policy.terms_of(asked).who == (CAROL,)
    assert policy.terms_of(replace(asked, chosen=None)).quorums == NOBODY
    assert policy.terms_of(replace(asked, tool="look")) == PLAIN


@pytest.mark.parametrize("asking", Asking)
def test_a_policy_remembers_where_any_rule_does(asking: Asking) -> None:
    wanted = asking in {Asking.ONCE, Asking.ONCE_PER_TOOL}
    assert Policy(defaults=replace(PLAIN, ask=asking)).remembers is wanted
    assert Policy(defaults=PLAIN, rules=(Rule(tools=("x",), ask=asking),)).remembers is wanted


# A rule over the defaults.


@pytest.mark.parametrize(
    ("defaults", "rule", "wanted"),
    [
        (PLAIN, Rule(tools=("x",), require=BY_ANN), Terms(approvers=(), quorum=1, require=BY_ANN)),
        (IN_GROUPS, Rule(tools=("x",), approvers=(BOB,)), Terms(approvers=(BOB,))),
        (IN_GROUPS, Rule(tools=("x",), quorum=1), IN_GROUPS),
        (PLAIN, Rule(tools=("x",), approvers=(ANN,)), Terms(approvers=(ANN,), quorum=2)),
        (PLAIN, Rule(tools=("x",), danger=True, fresh=False), replace(PLAIN, danger=True)),
        # A function for either key stands for it as well.
        (
            IN_GROUPS,
            Rule(tools=("x",), by_function=frozenset({"approvers"})),
            Terms(approvers=(), by_function=frozenset({"approvers"})),
        ),
        (
            PLAIN,
            Rule(tools=("x",), by_function=frozenset({"require"})),
            Terms(approvers=(), quorum=1, by_function=frozenset({"require"})),
        ),
        # What the rule says takes the place of a function of the defaults, and of no other.
        (
            asks("approvers", "quorum", "ask"),
            Rule(tools=("x",), require=BY_ANN),
            replace(asks("ask"), approvers=(), quorum=1, require=BY_ANN),
        ),
        (
            asks("require", "self_approval"),
            Rule(tools=("x",), approvers=(ANN,)),
            asks("self_approval", approvers=(ANN,)),
        ),
        (
            asks("require"),
            Rule(tools=("x",), require=BY_ANN),
            replace(asks(), approvers=(), quorum=1, require=BY_ANN),
        ),
        (asks("approvers"), Rule(tools=("x",), approvers=(ANN,)), asks(approvers=(ANN,))),
        (asks("approvers", "ask"), Rule(tools=("x",), ask=Asking.ONCE), asks("approvers", ask=Asking.ONCE)),
        (
            asks("approvers"),
            Rule(tools=("x",), by_function=frozenset({"quorum"})),
            asks("approvers", "quorum"),
        ),
        # Until its function has said something else, the stricter holds.
        (
            replace(PLAIN, ask=Asking.NEVER, self_approval=True),
            Rule(tools=("x",), by_function=frozenset({"ask", "self_approval"})),
            replace(PLAIN, by_function=frozenset({"ask", "self_approval"})),
        ),
    ],
)
def test_a_rule_goes_key_by_key_over_the_defaults_and_of_two_keys_for_one_thing_its_own_holds(
    defaults: Terms, rule: Rule, wanted: Terms
) -> None:
    assert over(defaults, rule) == wanted


def test_in_a_channel_of_its_own_its_members_are_meant_and_others_stay_who_they_are() -> None:
    terms = Terms(
        approvers=(ChannelMembers(), ANN, Members()), channel=InChannel(ChannelId("C7"), "#ops"), quorum=2
    )
    ((members, *others),) = (quorum.approvers for quorum in terms.quorums)
    assert (members, members.name, others) == (ChannelMembers(), "#ops", [ANN, Members()])  # type: ignore[union-attr]
    assert terms.quorums[0].count == 2
    unnamed = replace(terms, channel=InChannel(ChannelId("C7")))
    assert unnamed.quorums[0].approvers[0].name == "C7"  # type: ignore[union-attr]


def test_a_fingerprint_is_the_same_in_every_version_and_tells_who_decides_and_nothing_else() -> None:
    """It stands in rows: with another one, people are asked again about all that they approved."""
    assert PLAIN.fingerprint == "39a4efd09262f59a"
    assert Terms(approvers=(), require=BY_ANN, self_approval=True).fingerprint == "e56008f59aa9c0ca"
    assert replace(PLAIN, ask=Asking.ONCE, danger=True, escalate_to=(UserId("U9"),)).fingerprint == (
        PLAIN.fingerprint
    )
