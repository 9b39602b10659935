"""What an ordinary mistake looks like: one sentence on standard error, exit 2, no traceback."""

import os
import shutil
import socket
import sqlite3
from pathlib import Path

import pytest

from bot.sandbox import Fault, Sandbox
from tests.command_line import NOWHERE, POLICY, TOKENS, CommandLine, Ended, for_slack

SERVE = {**TOKENS, "SLACK_API_URL": NOWHERE, "BOT_MODEL": "offline", "BOT_PORT": "0"}

SEVERAL = {
    "SLACK_BOT_TOKEN": "",
    "SLACK_CLIENT_ID": "11.22",
    "SLACK_CLIENT_SECRET": "hush",
    "SLACK_REDIRECT_URI": "https://bot.example.org/slack/oauth_redirect",
    "SLACK_TEAMS": "T0ONE",
    "BOT_TOKENS_KEY": "A" * 43 + "=",
}


def told(ended: Ended, *sentences: str) -> None:
    """It ended as bad input does, and said this."""
    assert ended.code == 2, ended
    assert "Traceback" not in ended.err
    for sentence in sentences:
        assert sentence in ended.err
    assert not ended.out.strip(), ended.out


@pytest.mark.parametrize(
    ("changed", "sentences"),
    [
        (
            {"SLACK_BOT_TOKEN": "", "SLACK_APP_TOKEN": "", "BOT_PORT": "many", "BOT_MODE": "pigeon"},
            ["SLACK_BOT_TOKEN is not set", "Neither SLACK_APP_TOKEN", "BOT_PORT is not", "BOT_MODE is not"],
        ),
        ({"SLACK_BOT_TOKEN": "xoxp-secret"}, ["SLACK_BOT_TOKEN is not right: does not start with xoxb-"]),
        ({**SEVERAL, "SLACK_BOT_TOKEN": "xoxb-1"}, ["SLACK_BOT_TOKEN and SLACK_CLIENT_ID are both set"]),
        ({"BOT_POLICY": "none.toml"}, ["The policy none.toml cannot be read: No such file or directory."]),
        ({"BOT_POLICY": "binary.toml"}, ["it is not UTF-8 text"]),
        ({"BOT_POLICY": "empty.toml"}, ["empty.toml: `defaults` is required: nobody approves by default"]),
        ({"BOT_MODEL": ""}, ["names no model: set BOT_MODEL"]),
        ({"BOT_MODEL": "openai:gpt-5"}, ["needs a key: set OPENAI_API_KEY"]),
        ({"BOT_AGENT": "no.such:agent"}, ["there is no module 'no'"]),
        ({"BOT_AGENT": "raises:agent"}, ["Importing 'raises' failed with ZeroDivisionError"]),
        ({"BOT_AGENT": "team:broken"}, ["Building 'team:broken' failed with RuntimeError: no region"]),
        ({"BOT_DATABASE_URL": "postgresql://u:hush@db/x"}, ["The database cannot be reached"]),
        ({"BOT_DATABASE_URL": "sqlite:///approvals.toml"}, ["not a SQLite database"]),
        ({}, [f"Slack cannot be reached at {NOWHERE}"]),
        ({"SLACK_API_URL": "http://not a host/"}, ["Slack cannot be reached at http://not a host/"]),
    ],
)
async def test_serve_says_what_is_wrong(
    tmp_path: Path, changed: dict[str, str], sentences: list[str]
) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "raises.py").write_text("agent = 1 / 0\n")
    (tmp_path / "team.py").write_text(
        "def broken(*, model, checkpointer, middleware):\n    raise RuntimeError('no region')\n"
    )
    ended = await CommandLine(folder=tmp_path, env=SERVE).run("serve", **changed)
    told(ended, *sentences)
    assert "hush" not in ended.err
    assert "xoxp-secret" not in ended.err


async def test_without_a_policy_nobody_could_approve(tmp_path: Path) -> None:
    told(await CommandLine(folder=tmp_path, env=SERVE).run("serve"), "nobody approves by default")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", ".env cannot be read: it is not UTF-8 text."),
        (b"BOT_PORT=0\n'xoxb-hush nonsense\n", ".env, line 2: this is not NAME=value."),
    ],
)
async def test_a_broken_env_file_is_told_by_line_and_never_shown(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    (tmp_path / ".env").write_bytes(content)
    ended = await CommandLine(folder=tmp_path, env=SERVE).run("serve")
    told(ended, sentence)
    assert "hush" not in ended.err


async def test_a_key_in_the_env_file_reaches_the_models_client(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-hush\nBOT_MODEL=openai:gpt-5\n")
    ended = await CommandLine(folder=tmp_path, env={**SERVE, "BOT_MODEL": ""}).run("check")
    assert "ok       The model openai:gpt-5 can be set up." in ended.out
    assert "hush" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"SLACK_BOT_TOKEN": "xoxb-other-hush"}, "Slack refuses SLACK_BOT_TOKEN (invalid_auth)"),
        ({"SLACK_APP_TOKEN": "xapp-other-hush"}, "Slack refuses SLACK_APP_TOKEN (invalid_auth)"),
        ({"BOT_POLICY": "people.toml"}, "people.toml, line 2: @nobody is not a full member"),
    ],
)
async def test_what_slack_refuses_is_told_at_the_start(
    tmp_path: Path, changed: dict[str, str], sentence: str
) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    (tmp_path / "people.toml").write_text('[defaults]\napprovers = ["@nobody"]\n')
    async with Sandbox() as slack:
        ended = await CommandLine(folder=tmp_path, env=for_slack(slack)).run("serve", **changed)
    told(ended, sentence)
    assert "hush" not in ended.err


async def test_trouble_of_slacks_own_is_told_apart_from_a_bad_token(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    async with Sandbox() as slack:
        command = CommandLine(folder=tmp_path, env=for_slack(slack))
        elsewhere = await command.run("serve", SLACK_API_URL=slack.page_url)
        await slack.fault(Fault(kind="status", status=503))
        unwell = await command.run("serve")
    told(elsewhere, "Slack")
    told(unwell, "Slack has trouble just now (http_503)")
    assert "refuses" not in unwell.err + elsewhere.err


async def test_a_taken_port_is_named(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        async with Sandbox() as slack:
            serve = await CommandLine(folder=tmp_path, env=for_slack(slack)).run("serve", BOT_PORT=port)
        sandbox = await CommandLine(folder=tmp_path).run("sandbox", "--port", port)
    told(serve, f"127.0.0.1:{port} cannot be listened on", "set BOT_PORT")
    told(sandbox, f"cannot listen on port {port}", "--port")


async def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told(await CommandLine(folder=tmp_path).run("sandbox", "--data", "file/in"), "cannot be made")


@pytest.mark.parametrize(
    "args",
    [
        ["pending"],
        ["show", "x"],
        ["audit"],
        ["pending", "--json"],
        ["show", "https://x.slack.com/archives/C1/p1"],
    ],
)
async def test_a_database_that_is_not_there_is_not_made_by_looking(tmp_path: Path, args: list[str]) -> None:
    told(await CommandLine(folder=tmp_path).run(*args), "There is no database at bot.db yet")
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - nothing to be made from it


async def test_a_schema_of_another_version_is_told(tmp_path: Path) -> None:
    command = CommandLine(folder=tmp_path)
    (tmp_path / "bot.db").write_bytes(b"")
    told(await command.run("pending"), "no schema", "db upgrade")
    assert (await command.run("db", "upgrade")).code == 0
    assert (await command.run("pending")).code == 0
    with sqlite3.connect(tmp_path / "bot.db") as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    db.close()
    told(await command.run("pending"), "9999", "newer version")
    told(await command.run("db", "upgrade"), "9999", "newer")


async def test_postgres_is_refused_in_a_sentence(tmp_path: Path) -> None:
    env = {"BOT_DATABASE_URL": "postgresql://bot:hush@localhost:1/bot"}
    for args in (["db", "upgrade"], ["pending"]):
        ended = await CommandLine(folder=tmp_path, env=env).run(*args)
        told(ended, "The database cannot be reached")
        assert "hush" not in ended.err


@pytest.mark.parametrize(
    "args",
    [
        ["sandbox", "--port", "x"],
        ["sandbox", "--port", "70000"],
        ["show"],
        ["audit", "--format", "csv"],
        ["fly"],
    ],
)
async def test_a_usage_error_is_bad_input_too(tmp_path: Path, args: list[str]) -> None:
    told(await CommandLine(folder=tmp_path).run(*args), "Usage")


async def test_the_installed_command_is_the_same(tmp_path: Path) -> None:
    installed = shutil.which("approval-bot")
    assert installed
    own = await CommandLine(folder=tmp_path, command=(installed,)).run("cancel", "some-thread")
    assert own == await CommandLine(folder=tmp_path).run("cancel", "some-thread")
