"""One installation for all of an organisation: one bot for its workspaces, and for nobody else."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.sandbox import Acked, Person, buttons, text_of
from bot.sandbox.records import UserId
from bot.settings import Mode
from bot.slack import refusals
from bot.workspaces.install import FOR_ALL, FOR_ALL_NOT_YET, INSTALLED
from bot.workspaces.router import NOT_INSTALLED
from tests.postgres import a_database
from tests.system.agents import RUNS
from tests.system.offices import TRANSFER, Office, Offices, two_offices
from tests.workspaces.front import GRID

NAMED = '[defaults]\napprovers = ["U0BOBX"]\n'
DIRECT = f'{NAMED}channel = "dm:approvers"\n'


@pytest.fixture
async def grid(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Offices]:
    """Both workspaces of an organisation have it, by one installation."""
    async with AsyncExitStack() as stack:
        kind = getattr(request, "param", "socket")
        database = await stack.enter_async_context(a_database()) if kind == "postgres" else None
        mode = Mode.HTTP if kind == "http" else Mode.SOCKET
        grid = await stack.enter_async_context(
            two_offices(tmp_path, mode=mode, database=database, of_grid=True)
        )
        await installed(grid)
        yield grid


async def installed(grid: Offices, sentence: str = FOR_ALL) -> None:
    assert sentence.format(name="Grid") in (await grid.install(GRID)).page.words
    for office in (grid.one, grid.other):
        await office.slack.add_app()
    await until(grid, running=True)


async def until(grid: Offices, *, running: bool) -> None:
    """Until the bot has heard what it is told of the organisation."""
    tenants = grid.several.tenants
    async with aiohttp.ClientSession() as session:
        while (GRID in tenants.apps) is not running:
            await (await session.get(f"{grid.address}/readyz")).read()
            await tenants.look()


async def colleague(grid: Offices) -> Person:
    """Bob of the other workspace, in #general of the first, which both workspaces share."""
    return await grid.one.slack.add_person(grid.other.slack.account("Bob"), ["#general"])


@pytest.mark.parametrize("grid", ["http", "postgres"], indirect=True)
async def test_who_is_of_another_workspace_of_the_organisation_decides_and_nobody_else(grid: Offices) -> None:
    card = await grid.one.asks(TRANSFER)
    theirs = await colleague(grid)
    eve, gus = grid.one.slack.person("Eve"), grid.one.slack.person("Gus")
    await eve.press(card, "Approve")
    await eve.sees_privately("People of another organisation cannot take part", channel="#general")
    await gus.press(card, "Approve")
    await gus.sees_privately("Guests", channel="#general")
    assert RUNS == []
    assert await theirs.press(card, "Approve") == {"ok": True}
    assert "transfer done" in await grid.one.answer()
    assert set(grid.several.tenants.apps) == {GRID}
    async with aiohttp.ClientSession() as session, session.get(f"{grid.address}/metrics") as response:
        assert 'approval_bot_events_total{kind="filed",team="E0GRID"} 1.0' in await response.text()


async def test_opened_again_it_goes_on_and_asks_people_in_the_workspace_that_is_theirs(
    tmp_path: Path,
) -> None:
    async with two_offices(tmp_path, policy=DIRECT, of_grid=True) as grid:
        await installed(grid, FOR_ALL_NOT_YET)
        await grid.one.alice.say("im", '[[["transfer", {"amount": 5, "to": "bob"}]]]')
        card = await grid.other.bob.sees("Approval needed", channel="im")
    async with two_offices(tmp_path, policy=DIRECT, of_grid=True) as grid:
        assert grid.several.sentence.startswith("Running in E0GRID;")
        assert await grid.other.bob.press(card, "Approve") == {"ok": True}
        assert "transfer done" in await grid.one.answer()


async def test_what_waits_in_a_workspace_that_lost_it_is_decided_in_another_and_goes_on_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "PAUSE", 0.2)
    async with two_offices(tmp_path, policy=NAMED, of_grid=True) as grid:
        await installed(grid, FOR_ALL_NOT_YET)
        card = await grid.one.asks(TRANSFER)
        await grid.one.slack.add_app(is_there=False)
        assert await grid.other.bob.press(await grid.other.bob.opens_home("transfer"), "Approve") == {
            "ok": True
        }
        await refused(grid, "team_access_not_granted")
        assert len(RUNS) == 1
        assert not await answers(grid.one), "it may not be said there"
        await grid.one.slack.add_app()
        assert "transfer done" in await grid.one.answer()
        await grid.one.alice.sees_change(card, lambda one: "Approved by" in text_of(one))


async def test_a_card_whose_channel_is_in_a_workspace_that_lost_it_stands_in_the_thread(
    tmp_path: Path,
) -> None:
    policy = '[defaults]\napprovers = ["U0BOB"]\nchannel = "C0APPROVALSX"\n'
    async with two_offices(tmp_path, policy=policy, of_grid=True) as grid:
        await installed(grid, FOR_ALL_NOT_YET)
        await grid.other.slack.add_app(is_there=False)
        await grid.one.alice.say("#general", '/agent [[["transfer", {"amount": 5, "to": "bob"}]]]')
        card = await grid.one.bob.sees(lambda one: "Approve" in buttons(one), channel="#general")
        assert await grid.one.bob.press(card, "Approve") == {"ok": True}
        assert "transfer done" in await grid.one.answer()


async def refused(grid: Offices, error: str) -> None:
    """Until Slack has said so of the message with the answer."""
    async with aiohttp.ClientSession() as session:
        while not any(
            call.outcome == error and "done with" in str(call.arguments)
            for office in (grid.one, grid.other)
            for call in office.slack.calls("chat.postMessage")
        ):
            await (await session.get(f"{grid.address}/readyz")).read()


async def answers(office: Office) -> list[dict[str, Any]]:
    return [one for one in await office.alice.messages("#general") if "transfer done" in text_of(one)]


async def test_uninstalled_it_waits_and_goes_on_with_renewed_tokens_after_a_new_installation(
    tmp_path: Path,
) -> None:
    async with two_offices(tmp_path, token_lifetime=43_200.0, of_grid=True) as grid:
        await installed(grid)
        card = await grid.other.asks(TRANSFER)
        await grid.slack.uninstall_app(from_all=True)
        await until(grid, running=False)
        assert await grid.several.renewing.installations.everywhere() == []
        await installed(grid)
        first = next(one for one in grid.slack.core.workspace.grants.values() if not one.gone)
        for hours in (11, 22):
            grid.clock.ahead = timedelta(hours=hours)
            assert await grid.several.renewing.renew() == 1
            await grid.several.tenants.look()
        assert grid.slack.core.workspace.grants[first.id].gone, "two work at a time"
        assert await grid.other.bob.press(card, "Approve") == {"ok": True}
        assert "transfer done" in await grid.other.answer()


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Offices]:
    """The first workspace has installed it by itself, and the organisation for the other."""
    async with two_offices(tmp_path, of_grid=True) as both:
        assert INSTALLED.format(name="Sandbox") in (await both.install(both.one)).page.words
        await both.install(GRID)
        await both.other.slack.add_app()
        yield both


async def test_a_workspaces_own_installation_and_the_organisations_stand_side_by_side(both: Offices) -> None:
    assert set(both.several.tenants.apps) == {"T0SANDBOX", GRID}
    cards = [await office.asks(TRANSFER) for office in (both.one, both.other)]
    mine, theirs = (
        office.slack.click(office.bob, card, "Approve")
        for office, card in zip((both.one, both.other), cards, strict=True)
    )
    assert (mine["is_enterprise_install"], theirs["is_enterprise_install"]) == (False, True)
    stranger = {"id": "U0EVE", "team_id": "T0ELSEWHERE"}
    forged = {
        "the organisation's, as if it were a workspace's": theirs
        | {"is_enterprise_install": False, "team": mine["team"], "user": mine["user"]},
        "a workspace's, as if it were the organisation's": mine | {"is_enterprise_install": True},
        "of another organisation": theirs | {"enterprise": {"id": "E0OTHER"}},
        "of a stranger who names it": theirs | {"user": stranger},
        "of a member who names another workspace": theirs
        | {"enterprise": None, "is_enterprise_install": False, "view": {"app_installed_team_id": GRID}}
        | {"user": {**theirs["user"], "team_id": "T0ELSEWHERE"}},
    }
    for kind, payload in forged.items():
        assert isinstance(await both.one.slack.deliver(payload), Acked), kind
    for office, card in zip((both.one, both.other), cards, strict=True):
        [seen] = [one for one in await office.bob.messages("#general") if one["ts"] == card["ts"]]
        assert "Approve" in buttons(seen), office.team
    assert RUNS == []
    await both.one.slack.uninstall_app()
    assert await both.other.bob.press(cards[1], "Approve") == {"ok": True}
    assert "transfer done" in await both.other.answer()
    assert len(RUNS) == 1


async def test_a_workspace_that_was_not_added_is_told_that_it_has_no_app(both: Offices) -> None:
    command = {"command": "/agent", "text": "x", "team_id": "T0STRANGE", "enterprise_id": "E0OTHER"}
    for flag in ("true", "false"):
        payload = command | {"api_app_id": "A0AGENT", "is_enterprise_install": flag}
        answer = await both.one.slack.deliver(payload, "slash_commands")
        assert answer == Acked(payload={"text": NOT_INSTALLED})


async def test_names_that_only_a_workspace_has_are_found_once_it_was_added(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["@dora", "@@dba-oncall"]\n'
    async with two_offices(tmp_path, policy=policy, of_grid=True) as grid:
        dora = await grid.other.slack.add_person(
            replace(grid.other.slack.account("Carol"), id=UserId("U0DORA"), name="dora"), ["#general"]
        )
        visit = await grid.install(GRID)
        assert FOR_ALL_NOT_YET.format(name="Grid") in visit.page.words
        await grid.other.slack.add_app()
        await until(grid, running=True)
        card = await grid.other.asks(TRANSFER)
        assert await dora.press(card, "Approve") == {"ok": True}
        await grid.other.answer()
        # The other workspace has a group of the same handle, so that nobody knows which is meant.
        await grid.one.slack.add_app()
    async with two_offices(tmp_path, policy=policy, of_grid=True) as grid:
        problem = await grid.several.tenants.checks[GRID]()
        assert problem
        assert (
            "@@dba-oncall is the name of 2 user groups, in different workspaces; write the id (S…) instead."
        ) in problem
