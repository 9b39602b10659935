"""`serve` and `sandbox` as processes: how they start, end, and stand a kill."""

import json
import signal
from pathlib import Path

import aiohttp
import pytest

from bot.sandbox import Sandbox, Visitor
from tests.command_line import POLICY, CommandLine, for_slack
from tests.system.house import free_port, is_answer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "approvals.toml").write_text(POLICY)
    return tmp_path


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_serve_runs_on_slack_and_ends_well_when_told(folder: Path, sign: signal.Signals) -> None:
    async with Sandbox() as slack:
        command = CommandLine(folder=folder, env=for_slack(slack))
        async with command.running("serve") as bot:
            assert bot.line == f"Running as <@U0AGENT> on {slack.page_url}."
            await slack.connected()
            await slack.person("Alice").say("#general", "/agent delete tmp.log")
            await slack.person("Bob").sees("delete_file", channel="#general")
            ended = await bot.told(sign)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert "xoxb-" not in ended.out + ended.err
    assert "xapp-" not in ended.out + ended.err


async def test_serve_in_http_mode_tells_how_it_is(folder: Path) -> None:
    port = free_port()
    async with Sandbox(request_url=f"http://127.0.0.1:{port}/slack/events") as slack:
        env = for_slack(
            slack,
            SLACK_APP_TOKEN="",
            SLACK_SIGNING_SECRET=slack.signing_secret,
            BOT_PORT=str(port),
        )
        async with CommandLine(folder=folder, env=env).running("serve") as bot:
            assert await slack.verify_request_url()
            address = f"http://127.0.0.1:{port}/readyz"
            async with aiohttp.ClientSession() as session, session.get(address) as answer:
                assert await answer.json() == {"ok": True, "problems": {}}
            assert (await bot.told(signal.SIGTERM)).code == 0


async def test_a_signal_during_the_start_ends_it_as_well(folder: Path) -> None:
    async with Sandbox() as slack:
        env = for_slack(slack, BOT_AGENT="slow:build")
        (folder / "slow.py").write_text(
            "import os, signal\n"
            "def build(**given):\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n"
            "    from langgraph.graph import StateGraph\n"
            "    graph = StateGraph(dict)\n"
            "    graph.add_node('end', lambda state: state)\n"
            "    graph.set_entry_point('end')\n"
            "    return graph.compile(checkpointer=given['checkpointer'])\n"
        )
        ended = await CommandLine(folder=folder, env=env).run("serve")
    assert (ended.code, ended.out) == (0, "")
    assert "Traceback" not in ended.err


async def test_two_processes_never_share_a_database(folder: Path) -> None:
    async with Sandbox() as slack:
        command = CommandLine(folder=folder, env=for_slack(slack))
        async with command.running("serve"):
            second = await command.run("serve")
            upgrade = await command.run("db", "upgrade")
            looking = await command.run("pending")
            check = await command.run("check")
    for refused in (second, upgrade):
        assert (refused.code, refused.out) == (2, "")
        assert "is using bot.db; stop it first" in refused.err
        assert refused.err.count("\n") == 1
    assert (looking.code, looking.out.strip()) == (0, "Nothing waits for a decision.")
    assert "ok       The database bot.db is in use by a running bot." in check.out
    assert check.code == 0


async def test_the_sandbox_prints_its_address_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    command = CommandLine(folder=tmp_path)
    async with command.running("sandbox", "--port", "0") as first:
        async with await Visitor.connect(_address(first.line)) as slack:
            await slack.person("Alice").say("#general", "/agent delete tmp.log")
            await slack.person("Bob").sees("delete_file", channel="#general")
        first.process.kill()
    async with command.running("sandbox", "--port", "0") as second:
        async with await Visitor.connect(_address(second.line)) as slack:
            bob = slack.person("Bob")
            card = await bob.sees("delete_file", channel="#general")
            assert await bob.press(card, "Approve") == {"ok": True}
            await slack.person("Alice").sees(is_answer, thread=card["thread_ts"])
        ended = await second.told(signal.SIGINT)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / ".sandbox" / "workspace" / "tmp.log").exists()


async def test_the_sandbox_takes_a_teams_own_agent_and_policy(folder: Path) -> None:
    (folder / "team.py").write_text(
        "from bot import Agent\n"
        "def delete_file(path: str) -> str:\n"
        "    'Delete it.'\n"
        "    return 'gone'\n"
        "agent = Agent(tools=[delete_file], interrupt_on={'*': True})\n"
    )
    env = {"BOT_AGENT": "team:agent", "BOT_DATABASE_URL": "sqlite:///own.db"}
    command = CommandLine(folder=folder, env=env)
    async with command.running("sandbox", "--port", "0", "--data", "here") as bot:
        async with await Visitor.connect(_address(bot.line)) as slack:
            await slack.person("Alice").say("#general", "/agent delete tmp.log")
            await slack.person("Bob").sees("delete_file", channel="#general")
        waiting = json.loads((await command.run("pending", "--json")).out)["pending"]
    assert [action["approvers"] for one in waiting for action in one["actions"]] == [["channel"]]


def _address(line: str) -> str:
    return line.removeprefix("The sandbox is at ").partition(" ")[0]
