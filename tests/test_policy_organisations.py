"""Names in the policy of a bot that is in several workspaces of an organisation: each may have the same."""

import pytest

from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Group
from bot.approvals.places import InChannel, Room
from bot.approvals.policy import MembersOf, UserGroup
from bot.policy_names import Known, meaning, place_meant

KNOWN = Known(
    groups=[
        Group(id=GroupId("S0ONEDBA"), handle="dba", members=frozenset({UserId("U0BOB")})),
        Group(id=GroupId("S0OTHERDBA"), handle="dba", members=frozenset({UserId("U0BOBX")})),
        Group(id=GroupId("S0ONLYOPS"), handle="ops", members=frozenset({UserId("U0BOBX")})),
    ],
    rooms=[
        Room(id=ChannelId("C0ONE"), name="general"),
        Room(id=ChannelId("C0OTHER"), name="general"),
        Room(id=ChannelId("C0OPS"), name="ops"),
    ],
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        (
            "@@dba",
            "@@dba is the name of 2 user groups, in different workspaces; write the id (S…) instead.",
        ),
        ("S0OTHERDBA", UserGroup(GroupId("S0OTHERDBA"), "dba")),
        ("@@ops", UserGroup(GroupId("S0ONLYOPS"), "ops")),
        (
            "#general",
            "#general is the name of 2 channels, in different workspaces; write the id (C…) instead.",
        ),
        ("C0OTHER", MembersOf(ChannelId("C0OTHER"), "#general")),
        ("#ops", MembersOf(ChannelId("C0OPS"), "#ops")),
    ],
)
def test_a_name_that_two_workspaces_have_means_neither_and_an_id_its_own(name: str, meant: object) -> None:
    assert meaning(name, KNOWN) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        (
            "#general",
            "#general is the name of 2 channels, in different workspaces; write the id (C…) instead.",
        ),
        ("C0ONE", InChannel(ChannelId("C0ONE"))),
        ("#ops", InChannel(ChannelId("C0OPS"))),
    ],
)
def test_no_card_is_sent_to_either_of_two_channels_of_a_name(name: str, meant: object) -> None:
    assert place_meant(name, KNOWN) == meant
