"""A workspace installs the bot, over real sockets: from the button to the tokens, and how it is refused."""

# ruff: noqa: ARG001 - all ways are called alike

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request
from slack_sdk.errors import SlackApiError
from sqlalchemy import text

from bot.sandbox import Fault
from bot.slack.app import OPTIONAL_SCOPES, SCOPES
from bot.store.installations import Installations
from bot.workspaces import install
from bot.workspaces.router import Lack
from bot.workspaces.states import COOKIE
from bot.workspaces.tenants import Tenants
from tests.workspaces.front import GRID, OTHER, Browser, Front, Visit, a_front, query


@pytest.fixture
async def front(tmp_path: Path) -> AsyncIterator[Front]:
    async with a_front(tmp_path / "bot.db") as front:
        yield front


@pytest.fixture
async def browser(front: Front) -> AsyncIterator[Browser]:
    async with Browser(front) as browser:
        yield browser


async def test_two_workspaces_install_and_each_has_a_token_of_its_own(front: Front, browser: Browser) -> None:
    first = await browser.installs(front.slack)
    assert first.status == 200
    assert install.INSTALLED.format(name="Sandbox") in first.page.words
    second = await browser.installs(front.other)
    assert install.INSTALLED.format(name="<Other> & sons") in second.page.words, "and it is words, not markup"
    assert [one.team_id for one in front.installed] == ["T0SANDBOX", "T0OTHER"]
    for bot, sandbox in zip(await front.installations.everywhere(), (front.slack, front.other), strict=True):
        who = await front.client(bot.bot_token).auth_test()
        assert (who["team_id"], who["bot_id"]) == (sandbox.options.team.id, bot.bot_id)
        assert set(bot.bot_scopes) == sandbox.options.scopes
        assert (bot.app_id, bot.bot_user_id) == ("A0AGENT", "U0AGENT")


async def test_slack_is_asked_for_the_scopes_of_the_manifest_and_no_more(browser: Browser) -> None:
    asked = await browser.is_asked()
    assert set(asked.fields["scope"].split(",")) == SCOPES | OPTIONAL_SCOPES


@pytest.mark.parametrize(
    ("wanted", "tag", "welcome", "done"),
    [
        ("zh-CN,en;q=0.5", "zh-CN", "审批机器人会先在 Slack 中询问人", "审批机器人已安装到 Sandbox"),
        ("fr", "en", "The approval bot asks people", "The approval bot is installed in Sandbox"),
    ],
)
async def test_a_browser_is_answered_in_its_own_language(
    front: Front, wanted: str, tag: str, welcome: str, done: str
) -> None:
    async with Browser(front, wanted) as browser:
        first = await browser.opens(f"{front.address}/slack/install")
        refused = await browser.installs(None)
        last = await browser.installs(front.slack)
    assert [each.page.language for each in (first, refused, last)] == [tag] * 3
    assert welcome in first.page.words
    assert done in last.page.words
    assert (install.NOT_ALLOWED in refused.page.words) is (tag == "en")


async def test_opening_the_install_page_writes_nothing(front: Front, browser: Browser) -> None:
    for _ in range(3):
        await browser.opens(f"{front.address}/slack/install")
    async with browser.session.head(f"{front.address}/slack/install") as response:
        assert response.status == 200
    assert await rows(front, "slack_states") == 0


async def test_whoever_does_not_allow_it_has_installed_nothing(front: Front, browser: Browser) -> None:
    visit = await browser.installs(None)
    assert visit.status == 400
    assert install.NOT_ALLOWED in visit.page.words
    assert visit.page.links == [f"{front.address}/slack/install"]
    assert await front.installations.everywhere() == []


@pytest.mark.parametrize("error", ["<b>hush</b>", "a b", "", "x" * 61])
async def test_what_slack_gives_as_a_reason_is_shown_only_as_a_name(
    front: Front, browser: Browser, error: str
) -> None:
    visit = await browser.opens(f"{front.address}/slack/oauth_redirect?error={error}")
    assert install.SLACK_REFUSED.format(error="no reason given") in visit.page.words


async def replayed(front: Front, browser: Browser) -> Visit:
    """The same address again, in the browser that has the cookie again."""
    back = await browser.is_led_back(await browser.is_asked(), "T0SANDBOX")
    state = back.query["state"]
    assert (await browser.opens(back)).status == 200
    assert len(await front.installations.everywhere()) == 1
    browser.session.cookie_jar.update_cookies({COOKIE: state}, response_url=back)
    fresh = await browser.is_led_back(await browser.is_asked(), "T0OTHER")
    browser.session.cookie_jar.update_cookies({COOKIE: state}, response_url=back)
    return await browser.opens(query(fresh, state=state))


async def in_another_browser(front: Front, browser: Browser) -> Visit:
    """A link that somebody else sends, to have their workspace's token kept as one's own."""
    back = await browser.is_led_back(await browser.is_asked(), "T0OTHER")
    async with Browser(front) as others:
        await others.is_asked()
        return await others.opens(back)


async def without_a_state(front: Front, browser: Browser) -> Visit:
    """As Slack leads back when an administrator installs from Slack's own pages."""
    back = await browser.is_led_back(await browser.is_asked(), "T0OTHER")
    return await browser.opens(query(back, state=""))


async def with_a_state_of_ones_own(front: Front, browser: Browser) -> Visit:
    back = await browser.is_led_back(await browser.is_asked(), "T0OTHER")
    browser.session.cookie_jar.update_cookies({COOKIE: "mine"}, response_url=back)
    return await browser.opens(query(back, state="mine"))


async def too_late(front: Front, browser: Browser) -> Visit:
    back = await browser.is_led_back(await browser.is_asked(), "T0OTHER")
    front.clock.ahead = timedelta(minutes=10)
    return await browser.opens(back)


@pytest.mark.parametrize(
    "way", [replayed, in_another_browser, without_a_state, with_a_state_of_ones_own, too_late]
)
async def test_what_was_not_begun_here_just_now_is_refused(
    front: Front, browser: Browser, way: Callable[[Front, Browser], Awaitable[Visit]]
) -> None:
    visit = await way(front, browser)
    assert visit.status == 400
    assert install.NOT_BEGUN in visit.page.words
    assert "T0OTHER" not in [bot.team_id for bot in await front.installations.everywhere()]
    assert len(front.slack.calls("oauth.v2.access")) == (way is replayed), "no code was traded for it"


async def test_in_time_is_until_the_last_moment(front: Front, browser: Browser) -> None:
    back = await browser.is_led_back(await browser.is_asked(), "T0OTHER")
    front.clock.ahead = timedelta(minutes=9, seconds=50)
    assert (await browser.opens(back)).status == 200


async def test_a_code_that_slack_does_not_take_is_told(front: Front, browser: Browser) -> None:
    back = await browser.is_led_back(await browser.is_asked(), "T0SANDBOX")
    visit = await browser.opens(query(back, code="another"))
    assert visit.status == 400
    assert install.SLACK_REFUSED.format(error="invalid_code") in visit.page.words


@pytest.mark.parametrize("kind", ["drop_request", "lost_response"])
async def test_a_slack_that_cannot_be_reached_is_told_and_a_code_is_traded_once(
    front: Front, browser: Browser, kind: Literal["drop_request", "lost_response"]
) -> None:
    await front.slack.fault(Fault(kind=kind, method="oauth.v2.access"))
    visit = await browser.installs(front.slack)
    assert visit.status == 502
    assert install.UNREACHABLE in visit.page.words
    assert len(front.slack.calls("oauth.v2.access")) == 1


async def test_a_workspace_that_nobody_named_gets_nothing_and_its_token_is_given_back(tmp_path: Path) -> None:
    async with a_front(tmp_path / "bot.db", teams="T0SANDBOX") as front, Browser(front) as browser:
        visit = await browser.installs(front.other)
        assert visit.status == 403
        assert install.NOT_FOR_THEM.format(name="<Other> & sons", id="T0OTHER") in visit.page.words
        assert await front.installations.everywhere() == []
        assert [call.outcome for call in front.other.calls("auth.revoke")] == ["ok"]
        [grant] = front.other.core.workspace.grants.values()
        with pytest.raises(SlackApiError, match="account_inactive"):
            await front.client(grant.id).auth_test()
        assert (await browser.installs(front.slack)).status == 200


async def test_an_organisation_that_is_named_brings_its_workspaces(tmp_path: Path) -> None:
    of_grid = replace(OTHER, enterprise_id="E0GRID")
    async with (
        a_front(tmp_path / "bot.db", teams="E0GRID", other=of_grid) as front,
        Browser(front) as browser,
    ):
        assert (await browser.installs(front.slack)).status == 403
        assert (await browser.installs(front.other)).status == 200
        [bot] = await front.installations.everywhere()
        assert (bot.enterprise_id, bot.team_id) == ("E0GRID", "T0OTHER")


async def test_a_whole_organisation_is_led_on_to_where_workspaces_are_added(tmp_path: Path) -> None:
    of_grid = replace(OTHER, enterprise_id=GRID)
    async with a_front(tmp_path / "bot.db", other=of_grid) as front, Browser(front) as browser:
        visit = await browser.installs(GRID)
        assert visit.status == 200
        assert " ".join(visit.page.words.split()) == (
            "Approval Bot The approval bot is installed for Grid. An administrator of the organisation now "
            "adds it to workspaces; then invite it into channels there with /invite. Add it to workspaces"
        )
        assert visit.page.links == [
            "https://app.slack.com/manage/E0GRID/integrations/profile/A0AGENT/workspaces/add"
        ]
        [bot] = await front.installations.everywhere()
        assert (bot.enterprise_id, bot.team_id, bot.is_enterprise_install) == (GRID, None, True)
        who = await front.client(bot.bot_token).auth_test()
        assert (who["enterprise_id"], who["is_enterprise_install"]) == (GRID, True)


async def test_what_another_process_installs_for_an_organisation_is_soon_there_and_in_no_workspace_of_it(
    tmp_path: Path,
) -> None:
    of_grid = replace(OTHER, enterprise_id=GRID)
    async with a_front(tmp_path / "bot.db", other=of_grid) as front, Browser(front) as browser:
        await browser.installs(GRID)
        tenants = Tenants(front.settings, front.installations, lambda *_: nullcontext())
        assert await tenants.lacking(GRID) is Lack.SOON
        assert await tenants.lacking("T0OTHER") is Lack.GONE


async def test_whoever_names_a_workspace_has_not_named_its_organisation(tmp_path: Path) -> None:
    of_grid = replace(OTHER, enterprise_id=GRID)
    async with (
        a_front(tmp_path / "bot.db", other=of_grid, teams="T0OTHER") as front,
        Browser(front) as browser,
    ):
        visit = await browser.installs(GRID)
        assert visit.status == 403
        assert install.NOT_FOR_THEM.format(name="Grid", id=GRID) in visit.page.words
        assert await front.installations.everywhere() == []
        assert [call.outcome for call in front.other.calls("auth.revoke")] == ["ok"]
        assert (await browser.installs(front.other)).status == 200


async def test_uninstalled_and_installed_again_has_only_what_works(front: Front, browser: Browser) -> None:
    await browser.installs(front.slack)
    [before] = await front.installations.everywhere()
    await front.slack.uninstall_app()
    with pytest.raises(SlackApiError, match="account_inactive"):
        await front.client(before.bot_token).auth_test()
    await browser.installs(front.slack)
    [after] = await front.installations.everywhere()
    assert after.bot_token != before.bot_token
    assert (await front.client(after.bot_token).auth_test())["ok"]


async def test_a_page_can_neither_be_framed_nor_kept_nor_run_a_script(front: Front) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{front.address}/slack/install") as response,
    ):
        policy = response.headers["Content-Security-Policy"]
        cookie = response.headers["Set-Cookie"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["Cache-Control"] == "no-store"
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie, "this address is http, of this machine alone"


async def test_the_cookie_is_for_https_alone_where_the_address_is(front: Front) -> None:
    public = front.settings.model_copy(update={"slack_redirect_uri": "https://x.org/slack/oauth_redirect"})
    doors = install.InstallDoors(
        settings=public,
        api_url="https://slack.com/api/",
        installations=front.installations,
        states=front.doors.states,
        on_installed=front.doors.on_installed,
    )
    shown = await doors.begin(make_mocked_request("GET", "/slack/install"))
    assert shown.cookies[COOKIE]["secure"]
    assert 'href="https://slack.com/oauth/v2/authorize?client_id=' in (shown.text or "")


async def rows(front: Front, table: str) -> int:
    async with front.store.read() as tx:
        found: int = (await tx.connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()  # noqa: S608 - ours
    return found


def test_the_store_is_slacks_own() -> None:
    assert Installations.__mro__[1].__name__ == "AsyncSQLAlchemyInstallationStore"
