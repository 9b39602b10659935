"""A call that may have run already, in Slack: the bot is killed in it, and people say what happened."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import Visitor, buttons, labels, text_of
from tests.command_line import PYTHON
from tests.system.house import decisions, is_answer

ROOT = Path(__file__).parents[2]
AMOUNT = {"amount": 7, "to": "bob"}
UNREAD = "You have not seen the whole of it"


@asynccontextmanager
async def the_bot(
    data: Path, *, policy: str = ""
) -> AsyncIterator[tuple[asyncio.subprocess.Process, Visitor]]:
    """The sandbox as a process, with the agent whose tool can kill it; killed at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOT_", "SLACK_"))}
    workspace = data / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    if policy:
        (data / "approvals.toml").write_text(policy)
        kept["BOT_POLICY"] = str(data / "approvals.toml")
    process = await asyncio.create_subprocess_exec(
        *(*PYTHON, "-m", "bot", "sandbox", "--port", "0", "--data", str(data)),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={**kept, "BOT_AGENT": "tests.system.doubtful:agent", "BOT_WORKSPACE": str(workspace)},
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        found = re.search(r"http://\S+?:\d+", line)
        assert found, line
        async with await Visitor.connect(found[0]) as slack:
            yield process, slack
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def killed_in_a_payment(data: Path, to: str = "bob") -> None:
    """Bob approves a payment that is made, and of which the process dies."""
    async with the_bot(data) as (process, slack):
        (data / "workspace" / "die").touch()
        await slack.person("Alice").say("#general", f"/agent {json.dumps([[['pay', {**AMOUNT, 'to': to}]]])}")
        bob = slack.person("Bob")
        card = await bob.sees("Approval needed", channel="#general")
        if "View all" in buttons(card):
            await bob.press(card, "Approve")
            pressing = asyncio.ensure_future(bob.submit(await bob.form(UNREAD)))
        else:
            pressing = asyncio.ensure_future(bob.press(card, "Approve"))
        await asyncio.wait_for(process.wait(), 30)
        await asyncio.wait((pressing,))
        pressing.exception()
    (data / "workspace" / "die").unlink()
    assert len(payments(data)) == 1


def payments(data: Path) -> list[str]:
    return (data / "workspace" / "paid").read_text().splitlines()


def asks(message: dict[str, Any]) -> bool:
    return decisions(message) == ["It ran", "Run again", "Skip"]


async def test_whoever_has_not_seen_the_whole_call_is_asked_before_it_runs_again(tmp_path: Path) -> None:
    await killed_in_a_payment(tmp_path, to="bob and sons " * 250)
    async with the_bot(tmp_path) as (_, slack):
        carol = slack.person("Carol")
        card = await carol.sees(lambda one: "Run again" in buttons(one), channel="#general")
        await carol.press(card, "Run again")
        form = await carol.form(UNREAD)
        assert len(payments(tmp_path)) == 1
        assert await carol.submit(form) == {}
        ended = await carol.sees_change(card, lambda one: "Run again, says <@U0CAROL>" in text_of(one))
        assert "Run again" not in buttons(ended)
        await slack.person("Alice").sees(is_answer, channel="#general")
        assert len(payments(tmp_path)) == 2


async def test_people_who_say_that_it_ran_are_asked_what_it_returned(tmp_path: Path) -> None:
    await killed_in_a_payment(tmp_path)
    async with the_bot(tmp_path) as (_, slack):
        alice, bob = slack.person("Alice"), slack.person("Bob")
        card = await bob.sees(asks, channel="#general")
        assert "May have run already" in text_of(card)
        assert "pay" in text_of(card)
        assert "nobody knows whether it ran" in text_of(card)
        # Whoever asked for it does not decide about it, as with any other request.
        await alice.press(card, "Skip")
        await alice.sees_privately("You asked for this yourself")
        await bob.press(card, "It ran")
        form = await bob.form()
        assert labels(form) == ["Response"]
        assert await bob.submit(form, {"Response": "receipt 17, says the bank"}) == {}
        said = await alice.sees(is_answer, channel="#general")
        assert "pay: receipt 17, says the bank" in text_of(said)
        ended = await bob.sees_change(card, lambda one: buttons(one) == [])
        assert "It ran, says <@U0BOB>" in text_of(ended)
        assert "receipt 17" in text_of(ended)
        assert len(payments(tmp_path)) == 1


@pytest.mark.parametrize(
    ("word", "told", "ended", "made"),
    [
        ("Run again", "pay: receipt for 7", "Run again, says <@U0BOB>", 2),
        ("Skip", "may have run already, and a person said not to run it again", "Skipped by <@U0BOB>", 1),
    ],
)
async def test_run_again_runs_it_and_skip_does_not(
    word: str, told: str, ended: str, made: int, tmp_path: Path
) -> None:
    await killed_in_a_payment(tmp_path)
    async with the_bot(tmp_path) as (_, slack):
        alice, bob = slack.person("Alice"), slack.person("Bob")
        card = await bob.sees(asks, channel="#general")
        assert await bob.press(card, word) == {"ok": True}
        said = await alice.sees(is_answer, channel="#general")
        assert told in text_of(said)
        assert ended in text_of(await bob.sees_change(card, lambda one: buttons(one) == []))
        assert len(payments(tmp_path)) == made
        keys = {line.split()[2] for line in payments(tmp_path)}
        assert [len(key) for key in keys] == [32]


async def test_a_doubt_that_nobody_resolves_in_time_runs_nothing_and_everybody_is_told(
    tmp_path: Path,
) -> None:
    await killed_in_a_payment(tmp_path)
    soon = '[defaults]\napprovers = ["channel"]\nexpires_after = "1s"\n'
    async with the_bot(tmp_path, policy=soon) as (_, slack):
        alice, bob = slack.person("Alice"), slack.person("Bob")
        card = await bob.sees("Expired", channel="#general")
        assert buttons(card) == []
        told = await alice.sees("nobody said in time what became of pay", thread=card["thread_ts"])
        assert "<@U0ALICE>" in text_of(told)
        answer = text_of(await alice.sees(is_answer, channel="#general"))
        assert "may have run already, and nobody said in time whether it did" in answer
        assert len(payments(tmp_path)) == 1


async def test_stop_leaves_a_call_in_doubt_as_it_is_and_says_so(tmp_path: Path) -> None:
    await killed_in_a_payment(tmp_path)
    async with the_bot(tmp_path) as (_, slack):
        alice, bob = slack.person("Alice"), slack.person("Bob")
        card = await bob.sees(asks, channel="#general")
        await alice.press(card, "Stop")
        ended = await bob.sees_change(card, lambda one: buttons(one) == [])
        assert "Withdrawn" in text_of(ended)
        assert len(payments(tmp_path)) == 1
