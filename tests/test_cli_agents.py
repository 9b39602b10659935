"""The command line where `BOT_AGENT` names several agents."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.approvals.conversation import Status
from bot.approvals.ids import AgentName
from bot.approvals.realm import Realm
from bot.approvals.repairing import REPAIR
from bot.jobs.table import jobs
from bot.sandbox import Sandbox
from bot.store.database import open_store, reading_store
from tests.command_line import CommandLine, for_slack
from tests.store.samples import THREAD, action, approval, conversation

TEAM = """\
from bot import Agent


def publish(page: str) -> str:
    "Publish a page."
    return page


def restart(host: str) -> str:
    "Restart a machine."
    return host


ops = Agent(tools=[publish, restart], interrupt_on={"*": True})
docs = Agent(tools=[publish], interrupt_on={"*": True}, model="offline")
"""
BOTH = "ops=team:ops, docs=team:docs"
POLICY = """\
[defaults]
approvers = ["@bob"]

[[rules]]
tools = ["restart", "delete"]
danger = true

[agents.docs.defaults]
approvers = ["@carol"]
redact = ["page"]

[[agents.docs.rules]]
tools = ["restart"]
quorum = 1
approvers = ["@carol"]
"""


@pytest.fixture
async def command(tmp_path: Path) -> CommandLine:
    (tmp_path / "team.py").write_text(TEAM)
    (tmp_path / "approvals.toml").write_text(POLICY)
    return CommandLine(folder=tmp_path, env={"BOT_AGENT": BOTH})


async def test_check_looks_at_each_agent_and_names_it(command: CommandLine) -> None:
    async with Sandbox() as slack:
        ended = await command.run("check", **for_slack(slack, BOT_MODEL="offline"))
    assert (ended.code, ended.err) == (0, ""), ended.out
    for line in (
        "ok       ops: The model offline can be set up.",
        "ok       ops: The agent team:ops has 2 tools; people are asked about publish, restart.",
        "ok       docs: The agent names its own model.",
        "ok       docs: The agent team:docs has 1 tools; people are asked about publish.",
        "warning  approvals.toml: no tool of any agent is called delete.",
        "warning  approvals.toml: no tool of the agent docs is called restart.",
        "ok       Everybody in approvals.toml is known: @bob, @carol.",
    ):
        assert line in ended.out.splitlines()
    assert "goes first" not in ended.out  # that is said of what an agent carries


async def test_check_says_what_is_wrong_with_which_of_them(command: CommandLine) -> None:
    (command.folder / "approvals.toml").write_text(POLICY + "[agents.web]\n")
    agents = "ops=team:ops, docs=team:dogs"
    async with Sandbox() as slack:
        ended = await command.run("check", **for_slack(slack, BOT_MODEL="offline", BOT_AGENT=agents))
    assert ended.code == 1
    for line in (
        "wrong    docs: The module 'team' has no 'dogs'; did you mean 'docs'.",
        (
            "wrong    approvals.toml, line 16: `agents.web`: there is no agent called web; "
            "BOT_AGENT names ops, docs."
        ),
    ):
        assert line in ended.out.splitlines()


@pytest.mark.parametrize(
    ("agents", "sentence"),
    [
        ("ops=team:ops, team:docs", "BOT_AGENT is not right: team:docs has no name"),
        ("ops=team:ops, docs=team", "docs: The agent 'team' must be written package.module:attribute."),
    ],
)
async def test_serve_refuses_agents_that_it_cannot_tell_apart_or_find(
    command: CommandLine, agents: str, sentence: str
) -> None:
    async with Sandbox() as slack:
        ended = await command.run("serve", **for_slack(slack, BOT_MODEL="offline", BOT_AGENT=agents))
    assert ended.code == 2
    assert ended.err.startswith(sentence)
    assert len(ended.err.splitlines()) == 1


async def test_pending_and_show_name_the_agent_and_keep_to_its_policy(command: CommandLine) -> None:
    docs = Realm(agent=AgentName("docs"))
    async with open_store(command.folder / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(realm=docs))
        await tx.approvals.add(approval("p1", action(tool="publish", arguments={"page": "about.md"})))
    [waits] = json.loads((await command.run("pending", "--json")).out)["pending"]
    assert (waits["agent"], waits["actions"][0]["approvers"]) == ("docs", ["@carol"])
    told = await command.run("show", THREAD)
    assert "agent         docs" in told.out
    assert "about.md" not in told.out
    # An agent that is there no more: its name still, and what all share.
    (command.folder / "approvals.toml").write_text('[defaults]\napprovers = ["@bob"]\n')
    [waits] = json.loads((await command.run("pending", "--json", BOT_AGENT="ops=team:ops")).out)["pending"]
    assert (waits["agent"], waits["actions"][0]["approvers"]) == ("docs", ["@bob"])


async def test_repair_of_an_agent_that_is_gone_says_so_and_leaves_it_to_a_bot_that_has_it(
    command: CommandLine,
) -> None:
    async with open_store(command.folder / "bot.db") as store, store.write() as tx:
        docs = Realm(agent=AgentName("docs"))
        await tx.conversations.add(conversation(realm=docs, status=Status.FAILED))
    ended = await command.run("repair", THREAD, BOT_AGENT="ops=team:ops")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "BOT_AGENT names no agent docs here; a bot without it tells the thread so, and mends nothing.",
        f"No bot is running; {THREAD} is repaired when one starts.",
    ]
    async with reading_store(command.folder / "bot.db") as store, store.read() as tx:
        rows = await tx.connection.execute(select(jobs.c.kind, jobs.c.payload))
        assert [(kind, json.loads(told)) for kind, told in rows] == [(REPAIR, {"conversation": THREAD})]
