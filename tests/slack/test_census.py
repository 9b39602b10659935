"""Everybody and everything of an organisation: of each workspace that was added, and each once."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import UserId
from bot.approvals.person import Standing
from bot.sandbox import Sandbox, grants
from bot.sandbox.options import Team
from bot.sandbox.records import TeamId
from bot.slack.app import identity
from bot.slack.census import Census, Whose, person_of

OF_ALL = Whose(team="E0GRID", enterprise="E0GRID", is_org_wide=True)
ONE = Team(enterprise_id="E0GRID")
OTHER = Team(id=TeamId("T0OTHER"), name="Other", enterprise_id="E0GRID", mark="X")
AWAY = Team(id=TeamId("T0AWAY"), name="Away", enterprise_id="E0GRID", mark="Y")


@dataclass(frozen=True, kw_only=True)
class Grid:
    one: Sandbox
    other: Sandbox
    client: AsyncWebClient


@pytest.fixture
async def grid() -> AsyncIterator[Grid]:
    """Three workspaces of an organisation, two of which have the app."""
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(Sandbox(team=ONE, is_installed=False))
        other, _ = [
            await stack.enter_async_context(Sandbox(beside=one, team=team, is_installed=False))
            for team in (OTHER, AWAY)
        ]
        token = grants.new(one.core, (ONE.id, OTHER.id)).id
        yield Grid(one=one, other=other, client=AsyncWebClient(token=token, base_url=one.api_url))


async def test_people_are_of_every_workspace_and_a_guest_in_one_is_not_a_member_by_another(
    grid: Grid,
) -> None:
    bob = grid.one.account("Bob")
    await grid.other.add_person(replace(bob, is_restricted=True))
    await grid.other.add_person(grid.one.account("Carol"))
    found = [*await Census(client=grid.client, whose=OF_ALL).people()]
    standing = {person.id: person.standing for person in found}
    assert len(found) == len(standing) == 11, "each once"
    assert [id for id, each in sorted(standing.items()) if each is Standing.MEMBER] == [
        "U0ALICE",
        "U0ALICEX",
        "U0BOBX",
        "U0CAROL",
        "U0CAROLX",
    ]
    assert standing[UserId("U0BOB")] is Standing.GUEST


async def test_channels_and_user_groups_are_of_every_workspace(grid: Grid) -> None:
    census = Census(client=grid.client, whose=OF_ALL)
    assert [room.id for room in await census.rooms({"general"})] == ["C0GENERAL", "C0GENERALX"]
    await grid.other.change(grid.one.channel("#random"))
    assert [room.id for room in await census.rooms({"random"})] == ["C0RANDOM", "C0RANDOMX"]
    assert [(group.id, *group.members) for group in await census.groups()] == [
        ("S0DBAONCALL", "U0CAROL"),
        ("S0DBAONCALLX", "U0CAROLX"),
    ]


async def test_all_workspaces_are_found_however_many_pages_they_are_on(grid: Grid) -> None:
    [grant] = grants.of_organisation(grid.one.core)
    many = tuple(TeamId(f"T0{number:03}") for number in range(250))
    grid.one.core.workspace.put(replace(grant, teams=many))
    assert [*await Census(client=grid.client, whose=OF_ALL).workspaces()] == [*many]
    assert len(grid.one.calls("auth.teams.list")) == 3


async def test_who_we_are_in_an_organisation_is_the_organisation(grid: Grid) -> None:
    who = await identity(grid.client)
    assert (who.team, who.enterprise, who.is_org_wide, who.app) == ("E0GRID", "E0GRID", True, "A0AGENT")
    assert who.whose == OF_ALL


@pytest.mark.parametrize(
    ("user", "standing"),
    [
        ({"team_id": "T0ONE", "enterprise_user": {"enterprise_id": "E0GRID"}}, Standing.MEMBER),
        ({"enterprise_user": {"enterprise_id": "E0GRID"}}, Standing.MEMBER),
        ({"team_id": "T0ONE", "enterprise_user": {"enterprise_id": "E0OTHER"}}, Standing.OUTSIDER),
        ({"team_id": "T0ONE"}, Standing.OUTSIDER),
        ({}, Standing.OUTSIDER),
        (
            {"enterprise_user": {"enterprise_id": "E0GRID"}, "is_stranger": True},
            Standing.OUTSIDER,
        ),
        ({"enterprise_user": {"enterprise_id": "E0GRID"}, "is_restricted": True}, Standing.GUEST),
        ({"enterprise_user": {"enterprise_id": "E0GRID"}, "is_ultra_restricted": True}, Standing.GUEST),
        ({"enterprise_user": {"enterprise_id": "E0GRID"}, "is_bot": True}, Standing.BOT),
        ({"enterprise_user": {"enterprise_id": "E0GRID"}, "deleted": True}, Standing.DEACTIVATED),
    ],
)
def test_who_takes_part_is_of_the_organisation_whatever_the_workspace(
    user: dict[str, Any], standing: Standing
) -> None:
    assert person_of({"id": "U0X", **user}, OF_ALL).standing is standing


def test_nobody_is_of_a_place_without_a_name() -> None:
    assert person_of({"id": "U0X", "team_id": ""}, Whose(team="")).standing is Standing.OUTSIDER


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("users.list", {}, "missing_argument"),
        ("conversations.list", {}, "missing_argument"),
        ("usergroups.list", {}, "missing_argument"),
        ("users.conversations", {}, "missing_argument"),
        ("bots.info", {"bot": "B0AGENT"}, "missing_argument"),
        ("users.list", {"team_id": "T0NEVER"}, "team_not_found"),
        ("users.list", {"team_id": "T0AWAY"}, "team_access_not_granted"),
        ("conversations.info", {"channel": "C0GENERALY"}, "team_access_not_granted"),
        ("chat.postMessage", {"channel": "U0BOBY", "text": "x"}, "team_access_not_granted"),
        ("users.info", {"user": "U0BOBY"}, "team_access_not_granted"),
    ],
)
async def test_slack_refuses_an_organisations_token_what_it_does_not_reach(
    grid: Grid, method: str, arguments: dict[str, str], error: str
) -> None:
    with pytest.raises(SlackApiError) as refused:
        await grid.client.api_call(method, data=arguments)
    assert refused.value.response["error"] == error
