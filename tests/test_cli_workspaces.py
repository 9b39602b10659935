"""The commands, where several workspaces have databases of their own."""

import signal
from pathlib import Path

from bot.looking import WHICH
from bot.sandbox import Sandbox
from tests.command_line import NOWHERE, POLICY, CommandLine
from tests.system.offices import TRANSFER, two_offices
from tests.workspaces.front import KEY

SEVERAL = {
    "SLACK_CLIENT_ID": "11.22",
    "SLACK_CLIENT_SECRET": "hush",
    "SLACK_REDIRECT_URI": "https://bot.example.org/slack/oauth_redirect",
    "SLACK_TEAMS": "any",
    "BOT_TOKENS_KEY": KEY,
    "SLACK_APP_TOKEN": "xapp-1",
    "SLACK_API_URL": NOWHERE,
}


async def test_a_command_looks_into_the_workspace_that_is_named(tmp_path: Path) -> None:
    async with two_offices(tmp_path) as offices:
        for office in (offices.one, offices.other):
            await offices.install(office)
        await offices.other.asks(TRANSFER)
        shell = CommandLine(folder=tmp_path, env=SEVERAL)
        told = await shell.run("pending", "--json", BOT_TEAM="T0OTHER")
        assert "transfer" in told.out
        none = await shell.run("pending", "--json", BOT_TEAM="T0SANDBOX")
        assert "transfer" not in none.out
        assert none.code == 0
        verified = await shell.run("audit", "verify", BOT_TEAM="T0OTHER")
        assert "The record is intact" in verified.out


async def test_a_command_without_a_workspace_asks_for_one(tmp_path: Path) -> None:
    shell = CommandLine(folder=tmp_path, env=SEVERAL)
    for command in (["pending"], ["audit", "verify"], ["cancel", "x"]):
        ended = await shell.run(*command)
        assert (ended.code, ended.err.strip()) == (2, WHICH)
    ended = await shell.run("pending", BOT_TEAM="../x")
    assert ended.code == 2
    assert ended.err.startswith("BOT_TEAM is not right")
    ended = await shell.run("pending", BOT_TEAM="T0NEVER")
    assert "There is no database at bot-T0NEVER.db yet" in ended.err
    ended = await shell.run("pending", BOT_TEAM="E0GRID")
    assert "There is no database at bot-E0GRID.db yet" in ended.err, "an organisation has one too"


async def test_serve_says_where_workspaces_install_it_and_ends_when_told(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    async with Sandbox(is_installed=False) as slack:
        of_app = {"SLACK_CLIENT_ID": slack.options.client_id, "SLACK_APP_TOKEN": slack.app_token}
        env = {**SEVERAL, **of_app, "SLACK_API_URL": slack.api_url, "BOT_MODEL": "offline", "BOT_PORT": "0"}
        async with CommandLine(folder=tmp_path, env=env).running("serve") as serving:
            begin = "https://bot.example.org/slack/install"
            assert serving.line == f"Running in no workspace yet; workspaces install the bot at {begin}."
            ended = await serving.told(signal.SIGTERM)
        assert (ended.code, "Traceback" in ended.err) == (0, False)
        again = await CommandLine(folder=tmp_path, env=env).run("check")
        assert "No workspace has installed the bot yet" in again.out
