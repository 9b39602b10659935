"""Who sees all that waits, as the policy file names them."""

import pytest

from bot.approvals.ids import GroupId, UserId
from bot.approvals.person import Group, Person, Standing
from bot.approvals.policy import is_operator
from bot.policy_file import BadPolicy, parse_policy
from bot.policy_names import Known

DEFAULTS = '[defaults]\napprovers = ["channel"]\n'


def _member(name: str) -> Person:
    return Person(id=UserId(f"U0{name}"), standing=Standing.MEMBER, name=name)


def test_operators_are_people_and_user_groups_and_none_where_none_are_named() -> None:
    carol, bob = (_member(name) for name in ("CAROL", "BOB"))
    ops = Group(id=GroupId("S0OPSTEAM"), handle="ops", members=frozenset({"U0BOB"}))
    known = Known(people=[carol, bob], groups=[ops])
    file = parse_policy(f'operators = ["@CAROL", "@@ops"]\n{DEFAULTS}', name="approvals.toml")
    assert {"@CAROL", "@@ops"} <= file.names()
    policy = file.resolve(known)
    assert is_operator(policy, carol, frozenset())
    assert not is_operator(policy, bob, frozenset())
    assert is_operator(policy, bob, frozenset({ops.id}))
    guest = Person(id=UserId("U0CAROL"), standing=Standing.GUEST)
    assert not is_operator(policy, guest, frozenset())
    nobody = parse_policy(DEFAULTS, name="approvals.toml").resolve()
    assert not is_operator(nobody, carol, frozenset())


def test_an_operator_who_is_neither_is_refused_by_its_line() -> None:
    file = parse_policy(f'operators = ["channel"]\n{DEFAULTS}', name="approvals.toml")
    with pytest.raises(BadPolicy, match="line 1: operators are people by @name or user id") as refused:
        file.resolve()
    assert len(refused.value.problems) == 1
