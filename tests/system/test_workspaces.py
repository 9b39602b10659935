"""Several workspaces in one bot: what is of one is of no other, and what is uninstalled waits."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text

from bot.sandbox import Acked, Fault, buttons, grants, text_of
from bot.settings import Mode
from bot.store import reading_store
from bot.workspaces.install import INSTALLED, NOT_YET
from bot.workspaces.router import NOT_INSTALLED, NOT_WORKING
from tests.postgres import a_database
from tests.system.agents import FAIL, RUNS
from tests.system.house import POLICY
from tests.system.offices import TRANSFER, Office, Offices, two_offices
from tests.workspaces.front import KEY


@pytest.fixture
async def offices(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Offices]:
    """Both have installed the bot."""
    kind = getattr(request, "param", "socket")
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(a_database()) if kind == "postgres" else None
        mode = Mode.HTTP if kind == "http" else Mode.SOCKET
        offices = await stack.enter_async_context(two_offices(tmp_path, database=database, mode=mode))
        for office in (offices.one, offices.other):
            visit = await offices.install(office)
            assert INSTALLED.format(name=office.slack.options.team.name) in visit.page.words
        yield offices


def click(office: Office, card: dict[str, Any], button: str = "Approve") -> dict[str, Any]:
    return office.slack.click(office.bob, card, button)


@pytest.mark.parametrize("offices", ["socket", "http", "postgres"], indirect=True)
async def test_two_workspaces_at_once_and_each_decides_its_own(offices: Offices) -> None:
    cards = [
        await office.asks(("transfer", {"amount": n, "to": "bob"}))
        for n, office in enumerate(both(offices), 1)
    ]
    assert await offices.other.bob.press(cards[1], "Approve") == {"ok": True}
    assert '"amount": 2' in await offices.other.answer()
    assert [arguments["amount"] for _, arguments in RUNS] == [2]
    assert "Approve" in buttons(await offices.one.bob.sees("Approval needed", channel="#general"))
    assert await offices.one.bob.press(cards[0], "Approve") == {"ok": True}
    assert '"amount": 1' in await offices.one.answer()
    for office in both(offices):
        said = [str(call.arguments) for call in office.slack.calls("chat.postMessage")]
        wrong = "2" if office is offices.one else "1"
        assert not any(f'"amount": {wrong}' in one for one in said)
        async with reading_store(offices.database(office)) as store, store.read() as tx:
            count = text("SELECT count(*) FROM conversations")
            assert (await tx.connection.execute(count)).scalar_one() == 1


@pytest.mark.parametrize("offices", ["http"], indirect=True)
async def test_slacks_question_about_the_address_is_answered_for_all(offices: Offices) -> None:
    assert await offices.one.slack.verify_request_url()


def both(offices: Offices) -> tuple[Office, Office]:
    return offices.one, offices.other


Payload = dict[str, Any]


def action_of_the_other(mine: Payload, theirs: Payload) -> Payload:
    """All of it is one's own, but for the button's value."""
    return mine | {"actions": theirs["actions"]}


def message_of_the_other(mine: Payload, theirs: Payload) -> Payload:
    """All of it is the other's, but for who presses."""
    return theirs | {"user": mine["user"], "team": mine["team"]}


def place_of_the_other(mine: Payload, theirs: Payload) -> Payload:
    """The other's button and place, and one's own message and person."""
    return theirs | {"user": mine["user"], "team": mine["team"], "message": mine["message"]}


FORGED = {way.__name__: way for way in (action_of_the_other, message_of_the_other, place_of_the_other)}


@pytest.mark.parametrize("way", FORGED)
async def test_a_person_of_one_workspace_decides_nothing_of_the_other(offices: Offices, way: str) -> None:
    mine = click(offices.other, await offices.other.asks(TRANSFER))
    card = await offices.one.asks(TRANSFER)
    forged = FORGED[way](mine, click(offices.one, card))
    assert isinstance(await offices.one.slack.deliver(forged), Acked)
    assert isinstance(await offices.other.slack.deliver(forged), Acked)
    for office in both(offices):
        seen = await office.bob.sees("Approval needed", channel="#general")
        assert "Approve" in buttons(seen), (office.team, text_of(seen))
    assert RUNS == []


@pytest.mark.parametrize("offices", ["socket", "postgres"], indirect=True)
async def test_uninstalled_with_a_card_open_it_waits_and_goes_on_after_a_new_installation(
    offices: Offices,
) -> None:
    card = await offices.one.asks(TRANSFER)
    late = click(offices.one, card)
    await offices.one.slack.uninstall_app()
    await gone(offices, offices.one)
    before = offices.one.slack.calls()
    # As somebody presses whose screen is not drawn anew: Slack's own would not even send it.
    assert isinstance(await offices.other.slack.deliver(late), Acked)
    await offices.one.bob.sees(NOT_INSTALLED, channel="#general")
    other = await offices.other.asks(TRANSFER)
    assert await offices.other.bob.press(other, "Approve") == {"ok": True}
    await offices.other.answer()
    assert len(RUNS) == 1, "the other workspace goes on"
    assert [call.method for call in offices.one.slack.calls()[len(before) :]] == ["response_url"], (
        "nothing is asked of a Slack that would refuse it"
    )
    async with reading_store(offices.database(offices.one)) as store, store.read() as tx:
        [waiting] = await tx.approvals.waiting()
        assert not waiting.actions[0].votes, "nothing was decided"
    visit = await offices.install(offices.one)
    assert INSTALLED.format(name="Sandbox") in visit.page.words
    assert await offices.one.bob.press(card, "Approve") == {"ok": True}
    assert "transfer done" in await offices.one.answer()
    assert len(RUNS) == 2


async def test_whoever_installs_it_the_bot_speaks_the_policys_language_there_and_to_those_it_is_not_for(
    tmp_path: Path,
) -> None:
    policy = POLICY.replace("[defaults]", 'language = "zh-CN"\n[defaults]')
    async with two_offices(tmp_path, mode=Mode.HTTP, policy=policy) as offices:
        visit = await offices.install(offices.one, "en-US")
        assert INSTALLED.format(name="Sandbox") in visit.page.words
        FAIL.append("model")
        await offices.one.alice.say("#general", "/agent what a job tells everybody")
        await offices.one.bob.sees("无法使用语言模型", channel="#general")
        strange = {"command": "/agent", "text": "x", "team_id": "T0STRANGE", "api_app_id": "A0AGENT"}
        refused = await offices.slack.deliver(strange, "slash_commands")
        assert isinstance(refused, Acked)
        assert refused.payload["text"].startswith("您的工作区没有安装此应用")


async def gone(offices: Offices, office: Office) -> None:
    """Until the bot has heard that it is uninstalled."""
    async with aiohttp.ClientSession() as session:
        while office.team in offices.several.tenants.apps:
            async with session.get(f"{offices.address}/readyz") as response:
                assert response.status in {200, 503}


async def test_news_of_an_installation_before_the_present_one_end_nothing(offices: Offices) -> None:
    event = {
        "type": "event_callback",
        "api_app_id": "A0AGENT",
        "team_id": "T0SANDBOX",
        "authorizations": [{"team_id": "T0SANDBOX"}],
        "event": {"type": "app_uninstalled"},
    }
    assert await offices.one.slack.deliver(event, "events_api") == Acked()
    assert set(offices.several.tenants.apps) == {"T0SANDBOX", "T0OTHER"}
    assert len(await offices.several.renewing.installations.everywhere()) == 2


async def test_a_slack_that_cannot_be_asked_uninstalls_nothing(offices: Offices) -> None:
    await offices.one.slack.fault(Fault(kind="status", method="auth.test", times=1))
    await offices.several.tenants.gone("T0SANDBOX")
    assert len(await offices.several.renewing.installations.everywhere()) == 2


async def test_payloads_of_a_workspace_that_has_not_installed_it_are_answered_and_do_nothing(
    tmp_path: Path,
) -> None:
    async with two_offices(tmp_path) as offices:
        await offices.install(offices.one)
        card = await offices.one.asks(TRANSFER)
        strange = {"id": "T0STRANGE", "domain": "strange"}
        pressed = click(offices.one, card) | {
            "team": strange,
            "user": {"id": "U0BOB", "team_id": "T0STRANGE"},
        }
        del pressed["message"]
        assert await offices.one.slack.deliver(pressed) == Acked()
        told = await offices.one.bob.sees(NOT_INSTALLED, channel="#general")
        assert told
        command = {"command": "/agent", "text": "x", "team_id": "T0STRANGE", "api_app_id": "A0AGENT"}
        answer = await offices.one.slack.deliver(command, "slash_commands")
        assert answer == Acked(payload={"text": NOT_INSTALLED})
        view = {"id": "V1", "type": "modal"}
        form = {"type": "view_submission", "team": strange, "user": {"id": "U0BOB"}, "view": view}
        shown = await offices.one.slack.deliver(form)
        assert isinstance(shown, Acked)
        assert shown.payload["response_action"] == "update"
        event = {
            "type": "event_callback",
            "authorizations": [{"team_id": "T0STRANGE"}],
            "event": {"type": "x"},
        }
        assert await offices.one.slack.deliver(event, "events_api") == Acked()
        assert RUNS == []
        assert "Approve" in buttons(await offices.one.bob.sees("Approval needed", channel="#general"))


async def test_a_stranger_in_a_channel_of_ours_is_refused_where_the_card_is(
    offices: Offices,
) -> None:
    card = await offices.one.asks(TRANSFER)
    eve = offices.one.slack.person("Eve")
    await eve.press(card, "Approve")
    await eve.sees("People of another organisation cannot take part", channel="#general")
    assert RUNS == []


async def test_tokens_are_renewed_while_the_bot_works_and_the_old_ones_may_go(tmp_path: Path) -> None:
    async with two_offices(tmp_path, token_lifetime=43_200.0) as offices:
        await offices.install(offices.one)
        card = await offices.one.asks(TRANSFER)
        offices.clock.ahead = timedelta(hours=11)
        assert await offices.several.renewing.renew() == 1
        await offices.several.tenants.look()
        offices.clock.ahead = timedelta(hours=22)
        assert await offices.several.renewing.renew() == 1
        await offices.several.tenants.look()
        first = next(iter(offices.one.slack.core.workspace.grants.values()))
        assert first.gone, "two work at a time"
        assert await offices.one.bob.press(card, "Approve") == {"ok": True}
        assert "transfer done" in await offices.one.answer()


async def test_what_another_process_has_installed_is_not_turned_away_and_soon_served(
    tmp_path: Path,
) -> None:
    async with two_offices(tmp_path, retry_delays=(0.0,)) as offices:
        await offices.install(offices.one)
        await offices.install(offices.other)
        tenants = offices.several.tenants
        # As it is before this process has looked: the row is there, and nobody is begun.
        tenant = tenants._tenants.pop("T0OTHER")
        tenants._unheard("T0OTHER")
        answer = await offices.other.alice.say("#general", "/agent x")
        assert answer["warning"] == "⚠ /agent failed: the app did not answer in time."
        tenant.ending.set()
        await tenant.opened.wait()
        assert tenant.task
        await tenant.task
        assert await tenants.look() == 2
        await offices.other.asks(TRANSFER)


async def test_opened_again_every_workspace_goes_on(tmp_path: Path) -> None:
    async with two_offices(tmp_path) as offices:
        for office in both(offices):
            await offices.install(office)
        card = await offices.other.asks(TRANSFER)
    async with two_offices(tmp_path) as offices:
        assert set(offices.several.tenants.apps) == {"T0SANDBOX", "T0OTHER"}
        assert offices.several.sentence.startswith("Running in T0OTHER, T0SANDBOX; workspaces install")
        assert await offices.other.bob.press(card, "Approve") == {"ok": True}
        await offices.other.answer()


async def test_uninstalled_while_nobody_listened_is_found_at_the_start(tmp_path: Path) -> None:
    async with two_offices(tmp_path) as offices:
        for office in both(offices):
            await offices.install(office)
        await offices.one.asks(TRANSFER)
        await offices.several.tenants.close()
        # What a process that is not there does not hear.
        grants.end(offices.one.slack.core)
        await offices.one.slack.core.workspace.commit()
    async with two_offices(tmp_path) as offices:
        assert set(offices.several.tenants.apps) == {"T0OTHER"}
        assert [bot.team_id for bot in await offices.several.renewing.installations.everywhere()] == [
            "T0OTHER"
        ]
        await offices.install(offices.one)
        card = await offices.one.bob.sees("Approval needed", channel="#general")
        assert await offices.one.bob.press(card, "Approve") == {"ok": True}
        await offices.one.answer()


async def test_a_name_of_the_policy_is_looked_up_in_each_workspace_by_itself(tmp_path: Path) -> None:
    policy = '[defaults]\napprovers = ["@dora"]\n'
    async with two_offices(tmp_path, policy=policy) as offices:
        visit = await offices.install(offices.one)
        assert NOT_YET.format(name="Sandbox") in visit.page.words
        dora = offices.other.slack.account("Carol")
        await offices.other.slack.change(replace(dora, name="dora"))
        visit = await offices.install(offices.other)
        assert "does not work there yet" not in visit.page.words
        assert set(offices.several.tenants.apps) == {"T0OTHER"}
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{offices.address}/readyz") as response,
        ):
            assert response.status == 503
            problems = (await response.json())["problems"]
        assert "@dora is not a full member" in problems["T0SANDBOX"]
        answer = await offices.one.alice.say("#general", "/agent x")
        assert answer == {"ok": True}
        await offices.one.alice.sees(NOT_WORKING, channel="#general")
        card = await offices.other.asks(TRANSFER)
        await offices.other.bob.press(card, "Approve")
        await offices.other.bob.sees("not among the people who may decide", channel="#general")
        assert await offices.other.slack.person("U0CAROL").press(card, "Approve") == {"ok": True}
        await offices.other.answer()


async def test_the_numbers_of_each_workspace_are_told_apart(offices: Offices) -> None:
    await offices.one.asks(TRANSFER)
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{offices.address}/metrics") as response,
    ):
        told = await response.text()
    assert 'approval_bot_events_total{kind="filed",team="T0SANDBOX"} 1.0' in told, told
    assert 'kind="filed",team="T0OTHER"' not in told


async def test_no_token_is_in_any_log_line_or_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = '[defaults]\napprovers = ["@nobody"]\n'
    async with two_offices(tmp_path, token_lifetime=43_200.0) as offices:
        for office in both(offices):
            await offices.install(office)
        await offices.one.asks(TRANSFER)
        offices.clock.ahead = timedelta(hours=11)
        await offices.slack.fault(Fault(kind="error", method="oauth.v2.access", times=1))
        assert await offices.several.renewing.renew() == 1
        await offices.other.slack.uninstall_app()
        await gone(offices, offices.other)
        granted = [one for office in both(offices) for one in office.slack.core.workspace.grants.values()]
    async with two_offices(tmp_path, policy=policy) as offices:
        assert offices.several.tenants.apps == {}, "it cannot start, and says why"
    secrets = {one.id for one in granted} | {one.refresh for one in granted} | {KEY, "sandbox-client-secret"}
    told = "".join(capsys.readouterr())
    assert "workspace_cannot_start" in told
    held = b"".join(file.read_bytes() for file in sorted(tmp_path.glob("bot*")))  # noqa: ASYNC240 - a test
    assert b"conversations" in held, "it looked where the rows are"
    assert len(granted) == 3
    for secret in secrets - {""}:
        assert secret not in told
        assert secret.encode() not in held
