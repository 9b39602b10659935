"""`check`, `pending`, `show` and `audit`: what they print, for people and for programs."""

import json
import math
import os
from pathlib import Path

import pytest

from bot.approvals.action import Seat
from bot.approvals.approval import Decided, Expired, State
from bot.approvals.conversation import PostKind, PostState
from bot.approvals.decision import Approve, Edit
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, Ts
from bot.approvals.journal import Execution, Progress
from bot.approvals.ports import Event
from bot.approvals.referents import Referents
from bot.approvals.who import ChannelMembers, Quorum
from bot.sandbox import Fault, Sandbox
from bot.slack.app import SCOPES
from bot.store.database import open_store
from tests.command_line import NOWHERE, POLICY, TOKENS, CommandLine, for_slack
from tests.store.samples import ALICE, BOB, GENERAL, NOON, action, approval, conversation, later, post, said

THREAD = "conversation-of-22-sig"
ROOT, CARD, SAID = Ts("1700000000.000100"), Ts("1700000001.000200"), Ts("1700000002.000300")
HOSTILE = "\x1b[2J[bold]\u202egnp.exe\u009b31m\udc80"
RULES = POLICY + '\n[[rules]]\ntools = ["delete_*"]\napprovers = ["@bob", "U0CAROL"]\n'


@pytest.fixture
async def command(tmp_path: Path) -> CommandLine:
    """A database in which one approval waits, half decided."""
    (tmp_path / "approvals.toml").write_text(RULES)
    edit = Decided(decision=Edit({"path": "b", "n": math.inf}), by=BOB, at=NOON)
    asked = approval(
        "p1",
        action("a1", {"path": "x" * 1_000, "odd": math.nan}, outcome=edit),
        action("a2", {"path": HOSTILE}, tool="delete_file"),
        conversation=ConversationId(THREAD),
        expires_at=later(24 * 3_600),
    )
    card = post(
        "card",
        conversation=ConversationId(THREAD),
        kind=PostKind.CARD,
        text="",
        approval=ApprovalId("p1"),
        state=PostState.SHOWN,
        channel=GENERAL,
        ts=CARD,
    )
    async with open_store(tmp_path / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(THREAD, thread_ts=ROOT))
        await tx.conversations.add(conversation("other", thread_ts=Ts("1600000000.000000")))
        await tx.conversations.keep(
            said(text="and b.txt", conversation=ConversationId(THREAD), source=f"{GENERAL}/{SAID}")
        )
        await tx.approvals.add(asked)
        await tx.executions.add(
            Execution(
                conversation=ConversationId(THREAD),
                message="m",
                call="c",
                tool="write_file",
                digest="d" * 64,
                approval=ApprovalId("p1"),
                action=ActionId("a1"),
                progress=Progress.DONE,
                attempt=2,
                result={"content": [math.inf], "status": "success"},
            )
        )
        await tx.posts.owe(card)
        await tx.record.append(Event(kind="filed", at=NOON, conversation=ConversationId(THREAD), actor=ALICE))
        await tx.record.append(Event(kind="said", at=NOON, conversation=ConversationId("other")))
    return CommandLine(folder=tmp_path)


async def test_pending_says_what_waits_for_whom(command: CommandLine) -> None:
    ended = await command.run("pending")
    assert (ended.code, ended.err) == (0, "")
    lines = [line.strip() for line in ended.out.splitlines()]
    assert f"conversation  {THREAD}" in lines
    assert "asked by      U0ALICE" in lines
    assert any(line.startswith("since         2026-01-02 12:00:00 UTC (") for line in lines)
    assert "until         2026-01-03 12:00:00 UTC" in lines
    assert "tool          delete_file (a2)" in lines
    assert "waits for     @bob, U0CAROL" in lines
    assert "1 approval waits." in lines


async def test_what_waits_for_its_turn_is_said_to_be_held_without_card_and_deadline(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    command = CommandLine(folder=tmp_path)
    async with open_store(tmp_path / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(THREAD, thread_ts=ROOT))
        held = approval("p2", action("a2"), conversation=ConversationId(THREAD), held=True)
        await tx.approvals.add(held)
    [one] = json.loads((await command.run("pending", "--json")).out)["pending"]
    assert (one["held"], one["card"], one["expires_at"]) == (True, None, None)
    lines = [line.strip() for line in (await command.run("pending")).out.splitlines()]
    assert (
        "card          none yet: it waits for its turn behind those that are open, and nobody is asked yet"
        in lines
    )


async def test_pending_is_one_json_document_with_stable_keys(command: CommandLine) -> None:
    [one] = json.loads((await command.run("pending", "--json")).out, parse_constant=pytest.fail)["pending"]
    edited, asked = one.pop("actions")
    assert one == {
        "approval": "p1",
        "conversation": THREAD,
        "channel": GENERAL,
        "thread_ts": ROOT,
        "requesters": ["U0ALICE"],
        "asked_at": "2026-01-02T12:00:00.123456+00:00",
        "expires_at": "2026-01-03T12:00:00.123456+00:00",
        "held": False,
        "card": {"state": "shown", "channel": GENERAL, "ts": CARD},
    }
    assert asked == {
        "id": "a2",
        "tool": "delete_file",
        "decision": None,
        "votes": [],
        "missing": 1,
        "points_at": None,
        "approvers": ["@bob", "U0CAROL"],
    }
    assert edited["approvers"] == ["channel"]
    assert edited["decision"] == {
        "type": "edit",
        "arguments": {"path": "b", "n": "inf"},
        "by": "U0BOB",
        "at": "2026-01-02T12:00:00.123456+00:00",
    }


async def test_pending_and_show_tell_what_a_call_points_at_without_its_secrets(command: CommandLine) -> None:
    thread = ConversationId("pointing")
    found = Referents(texts={"commit": "1f3a", "address": "https://bob:hunter2secret@host/x"})
    asked = approval("p8", action("a8", referents=found), conversation=thread)
    async with open_store(command.folder / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(thread))
        await tx.approvals.add(asked)
    shown = await command.run("show", thread, "--json")
    pending = await command.run("pending", "--json")
    [told] = json.loads(shown.out)["approvals"][0]["actions"]
    [waiting] = json.loads(pending.out)["pending"][-1]["actions"]
    assert told["points_at"] == waiting["points_at"]
    assert told["points_at"]["texts"]["commit"] == "1f3a"
    assert "hunter2secret" not in shown.out + pending.out


async def test_pending_and_show_tell_who_voted_and_how_many_are_missing(command: CommandLine) -> None:
    thread = ConversationId("votes")
    needs = (Quorum(approvers=(ChannelMembers(),), count=3),)
    asked = approval("p9", action("a9", needs=needs), conversation=thread)
    asked = asked.decide(ActionId("a9"), Approve(), by=BOB, at=NOON, seat=Seat(needs=needs))
    async with open_store(command.folder / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(thread))
        await tx.approvals.add(asked)
    votes = {
        "votes": [{"type": "approve", "by": "U0BOB", "at": "2026-01-02T12:00:00.123456+00:00"}],
        "missing": 2,
    }
    told = json.loads((await command.run("pending", "--json")).out)["pending"][-1]["actions"][0]
    assert told | votes == told
    told = json.loads((await command.run("show", thread, "--json")).out)["approvals"][0]["actions"][0]
    assert told | votes == told
    assert "U0BOB; 2 more needed" in (await command.run("pending")).out


async def test_without_a_policy_file_it_is_not_known_who_decides(command: CommandLine) -> None:
    (command.folder / "approvals.toml").unlink()
    [one] = json.loads((await command.run("pending", "--json")).out)["pending"]
    assert [action["approvers"] for action in one["actions"]] == [None, None]
    assert "whoever the running bot's policy names" in (await command.run("pending")).out


async def test_show_tells_everything_about_one_conversation(command: CommandLine) -> None:
    shown = json.loads((await command.run("show", THREAD, "--json")).out, parse_constant=pytest.fail)
    assert shown["conversation"]["requester"] == "U0ALICE"
    [asked] = shown["approvals"]
    assert asked["state"] == "waiting"
    assert asked["actions"][0]["arguments"] == {"path": "x" * 1_000, "odd": "nan"}
    assert asked["actions"][1]["arguments"] == {"path": HOSTILE}
    assert shown["executions"] == [
        {
            "approval": "p1",
            "action": "a1",
            "tool": "write_file",
            "call": "c",
            "digest": "d" * 64,
            "progress": "done",
            "attempt": 2,
            "result": {"content": ["inf"], "status": "success"},
        }
    ]
    assert "done (2 attempts), a1" in (await command.run("show", THREAD)).out
    assert [(post["kind"], post["state"], post["ts"]) for post in shown["posts"]] == [("card", "shown", CARD)]
    assert [said["text"] for said in shown["kept"]] == ["and b.txt"]


async def test_show_tells_what_expired_and_what_never_does(command: CommandLine) -> None:
    late = action("a3", outcome=Expired(at=NOON))
    thread = ConversationId("other")
    async with open_store(command.folder / "bot.db") as store, store.write() as tx:
        await tx.approvals.add(approval("p2", late, conversation=thread, state=State.DELIVERED))
    [told] = json.loads((await command.run("show", "other", "--json")).out)["approvals"]
    assert told["expires_at"] is None
    assert told["actions"][0]["decision"] == {
        "type": "expired",
        "by": None,
        "at": "2026-01-02T12:00:00.123456+00:00",
    }
    read = (await command.run("show", "other")).out
    assert "expired, 2026-01-02 12:00:00 UTC" in read
    assert " by None" not in read


async def test_show_for_people_is_cut_and_moves_no_cursor(command: CommandLine) -> None:
    ended = await command.run("show", THREAD)
    assert ended.code == 0, ended.err
    assert "characters; --json has all)" in ended.out
    assert "x" * 500 not in ended.out
    assert "edit by U0BOB, 2026-01-02 12:00:00 UTC" in ended.out
    assert "[bold]" in ended.out, "what looks like markup is text"
    for sign in "\x1b\u202e\u009b\udc80":
        assert sign not in ended.out
    assert "\\u202egnp.exe" in ended.out
    assert "and b.txt" in ended.out


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
async def test_no_terminal_is_too_plain(command: CommandLine, encoding: str) -> None:
    for args in (["show", THREAD], ["show", THREAD, "--json"]):
        ended = await command.run(*args, PYTHONIOENCODING=encoding, COLUMNS="20", TERM="dumb")
        assert (ended.code, ended.err) == (0, "")
        assert THREAD in ended.out


@pytest.mark.parametrize(
    "link",
    [
        f"https://team.slack.com/archives/{GENERAL}/p1700000000000100",
        f"https://team.slack.com/archives/{GENERAL}/p1700000001000200",
        f"https://team.slack.com/archives/{GENERAL}/p1700000002000300",
        f"https://team.slack.com/archives/{GENERAL}/p1700000009000900?thread_ts={ROOT}&cid={GENERAL}",
        f"http://127.0.0.1:8800/archives/{GENERAL}/p1700000000000100",
    ],
)
async def test_the_link_of_any_message_in_the_thread_will_do(command: CommandLine, link: str) -> None:
    shown = json.loads((await command.run("show", link, "--json")).out)
    assert shown["conversation"]["id"] == THREAD


@pytest.mark.parametrize(
    "thread",
    [
        "p1",
        "",
        "%",
        "https://team.slack.com/archives/C0OTHER/p1700000000000100",
        "https://team.slack.com/archives/C0GENERAL/p1",
        "https://[",
        "nul\udc80",
    ],
)
async def test_an_unknown_thread_is_one_sentence(command: CommandLine, thread: str) -> None:
    ended = await command.run("show", thread)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert "onversation" in ended.err


async def test_audit_prints_the_record_a_document_a_line(command: CommandLine) -> None:
    lines = [json.loads(line) for line in (await command.run("audit")).out.splitlines()]
    assert [line["kind"] for line in lines] == ["filed", "said"]
    [only] = [json.loads(line) for line in (await command.run("audit", "--thread", THREAD)).out.splitlines()]
    expected = {
        "seq": 1,
        "at": "2026-01-02T12:00:00.123456+00:00",
        "kind": "filed",
        "conversation": THREAD,
        "approval": None,
        "action": None,
        "actor": "U0ALICE",
        "detail": {},
    }
    assert {name: only[name] for name in expected} == expected
    assert (await command.run("audit", "--thread", "nope")).code == 2


async def test_looking_changes_nothing(command: CommandLine) -> None:
    before = (command.folder / "bot.db").read_bytes()
    for args in (["pending"], ["show", THREAD], ["audit"]):
        assert (await command.run(*args)).code == 0
    assert (command.folder / "bot.db").read_bytes() == before


async def test_check_finds_nothing_wrong_where_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(
        POLICY + '[[rules]]\ntools = ["delete_*"]\napprovers = ["@bob"]\n'
    )
    async with Sandbox() as slack:
        ended = await CommandLine(folder=tmp_path, env=for_slack(slack)).run("check")
    assert (ended.code, ended.err) == (0, ""), ended.out
    assert {line.split()[0] for line in ended.out.splitlines()} == {"ok", "note"}
    assert "The bot is in #approvals, #general." in ended.out
    assert "SLACK_BOT_TOKEN belongs to <@U0AGENT>" in ended.out
    assert f"All {len(SCOPES)} scopes are granted." in ended.out
    assert "Socket Mode: Slack takes SLACK_APP_TOKEN." in ended.out
    assert "Everybody in approvals.toml is known: @bob." in ended.out
    assert os.listdir(tmp_path) == ["approvals.toml"]  # noqa: PTH208 - looking makes no file


async def test_check_tells_every_problem_in_a_line_of_its_own(tmp_path: Path) -> None:
    policy = POLICY + '[[rules]]\ntools = ["drop_*"]\napprovers = ["@nobody"]\n'
    (tmp_path / "approvals.toml").write_text(policy)
    async with Sandbox(scopes=SCOPES - {"groups:read", "commands"}) as slack:
        env = for_slack(slack, SLACK_APP_TOKEN="xapp-other", BOT_MODEL="gpt", BOT_POLCY="x")
        ended = await CommandLine(folder=tmp_path, env=env).run("check")
    assert ended.code == 1
    for line in (
        "wrong    The model 'gpt' must be written provider:model",
        "wrong    The scope commands is missing; add it under OAuth & Permissions",
        "wrong    The scope groups:read is missing; add it under OAuth & Permissions",
        "wrong    Slack refuses SLACK_APP_TOKEN (invalid_auth)",
        "wrong    approvals.toml, line 5: @nobody is not a full member of this workspace.",
        "warning  approvals.toml: no tool of the agent is called drop_*.",
        "warning  BOT_POLCY is set, but there is no such setting; did you mean BOT_POLICY?",
        "ok       The agent bot.agents.assistant:agent has",
    ):
        assert line in ended.out
    assert "xapp-other" not in ended.out + ended.err


async def test_check_says_when_slack_could_not_be_asked(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    env = {**TOKENS, "SLACK_API_URL": NOWHERE, "BOT_MODEL": "offline", "BOT_PORT": "0"}
    ended = await CommandLine(folder=tmp_path, env=env).run("check")
    assert ended.code == 2
    assert f"unknown  Slack cannot be reached at {NOWHERE}" in ended.out
    assert "wrong" not in ended.out


async def test_check_looks_on_where_the_settings_are_wrong(tmp_path: Path) -> None:
    ended = await CommandLine(folder=tmp_path).run("check", BOT_PORT="x", BOT_AGENT="no.such:agent")
    assert ended.code == 1
    for line in ("BOT_PORT is not right", "SLACK_BOT_TOKEN is not set", "nobody approves by default"):
        assert line in ended.out
    assert "there is no module 'no'" in ended.out
    assert "unknown  Slack was not asked" in ended.out


async def test_check_tells_what_a_graph_of_the_teams_own_does_not_keep(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    (tmp_path / "team.py").write_text(
        "from langgraph.graph import StateGraph\n"
        "def build(*, model, checkpointer, middleware):\n"
        "    graph = StateGraph(dict)\n"
        "    graph.add_node('end', lambda state: state)\n"
        "    graph.set_entry_point('end')\n"
        "    return graph.compile(checkpointer=checkpointer)\n"
    )
    async with Sandbox() as slack:
        env = for_slack(slack, BOT_AGENT="team:build", BOT_MODEL="")
        ended = await CommandLine(folder=tmp_path, env=env).run("check")
    assert ended.code == 0, ended.out
    assert "warning  The graph leaves out the middleware that guards execution" in ended.out
    assert "in memory" not in ended.out, "the throw-away checkpoints are not the graph's own"


async def test_check_in_http_mode_says_where_slack_has_to_lead(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(POLICY)
    async with Sandbox() as slack:
        await slack.fault(Fault(kind="error", method="apps.connections.open", error="not_allowed"))
        env = for_slack(slack, SLACK_APP_TOKEN="", SLACK_SIGNING_SECRET="hush")
        ended = await CommandLine(folder=tmp_path, env=env).run("check")
    assert ended.code == 0, ended.out
    assert "/slack/events" in ended.out
    assert "hush" not in ended.out
